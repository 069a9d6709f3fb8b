"""``python -m checks.understanding_rates [--track NAME] [--failures] [--json]``: signals and tier 0 on labelled sets.

In: ``checks/sets/{dev,heldout}/{signals,tier0}.jsonl``, sentences of domains that the corpus does not
have. The forms were written against ``dev``; ``heldout`` was labelled beforehand and is only measured. Out: precision
and recall of the complexity (the offline model alone, the signals, both), of tier 0, and how long tier 0 takes.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from querylab import rules
from querylab.pipeline.techniques import Techniques
from querylab.settings import ROOT
from querylab.understanding.fields import Understanding

from checks.rates import load

FOLDER = ROOT / "checks" / "sets"
SETS = ("dev", "heldout")
ROUNDS = 5


@dataclass(frozen=True)
class Rate:
    """How well one decider finds what it should: counts, and the sentences it got wrong."""

    set: str
    what: str
    hits: int
    false_alarms: int
    misses: int
    n: int
    wrong: tuple[str, ...]

    @property
    def precision(self) -> float:
        """Share of what was found that should have been; 1.0 when nothing was found."""
        found = self.hits + self.false_alarms
        return self.hits / found if found else 1.0

    @property
    def recall(self) -> float:
        """Share of what should have been found that was; 1.0 when there was nothing."""
        wanted = self.hits + self.misses
        return self.hits / wanted if wanted else 1.0


def rate(name: str, what: str, decide: Callable[[str], bool], rows: Sequence[tuple[str, bool]]) -> Rate:
    """Hold a yes-no decider against labelled sentences."""
    hits = false_alarms = misses = 0
    wrong = []
    for text, wanted in rows:
        got = decide(text)
        hits += got and wanted
        false_alarms += got and not wanted
        misses += wanted and not got
        if got != wanted:
            wrong.append(f"{'+' if got else '-'} {text}")
    return Rate(name, what, hits, false_alarms, misses, len(rows), tuple(wrong))


def signal_rates(raise_complexity: Callable[..., Understanding], name: str) -> list[Rate]:
    """Measure who notices several focuses: the offline model alone, the signals alone, the signals after the model."""
    rows = [(row["text"], row["several"]) for row in load(FOLDER / name / "signals.jsonl")]
    by_model = {text: rules.understanding([], text)["complexity"] for text, _ in rows}

    def lifted(text: str, complexity: Any) -> bool:
        return raise_complexity(text, Understanding(text, complexity=complexity)).complexity != "SIMPLE"

    return [
        rate(name, "offline model alone", lambda text: by_model[text] != "SIMPLE", rows),
        rate(name, "signals alone", lambda text: lifted(text, "SIMPLE"), rows),
        rate(name, "model + signals", lambda text: lifted(text, by_model[text]), rows),
    ]


def tier0_rate(tier0: Callable[..., Any], name: str) -> Rate:
    """Measure tier 0: an utterance counts as found only with its right scope; a swallowed question is a false alarm."""
    labels = {row["text"]: row["scope"] for row in load(FOLDER / name / "tier0.jsonl")}
    rows = [(text, scope is not None) for text, scope in labels.items()]

    def decide(text: str) -> bool:
        got = tier0(text, [])
        return got is not None and (labels[text] is None or got == labels[text])

    return rate(name, "tier 0", decide, rows)


def tier0_milliseconds(tier0: Callable[..., Any]) -> dict[str, float]:
    """Time tier 0 over every labelled utterance: the median and the slowest sentence, each the best of a few rounds."""
    texts = [row["text"] for name in SETS for row in load(FOLDER / name / "tier0.jsonl")]
    best = []
    for text in texts:
        spent = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            tier0(text, [])
            spent.append(time.perf_counter() - start)
        best.append(min(spent) * 1000)
    return {"p50_ms": statistics.median(best), "max_ms": max(best)}


def measure(track: str = "solution") -> list[Rate]:
    """Measure one track's ``raise_complexity`` and ``tier0`` on both sets."""
    techniques = Techniques.of_track(track)
    signals, tier0 = techniques.get("raise_complexity"), techniques.get("tier0")
    return [item for name in SETS for item in (*signal_rates(signals, name), tier0_rate(tier0, name))]


def main(arguments: list[str] | None = None) -> int:
    """Print the rates; 1 when tier 0 swallows a question or takes a millisecond."""
    parser = argparse.ArgumentParser(prog="python -m checks.understanding_rates", description=__doc__)
    parser.add_argument("--track", default="solution", help="solution, starter, or a folder")
    parser.add_argument("--failures", action="store_true", help="also the sentences that were judged wrong")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    options = parser.parse_args(arguments)
    rates = measure(options.track)
    spent = tier0_milliseconds(Techniques.of_track(options.track).get("tier0"))
    if options.json:
        shown = [asdict(item) | {"precision": item.precision, "recall": item.recall} for item in rates]
        print(json.dumps({"rates": shown, "tier0": spent}, ensure_ascii=False, indent=2))
    else:
        for item in rates:
            print(f"{item.set:8} {item.what:20} precision {item.precision:6.1%}  recall {item.recall:6.1%}  n={item.n}")
            for text in item.wrong if options.failures else ():
                print(f"    {text}")
        print(f"tier 0: median {spent['p50_ms']:.4f} ms, slowest sentence {spent['max_ms']:.4f} ms")
    swallowed = sum(item.false_alarms for item in rates if item.what == "tier 0")
    return 0 if not swallowed and spent["max_ms"] < 1 else 1


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
