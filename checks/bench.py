"""``python -m checks.bench [--passages N …] [--engine milvus] [--json]``: how long a search takes, and what of it is
encoding. With several sizes or an engine: a row a size, beside the numpy floor of the same run (:mod:`checks.scale`).

The corpus is made by rule: sentences of the lab's documents, shuffled with a fixed seed and put
together anew, so that every run times the same passages. Its texts mean nothing; only their number,
their length and their words matter here. A passage's vector is put together from those of its
sentences, so that ten thousand passages need not be encoded one by one: a search takes the same time
whatever the numbers in a vector are.
"""

import argparse
import asyncio
import gc
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from querylab import settings
from querylab.corpus.load import load_corpus
from querylab.corpus.model import Corpus, Document
from querylab.measure.evaluate import evaluate
from querylab.pipeline.config import BASELINE
from querylab.pipeline.lab import Lab
from querylab.retrieval.encoder import SentenceEncoder
from querylab.retrieval.fuse import rrf_fuse
from querylab.retrieval.retriever import Retriever
from querylab.text import count_tokens, sentences, tokenise
from querylab.types import Chunk
from rank_bm25 import BM25Okapi
from tqdm.auto import tqdm

SEED = 20261130
SENTENCES_PER_PASSAGE = 4
WARM_UP = 3
ROUNDS = 15
TARGET_MS = 3.0
"""Aim for one hybrid search beyond encoding, at 10,000 passages."""


def synthetic_chunks(corpus: Corpus, size: int) -> list[Chunk]:
    """Make passages out of shuffled sentences; the same ones for the same size, always."""
    pool = [sentence for chunk in corpus.chunks for sentence in sentences(chunk.body)]
    headings = [chunk.heading for chunk in corpus.chunks]
    rng = random.Random(SEED)
    chunks = []
    for number in range(size):
        title, heading = f"合成文档{number:06}", rng.choice(headings)
        body = "".join(rng.sample(pool, SENTENCES_PER_PASSAGE))
        tokens = count_tokens(f"{title}\n{heading}\n{body}")
        chunks.append(Chunk(f"synthetic-{number:06}#1", f"synthetic-{number:06}", title, heading, body, tokens))
    return chunks


class BySentences:
    """Encodes queries; puts the vectors of passages together from those of their sentences."""

    def __init__(self, chunks: list[Chunk]) -> None:
        self.real = SentenceEncoder()
        parts = {chunk.text: sentences(chunk.body) for chunk in chunks}
        known = sorted({sentence for found in parts.values() for sentence in found})
        step = 64
        starts = tqdm(range(0, len(known), step), desc="encoding sentences", delay=1, leave=False)
        vectors = np.concatenate([self.real.encode(known[start : start + step]) for start in starts])
        row = {sentence: index for index, sentence in enumerate(known)}
        self.passages: dict[str, np.ndarray] = {}
        for text, found in parts.items():
            total = vectors[[row[sentence] for sentence in found]].sum(axis=0)
            self.passages[text] = total / np.linalg.norm(total)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Look passages up; encode anything else."""
        if all(text in self.passages for text in texts):
            return np.stack([self.passages[text] for text in texts])
        return self.real.encode(texts)


def p50(work: Callable[[Any], Any], inputs: list[Any], rounds: int = ROUNDS) -> float:
    """Median milliseconds of one call, over all inputs, some rounds, with the first ones thrown away."""
    for item in inputs[:WARM_UP]:
        work(item)
    times = []
    gc.disable()
    try:
        for _ in range(rounds):
            for item in inputs:
                start = time.perf_counter()
                work(item)
                times.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return 1000 * statistics.median(times)


class _Smoothed(BM25Okapi):
    """The library as one would use it: its own loop over all documents, with an IDF that is never negative."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        for term, count in nd.items():
            self.idf[term] = math.log(1 + (self.corpus_size - count + 0.5) / (count + 0.5))


def _library_search(library: BM25Okapi, retriever: Retriever, query: str, vector: np.ndarray) -> list[str]:
    """One hybrid search as it is usually written: score everything, sort everything, twice; then fuse."""
    words = library.get_scores(tokenise(query))
    sense = retriever.vectors @ vector
    size = settings.POOL_PER_ROUTE
    rankings = [[retriever.chunks[row].id for row in np.argsort(-scores)[:size]] for scores in (words, sense)]
    return [item for item, _ in rrf_fuse(rankings)]


