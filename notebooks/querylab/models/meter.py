"""The meter: every model call and every retrieval of one question passes through it.

It hands out a client and a retriever that look like the ones they wrap, and writes one
:class:`~querylab.types.Event` for each call: tokens, cost, start and duration. Techniques get only
these, so their calls are counted whatever they do.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from querylab import settings
from querylab.models import facts, money, requests
from querylab.models.clock import Clock
from querylab.models.protocol import Client
from querylab.models.reply import CallFailed, LastingFailure, ModelError
from querylab.retrieval.protocol import AnyRetriever
from querylab.types import ROUTES, Event, Route, Search


class Meter:
    """The account of one question."""

    def __init__(self, client: Client, retriever: AnyRetriever, clock: Clock) -> None:
        self.events: list[Event] = []
        self.searches: list[Search] = []
        self.clock = clock
        self.client = MeteredClient(client, self)
        self.retriever = MeteredRetriever(retriever, self)


class MeteredClient:
    """The model client that techniques are given."""

    def __init__(self, client: Client, meter: Meter) -> None:
        self.messages = MeteredMessages(client, meter)


class MeteredMessages:
    """The part of the client that techniques use."""

    def __init__(self, client: Client, meter: Meter) -> None:
        self._client = client
        self._meter = meter

    async def create(self, **request: Any) -> Any:
        """Pass one request on and write it down.

        Raises:
            CallFailed: in place of any error of the SDK, which stays its ``__cause__``.
            TypeError: for arguments that the SDK does not take: a mistake in the calling code.
        """
        import anthropic

        clock, start = self._meter.clock, self._meter.clock.now()
        purpose = requests.task_name(request)
        with facts.recording() as call:
            try:
                message = await self._client.messages.create(**request)
            except (anthropic.AnthropicError, ModelError) as error:
                reason, lasting = describe(error), isinstance(error, LastingFailure)
                seconds = clock.now() - start
                self._meter.events.append(
                    Event("model", purpose, start, seconds, attempts=call.attempts, error=reason, lasting=lasting)
                )
                if isinstance(error, ModelError):
                    raise
                raise CallFailed(reason) from error
            except asyncio.CancelledError:  # over a deadline: it was asked, so it is counted
                self._meter.events.append(self._stopped(purpose, start, call.attempts))
                raise
        usage = getattr(message, "usage", None)
        given = money.tokens(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        written = money.tokens(usage, "output_tokens")
        cost = money.cost_usd(request["model"], usage)
        if clock.modelled:
            try:
                await clock.sleep(settings.FIRST_TOKEN_SECONDS + written / settings.OUTPUT_TOKENS_PER_SECOND)
            except asyncio.CancelledError:
                stopped = self._stopped(purpose, start, call.attempts)
                self._meter.events.append(replace(stopped, input_tokens=given, output_tokens=written, cost_usd=cost))
                raise
        paid = 0.0 if call.replayed or clock.modelled else cost
        self._meter.events.append(
            Event(
                "model",
                purpose,
                start,
                clock.now() - start,
                given,
                written,
                cost,
                paid_usd=paid,
                replayed=call.replayed,
                attempts=call.attempts,
            )
        )
        return message

    def _stopped(self, purpose: str, start: float, attempts: int) -> Event:
        seconds = self._meter.clock.now() - start
        return Event("model", purpose, start, seconds, attempts=attempts, error="stopped: over the deadline")


class MeteredRetriever:
    """The retriever that techniques are given: same methods, every search counted."""

    def __init__(self, retriever: AnyRetriever, meter: Meter) -> None:
        self._retriever = retriever
        self._meter = meter

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """See :meth:`querylab.retrieval.retriever.Retriever.retrieve`."""
        return (await self.retrieve_many([query], routes))[0]

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """See :meth:`querylab.retrieval.retriever.Retriever.retrieve_many`; every query counts as one retrieval."""
        if not queries:
            return []  # no search takes no time
        start = self._meter.clock.now()
        searches = await self._retriever.retrieve_many(queries, routes)
        await self._meter.clock.sleep(settings.SEARCH_SECONDS)
        seconds = self._meter.clock.now() - start
        for search in searches:
            self._meter.events.append(Event("search", "search", start, seconds, detail={"query": search.query}))
            self._meter.searches.append(search)
        return searches


def describe(error: Exception) -> str:
    """Put an error of the SDK into one line for the trace: kind, status, and the API's own words."""
    if isinstance(error, ModelError):
        return str(error)
    status = getattr(error, "status_code", None)
    said = getattr(error, "api_message", None) or getattr(error, "message", None) or error
    words = " ".join(str(said).split())[:200]
    return f"{type(error).__name__}{f' {status}' if status else ''}: {words}"
