"""``python -m querylab record``: what a recording lacks, replies put into it, two compared, and a live run's file.

Requests leave and replies come back in the format of the Message Batches API, so any model can be asked by any means.
"""

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path

from querylab import settings
from querylab.commands import record_add, record_compare, record_exchange, record_missing, record_run
from querylab.commands.said import Said

HELP = "what a recording of a model's replies lacks, and putting replies into it"


def run(options: argparse.Namespace) -> Said:
    """Run the verb that was named."""
    return options.verb(options)


def add(parser: argparse.ArgumentParser) -> None:
    """Name the verbs and their arguments."""
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name: str, function: Callable[[argparse.Namespace], Said], text: str) -> argparse.ArgumentParser:
        sub = verbs.add_parser(name, help=text, description=text)
        sub.set_defaults(verb=function)
        sub.add_argument("--corpus", type=Path, default=settings.CORPUS_DIR, metavar="DIR", help="a corpus folder")
        return sub

    lacks = verb("missing", record_missing.missing, "write the requests that a recording has no reply to")
    lacks.add_argument("--recording", default=settings.recording(), metavar="NAME")
    _add_rows(lacks)
    lacks.add_argument("--answers", action="store_true", help="also the answers")
    lacks.add_argument("--out", type=Path, required=True, metavar="FILE")

    takes = verb("add", record_add.add, "put the results of a batch into a recording")
    takes.add_argument("results", type=Path, metavar="RESULTS")
    takes.add_argument(
        "--requests", type=Path, metavar="FILE", help="what ``missing`` wrote; without it another recording is asked"
    )
    _add_to(takes)

    runs = verb("run", record_run.run, "send requests to the API, and put the replies into a recording")
    runs.add_argument("--batch", type=Path, required=True, metavar="REQUESTS", help="as one batch, at half the price")
    _add_to(runs)
    runs.add_argument("--every", type=float, default=30.0, metavar="SECONDS", help="pause between two looks")

    compares = verb("compare", record_compare.compare, "show where two recordings differ")
    compares.add_argument("first", metavar="A")
    compares.add_argument("second", metavar="B")
    compares.add_argument("--examples", type=int, default=3, metavar="N", help="differing replies to show, each task")
    compares.add_argument("--json", action="store_true", help="machine-readable output")

    writes = verb("export", record_exchange.export, "write a live run's SQLite file as a recording")
    writes.add_argument("file", type=Path, metavar="FILE")
    writes.add_argument("--model", metavar="NAME", help="whose replies, when the file holds several")
    _add_to(writes, day=False)

    reads = verb("import", record_exchange.bring_in, "write a recording as a SQLite file for LAB_REPLAY")
    reads.add_argument("name", metavar="NAME")
    reads.add_argument("--to", type=Path, required=True, metavar="FILE")
    reads.add_argument("--requests", type=Path, metavar="FILE", help="requests beside those of the rows")
    _add_rows(reads)


def _add_rows(parser: argparse.ArgumentParser) -> None:
    rows = record_missing.ROWS
    parser.add_argument("--track", default="solution", metavar="NAME", help="solution, starter, or a folder")
    parser.add_argument(
        "--rows", action="append", choices=rows, metavar="NAME", help=f"{', '.join(rows)}; default: all"
    )
    parser.add_argument("--set", action="append", metavar="NAME", help="a question set, or dialogues; default: all")


def _add_to(parser: argparse.ArgumentParser, day: bool = True) -> None:
    parser.add_argument("--to", required=True, metavar="NAME", help="the recording")
    parser.add_argument("--family", default="", help="the model's family, where the replies do not say it")
    if day:
        parser.add_argument("--date", default=date.today().isoformat(), help="day of recording, ISO 8601")
