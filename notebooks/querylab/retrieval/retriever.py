"""Hybrid retrieval: one query in, the candidate pool out, with each route's raw score.

Two routes search every query: BM25 over postings (words) and cosine over sentence vectors
(meaning). Each brings its best hits; together they are the pool of this search, ordered by RRF of
the two rankings. Raw scores stay on every hit, because the gate compares raw scores and nothing
else. Nothing here knows about techniques: this module is the same for every row of the ledger.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from querylab import settings
from querylab.retrieval.encoder import Encoder, QueryVectors, SentenceEncoder
from querylab.retrieval.fuse import rrf_fuse
from querylab.retrieval.protocol import check_search
from querylab.text import tokenise
from querylab.types import ROUTES, Chunk, Hit, Route, Search


def idf(size: int, holding: int) -> float:
    """Weigh a term by how few of ``size`` documents hold it; smoothed, always positive."""
    return math.log(1 + (size - holding + 0.5) / (holding + 0.5))


def saturated(
    frequency: np.ndarray,
    length: np.ndarray,
    mean_length: float,
    k1: float = settings.BM25_K1,
    b: float = settings.BM25_B,
) -> np.ndarray:
    """Weigh how often terms stand in documents of some length, both of shape (n,); each further time adds less."""
    return frequency * (k1 + 1) / (frequency + k1 * (1 - b + b * length / mean_length))


class Bm25:
    """Okapi BM25 with a smoothed, always-positive IDF, scored over postings.

    ``idf = ln(1 + (N - n + 0.5) / (n + 0.5))``. The library's own IDF is zero for a term in half of
    the documents and negative beyond, so in a small corpus a matching document can rank below one
    that does not match. Scores equal those of ``rank_bm25.BM25Okapi`` with this IDF; only the way to
    them differs: a query touches the postings of its own terms instead of every document.

    Source: Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
    """

    def __init__(
        self, documents: Sequence[Sequence[str]], k1: float = settings.BM25_K1, b: float = settings.BM25_B
    ) -> None:
        """Index documents given as lists of terms; an empty list of documents is fine."""
        self.size = len(documents)
        lengths = np.array([len(document) for document in documents], dtype=np.float64)
        mean = float(lengths.mean()) if self.size and lengths.any() else 1.0
        places: dict[str, list[int]] = {}
        counts: dict[str, list[int]] = {}
        for index, document in enumerate(documents):
            for term, count in Counter(document).items():
                places.setdefault(term, []).append(index)
                counts.setdefault(term, []).append(count)
        self.postings: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for term, where in places.items():
            rows = np.array(where, dtype=np.intp)
            frequency = np.array(counts[term], dtype=np.float64)
            weight = idf(self.size, len(where)) * saturated(frequency, lengths[rows], mean, k1, b)
            self.postings[term] = (rows, weight)

    def scores(self, terms: Sequence[str]) -> np.ndarray:
        """Score every document.

        Args:
            terms: the query's terms; a term that stands twice counts twice.

        Returns:
            float64 array of shape (documents,), never negative; 0 where no term matches.
        """
        scores = np.zeros(self.size)
        for term in terms:
            if term in self.postings:
                rows, weight = self.postings[term]
                scores[rows] += weight
        return scores


class Retriever:
    """The one retriever of the lab. Only the sentence that goes into it ever changes."""

    def __init__(self, chunks: Sequence[Chunk], encoder: Encoder | None = None, progress: bool = False) -> None:
        """Index chunks on both routes.

        Args:
            chunks: what can be found; may be empty.
            encoder: the sentence encoder; the lab's own when None.
            progress: show a bar while encoding, when it takes over a second.
        """
        # In id order, so that a stable sort by score breaks ties by id.
        self.chunks = tuple(sorted(chunks, key=lambda chunk: chunk.id))
        self.encoder = encoder or SentenceEncoder()
        self.bm25 = Bm25([tokenise(chunk.text) for chunk in self.chunks])
        self.vectors = self._encode_all([chunk.text for chunk in self.chunks], progress)
        self.query_vectors = QueryVectors(self.encoder)

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Search one query on both routes (or on those named).

        Args:
            query: any text. One without a letter or digit finds nothing.
            routes: which routes to use.

        Returns:
            The search with its pool: at most ``POOL_PER_ROUTE`` hits from each route, in fused order.
        """
        return self.search_all([query], routes)[0]

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """Search several queries; same result as one by one."""
        return self.search_all(queries, routes)

    def search_all(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """Search several queries, not in a coroutine: for calibration and benchmarks."""
        check_search(queries, routes)
        terms = [tokenise(query) for query in queries]
        vectors = self.query_vectors.of([query for query, words in zip(queries, terms, strict=True) if words])
        return [
            self._search(query, words, vectors.get(query), routes) for query, words in zip(queries, terms, strict=True)
        ]

    def _search(self, query: str, terms: list[str], vector: np.ndarray | None, routes: Sequence[Route]) -> Search:
        used = tuple(route for route in ROUTES if route in routes)
        if not terms or vector is None or not self.chunks:
            return Search(query, used)
        # Rounded as float64: 0.518 in float32 is 0.51800000667, and the gate compares to the last digit.
        cosine = np.round((self.vectors @ vector).astype(np.float64), settings.SCORE_DIGITS)
        scores = {"bm25": self.bm25.scores(terms), "cosine": cosine}
        best = {route: _best(scores[route]) for route in used}
        rows = {self.chunks[row].id: row for route in used for row in best[route]}
        hits = []
        for rank, (chunk_id, _) in enumerate(
            rrf_fuse([[self.chunks[row].id for row in best[route]] for route in used]), start=1
        ):
            row = rows[chunk_id]
            # A route that was not asked gives no score, so that the gate cannot admit by it.
            raw = [float(scores[route][row]) if route in used else 0.0 for route in ROUTES]
            hits.append(Hit(self.chunks[row], *raw, rank))
        return Search(query, used, tuple(hits))

    def _encode_all(self, texts: Sequence[str], progress: bool) -> np.ndarray:
        from tqdm.auto import tqdm  # here: not needed until something is indexed

        step = 256
        starts = tqdm(range(0, len(texts), step), desc="encoding", unit="batch", delay=1, disable=not progress)
        parts = [self.encoder.encode(texts[start : start + step]) for start in starts]
        return np.concatenate(parts) if parts else np.zeros((0, 1), dtype=np.float32)


def _best(scores: np.ndarray, limit: int = settings.POOL_PER_ROUTE) -> list[int]:
    """Rows of the highest scores above 0, best first; equal scores stand in row (= id) order."""
    rows = np.flatnonzero(scores > 0)
    if len(rows) > limit:
        cut = np.partition(scores[rows], -limit)[-limit]
        rows = rows[scores[rows] >= cut]
    return rows[np.argsort(-scores[rows], kind="stable")][:limit].tolist()
