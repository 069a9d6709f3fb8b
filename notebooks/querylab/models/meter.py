"""The meter: every model call and every retrieval of one question passes through it.

It hands out a client and a retriever that look like the ones they wrap, and writes one
:class:`~querylab.types.Event` for each call: tokens, cost, start and duration. Techniques get only
these, so their calls are counted whatever they do.
"""

from collections.abc import Sequence
from typing import Any

from querylab import prompts, settings
from querylab.models.clock import Clock
from querylab.models.reply import CallFailed, ModelError
from querylab.types import ROUTES, Event, Route, Search


class Meter:
    """The account of one question."""

    def __init__(self, client: Any, retriever: Any, clock: Clock) -> None:
        self.events: list[Event] = []
        self.searches: list[Search] = []
        self.clock = clock
        self.client = MeteredClient(client, self)
        self.retriever = MeteredRetriever(retriever, self)


class MeteredClient:
    """The model client that techniques are given."""

    def __init__(self, client: Any, meter: Meter) -> None:
        self.messages = MeteredMessages(client, meter)


class MeteredMessages:
    def __init__(self, client: Any, meter: Meter) -> None:
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
        task = prompts.task_of(request.get("system"))
        purpose = task.name if task else "other"
        try:
            message = await self._client.messages.create(**request)
        except (anthropic.AnthropicError, ModelError) as error:
            reason = describe(error)
            self._meter.events.append(
                Event(
                    "model", purpose, start, clock.now() - start, error=reason, attempts=getattr(error, "attempts", 1)
                )
            )
            raise (error if isinstance(error, ModelError) else CallFailed(reason)) from error
        usage = getattr(message, "usage", None)
        given = _tokens(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        written = _tokens(usage, "output_tokens")
        replayed = bool(getattr(message, "_replayed", False))
        if clock.modelled and not replayed:
            await clock.sleep(settings.FIRST_TOKEN_SECONDS + written / settings.OUTPUT_TOKENS_PER_SECOND)
        into, out = settings.price(request["model"])
        cost = 0.0 if replayed else (given * into + written * out) / 1_000_000
        self._meter.events.append(Event("model", purpose, start, clock.now() - start, given, written, cost, replayed))
        return message


class MeteredRetriever:
    """The retriever that techniques are given: same methods, every search counted."""

    def __init__(self, retriever: Any, meter: Meter) -> None:
        self._retriever = retriever
        self._meter = meter

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """See :meth:`querylab.retrieve.Retriever.retrieve`."""
        return (await self.retrieve_many([query], routes))[0]

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """See :meth:`querylab.retrieve.Retriever.retrieve_many`; every query counts as one retrieval."""
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
    words = " ".join(str(getattr(error, "message", error)).split())[:200]
    return f"{type(error).__name__}{f' {status}' if status else ''}: {words}"


def _tokens(usage: Any, *names: str) -> int:
    return sum(getattr(usage, name, None) or 0 for name in names)
