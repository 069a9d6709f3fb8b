"""What happened to one question: every step it took, what each cost, and where a document was lost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from querylab.corpus.model import Question
from querylab.prompts.schema import Path
from querylab.retrieval.admit import Packed
from querylab.types import Chunk, Event, Fallback, Intent, Search, Turn
from querylab.understanding.agent import Round
from querylab.understanding.fields import Understanding

Place = Literal["pool", "gate", "budget", "context"]
PLACES: tuple[Place, ...] = ("pool", "gate", "budget", "context")
"""The three places where a document can be lost, in the order of the path, and where it should arrive."""

ANSWER_SIDE = ("answer", "reply")
"""Purposes of the calls that write the answer. The ledger counts the query side only: answering
costs the same whatever was done to the question."""


@dataclass(frozen=True)
class Trace:
    """The record of one question on its way.

    Attributes:
        question, history: as they came.
        rewritten: the text that was routed and searched; equal to ``question`` when nothing was
            rewritten.
        intent: the route, or None when no router ran.
        searches: every retrieval, in order, with its pool and raw scores.
        ranking: all pools fused: chunk ids with fused scores, best first, before the gate.
        admitted: the chunks that passed the gate, in fused order.
        context: what was packed, what was dropped, tokens used.
        budget: tokens that were allowed.
        answer: the answer, None when none was asked for or the call failed.
        events: every model call and retrieval with tokens, cost and times.
        fallbacks: every step that could not be used, with the reason.
        notes: decisions of the run-time net, in words.
        understanding: what one call found out about the question; None when none was made.
        path: the way that the understanding chose; None without one.
        rounds: every call of the agentic loop, with the searches it asked for.
    """

    question: str
    history: tuple[Turn, ...]
    rewritten: str
    intent: Intent | None
    searches: tuple[Search, ...]
    ranking: tuple[tuple[str, float], ...]
    admitted: tuple[Chunk, ...]
    context: Packed
    budget: int
    answer: str | None
    events: tuple[Event, ...]
    fallbacks: tuple[Fallback, ...]
    notes: tuple[str, ...] = ()
    understanding: Understanding | None = None
    path: Path | None = None
    rounds: tuple[Round, ...] = ()

    @property
    def query_side(self) -> tuple[Event, ...]:
        """The events that the ledger counts: all but the calls that write the answer."""
        return tuple(event for event in self.events if event.purpose not in ANSWER_SIDE)

    @property
    def model_calls(self) -> int:
        """Model calls on the query side, failed ones included."""
        return sum(event.kind == "model" for event in self.query_side)

    @property
    def retrievals(self) -> int:
        """Queries that were searched."""
        return sum(event.kind == "search" for event in self.query_side)

    @property
    def output_tokens(self) -> int:
        """Tokens that the model wrote on the query side."""
        return sum(event.output_tokens for event in self.query_side)

    @property
    def cost_usd(self) -> float:
        """US dollars by the price list, replayed calls at what they cost when they were made."""
        return math.fsum(event.cost_usd for event in self.query_side)  # the same in whatever order they ended

    @property
    def stopped(self) -> str | None:
        """Why going on makes no sense (ceiling on money, key, recording); None when it does."""
        return next((event.error for event in self.events if event.lasting), None)

    @property
    def seconds(self) -> float:
        """Query-side latency: when the last of its calls ended. Replayed calls took no time."""
        return max((event.start + event.seconds for event in self.query_side), default=0.0)

    @property
    def refused(self) -> bool:
        """True when the question was searched and nothing came through the gate and the budget."""
        return self.intent != "direct" and not self.context.chunks

    @property
    def refusal(self) -> Literal["scope", "pool", "gate", "budget"] | None:
        """Why the question was refused: out of scope, nothing found, nothing admitted, or too large; None when not."""
        if not self.refused:
            return None
        if self.path == "answer":
            return "scope"
        if self.admitted:
            return "budget"
        return "gate" if any(search.hits for search in self.searches) else "pool"

    @property
    def documents(self) -> list[str]:
        """Documents in the context, best first."""
        return list(dict.fromkeys(chunk.doc_id for chunk in self.context.chunks))


def chunk_place(trace: Trace, chunk_id: str) -> Place:
    """Say how far one chunk came: lost at the pool, the gate or the budget, or in the context."""
    if any(chunk.id == chunk_id for chunk in trace.context.chunks):
        return "context"
    if any(chunk.id == chunk_id for chunk in trace.admitted):
        return "budget"
    if any(chunk_id in search.ids for search in trace.searches):
        return "gate"
    return "pool"


def furthest(trace: Trace, chunk_ids: Sequence[str] | set[str]) -> Place:
    """Say how far the most successful of several chunks came."""
    return max((chunk_place(trace, chunk_id) for chunk_id in sorted(chunk_ids)), key=PLACES.index, default="pool")


def where_lost(trace: Trace, question: Question) -> dict[str, Place]:
    """Say for each evidence document of a question where it was lost.

    Args:
        trace: what happened when it was asked.
        question: its labels; a document has come as far as the best of its chunks that hold the
            answer (grade 2).

    Returns:
        Document id → ``pool``, ``gate``, ``budget``, or ``context`` when it arrived.
    """
    return {doc_id: furthest(trace, question.answering(doc_id)) for doc_id in question.evidence}
