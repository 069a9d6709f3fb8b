"""``python -m querylab index``: write a corpus's index into an engine, only what changed, and on where it stopped."""

import argparse
from dataclasses import asdict

from querylab import settings
from querylab.commands.said import Said, add_engine, add_json, open_store
from querylab.corpus.load import load_corpus
from querylab.retrieval import milvus_index

HELP = "write a corpus's index into an engine (Milvus)"


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    parser.add_argument("--corpus", default=settings.CORPUS_DIR, metavar="DIR", help="a corpus folder")
    add_engine(parser)
    parser.add_argument("--rebuild", action="store_true", help="drop the index first, whatever schema it has")
    add_json(parser)


def run(options: argparse.Namespace) -> Said:
    """Index, and say how many chunks were written, left and deleted."""
    if options.engine != "milvus":
        raise settings.SettingError("The built-in engine indexes whenever a lab opens. To keep one: --engine milvus.")
    corpus = load_corpus(options.corpus)
    store = open_store(options, corpus)
    done = milvus_index.index(store, corpus.name, corpus.chunks, rebuild=options.rebuild, progress=True)
    text = (
        f"{store.name} at {store.uri}: {done.written} chunks written, {done.kept} unchanged, {done.deleted} deleted; "
        f"mean length {done.mean_length:.1f} terms{' (set anew)' if done.reweighed else ''}"
    )
    store.close()
    return Said(text, asdict(done) | {"collection": store.name, "uri": store.uri})
