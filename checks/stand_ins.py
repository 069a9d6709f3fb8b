"""Stand-ins that checks put around a student's function: a client with a script, a retriever with lists."""

from collections.abc import Sequence
from typing import Any

from querylab.types import ROUTES, Chunk, Hit, Route, Search


def message(*texts: str, stop_reason: str = "end_turn", thinking: str = "") -> Any:
    """Build a reply of the Messages API with some text blocks, thinking first when given."""
    from anthropic.types import Message, TextBlock, ThinkingBlock, Usage

    blocks: list[Any] = [ThinkingBlock(type="thinking", thinking=thinking, signature="")] if thinking else []
    blocks += [TextBlock(type="text", text=text) for text in texts]
    return Message(
        id="msg_script",
        content=blocks,
        model="script",
        role="assistant",
        stop_reason=stop_reason,
        type="message",
        usage=Usage(input_tokens=1, output_tokens=1),
    )


def calls(*queries: Any, name: str = "search", stop: str = "tool_use") -> Any:
    """Build a reply that calls a tool once for each query; a mapping stands for the whole input."""
    from anthropic.types import ToolUseBlock

    blocks = [
        ToolUseBlock(
            type="tool_use", id=f"t{number}", name=name, input=query if isinstance(query, dict) else {"query": query}
        )
        for number, query in enumerate(queries)
    ]
    return message(stop_reason=stop).model_copy(update={"content": blocks})


class ScriptedClient:
    """Answers with the given messages in turn (the last one again and again), and remembers requests."""

    modelled = True

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.messages = self

    async def create(self, **request: Any) -> Any:
        """Give the next reply of the script."""
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        return message(reply) if isinstance(reply, str) else reply

    @property
    def asked(self) -> str:
        """Everything that was sent, as one text."""
        return repr([request.get("messages") for request in self.requests])


def chunk(chunk_id: str, text: str = "") -> Chunk:
    """Make a chunk with a given id."""
    return Chunk(chunk_id, chunk_id.rpartition("#")[0] or chunk_id, chunk_id, "", text or chunk_id, 10)


class ListRetriever:
    """Finds the given ids, in the given order, whatever scores they have."""

    def __init__(self, found: dict[str, Sequence[str]], texts: dict[str, str] | None = None) -> None:
        self.found = found
        self.texts = texts or {}
        self.queries: list[str] = []

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Find what was put in for this query; nothing for another one."""
        self.queries.append(query)
        ids = self.found.get(query, ())
        # Raw scores run against the ranking, so that sorting by them shows.
        hits = [
            Hit(chunk(item, self.texts.get(item, "")), float(rank), rank / 100, rank)
            for rank, item in enumerate(ids, 1)
        ]
        return Search(query, ROUTES, tuple(hits))

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """Find for several queries."""
        return [await self.retrieve(query, routes) for query in queries]
