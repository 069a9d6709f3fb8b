"""What a command says, and the arguments that most of them share."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from querylab import settings
from querylab.pipeline.lab import Lab


@dataclass(frozen=True)
class Said:
    """The outcome of a command: for people, and for programs (``--json``).

    Attributes:
        text, data: the same twice, for standard output.
        beside: lines for standard error.
        code: the exit code.
    """

    text: str
    data: Mapping[str, Any]
    beside: tuple[str, ...] = ()
    code: int = 0


def add_lab(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of every command that opens a lab."""
    parser.add_argument("--corpus", default=settings.CORPUS_DIR, metavar="DIR", help="a corpus folder")
    parser.add_argument("--track", default="solution", metavar="NAME", help="solution, starter, or a folder")
    add_json(parser)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def open_lab(options: argparse.Namespace) -> Lab:
    """Open the lab that a command line asks for."""
    return Lab.open(options.corpus, options.track, progress=True)
