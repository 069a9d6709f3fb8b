"""``record compare A B``: where two recordings of a corpus differ."""

import argparse
import json
from dataclasses import asdict

from querylab.models import recording
from querylab.models.differences import differences


def compare(options: argparse.Namespace) -> int:
    """Show, for each task, how many replies differ, some of them, and what only one recording holds."""
    first, second = (
        recording.load(recording.path_of(name, options.corpus)) for name in (options.first, options.second)
    )
    found = differences(first, second, options.examples)
    if options.json:
        tasks = [asdict(item) | {"share": item.share} for item in found]
        print(
            json.dumps({"first": options.first, "second": options.second, "tasks": tasks}, ensure_ascii=False, indent=2)
        )
        return 0
    print(
        f"{'task':24} {'both':>5} {'differ':>7} {'share':>6} {'only ' + options.first:>8} {'only ' + options.second:>8}"
    )
    for item in found:
        share = "–" if item.share is None else f"{item.share:.0%}"
        only = f"{len(item.only_first):8} {len(item.only_second):8}"
        print(f"{item.task:24} {item.both:5} {item.differing:7} {share:>6} {only}")
    for item in found:
        for example in item.examples:
            print(f"\n{item.task}: {example.about}")
            print(f"  {options.first}: {example.first}\n  {options.second}: {example.second}")
    return 0
