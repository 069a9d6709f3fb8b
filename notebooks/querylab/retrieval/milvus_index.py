"""Write an index into Milvus: only what changed, in batches, and on where it stopped.

**What happens to idf when documents are added.** BM25 is a sum over terms of *idf × saturated frequency*. A row keeps
the saturated frequencies of its chunk alone; idf is a query's business and is read from the statistics, which every run
computes anew over all chunks. So after a run idf is exact for every chunk, those not written again included. The mean
length stands inside the rows: it stays the one that the index was built with until the true one is more than
``MEAN_LENGTH_DRIFT`` away, and then all rows are written again.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from querylab import settings
from querylab.retrieval.encoder import NAME, Encoder, SentenceEncoder
from querylab.retrieval.milvus_rows import SCHEMA, Statistics, row_of
from querylab.retrieval.milvus_store import Store
from querylab.retrieval.protocol import EngineError
from querylab.retrieval.retriever import saturated
from querylab.text import tokenise
from querylab.types import Chunk


@dataclass(frozen=True)
class Indexed:
    """What one run did: rows written, left as they were, deleted; and whether the mean length was set anew."""

    written: int
    kept: int
    deleted: int
    mean_length: float
    reweighed: bool


def index(
    store: Store,
    corpus_name: str,
    chunks: Sequence[Chunk],
    encoder: Encoder | None = None,
    rebuild: bool = False,
    progress: bool = False,
) -> Indexed:
    """Bring an index up to date with some chunks: afterwards it holds these and no others.

    Running it again writes nothing; after a break it goes on. Others may search meanwhile (on a server): they find old
    and new rows until the run is through.

    Args:
        store: where.
        corpus_name: whose chunks these are; an index of another corpus is not overwritten.
        chunks: all chunks of the corpus.
        encoder: the sentence encoder; the lab's own when None.
        rebuild: drop what is there first, whatever schema it has.
        progress: show a bar.

    Raises:
        EngineError: for another corpus's index, an older schema, a section too long, or a failing engine.
    """
    from tqdm.auto import tqdm

    encoder = encoder or SentenceEncoder()
    if rebuild:
        store.drop()
    old = store.statistics()
    if old and old.corpus != corpus_name:
        raise EngineError(
            f"The index {store.name} at {store.uri} holds the corpus {old.corpus!r}, not {corpus_name!r}. Name another "
            "one with --collection."
        )
    counts = {chunk.id: Counter(tokenise(chunk.text)) for chunk in chunks}
    statistics, reweighed = _statistics(corpus_name, chunks, counts, encoder, old)
    store.create(statistics.dimensions)
    store.write_statistics(statistics)
    there = store.digests()
    digests = {chunk.id: _digest(chunk, statistics) for chunk in chunks}
    stale = [chunk for chunk in chunks if there.get(chunk.id) != digests[chunk.id]]
    dimensions = {term: place for place, term in enumerate(statistics.terms, start=1)}
    with tqdm(total=len(stale), desc="indexing", unit="chunk", delay=1, disable=not progress) as bar:
        for start in range(0, len(stale), settings.ENGINE_BATCH):
            batch = stale[start : start + settings.ENGINE_BATCH]
            dense = encoder.encode([chunk.text for chunk in batch])
            rows = [
                row_of(chunk, digests[chunk.id], vector, _sparse(counts[chunk.id], dimensions, statistics.mean_length))
                for chunk, vector in zip(batch, dense, strict=True)
            ]
            store.upsert(rows)
            bar.update(len(batch))
    gone = sorted(there.keys() - digests.keys())
    store.delete(gone)
    if stale:
        store.flush()
    store.write_statistics(replace(statistics, state="complete"))
    return Indexed(len(stale), len(chunks) - len(stale), len(gone), statistics.mean_length, reweighed)


def _statistics(
    name: str, chunks: Sequence[Chunk], counts: Mapping[str, Counter[str]], encoder: Encoder, old: Statistics | None
) -> tuple[Statistics, bool]:
    """Compute the statistics of all chunks; and say whether the mean length differs from the old one."""
    holding = Counter(term for found in counts.values() for term in found)
    # A known term keeps its dimension, because rows that are not written again use it.
    terms = dict.fromkeys(old.terms if old else (), 0)
    terms |= {term: holding[term] for term in (*terms, *sorted(holding.keys() - terms.keys()))}
    mean = sum(found.total() for found in counts.values()) / len(chunks) if chunks else 0.0
    mean = mean or 1.0
    kept = old is not None and abs(mean - old.mean_length) <= settings.MEAN_LENGTH_DRIFT * old.mean_length
    statistics = Statistics(
        corpus=name,
        encoder=NAME,
        dimensions=encoder.encode([""]).shape[1],
        size=len(chunks),
        mean_length=old.mean_length if old and kept else mean,
        fingerprint=fingerprint(chunks),
        state="updating" if old and old.state != "building" else "building",
        terms=terms,
    )
    return statistics, old is not None and not kept


def fingerprint(chunks: Sequence[Chunk]) -> str:
    """Tell a set of chunks from any other."""
    texts = sorted(f"{chunk.id}\n{chunk.tokens}\n{chunk.text}" for chunk in chunks)
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _digest(chunk: Chunk, statistics: Statistics) -> str:
    """Tell whether a row is still what would be written."""
    made_with = f"{SCHEMA} {statistics.encoder} {statistics.dimensions} {statistics.mean_length!r}"
    return hashlib.sha256(f"{made_with}\n{chunk.title}\0{chunk.heading}\0{chunk.body}".encode()).hexdigest()


def _sparse(counts: Counter[str], dimensions: Mapping[str, int], mean_length: float) -> dict[int, float]:
    frequency = np.array(list(counts.values()), dtype=np.float64)
    weights = saturated(frequency, np.full(len(counts), counts.total(), dtype=np.float64), mean_length)
    return dict(zip((dimensions[term] for term in counts), weights.tolist(), strict=True))
