"""``python -m checks.fit_drift``: fit the drift guard's two thresholds for the lab's encoder on labelled pairs.

In: ``checks/sets/drift/dev.jsonl``, pairs of a question and a rewrite that is the same or has drifted, each of a kind,
and the follow-ups of ``checks/sets/dev*``: the right rewrite must pass, the question before it must not. All of it is
development material: what is told of unseen rewrites is measured elsewhere. Out: the two cosines that fit here, beside
the lesson's, and what each layer catches. The thresholds stand in ``querylab/settings.py``; a test holds them to it.
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from querylab import settings
from querylab.guard import drift
from querylab.guard.drift import DriftVerdict
from querylab.retrieval.encoder import Encoder, SentenceEncoder, cosine

SETS = settings.ROOT / "checks" / "sets"
PAIRS = SETS / "drift" / "dev.jsonl"
GOOD_LOST = 0.01
"""Share of good rewrites that the floor may reject: a rejected one costs only its gain."""
DRIFTED_OK = 0.01
"""Share of the drifted rewrites that may be called ``ok``: slight drift costs only a search."""
_STEPS = [step / 100 for step in range(101)]


@dataclass(frozen=True)
class Pair:
    """One labelled pair; ``kind`` says what was done to the question."""

    id: str
    question: str
    rewrite: str
    label: Literal["same", "drifted"]
    kind: str


@dataclass(frozen=True)
class Point:
    """One threshold on the curve: of the pairs at or above it, how many are good, and how many of all good ones."""

    threshold: float
    precision: float
    recall: float


@dataclass(frozen=True)
class FollowUp:
    """A follow-up with its right rewrite, and the question before it, which a stuck rewriter would give again."""

    question: str
    known: str
    right: str
    stuck: str


def pairs() -> list[Pair]:
    """Read the labelled pairs."""
    return [Pair(**json.loads(line)) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def follow_ups() -> list[FollowUp]:
    """Read the follow-ups of the development sets."""
    lines = [
        json.loads(line)
        for file in sorted(SETS.glob("dev*/followups.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return [
        FollowUp(
            line["question"],
            "\n".join(turn["content"] for turn in line["history"]),
            line["standalone"],
            next(turn["content"] for turn in reversed(line["history"]) if turn["role"] == "user"),
        )
        for line in lines
    ]


def passes_hard_layer(pair: Pair) -> bool:
    """Say whether every core term of a pair survived, none came in or was exchanged, and the same is asked."""
    return not (
        drift.lost(pair.question, pair.rewrite)
        or drift.added(pair.question, pair.rewrite)
        or drift.swapped(pair.question, pair.rewrite)
        or drift.unasked(pair.question, pair.rewrite)
    )


def curve(chosen: Sequence[Pair], encoder: Encoder) -> list[Point]:
    """Precision and recall of "the cosine is at least t" as the sign of a good rewrite, for t from 0 to 1."""
    near = [(cosine(encoder, pair.question, pair.rewrite), pair.label == "same") for pair in chosen]
    good = sum(same for _, same in near) or 1
    points = []
    for threshold in _STEPS:
        above = [same for value, same in near if value >= threshold]
        points.append(Point(threshold, sum(above) / len(above) if above else 1.0, sum(above) / good))
    return points


def fit(encoder: Encoder) -> tuple[float, float]:
    """Fit the two thresholds on what the hard layer lets through.

    Returns:
        (ok, floor): the lowest cosine from which on at most :data:`DRIFTED_OK` of all drifted rewrites lie, and the
        highest below which at most :data:`GOOD_LOST` of the good ones lie.
    """
    every = pairs()
    passing = [pair for pair in every if passes_hard_layer(pair)]
    floor = max(point.threshold for point in curve(passing, encoder) if point.recall >= 1 - GOOD_LOST)
    near = [cosine(encoder, pair.question, pair.rewrite) for pair in passing if pair.label == "drifted"]
    allowed = DRIFTED_OK * sum(pair.label == "drifted" for pair in every)
    ok = next(step for step in _STEPS if sum(value >= step for value in near) <= allowed)
    return max(ok, floor), floor


def counted(chosen: Iterable[Pair], caught: Callable[[Pair], bool]) -> tuple[int, int]:
    """Count what a guard catches: drifted pairs that it rejects, and good ones that it rejects wrongly."""
    rejected = [pair for pair in chosen if caught(pair)]
    return sum(pair.label == "drifted" for pair in rejected), sum(pair.label == "same" for pair in rejected)


def main() -> int:
    """Print the fit, and what each layer catches on every split."""
    from querylab.pipeline.techniques import Techniques

    encoder, check = SentenceEncoder(), Techniques.of_track("solution").get("check_drift")
    ok, floor = fit(encoder)
    print(
        f"fitted here  ok >= {ok:.2f}  rejected < {floor:.2f}   (settings: {settings.DRIFT_OK}, {settings.DRIFT_FLOOR})"
    )
    print("the lesson   ok >= {:.2f}  rejected < {:.2f}   (another encoder)\n".format(*settings.LESSON_DRIFT))

    def verdict(pair: Pair) -> DriftVerdict:
        return check(pair.question, pair.rewrite, encoder)

    ways: dict[str, Callable[[Pair], bool]] = {
        "hard layer alone": lambda pair: not passes_hard_layer(pair),
        "cosine alone": lambda pair: cosine(encoder, pair.question, pair.rewrite) < floor,
        "cosine alone, 0.70": lambda pair: cosine(encoder, pair.question, pair.rewrite) < settings.LESSON_DRIFT[1],
        "both layers": lambda pair: verdict(pair).state == "rejected",
        "both, slight counted": lambda pair: verdict(pair).state != "ok",
    }
    chosen = pairs()
    drifted = sum(pair.label == "drifted" for pair in chosen)
    print(f"pairs: {drifted} drifted, {len(chosen) - drifted} good")
    for name, caught in ways.items():
        right, wrong = counted(chosen, caught)
        print(f"  {name:22} catches {right:3} of {drifted} drifted, {wrong:3} of {len(chosen) - drifted} good")
    states = [
        [check(item.question, rewrite, encoder, item.known).state for rewrite in (item.right, item.stuck)]
        for item in follow_ups()
    ]
    right, stuck = (sum(pair[side] != "rejected" for pair in states) for side in (0, 1))
    print(f"follow-ups: {len(states)}; right rewrite passes {right}, the question before it passes {stuck}")
    return 0 if (ok, floor) == (settings.DRIFT_OK, settings.DRIFT_FLOOR) else 1


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
