"""The frozen data that travels between the rooms: what goes in, what a search brings, what a route decides."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

Intent = Literal["direct", "single-hop", "multi-hop"]
INTENTS: tuple[Intent, ...] = ("direct", "single-hop", "multi-hop")

Route = Literal["bm25", "cosine"]
ROUTES: tuple[Route, ...] = ("bm25", "cosine")


class Turn(TypedDict):
    """One message of a conversation, in the shape of the Messages API."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True)
class Chunk:
    """One section of one document: the unit that is searched, admitted and packed."""

    id: str
    doc_id: str
    title: str
    heading: str
    body: str
    tokens: int

    @property
    def text(self) -> str:
        """Title, heading and body, one under the other: what is indexed and what the model reads."""
        return f"{self.title}\n{self.heading}\n{self.body}"


@dataclass(frozen=True)
class Gates:
    """The raw scores from which a chunk is admitted: either one suffices."""

    bm25: float
    cosine: float


@dataclass(frozen=True)
class Budgets:
    """Context budgets in tokens."""

    default: int
    multi_hop: int


@dataclass(frozen=True)
class Hit:
    """One chunk in the pool of one search, with both raw scores and its fused rank (from 1)."""

    chunk: Chunk
    bm25: float
    cosine: float
    rank: int


@dataclass(frozen=True)
class Search:
    """One retrieval: the text searched, the routes it went to, and its pool in fused order."""

    query: str
    routes: tuple[Route, ...] = ROUTES
    hits: tuple[Hit, ...] = ()

    @property
    def ids(self) -> list[str]:
        """The chunk ids of the pool, best first: a ranking that ``rrf_fuse`` takes."""
        return [hit.chunk.id for hit in self.hits]


@dataclass(frozen=True)
class Routed:
    """What the router decided for one question.

    ``searches`` are the ones already made on the way (both rounds of a multi-hop question). For a
    single-hop question they stay empty: the pipeline expands and searches it.
    """

    intent: Intent
    budget: int
    searches: tuple[Search, ...] = ()


@dataclass(frozen=True)
class Event:
    """One model call or one retrieval, as the meter saw it.

    ``start`` and ``seconds`` are on the question's own clock: modelled offline, measured live.

    Attributes:
        cost_usd: what its tokens cost by the price list, whether that was paid now, in an earlier run
            (replayed), or never (offline rules).
        paid_usd: the part that this run really paid: 0 when replayed and offline.
        replayed: the reply came from a recording; its time says nothing about the model.
        attempts: HTTP requests sent: 1 without a retry, 0 when replayed or never sent.
        error: why the call failed, in words; None when it did not.
        lasting: True when every further call would fail for the same reason (ceiling, key, recording).
    """

    kind: Literal["model", "search"]
    purpose: str
    start: float
    seconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    paid_usd: float = 0.0
    replayed: bool = False
    attempts: int = 1
    error: str | None = None
    lasting: bool = False
    detail: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fallback:
    """A step that could not be used: which one, why, and what was used instead."""

    step: str
    reason: str
    used: str
