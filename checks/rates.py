"""Rates of the stand-in on labelled sets: ``python -m checks.rates [--set dev|heldout] [--json] [--failures]``.

In: ``checks/sets/<set>/{intents,followups,complete}.jsonl``. Out: a table of the share of items that are
treated as their label says, with the aim beside it, and the same by kind. They measure the stand-in, not a model, and
not a technique. ``dev`` is read while rules are written (its small talk is measured with the sentence itself left out
of the examples); ``heldout`` is only ever counted.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from querylab import rules
from querylab.settings import ROOT

SETS = ROOT / "checks" / "sets"
AIMS: dict[str, tuple[str, float]] = {
    "knowledge_to_direct": ("<=", 0.015),
    "direct_to_direct": (">=", 0.90),
    "followups_resolved": (">=", 0.50),
    "complete_unchanged": (">=", 0.95),
    "multi_hop_precision": (">=", 0.80),
    "multi_hop_recall": (">=", 0.45),
}


class Count:
    """How many items came out right, by name of a rate and by kind of item, and the texts of those that did not."""

    def __init__(self) -> None:
        self.rates: dict[str, list[int]] = {}
        self.kinds: dict[str, list[int]] = {}
        self.failures: list[str] = []

    def rate(self, name: str, hit: bool) -> None:
        """Count one item of a rate."""
        entry = self.rates.setdefault(name, [0, 0])
        entry[0] += hit
        entry[1] += 1

    def kind(self, kind: str, right: bool, text: str) -> None:
        """Count one item of a kind, and keep its text when it came out wrong."""
        entry = self.kinds.setdefault(kind, [0, 0])
        entry[0] += right
        entry[1] += 1
        if not right:
            self.failures.append(f"[{kind}] {text}")


def load(path: Path) -> list[dict[str, Any]]:
    """Read a JSON-lines file.

    Raises:
        FileNotFoundError: when the set is not there.
    """
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def measure(folder: Path) -> dict[str, Any]:
    """Run the rules over one folder of labelled sets.

    Args:
        folder: holds ``intents.jsonl``, ``followups.jsonl`` and ``complete.jsonl``.

    Returns:
        ``rates`` (name → {value, n, aim, met}), ``kinds`` (kind → [right, all]), ``failures`` (a list of texts).
    """
    count = Count()
    _intents(count, load(folder / "intents.jsonl"), leave_out=folder.name == "dev")
    _rewriting(count, folder)
    rates = {}
    for name, (right, total) in {**dict.fromkeys(AIMS, (0, 0)), **count.rates}.items():
        sign, aim = AIMS[name]
        value = right / total if total else float(sign == ">=")
        met = value <= aim if sign == "<=" else value >= aim
        rates[name] = {"value": round(value, 4), "n": total, "aim": f"{sign} {aim:.1%}", "met": met}
    return {"rates": rates, "kinds": count.kinds, "failures": count.failures}


def _intents(count: Count, items: list[dict[str, Any]], leave_out: bool) -> None:
    for item in items:
        got, _ = rules.intent_with_examples(item["text"], leave_out)
        label = item["label"]
        count.rate("direct_to_direct" if label == "direct" else "knowledge_to_direct", got == "direct")
        if label == "multi-hop":
            count.rate("multi_hop_recall", got == label)
        if got == "multi-hop":
            count.rate("multi_hop_precision", label == got)
        count.kind(f"{label}/{item['kind']}", got == label, f"{item['text']} → {got}")


def _rewriting(count: Count, folder: Path) -> None:
    for item in load(folder / "followups.jsonl"):
        got = rules.rewrite(item["history"], item["question"])
        folded = got.casefold()
        missing = [text for text in item["must_contain"] if text.casefold() not in folded]
        leaked = [text for text in item["must_not_contain"] if text.casefold() in folded]
        right = not missing and not leaked
        count.rate("followups_resolved", right)
        told = f"{item['question']} → {got}  (missing {missing}, leaked {leaked})"
        count.kind(f"followup/{item['kind']}", right, told)
    for item in load(folder / "complete.jsonl"):
        got = rules.rewrite(item["history"], item["question"])
        count.rate("complete_unchanged", got == item["question"])
        count.kind(f"complete/{item['kind']}", got == item["question"], f"{item['question']} → {got}")


def main(arguments: list[str] | None = None) -> int:
    """Print the rates; exit code 0 when every aim is met, 1 when one is not, 2 when the set is missing."""
    parser = argparse.ArgumentParser(prog="checks.rates", description=__doc__)
    parser.add_argument("--set", default="dev", choices=("dev", "heldout"))
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--failures", action="store_true", help="also print the failing items")
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
        shown = report if options.failures else {"rates": report["rates"], "kinds": report["kinds"]}
        print(json.dumps({"set": options.set} | shown, ensure_ascii=False, indent=2))
    else:
        print(f"Rules against the {options.set} set (they measure the offline rules, not a model)")
        for name, rate in report["rates"].items():
            state = "met" if rate["met"] else "MISSED"
            print(f"  {name:<22}{rate['value']:>8.1%}  n={rate['n']:<5} aim {rate['aim']:<9}{state}")
        for kind, (right, total) in report["kinds"].items():
            print(f"  {kind:<40}{right:>4} / {total}")
        if options.failures:
            print("\n".join(report["failures"]))
    return 0 if all(rate["met"] for rate in report["rates"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
