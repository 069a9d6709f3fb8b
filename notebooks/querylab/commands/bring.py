"""``python -m querylab import``: turn a folder of documents into a corpus, or bring it up to date."""

import argparse
from dataclasses import asdict
from pathlib import Path

from querylab.commands.said import Said, add_json
from querylab.corpus.importing import import_folder

HELP = "turn a folder of documents (Markdown, text, HTML, Word, PDF, PowerPoint, Excel) into a corpus"


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the corpus folder")
    parser.add_argument("--name", default="", help="the corpus's name (default: the folder's)")
    add_json(parser)


def run(options: argparse.Namespace) -> Said:
    """Import, and tell what became of every file."""
    done = import_folder(options.folder, options.out, options.name, progress=True)
    lines = [
        f"{options.out}: {len(done.read)} read ({sum(done.read.values())} sections), {len(done.unchanged)} unchanged, "
        f"{len(done.removed)} removed, {len(done.skipped)} skipped",
        *(f"  read      {key}: {count} sections" for key, count in done.read.items()),
        *(f"  removed   {key}" for key in done.removed),
        *(f"  skipped   {key}: {why}" for key, why in done.skipped.items()),
        f"next:  python -m querylab questions template --corpus {options.out}",
    ]
    return Said("\n".join(lines), asdict(done))
