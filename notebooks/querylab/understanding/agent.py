"""The agentic loop: the model is offered one tool, ``search``, and chooses searches until it has enough.

In: a complete question. Out: the searches it made, and a record of every round. It only gathers: the
answer is written afterwards from what passed the gate, by the same call as on every other path. The
loop ends when the model calls no tool any more, or at a limit on rounds or on tokens; a call that fails
ends it with what has been found so far.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from querylab import prompts, settings
from querylab.models.protocol import Client
from querylab.models.reply import BrokenReply, CutReply, ModelError, RefusedReply
from querylab.retrieval.protocol import AnyRetriever
from querylab.types import Search

Stopped = Literal["enough", "rounds", "tokens", "failed"]


@dataclass(frozen=True)
class Round:
    """One call to the model and the searches it asked for.

    Attributes:
        number: from 1.
        queries: what was searched; empty in the round that said "enough".
        new: chunks that no earlier search had brought, for each query.
        tokens: input and output tokens of the call.
        note: what was turned down (a repeated query, a call without a query), in words; "" when nothing was.
    """

    number: int
    queries: tuple[str, ...]
    new: tuple[int, ...]
    tokens: int
    note: str = ""


@dataclass(frozen=True)
class Gathered:
    """What the loop brought.

    Attributes:
        searches: every search, in order.
        rounds: every call to the model.
        stopped: the model had enough; a limit on rounds or tokens was met; or a call failed.
        error: why the call failed; None when none did.
    """

    searches: tuple[Search, ...]
    rounds: tuple[Round, ...]
    stopped: Stopped
    error: str | None = None


async def gather(
    client: Client,
    retriever: AnyRetriever,
    question: str,
    max_rounds: int = settings.AGENT_ROUNDS,
    max_tokens: int = settings.AGENT_TOKENS,
) -> Gathered:
    """Let the model search until it has enough.

    Args:
        client: has ``await client.messages.create(...)``.
        retriever: has ``await retriever.retrieve(query)``, which returns a Search.
        question: a complete question.
        max_rounds: calls to the model at most.
        max_tokens: input and output tokens after which no further call is made.

    Returns:
        The searches and the rounds. A model's failure is in it, not raised.

    Source: Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models", ICLR 2023.
    """
    loop = _Loop(client, retriever, question)
    while True:
        try:
            enough = await loop.step()
        except ModelError as error:
            return loop.gathered("failed", str(error))
        if enough:
            return loop.gathered("enough")
        if len(loop.rounds) >= max_rounds:
            return loop.gathered("rounds")
        if sum(item.tokens for item in loop.rounds) >= max_tokens:
            return loop.gathered("tokens")


class _Loop:
    """The conversation so far, and what it has brought."""

    def __init__(self, client: Client, retriever: AnyRetriever, question: str) -> None:
        self.client = client
        self.retriever = retriever
        self.question = question
        self.messages: list[dict[str, Any]] = []
        self.searches: dict[str, Search] = {}
        self.known: set[str] = set()
        self.rounds: list[Round] = []

    async def step(self) -> bool:
        """Make one call and the searches it asks for; True when it asks for none."""
        message = await self.client.messages.create(**prompts.agent(self.question, self.messages))
        calls = tool_calls(message)
        results, queries, new, notes = [], [], [], []
        for call in calls:
            fault = self._fault(call, len(queries))
            if fault:
                notes.append(fault)
                results.append(_result(call.id, fault, error=True))
                continue
            query = " ".join(call.input["query"].split())
            search = await self.retriever.retrieve(query)
            self.searches[query] = search
            queries.append(query)
            new.append(len(set(search.ids) - self.known))
            self.known |= set(search.ids)
            results.append(_result(call.id, _passages(search)))
        if calls:
            self.messages += [
                {"role": "assistant", "content": _blocks(message)},
                {"role": "user", "content": results},
            ]
        number = len(self.rounds) + 1
        self.rounds.append(Round(number, tuple(queries), tuple(new), _tokens(message), "；".join(dict.fromkeys(notes))))
        return not calls

    def _fault(self, call: Any, made: int) -> str:
        """Say why a tool call is turned down; nothing when it is not. The model reads it and may do better."""
        query = call.input.get("query") if isinstance(call.input, dict) else None
        if call.name != prompts.SEARCH_TOOL["name"]:
            return f"没有叫 {str(call.name)[:30]} 的工具，只有 search"
        if not isinstance(query, str) or not any(character.isalnum() for character in query):
            return "query 应当是一句检索语句"
        if " ".join(query.split()) in self.searches:
            return "这句已经查过了"
        if made >= settings.AGENT_SEARCHES_PER_ROUND:
            return f"一次最多查 {settings.AGENT_SEARCHES_PER_ROUND} 条"
        return ""

    def gathered(self, stopped: Stopped, error: str | None = None) -> Gathered:
        return Gathered(tuple(self.searches.values()), tuple(self.rounds), stopped, error)


def tool_calls(message: Any) -> list[Any]:
    """List the ``tool_use`` blocks of a reply.

    Raises:
        BrokenReply, RefusedReply, CutReply: for a reply that cannot be gone on with; half a tool call is not made.
    """
    content, reason = getattr(message, "content", None), getattr(message, "stop_reason", None)
    if not isinstance(content, list):
        raise BrokenReply(f"the reply is not a message with content blocks ({type(message).__name__})")
    if reason == "refusal":
        raise RefusedReply("the model refused")
    if reason in ("max_tokens", "model_context_window_exceeded", "pause_turn"):
        raise CutReply(f"the reply was cut off ({reason})")
    return [block for block in content if getattr(block, "type", None) == "tool_use"]


def _blocks(message: Any) -> list[dict[str, Any]]:
    """Give a reply back to the model as plain data: its text and its tool calls."""
    blocks: list[dict[str, Any]] = []
    for block in message.content:
        if block.type == "text" and block.text.strip():
            blocks.append({"type": "text", "text": block.text})
        elif block.type == "tool_use":
            blocks.append({"type": "tool_use", "id": block.id, "name": block.name, "input": block.input})
    return blocks


def _result(call_id: str, text: str, error: bool = False) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return block | {"is_error": True} if error else block


def _passages(search: Search) -> str:
    """Show the best passages of a search, as data between tags."""
    shown = search.hits[: settings.AGENT_PASSAGES]
    return "\n".join(prompts.field("passage", hit.chunk.text, id=hit.chunk.id) for hit in shown) or "没有查到。"


def _tokens(message: Any) -> int:
    usage = getattr(message, "usage", None)
    counts: Sequence[Any] = [getattr(usage, name, 0) for name in ("input_tokens", "output_tokens")]
    return sum(count for count in counts if isinstance(count, int))
