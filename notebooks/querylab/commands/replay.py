"""``python -m querylab replay``: show what a recording of a live run holds, or copy it."""

import argparse

from querylab import settings
from querylab.commands.said import Said, add_json

HELP = "show what a recording of a live run holds, or copy it"


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="default: LAB_REPLAY, or the lab's own")
    parser.add_argument("--export", metavar="FILE", help="write a copy to hand to a class")
    add_json(parser)


def run(options: argparse.Namespace) -> Said:
    """Open the recording, and copy it where that is asked for."""
    from querylab.models.replay import ReplayStore

    with ReplayStore(options.file or settings.replay_file(), read_only=True) as store:
        found = store.summary()
        copy = store.export(options.export) if options.export else None
    lines = [f"{store.path}: {sum(row['replies'] for row in found)} replies", ""]
    lines += [
        f"  {row['model']:28} {row['task']:12} {row['replies']:4} replies   "
        f"p50 {_seconds(row['p50_s'])}   p95 {_seconds(row['p95_s'])}   {row['first']} – {row['last']}"
        for row in found
    ]
    if copy:
        lines += ["", f"copied to {copy}. To replay it, offline and for nothing:  MOCK=replay LAB_REPLAY={copy}"]
    return Said("\n".join(lines), {"file": str(store.path), "rows": found, "exported": str(copy) if copy else None})


def _seconds(found: float | None) -> str:
    return "–" if found is None else f"{found:.2f} s"
