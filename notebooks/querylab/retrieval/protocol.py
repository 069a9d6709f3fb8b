"""What a retriever is: one query in, one :class:`~querylab.types.Search` out.

Whoever keeps these three promises can stand in the lab's place for one, and every wrapper (meter, sharing, noting,
guard) keeps them too:

- each hit carries the **raw** score of each route, because the gate compares raw scores; 0.0 from a route not asked;
- the pool stands in fused order, ``rank`` from 1, without a hit that every route scores zero;
- the same query gives the same pool, however many others are searched with it.
"""

from collections.abc import Sequence
from typing import Protocol

from querylab.types import ROUTES, Route, Search


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
