"""What one question carries on its way: a :class:`Run`, which every step of the path is given.

In: a lab's fixed parts, a question, its conversation and a configuration. Out, in the end: a
:class:`~querylab.pipeline.trace.Trace`. A step reads what it needs from the run, and leaves in it what it could not use
(``fallbacks``), what it decided (``notes``) and what later steps have to know (``also``, ``parts``).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from querylab.corpus.model import Corpus
from querylab.guard.caches import CachingClient, RewriteCache
from querylab.models.meter import Meter
from querylab.models.protocol import Client
from querylab.models.reply import ModelError
from querylab.pipeline.config import Config
from querylab.pipeline.deadline import within
from querylab.pipeline.techniques import Techniques
from querylab.retrieval.fuse import rrf_fuse
from querylab.retrieval.protocol import AnyRetriever, Engine
from querylab.types import Budgets, Fallback, Gates, Search, Turn

log = logging.getLogger("querylab")
log.addHandler(logging.NullHandler())  # who wants the log asks for it; a notebook's stderr stays clean

TYPED = "the question as typed"

FAILED: Any = object()
"""Stands for what a failed step did not return; a step that returns None by mistake has not failed."""


class TechniqueError(TypeError):
    """A technique returned something that its contract does not allow."""


@dataclass
class Setup:
    """Everything that stays the same while questions change.

    Attributes:
        corpus, retriever, client, techniques: what is asked, searched, and by whose functions.
        cache: where rewrites are kept; where a configuration asks for one and there is none, it is opened in memory.
        user: who asks; the cache never hands one user's rewrites to another.
    """

    corpus: Corpus
    retriever: Engine
    client: Client
    techniques: Techniques
    cache: RewriteCache | None = None
    user: str = "local"


@dataclass(frozen=True)
class Found:
    """What searching brought: every search in order, and all their pools in one ranking (id, fused score)."""

    searches: tuple[Search, ...] = ()
    ranking: tuple[tuple[str, float], ...] = ()

    @classmethod
    def fused(cls, searches: Sequence[Search]) -> "Found":
        """Fuse the pools of some searches by RRF."""
        return cls(tuple(searches), tuple(rrf_fuse([search.ids for search in searches])))


NOTHING = Found()
"""What was found where nothing was searched."""


@dataclass
class Run:
    """One question on its way.

    Attributes:
        lab: what stays the same.
        question, history: as they came.
        config, gates, budgets: what this run is to do; scores from which a chunk is admitted; tokens.
        meter: counts every call and search; ``meter.client`` and ``meter.retriever`` bypass cache and sharing.
        client, retriever: what techniques are handed.
        cache: the client again, when a cache stands before it.
        documents: titles of the documents that the person has in view, in their order.
        fallbacks: steps that could not be used.
        notes: decisions of the run-time net, in words.
        also: texts to be searched beside everything else (slight drift).
        parts: what the question was split into.
    """

    lab: Setup
    question: str
    history: tuple[Turn, ...]
    config: Config
    gates: Gates
    budgets: Budgets
    meter: Meter
    client: Client
    retriever: AnyRetriever
    cache: CachingClient | None = None
    documents: tuple[str, ...] = ()
    fallbacks: list[Fallback] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    parts: tuple[str, ...] = ()

    @property
    def titles(self) -> list[str]:
        """The titles of all documents there are."""
        return [document.title for document in self.lab.corpus.documents]

    @property
    def said(self) -> str:
        """The conversation before the question, one message a line."""
        return "\n".join(turn["content"] for turn in self.history)

    def function(self, name: str) -> Callable[..., Any]:
        """Give one technique function of the track.

        Raises:
            Unfinished: when it is not yet written.
        """
        return self.lab.techniques.get(name)

    def fall_back(self, step: str, reason: str, used: str = TYPED) -> None:
        """Write down that a step could not be used, why, and what is used instead."""
        self.fallbacks.append(Fallback(step, reason, used))
        log.info("%s fell back to %s: %s", step, used, reason)

    def forget(self, *tasks: str) -> None:
        """Drop rejected replies from the cache, so that the next one who asks is not given them again."""
        for task in tasks if self.cache else ():
            self.cache.forget(task)

    async def attempt(
        self,
        step: str,
        call: Awaitable[Any],
        fallback: Any,
        used: str = TYPED,
        function: str | None = None,
        limited: bool = False,
    ) -> Any:
        """Await one model-calling step; on a model's failure note the reason and give the fallback.

        Anything else that a technique raises is a mistake in it, and ends the question.

        Args:
            step: how the trace calls it.
            call: what the technique returned, to be awaited.
            fallback: given instead of its result when the model failed.
            used: what the fallback is, in words.
            function: the technique's name, where it is not the step's.
            limited: hold it to the configuration's deadline.

        Raises:
            TechniqueError: when ``call`` cannot be awaited.
        """
        if not hasattr(call, "__await__"):
            raise TechniqueError(
                f"{function or step}() should be defined with 'async def'; "
                f"it returned {type(call).__name__}: {call!r:.80}."
            )
        try:
            return await within(self.meter.clock, self.config.deadline if limited else None, call)
        except (ModelError, TimeoutError) as error:  # a technique may have a time limit of its own
            self.fallbacks.append(Fallback(step, str(error) or type(error).__name__, used))
            log.warning("%s fell back to %s: %s", step, used, error)
            return fallback

    def usable(self, step: str, texts: Sequence[str], otherwise: str) -> list[str]:
        """Drop blank texts; when none is left, give the one that is searched otherwise, and say so."""
        kept = [text for text in texts if text.strip()]
        if not kept:
            self.fall_back(step, "it returned no text")
        return kept or [otherwise]


def expect(value: Any, kind: type, function: str, what: str) -> Any:
    """Check what a technique returned.

    Raises:
        TechniqueError: when it is of another type; says what was found and what was expected.
    """
    if not isinstance(value, kind):
        raise TechniqueError(f"{function}() should return {what}, found {type(value).__name__}: {value!r:.80}.")
    return value


def expect_texts(texts: Any, function: str) -> list[str]:
    """Check that a technique returned a list of texts.

    Raises:
        TechniqueError: when it did not.
    """
    for item in expect(texts, list, function, "a list of texts"):
        expect(item, str, function, "a list of texts")
    return texts


def expect_searches(searches: Any, function: str, what: str) -> tuple[Search, ...]:
    """Check that a technique returned searches.

    Raises:
        TechniqueError: when it did not.
    """
    if not isinstance(searches, list | tuple) or not all(isinstance(item, Search) for item in searches):
        raise TechniqueError(f"{function}() should {what}, found {searches!r:.80}.")
    return tuple(searches)


async def together(*steps: Awaitable[Any]) -> list[Any]:
    """Await steps at once. The first error stops the others, and is raised when they have ended."""
    tasks = [asyncio.ensure_future(step) for step in steps]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
