"""``python -m querylab kernels``: install the Jupyter kernel "querylab solution", or remove it again."""

import argparse

from querylab.commands.said import Said

HELP = 'install the Jupyter kernel "querylab solution"'


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    parser.add_argument("--remove", action="store_true", help="remove it again")


def run(options: argparse.Namespace) -> Said:
    """Install or remove."""
    from querylab.lesson.kernels import install, remove

    text = remove() if options.remove else install()
    return Said(text, {"said": text})
