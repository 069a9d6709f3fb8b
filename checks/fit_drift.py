"""``python -m checks.fit_drift``: fit the drift guard's two thresholds for the lab's encoder on labelled pairs.

In: ``checks/sets/drift/*.jsonl``, pairs of a question and a rewrite that is the same or has drifted, each of a kind:
some to fit on, some held out, and some fresh ones, written after the first rules and before the present ones, that no
rule was fitted to. Out: the two cosines that fit here, beside the lesson's, and what each
layer catches. The thresholds stand in ``querylab/settings.py``; a test holds them to this fit.
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

FOLDER = settings.ROOT / "checks" / "sets" / "drift"
Split = Literal["fit", "held-out", "fresh"]
SPLITS: tuple[Split, ...] = ("fit", "held-out", "fresh")
GOOD_LOST = 0.05
"""Share of good rewrites that the floor may reject: a rejected one costs only its gain."""
TRUSTED = 1.0
"""Share of good rewrites that there must be among those called ``ok``: slight drift costs only a search."""
_STEPS = [step / 100 for step in range(101)]


@dataclass(frozen=True)
class Pair:
    """One labelled pair; ``kind`` says what was done to the question."""

    id: str
    split: Split
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


def pairs(split: Split | None = None) -> list[Pair]:
    """Read the labelled pairs, all or those of one split."""
    files = (FOLDER / "pairs.jsonl", FOLDER / "fresh.jsonl")
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [pair for line in lines if (pair := Pair(**json.loads(line))).split == split or split is None]


def passes_hard_layer(pair: Pair) -> bool:
    """Say whether every core term of a pair survived, none came in and none was exchanged."""
    return not (
        drift.lost(pair.question, pair.rewrite)
        or drift.added(pair.question, pair.rewrite)
        or drift.swapped(pair.question, pair.rewrite)
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
        (ok, floor): the lowest cosine from which on at least :data:`TRUSTED` of the rewrites are good, and the
        highest below which at most :data:`GOOD_LOST` of the good ones lie.
    """
    points = curve([pair for pair in pairs("fit") if passes_hard_layer(pair)], encoder)
    floor = max(point.threshold for point in points if point.recall >= 1 - GOOD_LOST)
    trusted = [point.threshold for point in points if point.precision >= TRUSTED]
    ok = next(t for t in trusted if all(p.precision >= TRUSTED for p in points if p.threshold >= t))
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
        "core terms alone": lambda pair: not passes_hard_layer(pair),
        "cosine alone": lambda pair: cosine(encoder, pair.question, pair.rewrite) < floor,
        "cosine alone, 0.70": lambda pair: cosine(encoder, pair.question, pair.rewrite) < settings.LESSON_DRIFT[1],
        "both layers": lambda pair: verdict(pair).state == "rejected",
        "both, slight counted": lambda pair: verdict(pair).state != "ok",
    }
    for split in SPLITS:
        chosen = pairs(split)
        drifted = sum(pair.label == "drifted" for pair in chosen)
        print(f"{split}: {drifted} drifted, {len(chosen) - drifted} good")
        for name, caught in ways.items():
            right, wrong = counted(chosen, caught)
            print(f"  {name:22} catches {right:2} of {drifted} drifted, {wrong:2} of {len(chosen) - drifted} good")
    return 0 if (ok, floor) == (settings.DRIFT_OK, settings.DRIFT_FLOOR) else 1


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
