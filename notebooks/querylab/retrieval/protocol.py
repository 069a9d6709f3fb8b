"""What a retriever is: one query in, one :class:`~querylab.types.Search` out.

Whoever keeps these three promises can stand in the lab's place for one, and every wrapper (meter, sharing, noting,
guard) keeps them too:

- each hit carries the **raw** score of each route, because the gate compares raw scores; 0.0 from a route not asked;
- the pool stands in fused order, ``rank`` from 1, without a hit that every route scores zero;
- the same query gives the same pool, however many others are searched with it.
"""

from collections.abc import Sequence
from typing import Protocol

from querylab.retrieval.encoder import Encoder
from querylab.settings import SettingError
from querylab.types import ROUTES, Route, Search


class EngineError(SettingError):
    """An engine that cannot be used as it stands: its message says why, and what to do."""


class EngineGone(EngineError):
    """An engine that does not answer: the same call may succeed when it is back."""


class AnyRetriever(Protocol):
    """Anything that searches: the lab's retriever, an engine, or a wrapper round either."""

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Search one query on the routes named.

        Raises:
            TypeError: when the query is no text.
        """
        ...

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """Search several queries; the same result, in the same order, as one by one."""
        ...


class Engine(AnyRetriever, Protocol):
    """What a lab is opened on: the built-in retriever, or one that keeps its index elsewhere.

    Attributes:
        encoder: what its vectors were made with.
    """

    encoder: Encoder

    def search_all(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """Search several queries, not in a coroutine: for calibration and benchmarks.

        Raises:
            TypeError: when a query is no text.
            ValueError: for an unknown route.
            EngineError: when an engine elsewhere does not answer.
        """
        ...


def check_search(queries: Sequence[str], routes: Sequence[Route]) -> None:
    """Refuse what cannot be searched: TypeError for a query that is no text, ValueError for an unknown route."""
    for query in queries:
        if not isinstance(query, str):
            raise TypeError(f"A query is a text, found {type(query).__name__}: {query!r}.")
    unknown = set(routes) - set(ROUTES)
    if unknown:
        raise ValueError(f"Unknown route(s) {sorted(unknown)}; there are {', '.join(ROUTES)}.")
