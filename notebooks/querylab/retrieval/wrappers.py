"""Wrappers round a retriever that are one themselves: they share searches, or remember them."""

import asyncio
from collections.abc import Sequence

from querylab.retrieval.protocol import AnyRetriever
from querylab.retrieval.retriever import Retriever
from querylab.types import ROUTES, Route, Search


class OneByOne:
    """Makes several searches by making each, all at once: for wrappers that look at single searches."""

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """See :meth:`AnyRetriever.retrieve`."""
        raise NotImplementedError

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """See :meth:`AnyRetriever.retrieve_many`."""
        return list(await asyncio.gather(*(self.retrieve(query, routes) for query in queries)))


class SharedRetriever(OneByOne):
    """Makes each search of one question once: ways that run side by side share what they have in common."""

    def __init__(self, retriever: AnyRetriever) -> None:
        self._retriever = retriever
        self._made: dict[tuple[str, tuple[Route, ...]], asyncio.Task[Search]] = {}

    def begin(self, query: str, routes: Sequence[Route] = ROUTES) -> "asyncio.Task[Search]":
        """Start a search, or give the one that was started before."""
        key = (query, tuple(routes))
        if key not in self._made:
            self._made[key] = asyncio.create_task(self._retriever.retrieve(query, routes))
        return self._made[key]

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Search once. Who is stopped does not stop the others' search."""
        if not isinstance(query, str):
            return await self._retriever.retrieve(query, routes)  # which says what is wrong with it
        return await asyncio.shield(self.begin(query, routes))

    async def settle(self) -> None:
        """Stop searches still under way though nobody needs them; what they found or met concerns nobody."""
        for task in self._made.values():
            task.cancel()
        await asyncio.gather(*self._made.values(), return_exceptions=True)


class NotingRetriever:
    """Remembers the searches that one step made, in order."""

    def __init__(self, retriever: AnyRetriever) -> None:
        self.searches: list[Search] = []
        self._retriever = retriever

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """See :meth:`AnyRetriever.retrieve`."""
        search = await self._retriever.retrieve(query, routes)
        self.searches.append(search)
        return search

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """See :meth:`AnyRetriever.retrieve_many`."""
        searches = await self._retriever.retrieve_many(queries, routes)
        self.searches += searches
        return searches


class OnlyRoutes:
    """A weaker retriever: whatever is asked of it, only some routes search."""

    def __init__(self, retriever: Retriever, routes: Sequence[Route]) -> None:
        self.encoder, self.chunks = retriever.encoder, retriever.chunks
        self._retriever, self._routes = retriever, tuple(routes)

    def _of(self, routes: Sequence[Route]) -> tuple[Route, ...]:
        """The routes both asked and allowed; where that is none, the allowed ones: a search is never left out."""
        return tuple(route for route in self._routes if route in routes) or self._routes

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """See :meth:`AnyRetriever.retrieve`."""
        return await self._retriever.retrieve(query, self._of(routes))

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """See :meth:`AnyRetriever.retrieve_many`."""
        return await self._retriever.retrieve_many(queries, self._of(routes))
