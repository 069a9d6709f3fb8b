"""Stand-ins that checks put around a student's function: a client with a script, a retriever with lists."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from querylab import prompts
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
        """Find for several queries at once, as the lab's own retriever does."""
        return list(await asyncio.gather(*(self.retrieve(query, routes) for query in queries)))


class BusyRetriever(ListRetriever):
    """Also counts how many searches run at once, and can break on one query."""

    most = 0
    running = 0
    broken: str | None = None

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Find, after letting everybody else begin."""
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(10):
            await asyncio.sleep(0)
        self.running -= 1
        if query == self.broken:
            raise RuntimeError("the index is gone (stand-in)")
        return await super().retrieve(query, routes)


class AnsweringClient:
    """Answers by the question asked: a text, a message, or an error to raise; 「不知道」 to any other question.

    Attributes:
        seen: (name of the task, question, passages) of every request, in order.
    """

    modelled = True
    most_requests = 60

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers
        self.seen: list[tuple[str, str, list[str]]] = []
        self.messages = self

    async def create(self, **request: Any) -> Any:
        """Answer one request; after too many of them, fail in a way that no ``except ModelError`` catches."""
        task = prompts.task_of(request.get("system"))
        fields = prompts.read_fields(request["messages"][-1]["content"])
        question = next((field.text for field in fields if field.name == "question"), "")
        self.seen.append((task.name if task else "?", question, [f.text for f in fields if f.name == "passage"]))
        if len(self.seen) > self.most_requests:
            raise AssertionError(f"一次检索里问了模型 {self.most_requests} 多次：失败了不要重试")
        reply = self.answers.get(question, "不知道")
        if isinstance(reply, Exception):
            raise reply
        return message(reply) if isinstance(reply, str) else reply


class WaitingClient:
    """Never answers; says when it has been asked."""

    modelled = True

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.messages = self

    async def create(self, **request: Any) -> Any:
        """Wait until cancelled."""
        self.asked.set()
        await asyncio.Event().wait()


class AngleEncoder:
    """Puts a question and one other text at a given cosine; every third text lies opposite the question."""

    _EXACT = ((0.5, 4), (0.25, 16))
    """Cosines at which the vectors are of length 1 to the last bit, whoever divides by their length."""

    def __init__(self, near: float, question: str, rewrite: str) -> None:
        parts = dict(self._EXACT).get(near, 0)
        there = [near] * parts if parts else [near, (1 - near**2) ** 0.5]
        self._vectors = {rewrite: there + [0.0] * (16 - len(there)), question: [1.0] + [0.0] * 15}

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Encode texts, one row a text.

        Raises:
            TypeError: for a single text, which an encoder would read as a list of characters.
        """
        if isinstance(texts, str):
            raise TypeError("encode() 要一列文字（encoder.encode([text])），不是一段文字")
        return np.array([self._vectors.get(text, [-1.0] + [0.0] * 15) for text in texts])
