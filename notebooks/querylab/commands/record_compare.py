"""``record compare A B``: where two recordings of a corpus differ."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from querylab.commands.said import Said
from querylab.models import recording
from querylab.models.differences import Difference, differences


def compare(options: argparse.Namespace) -> Said:
    """Show, for each task, how many replies differ, some of them, and what only one recording holds."""
    names = (options.first, options.second)
    found = differences(
        *(recording.load(recording.path_of(name, options.corpus)) for name in names), examples=options.examples
    )
    tasks = [asdict(item) | {"share": item.share} for item in found]
    data = {"first": options.first, "second": options.second, "tasks": tasks}
    return Said("\n".join([*_table(found, *names), *_examples(found, *names)]), data)


def _table(found: Sequence[Difference], first: str, second: str) -> Iterator[str]:
    yield f"{'task':24} {'both':>5} {'differ':>7} {'share':>6} {'only ' + first:>8} {'only ' + second:>8}"
    for item in found:
        share = "–" if item.share is None else f"{item.share:.0%}"
        only = f"{len(item.only_first):8} {len(item.only_second):8}"
        yield f"{item.task:24} {item.both:5} {item.differing:7} {share:>6} {only}"


def _examples(found: Sequence[Difference], first: str, second: str) -> Iterator[str]:
    for item in found:
        for example in item.examples:
            yield f"\n{item.task}: {example.about}\n  {first}: {example.first}\n  {second}: {example.second}"