def measure(passages: int) -> dict[str, float]:
    """Time everything once.

    Args:
        passages: size of the synthetic corpus.

    Returns:
        Name → milliseconds (p50), except ``*_s`` (seconds, once) and ``passages``.
    """
    corpus = load_corpus()
    queries = [question.question for question in corpus.questions]
    chunks = synthetic_chunks(corpus, passages)
    encoder = BySentences(chunks)
    start = time.perf_counter()
    retriever = Retriever(chunks, encoder, progress=True)
    indexed = time.perf_counter() - start
    start = time.perf_counter()
    library = _Smoothed([tokenise(chunk.text) for chunk in tqdm(chunks, desc="rank_bm25", delay=1, leave=False)])
    library_indexed = time.perf_counter() - start

    retriever.search_all(queries)  # from here on the query vectors are there
    vectors = dict(zip(queries, encoder.encode(queries), strict=True))
    threes = [queries[index : index + 3] for index in range(0, len(queries) - 2, 3)]
    lab = Lab(
        Corpus(
            root=corpus.root,
            name="synthetic",
            language=corpus.language,
            budgets=corpus.budgets,
            gates=corpus.gates,
            documents=tuple(Document(chunk.doc_id, chunk.title, corpus.root, (chunk,)) for chunk in chunks),
        ),
        retriever,
        _mock(),
        _solution(),
    )
    with asyncio.Runner() as runner:
        ask = p50(lambda query: runner.run(lab.ask(query, (), BASELINE, answer=False)), queries, rounds=5)
    return {
        "passages": passages,
        "index_s": indexed,
        "index_rank_bm25_s": library_indexed,
        "hybrid_search_ms": p50(lambda query: retriever.search_all([query]), queries),
        "three_searches_and_fusion_ms": p50(
            lambda three: rrf_fuse([search.ids for search in retriever.search_all(three)]), threes
        ),
        "rank_bm25_search_ms": p50(
            lambda query: _library_search(library, retriever, query, vectors[query]), queries, rounds=3
        ),
        "encode_one_ms": p50(lambda query: encoder.encode([query]), queries),
        "encode_three_in_one_call_ms": p50(encoder.encode, threes),
        "encode_three_in_three_calls_ms": p50(lambda three: [encoder.encode([query]) for query in three], threes),
        "ask_ms": ask,
        "ledger_s": _ledger_seconds(),
    }


def _mock() -> Any:
    from querylab.pipeline.client import make_client

    return make_client("mock")


def _solution() -> Any:
    from querylab.pipeline.techniques import Techniques

    return Techniques.of_track("solution")


def _ledger_seconds() -> float:
    """Evaluate all ten configurations on the lab's own corpus, start-up not counted."""
    lab = Lab.open(track="solution", client=_mock())
    asyncio.run(evaluate(BASELINE, lab=lab))
    start = time.perf_counter()
    for config in lab.configs():
        asyncio.run(evaluate(config, lab=lab))
    return time.perf_counter() - start


LABELS = (
    ("hybrid_search_ms", "one hybrid search beyond encoding", "ms"),
    ("three_searches_and_fusion_ms", "three searches with fusion beyond encoding", "ms"),
    ("rank_bm25_search_ms", "the same with a rank_bm25 loop and full sorts", "ms"),
    ("encode_one_ms", "encode one query", "ms"),
    ("encode_three_in_one_call_ms", "encode three queries in one call", "ms"),
    ("encode_three_in_three_calls_ms", "encode three queries in three calls", "ms"),
    ("ask_ms", "one baseline question, offline, beyond encoding", "ms"),
    ("index_s", "index the corpus (encoding apart)", "s"),
    ("ledger_s", "the lab's whole ledger after start-up, ten rows", "s"),
)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 0 always, because a slow machine is no fault."""
    parser = argparse.ArgumentParser(prog="python -m checks.bench", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--passages", type=int, nargs="+", default=[10_000], metavar="N", help="sizes of the corpus (default: 10000)"
    )
    parser.add_argument("--engine", choices=("built-in", "milvus"), help="build time, memory and p95 of an engine")
    parser.add_argument("--json", action="store_true", help="machine-readable figures")
    options = parser.parse_args(arguments)
    if min(options.passages) < 1:
        parser.error("--passages is 1 or more")
    if options.engine or len(options.passages) > 1:
        from checks import scale

        rows = [scale.measure(size, options.engine or "built-in") for size in options.passages]
        print(json.dumps(rows, ensure_ascii=False, indent=2) if options.json else scale.table(rows))
        return 0
    [passages] = options.passages
    figures = measure(passages)
    if options.json:
        print(json.dumps(figures, ensure_ascii=False, indent=2))
        return 0
    print(f"{passages:,} passages, p50, this machine")
    for key, label, unit in LABELS:
        aim = f"   (aim: under {TARGET_MS:g})" if key == "hybrid_search_ms" and passages == 10_000 else ""
        print(f"  {label:50} {figures[key]:9.2f} {unit}{aim}")
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
