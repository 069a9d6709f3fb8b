"""What a command says, and the arguments that most of them share."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from querylab import settings
from querylab.corpus.load import load_corpus
from querylab.corpus.model import Corpus
from querylab.pipeline.lab import Lab
from querylab.retrieval.protocol import Engine
from querylab.retrieval.retriever import Retriever

if TYPE_CHECKING:
    from querylab.retrieval.milvus_store import Store

ENGINES = ("built-in", "milvus")


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
    add_engine(parser)
    add_json(parser)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say where an index stands."""
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help=f"who searches (default: {ENGINES[0]})")
    parser.add_argument(
        "--uri",
        default=str(settings.MILVUS_FOLDER),
        metavar="URI",
        help="a Milvus server's address, its token in MILVUS_TOKEN, or a folder ending in .db for Milvus Lite",
    )
    parser.add_argument("--collection", metavar="NAME", help="the index's name in Milvus (default: from the corpus)")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def open_lab(options: argparse.Namespace) -> Lab:
    """Open the lab that a command line asks for, on the engine that it names."""
    corpus = load_corpus(options.corpus)
    return Lab.open(corpus, options.track, retriever=open_engine(options, corpus))


def open_engine(options: argparse.Namespace, corpus: Corpus) -> Engine:
    """Open the engine that a command line names on a corpus's index; the built-in one indexes now."""
    if options.engine == "milvus":
        from querylab.retrieval.milvus import MilvusRetriever

        return MilvusRetriever(open_store(options, corpus), chunks=corpus.chunks)
    return Retriever(corpus.chunks, progress=True)


def open_store(options: argparse.Namespace, corpus: Corpus) -> "Store":
    """Connect to the Milvus that a command line names."""
    from querylab.retrieval.milvus import collection_name
    from querylab.retrieval.milvus_store import Store

    return Store(options.uri, options.collection or collection_name(corpus.name), settings.milvus_token())
