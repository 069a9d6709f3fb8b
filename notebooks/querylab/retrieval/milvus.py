"""The lab's retriever served by Milvus: the built-in one's promises, for more passages than one machine holds.

Words go in as a sparse vector (inner product with the lab's own BM25 weights), meaning as a dense one (cosine, exact
search). Each route brings its best; both raw scores of every candidate are then computed from the vectors that come
back with it, so that a chunk has the same scores whichever route brought it up, and the gate and the ledger run
unchanged. What an index holds, and what happens to idf: :mod:`querylab.retrieval.milvus_index`.
"""

import asyncio
import hashlib
import logging
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from querylab import settings
from querylab.retrieval.encoder import NAME, Encoder, QueryVectors, SentenceEncoder
from querylab.retrieval.fuse import rrf_fuse
from querylab.retrieval.milvus_index import fingerprint
from querylab.retrieval.milvus_rows import chunk_of
from querylab.retrieval.milvus_store import Store
from querylab.retrieval.protocol import EngineError, check_search
from querylab.retrieval.retriever import idf
from querylab.text import tokenise
from querylab.types import ROUTES, Chunk, Hit, Route, Search

log = logging.getLogger("querylab")

FIELD: Mapping[Route, str] = {"bm25": "sparse", "cosine": "dense"}

CANDIDATES = 2 * settings.POOL_PER_ROUTE
"""Rows asked of each route: more than are kept, because Milvus cuts equal scores in any order, and the lab by id."""

_COMMAND = "python -m querylab index --engine milvus  (with the same --corpus and --uri)"


class MilvusRetriever:
    """Searches an index in Milvus. It keeps the statistics it was opened with; open it anew after a run of index."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder | None = None,
        chunks: Sequence[Chunk] | None = None,
        in_threads: bool = False,
    ) -> None:
        """Open an index.

        Args:
            store: which one.
            encoder: the sentence encoder; the lab's own when None.
            chunks: the corpus as it stands, held against the index; not compared when None.
            in_threads: wait for Milvus in a thread, so that a service goes on answering others. Off in the lab, whose
                modelled clock cannot see a thread.

        Raises:
            EngineError: without an index, for one that is unfinished, of another schema or encoder, or not of these
                chunks; each with the command that mends it.
        """
        found = store.statistics()
        if found is None:
            raise EngineError(f"There is no index {store.name} at {store.uri}. Make it:  {_COMMAND}.")
        if found.state == "building":
            raise EngineError(f"The index {store.name} at {store.uri} is unfinished. Go on with it:  {_COMMAND}.")
        self.encoder = encoder or SentenceEncoder()
        if found.encoder != NAME:
            raise EngineError(
                f"The index {store.name} at {store.uri} was made with {found.encoder}, and this lab encodes with "
                f"{NAME}. Add --rebuild:  {_COMMAND}."
            )
        if chunks is not None and found.state == "complete" and found.fingerprint != fingerprint(chunks):
            raise EngineError(
                f"The index {store.name} at {store.uri} holds {found.size} chunks of {found.corpus!r}, and they are "
                f"not those of the corpus ({len(chunks)}). Bring it up to date:  {_COMMAND}."
            )
        if found.state == "updating":
            log.warning("the index %s at %s is being brought up to date", store.name, store.uri)
        store.load()
        self.store, self.size, self._in_threads = store, found.size, in_threads
        self._weights = {
            term: (place, idf(found.size, holding))
            for place, (term, holding) in enumerate(found.terms.items(), start=1)
            if holding
        }
        self.query_vectors = QueryVectors(self.encoder)
        self._encoding = threading.Lock()

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Search one query; see :meth:`AnyRetriever.retrieve`."""
        return (await self.retrieve_many([query], routes))[0]

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """Search several queries in one round trip a route; see :meth:`AnyRetriever.retrieve_many`."""
        if self._in_threads:
            return await asyncio.to_thread(self.search_all, queries, routes)
        return self.search_all(queries, routes)

    def search_all(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """Search several queries; see :meth:`Engine.search_all`."""
        check_search(queries, routes)
        used = tuple(route for route in ROUTES if route in routes)
        terms = {query: tokenise(query) for query in queries}
        asked = [query for query in terms if terms[query]]
        with self._encoding:  # several questions are searched at once, each in a thread
            vectors = self.query_vectors.of(asked)
        forms: dict[str, dict[Route, Any]] = {
            query: {"bm25": self._sparse(terms[query]), "cosine": vectors[query]} for query in asked
        }
        found: dict[str, dict[Route, list[Mapping[str, Any]]]] = {query: {} for query in asked}
        for route in used:
            # A query of unknown words alone has an empty sparse vector, which Milvus refuses.
            sent = [query for query in asked if len(forms[query][route])]
            brought = (
                self.store.search(FIELD[route], [forms[query][route] for query in sent], CANDIDATES) if sent else []
            )
            for query, rows in zip(sent, brought, strict=True):
                found[query][route] = rows
        return [
            _pool(query, used, forms[query], found[query]) if query in found else Search(query, used)
            for query in queries
        ]

    def _sparse(self, terms: Sequence[str]) -> dict[int, float]:
        """Weigh a query: idf times how often the term stands in it, by dimension; unknown terms weigh nothing."""
        weighed = [(self._weights[term], count) for term, count in Counter(terms).items() if term in self._weights]
        return {place: weight * count for (place, weight), count in weighed}


def _pool(
    query: str, used: Sequence[Route], form: Mapping[Route, Any], found: Mapping[Route, Sequence[Mapping[str, Any]]]
) -> Search:
    """Score the rows of both routes on both, rank each route by score and id, and fuse."""
    rows = {row["id"]: row for route in found for row in found[route]}
    scores = {
        item: {"bm25": _inner(form["bm25"], row["sparse"]), "cosine": _cosine(form["cosine"], row["dense"])}
        for item, row in rows.items()
    }
    rankings = []
    for route in used:
        best = sorted(
            (item for item in {row["id"] for row in found.get(route, ())} if scores[item][route] > 0),
            key=lambda item: (-scores[item][route], item),
        )
        rankings.append(best[: settings.POOL_PER_ROUTE])
    hits = [
        # A route that was not asked gives no score, so that the gate cannot admit by it.
        Hit(chunk_of(rows[item]), *(scores[item][route] if route in used else 0.0 for route in ROUTES), rank)
        for rank, (item, _) in enumerate(rrf_fuse(rankings), start=1)
    ]
    return Search(query, tuple(used), tuple(hits))


def _inner(query: Mapping[int, float], row: Mapping[int, float]) -> float:
    return sum(weight * row[place] for place, weight in query.items() if place in row)


def _cosine(query: np.ndarray, row: Sequence[float]) -> float:
    return round(float(np.asarray(row, dtype=np.float32) @ query), settings.SCORE_DIGITS)


def collection_name(corpus_name: str) -> str:
    """Name a corpus's index, the same on every machine: letters, digits and underscores only."""
    readable = re.sub(r"[^a-z0-9]+", "_", corpus_name.lower()).strip("_")[:40]
    return f"querylab_{readable and readable + '_'}{hashlib.sha256(corpus_name.encode()).hexdigest()[:8]}"
