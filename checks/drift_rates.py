"""``python -m checks.drift_rates [--json]``: the guard and the sharing rule on pairs that nobody tuned to.

In: ``checks/sets/drift/heldout*.jsonl``: questions with a good or a drifted rewrite, the same with a conversation, and
pairs of questions that may or may not share a cached reply. Out: the share that each rule treats as its label says. The
sets were written without sight of the guard's code; they are counted, and no rule is changed by what they show.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from querylab import Lab, settings

FOLDER = settings.ROOT / "checks" / "sets" / "drift"


def rows(name: str) -> list[dict[str, Any]]:
    """Read one set."""
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def judged(lab: Lab) -> Iterator[tuple[str, str, bool]]:
    """Judge every pair by the lab's own techniques, as (rate, kind, whether it came out as labelled)."""
    check, share = lab.techniques.get("check_drift"), lab.techniques.get("may_share")
    encoder = lab.retriever.encoder
    for name, of in (("heldout", ""), ("heldout_followups", " of follow-ups")):
        for row in rows(name):
            known = "\n".join(turn["content"] for turn in row.get("history", ()))
            verdict = check(row["question"], row["rewrite"], encoder, known)
            good, passed = row["label"] == "same", verdict.state != "rejected"
            yield f"{'good rewrites passed' if good else 'drift found'}{of}", row["kind"], passed == good
    for row in rows("heldout_shared"):
        good = row["share"]
        yield (
            "same questions shared" if good else "other questions kept apart",
            row["kind"],
            (share(row["a"], row["b"]) == good),
        )


def main(arguments: list[str] | None = None) -> int:
    """Print the rates, and those of each kind."""
    parser = argparse.ArgumentParser(prog="checks.drift_rates", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    rates: dict[str, list[int]] = {}
    kinds: dict[str, list[int]] = {}
    for rate, kind, right in judged(Lab.open(track="solution")):
        for name, counts in ((rate, rates), (f"{rate}: {kind}", kinds)):
            entry = counts.setdefault(name, [0, 0])
            entry[0] += right
            entry[1] += 1
    if options.json:
        print(json.dumps({"rates": rates, "kinds": kinds}, ensure_ascii=False, indent=2))
        return 0
    for counts in (rates, kinds):
        for name, (right, total) in counts.items():
            print(f"  {name:60} {right:4} of {total:4}  {right / total:6.1%}")
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
