"""One engine at one size: build time, memory, and a search beside the numpy floor of the same run.

The floor is a hybrid search written by hand on the same postings and vectors, which makes no objects and promises
nothing about ties: nobody can be quicker without being less exact.
"""

import gc
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import psutil
from querylab import settings
from querylab.corpus.load import load_corpus
from querylab.retrieval.fuse import rrf_fuse
from querylab.retrieval.protocol import Engine
from querylab.retrieval.retriever import Retriever
from querylab.text import tokenise
from querylab.types import Chunk

from checks.bench import WARM_UP, BySentences, synthetic_chunks

Item = TypeVar("Item")
ROUNDS = 5

COLUMNS = (
    ("passages", "passages", "{:,}"),
    ("build_s", "build s", "{:.1f}"),
    ("memory_mb", "memory MB", "{:,.0f}"),
    ("hybrid_p50_ms", "hybrid p50 ms", "{:.2f}"),
    ("hybrid_p95_ms", "p95", "{:.2f}"),
    ("three_p50_ms", "multi-query p50 ms", "{:.2f}"),
    ("three_p95_ms", "p95", "{:.2f}"),
    ("floor_p50_ms", "numpy floor p50 ms", "{:.2f}"),
    ("times_floor", "times the floor", "{:.2f}"),
    ("same_top_10", "same first ten", "{:.1%}"),
)


def measure(size: int, engine: str) -> dict[str, float]:
    """Build an engine on passages made by rule, and time it; query vectors are there already (encoding apart)."""
    corpus = load_corpus()
    queries = [question.question for question in corpus.questions]
    chunks = synthetic_chunks(corpus, size)
    encoder = BySentences(chunks)
    floor = Retriever(chunks, encoder)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        gc.collect()
        before, start = _resident(), time.perf_counter()
        built = _build(engine, chunks, encoder, Path(folder))
        build, memory = time.perf_counter() - start, _resident() - before
        pools = built.search_all(queries)
        vectors = dict(zip(queries, encoder.encode(queries), strict=True))
        threes = [queries[index : index + 3] for index in range(0, len(queries) - 2, 3)]
        one = _times(lambda query: built.search_all([query]), queries)
        three = _times(lambda three: rrf_fuse([search.ids for search in built.search_all(three)]), threes)
        least = _times(lambda query: _floor(floor, query, vectors[query]), queries)
    wanted = floor.search_all(queries)
    places = [
        pair for left, right in zip(wanted, pools, strict=True) for pair in zip(left.ids, right.ids, strict=False)
    ]
    return {
        "engine": engine,
        "passages": size,
        "build_s": build,
        "memory_mb": memory / 2**20,
        "hybrid_p50_ms": np.percentile(one, 50),
        "hybrid_p95_ms": np.percentile(one, 95),
        "three_p50_ms": np.percentile(three, 50),
        "three_p95_ms": np.percentile(three, 95),
        "floor_p50_ms": np.percentile(least, 50),
        "times_floor": np.percentile(one, 50) / np.percentile(least, 50),
        "same_top_10": sum(left == right for left, right in places) / len(places),
    }


def table(rows: Sequence[dict[str, float]]) -> str:
    """Write the rows as a Markdown table."""
    lines = [f"engine {rows[0]['engine']}, this machine, encoding apart", ""]
    lines += ["| " + " | ".join(label for _, label, _ in COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(form.format(row[key]) for key, _, form in COLUMNS) + " |" for row in rows]
    return "\n".join(lines)


class _NoBlank:
    """The encoder of the passages, which an index also asks for the length of a vector."""

    def __init__(self, encoder: BySentences) -> None:
        self._encoder = encoder

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return self._encoder.real.encode(texts) if list(texts) == [""] else self._encoder.encode(texts)


def _build(engine: str, chunks: Sequence[Chunk], encoder: BySentences, folder: Path) -> Engine:
    if engine == "built-in":
        return Retriever(chunks, encoder)
    from querylab.retrieval.milvus import MilvusRetriever
    from querylab.retrieval.milvus_index import index
    from querylab.retrieval.milvus_store import Store

    store = Store(str(folder / "bench.db"), "bench")
    index(store, "bench", chunks, _NoBlank(encoder))
    return MilvusRetriever(store, encoder)


def _floor(retriever: Retriever, query: str, vector: np.ndarray) -> list[tuple[str, float]]:
    rankings = []
    for scores in (retriever.bm25.scores(tokenise(query)), retriever.vectors @ vector):
        size = min(settings.POOL_PER_ROUTE, len(scores))
        best = np.argpartition(scores, -size)[-size:]
        rankings.append([retriever.chunks[row].id for row in best[np.argsort(-scores[best])]])
    return rrf_fuse(rankings)


def _times(work: Callable[[Item], object], inputs: Sequence[Item]) -> list[float]:
    """Milliseconds of every call, some rounds over all inputs, the first ones thrown away."""
    for item in inputs[:WARM_UP]:
        work(item)
    times = []
    for _ in range(ROUNDS):
        for item in inputs:
            start = time.perf_counter()
            work(item)
            times.append(1000 * (time.perf_counter() - start))
    return times


def _resident() -> int:
    return psutil.Process().memory_info().rss
