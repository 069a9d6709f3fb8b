"""Rates of the offline rules on label sets: ``python -m checks.rates [--set dev|...|heldout] [--json] [--failures]``.

In: ``checks/sets/<set>/{intents,followups,complete}.jsonl``. Out: a table of the share of items that each rule treats
as its label says, with the aim beside it. They measure the mock, not a model, and not a technique. ``dev``
to ``dev5`` are read while rules are written; ``heldout`` is only ever counted.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from querylab.rules.intent import intent
from querylab.rules.rewrite import rewrite
from querylab.settings import ROOT

SETS = ROOT / "checks" / "sets"
AIMS: dict[str, tuple[str, float]] = {
    "knowledge_to_direct": ("<=", 0.01),
    "direct_to_direct": (">=", 0.90),
    "followups_resolved": (">=", 0.80),
    "complete_unchanged": (">=", 0.95),
    "multi_hop_precision": (">=", 0.80),
    "multi_hop_recall": (">=", 0.80),
}


def load(path: Path) -> list[dict[str, Any]]:
    """Read a JSON-lines file.

    Raises:
        FileNotFoundError: when the set is not there.
    """
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def measure(folder: Path) -> dict[str, Any]:
    """Run the rules over one folder of label sets.

    Args:
        folder: holds ``intents.jsonl``, ``followups.jsonl`` and ``complete.jsonl``.

    Returns:
        ``rates`` (name → {value, n, aim, met}), ``kinds`` (kind → [right, all]), ``failures`` (a list of texts).
    """
    counts: dict[str, list[int]] = {name: [0, 0] for name in AIMS}
    kinds: dict[str, list[int]] = {}
    failures: list[str] = []

    def note(kind: str, right: bool, text: str) -> None:
        entry = kinds.setdefault(kind, [0, 0])
        entry[0] += right
        entry[1] += 1
        if not right:
            failures.append(f"[{kind}] {text}")

    def count(name: str, hit: bool) -> None:
        counts[name][0] += hit
        counts[name][1] += 1

    for item in load(folder / "intents.jsonl"):
        got = intent(item["text"])
        label = item["label"]
        count("direct_to_direct" if label == "direct" else "knowledge_to_direct", got == "direct")
        if label == "multi-hop":
            count("multi_hop_recall", got == label)
        if got == "multi-hop":
            count("multi_hop_precision", label == got)
        note(f"{label}/{item['kind']}", got == label, f"{item['text']} → {got}")
    for item in load(folder / "followups.jsonl"):
        got = rewrite(item["history"], item["question"])
        folded = got.casefold()
        missing = [text for text in item["must_contain"] if text.casefold() not in folded]
        leaked = [text for text in item["must_not_contain"] if text.casefold() in folded]
        right = not missing and not leaked
        count("followups_resolved", right)
        note(f"followup/{item['kind']}", right, f"{item['question']} → {got}  (missing {missing}, leaked {leaked})")
    for item in load(folder / "complete.jsonl"):
        got = rewrite(item["history"], item["question"])
        count("complete_unchanged", got == item["question"])
        note(f"complete/{item['kind']}", got == item["question"], f"{item['question']} → {got}")

    rates = {}
    for name, (sign, aim) in AIMS.items():
        right, total = counts[name]
        value = right / total if total else float(sign == ">=")
        met = value <= aim if sign == "<=" else value >= aim
        rates[name] = {"value": round(value, 4), "n": total, "aim": f"{sign} {aim:.0%}", "met": met}
    return {"rates": rates, "kinds": kinds, "failures": failures}


def main(arguments: list[str] | None = None) -> int:
    """Print the rates; exit code 0 when every aim is met, 1 when one is not, 2 when the set is missing."""
    parser = argparse.ArgumentParser(prog="checks.rates", description=__doc__)
    parser.add_argument("--set", default="dev", choices=("dev", "dev2", "dev3", "dev4", "dev5", "heldout"))
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--failures", action="store_true", help="also print rates by kind and the failing items")
    options = parser.parse_args(arguments)
    folder = SETS / options.set
    try:
        report = measure(folder)
    except FileNotFoundError as error:
        print(
            f"The label set is not there: {error.filename}. Expected three .jsonl files in {folder}.", file=sys.stderr
        )
        return 2
    if options.json:
        shown = report if options.failures else {"rates": report["rates"]}
        print(json.dumps({"set": options.set} | shown, ensure_ascii=False, indent=2))
    else:
        print(f"Rules against the {options.set} set (they measure the offline rules, not a model)")
        for name, rate in report["rates"].items():
            state = "met" if rate["met"] else "MISSED"
            print(f"  {name:<22}{rate['value']:>8.1%}  n={rate['n']:<5} aim {rate['aim']:<8}{state}")
        if options.failures:
            for kind, (right, total) in report["kinds"].items():
                print(f"  {kind:<40}{right:>4} / {total}")
            print("\n".join(report["failures"]))
    return 0 if all(rate["met"] for rate in report["rates"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
