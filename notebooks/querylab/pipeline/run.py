"""The path of one question: rewrite, then route, then expand, then search, gate, fuse and pack.

A :class:`Config` says which techniques are on; a :class:`Lab` holds what never changes (corpus,
retriever, gates) and the techniques of one track. A query-side failure never costs an answer: a
model call that fails, is cut off, is empty or refused falls back to the question as typed, and the
trace says so.
"""

import asyncio
import itertools
import logging
import re
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from querylab import prompts, settings
from querylab.corpus.load import Corpus, load_corpus
from querylab.models.clock import Clock, VirtualClock, WallClock
from querylab.models.meter import Meter
from querylab.models.reply import ModelError, text
from querylab.pipeline import heavier
from querylab.pipeline.client import make_client
from querylab.pipeline.deadline import within
from querylab.pipeline.techniques import EXERCISES, Techniques
from querylab.pipeline.trace import Trace
from querylab.pipeline.understood import follow
from querylab.retrieval.admit import Packed, admitted_ids, pack
from querylab.retrieval.fuse import rrf_fuse
from querylab.retrieval.retriever import Retriever
from querylab.text import whole
from querylab.types import INTENTS, Budgets, Fallback, Gates, Intent, Routed, Search, Turn

log = logging.getLogger("querylab")
log.addHandler(logging.NullHandler())  # who wants the log asks for it; a notebook's stderr stays clean


@dataclass(frozen=True)
class Config:
    """Which techniques are on. Budgets are the corpus manifest's unless given here.

    Attributes:
        name: how the ledger calls it.
        rewrite: ``off``, ``always``, or ``needed`` (only when ``needs_rewrite`` says so).
        hyde, multi_query, step_back: expansions of a single-hop question; several may be on.
        router: classify first, and take one of three paths.
        wide_multi_hop: give a multi-hop question the corpus's larger context budget.
        understanding: make an understanding first, by one call (``merged``) or by five (``separate``), and let
            it choose the path. It rewrites and routes by itself.
        tier0: before that, decide by rule what needs no call.
        signals: after that, let sentence forms raise the complexity.
        hyde_when_fuzzy: on the planned search, invent a passage for a FUZZY question only, for the vector
            route only; a PRECISE one gets an exact keyword search.
        sub_questions: split a question that asks several things; its parts are searched with it, in the multi-hop
            budget when there are several.
        guard: judge what every technique writes for drift: rejected, the question itself is searched; slight, it is
            searched too.
        cache: look a rewrite up before asking for it (``Lab.cache``).
        beside: search the question as typed while it is being rewritten, and fuse.
        in_turn: make the expansions one after the other; only there to be compared with.
        line_limit: characters that one rewritten line may have (not a HyDE draft).
        deadline: seconds that one rewriting step may take, on the question's clock.
        budget, multi_hop_budget: tokens, in place of the manifest's.
    """

    name: str = "custom"
    rewrite: Literal["off", "always", "needed"] = "off"
    hyde: bool = False
    multi_query: bool = False
    step_back: bool = False
    router: bool = False
    wide_multi_hop: bool = False
    understanding: Literal["off", "merged", "separate"] = "off"
    tier0: bool = False
    signals: bool = False
    hyde_when_fuzzy: bool = False
    sub_questions: bool = False
    guard: bool = False
    cache: bool = False
    beside: bool = False
    in_turn: bool = False
    line_limit: int | None = None
    deadline: float | None = None
    budget: int | None = None
    multi_hop_budget: int | None = None

    def __post_init__(self) -> None:
        if self.rewrite not in ("off", "always", "needed"):
            raise ValueError(f"rewrite is 'off', 'always' or 'needed', found {self.rewrite!r}.")
        if self.understanding not in ("off", "merged", "separate"):
            raise ValueError(f"understanding is 'off', 'merged' or 'separate', found {self.understanding!r}.")
        if self.understanding == "off" and (self.tier0 or self.signals or self.hyde_when_fuzzy):
            raise ValueError("tier0, signals and hyde_when_fuzzy need an understanding: set understanding='merged'.")
        if self.understanding != "off" and (self.router or self.rewrite != "off"):
            raise ValueError("An understanding rewrites and routes by itself: leave rewrite and router off.")
        if self.beside and self.rewrite == "off":
            raise ValueError("beside searches the question beside its rewrite: set rewrite='always' or 'needed'.")
        if self.understanding != "off" and (self.sub_questions or self.in_turn):
            raise ValueError("An understanding chooses its own searches: leave sub_questions and in_turn off.")
        if self.line_limit is not None and not (type(self.line_limit) is int and self.line_limit >= 1):
            raise ValueError(f"line_limit is a number of characters from 1, or None, found {self.line_limit!r}.")
        if self.deadline is not None and not (type(self.deadline) in (int, float) and self.deadline > 0):
            raise ValueError(f"deadline is a number of seconds above 0, or None, found {self.deadline!r}.")
        for name in ("budget", "multi_hop_budget"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                raise ValueError(f"{name} is a whole number of tokens or None, found {value!r}.")

    def budgets(self, corpus: Corpus) -> Budgets:
        """Work out the two budgets for one corpus."""
        default = corpus.budgets.default if self.budget is None else self.budget
        wide = corpus.budgets.multi_hop if self.multi_hop_budget is None else self.multi_hop_budget
        return Budgets(default, wide if self.wide_multi_hop else default)


BASELINE = Config("baseline")
REWRITE_ALWAYS = Config("rewrite (always)", rewrite="always")
REWRITE_NEEDED = Config("rewrite (when needed)", rewrite="needed")
HYDE = Config("HyDE", hyde=True)
MULTI_QUERY = Config("multi-query", multi_query=True)
STEP_BACK = Config("step-back", step_back=True)
ROUTER = Config("router", router=True)
ROUTER_WIDE = Config("router + multi-hop budget", router=True, wide_multi_hop=True)
EVERYTHING = Config(
    "everything on",
    rewrite="always",
    hyde=True,
    multi_query=True,
    step_back=True,
    router=True,
    wide_multi_hop=True,
)
NAMED: tuple[Config, ...] = (
    BASELINE,
    REWRITE_ALWAYS,
    REWRITE_NEEDED,
    HYDE,
    MULTI_QUERY,
    STEP_BACK,
    ROUTER,
    ROUTER_WIDE,
    EVERYTHING,
)
"""One configuration for each row of the ledger; the student's default is the tenth."""

UNDERSTANDING_ROWS: tuple[Config, ...] = (
    Config("five calls", understanding="separate", wide_multi_hop=True),
    Config("one call", understanding="merged", wide_multi_hop=True),
    Config("one call + tier 0", understanding="merged", tier0=True, wide_multi_hop=True),
    Config("one call + signals", understanding="merged", signals=True, wide_multi_hop=True),
    Config("one call + tier 0 + signals", understanding="merged", tier0=True, signals=True, wide_multi_hop=True),
    Config(
        "one call + HyDE when fuzzy",
        understanding="merged",
        tier0=True,
        signals=True,
        hyde_when_fuzzy=True,
        wide_multi_hop=True,
    ),
)
"""Rows of notebook 08, beside the ledger."""

_THREE = Config(hyde=True, step_back=True, sub_questions=True, wide_multi_hop=True)
HEAVIER_ROWS: tuple[Config, ...] = (
    Config("sub-questions", sub_questions=True),
    Config("sub-questions + multi-hop budget", sub_questions=True, wide_multi_hop=True),
    Config("sub-questions + multi-query", sub_questions=True, multi_query=True, wide_multi_hop=True),
    Config("rewrite + guard", rewrite="always", guard=True),
    Config("multi-query + guard", multi_query=True, guard=True),
    Config("one call + guard", understanding="merged", guard=True, wide_multi_hop=True),
    Config("rewrite, 30 characters", rewrite="always", line_limit=settings.REWRITE_CHARACTERS),
    Config("rewrite, raw beside it", rewrite="always", beside=True),
    replace(_THREE, name="three rewrites in turn", in_turn=True),
    replace(_THREE, name="three rewrites at once"),
    replace(_THREE, name="three rewrites at once + guard", guard=True),
    Config(
        "everything heavier",
        rewrite="always",
        hyde=True,
        multi_query=True,
        step_back=True,
        router=True,
        wide_multi_hop=True,
        sub_questions=True,
        guard=True,
        beside=True,
    ),
)
"""Rows of notebook 09, beside the ledger."""

MORE_ROWS: dict[str, tuple[Config, ...]] = {"understanding": UNDERSTANDING_ROWS, "heavier": HEAVIER_ROWS}
"""Further rows, by the name that ``python -m querylab ledger --rows`` takes."""

DEFAULT_NAME = "your default"


class TechniqueError(TypeError):
    """A technique returned something that its contract does not allow."""


@dataclass
class Lab:
    """Everything that stays the same while questions change.

    Attributes:
        corpus, retriever, client, techniques: what is asked, searched, and by whose functions.
        cache: a ``caches.RewriteCache``; where a configuration asks for one and there is none, it is opened in memory.
        user: who asks; the cache never hands one user's rewrites to another.
    """

    corpus: Corpus
    retriever: Retriever
    client: Any
    techniques: Techniques
    cache: Any = None
    user: str = "local"

    @classmethod
    def open(
        cls,
        corpus: Corpus | Path | str = settings.CORPUS_DIR,
        track: settings.Track | Path | None = None,
        client: Any = None,
        progress: bool = False,
    ) -> "Lab":
        """Load a corpus, index it, and connect a model.

        Args:
            corpus: a loaded corpus, or a folder.
            track: whose techniques: ``starter``, ``solution`` or a folder; the environment's when None.
            client: a model client; the one ``MOCK`` asks for when None.
            progress: show a bar while indexing, when it takes over a second.

        Raises:
            CorpusError, SettingError: see there.
        """
        loaded = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
        return cls(
            loaded,
            Retriever(loaded.chunks, progress=progress),
            client or make_client(),
            Techniques.of_track(track or settings.track()),
        )

    def using(self, **functions: Any) -> "Lab":
        """Return the same lab with some technique functions put in by name, as checks do."""
        return replace(self, techniques=self.techniques.using(**functions))

    def borrow(self, *names: str) -> None:
        """Take exercises from the reference solution, in this lab and this session only.

        Args:
            names: exercises, such as ``rewrite``; one or several.

        Raises:
            MissingTechnique: for an unknown exercise; lists the known ones.
            SettingError: when the reference solution is not there; nothing is borrowed then.
        """
        borrowed = self.techniques
        for name in names:
            borrowed = borrowed.borrow(name)
            if not borrowed.path(EXERCISES[name]).is_file():
                raise settings.SettingError(f"solution/{name}.py is not there, so nothing can be borrowed.")
        self.techniques = borrowed
        for name in names:
            print(f"{name} 暂时用参考答案（solution/{name}.py），只在这个笔记本里、这一次有效；starter/ 没有改动。")

    def configs(self) -> list[Config]:
        """List the ledger's configurations, with the track's default last.

        Raises:
            Unfinished: when the track's ``default_config.py`` is not yet written.
        """
        return [*NAMED, self.default_config()]

    def default_config(self) -> Config:
        """Return the track's ``DEFAULT_CONFIG``, under the name that the ledger gives it.

        Raises:
            Unfinished: when it is not yet written.
            TechniqueError: when it is no Config.
        """
        config = self.techniques.get("DEFAULT_CONFIG")
        if not isinstance(config, Config):
            raise TechniqueError(f"DEFAULT_CONFIG should be a querylab Config, found {type(config).__name__}.")
        return replace(config, name=DEFAULT_NAME)

    def config(self, name: str) -> Config:
        """Find a configuration by its ledger name; case, spaces, brackets and hyphens do not matter.

        Raises:
            KeyError: lists the known names.
        """
        wanted = _plain(name)
        if wanted in (_plain(DEFAULT_NAME), "default"):
            return self.default_config()
        every = [*NAMED, *itertools.chain.from_iterable(MORE_ROWS.values())]
        for config in every:
            if _plain(config.name) == wanted:
                return config
        known = ", ".join(f"{config.name!r}" for config in every)
        raise KeyError(f"No configuration is called {name!r}. Known: {known}, {DEFAULT_NAME!r}.")

    async def ask(
        self, question: str, history: Sequence[Turn] = (), config: Config = BASELINE, answer: bool = True
    ) -> Trace:
        """Send one question down its path.

        Args:
            question: as typed (half a surrogate pair, which no text has, becomes U+FFFD).
            history: the conversation before it, oldest first.
            config: which techniques are on.
            answer: also write the answer (one call more, not counted on the query side).

        Returns:
            The trace. Failed model calls are in its ``fallbacks``, not raised.

        Raises:
            MissingGates: for a corpus that has not been calibrated.
            Unfinished: when a technique that is on has not been written yet.
            TechniqueError: when a technique returns something of the wrong type.
        """
        turns = tuple({**turn, "content": whole(turn["content"])} for turn in history)
        return await _Run(self, whole(question), turns, config).go(answer)


@lru_cache(maxsize=1)
def default_lab() -> Lab:
    """The lab's own corpus with the environment's track and model, opened once."""
    return Lab.open()


async def ask(
    question: str,
    history: Sequence[Turn] = (),
    config: Config = BASELINE,
    lab: Lab | None = None,
    answer: bool = True,
) -> Trace:
    """Ask one question: :meth:`Lab.ask` on the given lab, or on the default one."""
    return await (lab or default_lab()).ask(question, history, config, answer)


FIGURES = re.compile(r"\d|[零一二两三四五六七八九十百千万]+\s*(?:个)?(?:元|天|日|月|年|小时|分钟|工作日|周|次|级|%|％)")
"""What a direct reply may not contain: a figure, an amount, a date. It would be invented."""


_FAILED: Any = object()
"""Stands for what a failed step did not return; a step that returns None by mistake has not failed."""


@dataclass
class _Run:
    """One question on its way; becomes a :class:`Trace`."""

    lab: Lab
    question: str
    history: tuple[Turn, ...]
    config: Config
    fallbacks: list[Fallback] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    parts: tuple[str, ...] = ()
    technique_error = TechniqueError

    async def go(self, answer: bool) -> Trace:
        gates = self.lab.corpus.require_gates()
        budgets = self.config.budgets(self.lab.corpus)
        clock: Clock = VirtualClock() if getattr(self.lab.client, "modelled", False) else WallClock()
        self.meter = Meter(self.lab.client, self.lab.retriever, clock)
        self.client = heavier.cached(self)
        self.retriever = heavier.shared(self)
        try:
            return await self._path(budgets, gates, answer)
        finally:
            if isinstance(self.retriever, heavier.SharedRetriever):
                await self.retriever.settle()

    async def _path(self, budgets: Budgets, gates: Gates, answer: bool) -> Trace:
        if self.config.understanding != "off":
            return await follow(self, budgets, gates, answer)
        query = await self._rewrite()
        routed = await self._route(query, budgets)
        reply: str | None = None
        if routed.intent == "direct":
            reply = await self._direct_reply()
            if reply is None or FIGURES.search(reply):
                self.notes.append("direct reply with figures or without text: searched after all")
                routed, reply = Routed("single-hop", budgets.default), None
        if routed.intent == "direct":
            return self._trace(query, routed, (), [], answer=reply)

        searches, ranking = await self._search(query, routed)
        if len(self.parts) > 1:
            routed = replace(routed, budget=max(routed.budget, budgets.multi_hop))
        admitted = admitted_ids(searches, gates)
        if self.config.router and routed.intent == "single-hop" and not admitted:
            self.notes.append("nothing through the gate on the single-hop path: tried a second hop")
            searches, ranking = await self._second_hop(query, searches)
            routed = Routed("multi-hop", budgets.multi_hop, searches)
            admitted = admitted_ids(searches, gates)
        trace = self._trace(query, routed, searches, ranking, admitted)
        return await self._answered(trace) if answer else trace

    # ── the steps ───────────────────────────────────────────────────────────────────────────────
    async def _rewrite(self) -> str:
        if self.config.rewrite == "off":
            return self.question
        if self.config.rewrite == "needed":
            needs = self._function("needs_rewrite")(list(self.history), self.question)
            if not _expect(needs, bool, "needs_rewrite", "True or False"):
                return self.question
        call = self._function("rewrite_query")(self.client, list(self.history), self.question)
        rewritten = await self._attempt("rewrite", call, self.question, function="rewrite_query", limited=True)
        _expect(rewritten, str, "rewrite_query", "a text")
        return heavier.rewritten(self, self._usable("rewrite", [rewritten])[0])

    async def _route(self, query: str, budgets: Budgets) -> Routed:
        plain = Routed("single-hop", budgets.default)
        if not self.config.router:
            return plain
        route = self._function("route")
        call = route(self.meter.client, heavier.retriever(self, query), query, budgets)
        routed = await self._attempt("route", call, plain, function="route")
        _expect(routed, Routed, "route", "a Routed")
        if routed.intent not in INTENTS:
            raise TechniqueError(f"route() chose {routed.intent!r}; a route is one of {', '.join(INTENTS)}.")
        budget, searches = routed.budget, routed.searches
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
            raise TechniqueError(f"route() gave the budget {budget!r}; it is a whole number of tokens.")
        if not isinstance(searches, tuple | list) or not all(isinstance(search, Search) for search in searches):
            raise TechniqueError(f"route() should give the searches it made, found {searches!r:.80}.")
        log.info("routed %r to %s", query, routed.intent)
        return routed

    async def _search(self, query: str, routed: Routed) -> tuple[tuple[Search, ...], list[tuple[str, float]]]:
        """Search a question every way that is on; one ranking out of all."""
        split = self.config.sub_questions and not routed.searches
        expands = self.config.hyde or self.config.multi_query or self.config.step_back
        alone = split and not expands
        if alone:
            expanded, ranking, parts = (), [], await heavier.parts(self, query)
        elif split and not self.config.in_turn:
            (expanded, ranking), parts = await _together(
                self._search_expanded(query, routed), heavier.parts(self, query)
            )
        else:
            expanded, ranking = await self._search_expanded(query, routed)
            parts = await heavier.parts(self, query) if split else ()
        raw = (await self.retriever.retrieve(self.question),) if self.config.beside else ()
        searches = await heavier.also_searched(self, heavier.joined(expanded, parts, raw))
        return searches, ranking if searches == expanded else rrf_fuse([search.ids for search in searches])

    async def _search_expanded(self, query: str, routed: Routed) -> tuple[tuple[Search, ...], list[tuple[str, float]]]:
        if routed.searches:
            searches = heavier.joined(routed.searches)
            return searches, rrf_fuse([search.ids for search in searches])
        queries = await self._expand(query)
        if self.config.multi_query:
            search, noting = self._function("multi_query_search"), heavier.NotingRetriever(self.retriever)
            call = search(noting, queries)
            ranking = await self._attempt("multi-query search", call, _FAILED, function="multi_query_search")
            searches = tuple(noting.searches)
            if ranking is not _FAILED:
                return searches, _ranking(ranking, searches)
        searches = tuple(await self.retriever.retrieve_many(queries))
        return searches, rrf_fuse([search.ids for search in searches])

    async def _expand(self, query: str) -> list[str]:
        """All texts to search for one single-hop question: every expansion that is on, at once."""
        names = {
            "hyde_queries": self.config.hyde,
            "query_variants": self.config.multi_query,
            "step_back_queries": self.config.step_back,
        }
        on = [name for name, wanted in names.items() if wanted]
        functions = [self._function(name) for name in on]

        async def step(name: str, function: Any) -> Any:  # called when its turn comes, never when cancelled before
            return await self._attempt(name, function(self.client, query), [query], limited=True)

        pairs = list(zip(on, functions, strict=True))
        if self.config.in_turn:
            expansions = [await step(*pair) for pair in pairs]
        else:
            expansions = await _together(*(step(*pair) for pair in pairs))
        queries: dict[str, None] = {} if on else {query: None}
        for name, texts in zip(on, expansions, strict=True):
            self.expect_texts(texts, name)
            usable = heavier.expansions(self, name, query, self._usable(name, texts, query))
            queries.update(dict.fromkeys(usable))
        return list(queries)

    async def _second_hop(
        self, query: str, searches: tuple[Search, ...]
    ) -> tuple[tuple[Search, ...], list[tuple[str, float]]]:
        hits = searches[0].hits if searches else ()
        bridge = self._function("bridge_query")
        call = bridge(self.meter.client, query, list(hits))
        second = await self._attempt("bridge", call, query, function="bridge_query")
        _expect(second, str, "bridge_query", "a text")
        if second.strip() and second != query:
            searches = heavier.joined(searches, [await heavier.retriever(self, query).retrieve(second)])
        return searches, rrf_fuse([search.ids for search in searches])

    async def _direct_reply(self) -> str | None:
        call = self.meter.client.messages.create(**prompts.reply(self.history, self.question))
        message = await self._attempt("reply", call, None, "a search")
        return None if message is None else await self._attempt("reply", _text(message), None, "a search")

    async def _answered(self, trace: Trace) -> Trace:
        reply: str | None = None
        if trace.context.chunks:
            passages = [(chunk.id, chunk.text) for chunk in trace.context.chunks]
            call = self.meter.client.messages.create(**prompts.answer(trace.rewritten, passages))
            message = await self._attempt("answer", call, None, "no answer; the passages stand in the context")
            if message is not None:
                reply = await self._attempt("answer", _text(message), None, "no answer")
        return replace(trace, answer=reply, events=tuple(self.meter.events), fallbacks=tuple(self.fallbacks))

    # ── small help ──────────────────────────────────────────────────────────────────────────────
    def _function(self, name: str) -> Any:
        return self.lab.techniques.get(name)

    async def _attempt(
        self,
        step: str,
        call: Awaitable[Any],
        fallback: Any,
        used: str = "the question as typed",
        function: str | None = None,
        limited: bool = False,
    ) -> Any:
        """Await one model-calling step; on a model's failure note the reason and use the fallback.

        Anything else that a technique raises is a mistake in it, and ends the question. ``limited`` holds it to the
        configuration's deadline.
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

    attempt = _attempt

    def expect_texts(self, texts: Any, function: str) -> None:
        """Check what an expansion returned.

        Raises:
            TechniqueError: when it is no list of texts.
        """
        _expect(texts, list, function, "a list of texts")
        for item in texts:
            _expect(item, str, function, "a list of texts")

    def _usable(self, step: str, texts: Sequence[str], query: str | None = None) -> list[str]:
        """Drop blank texts; when none is left, fall back to the question."""
        kept = [item for item in texts if item.strip()]
        if not kept:
            self.fallbacks.append(Fallback(step, "it returned no text", "the question as typed"))
            return [self.question if query is None else query]
        return kept

    def _trace(
        self,
        query: str,
        routed: Routed,
        searches: Sequence[Search],
        ranking: Sequence[tuple[str, float]],
        admitted: set[str] = frozenset(),
        answer: str | None = None,
    ) -> Trace:
        chunks = {hit.chunk.id: hit.chunk for search in searches for hit in search.hits}
        ordered = tuple(chunks[chunk_id] for chunk_id, _ in ranking if chunk_id in admitted)
        return Trace(
            question=self.question,
            history=self.history,
            rewritten=query,
            intent=routed.intent if self.config.router else None,
            searches=tuple(searches),
            ranking=tuple(ranking),
            admitted=ordered,
            context=pack(ordered, routed.budget) if ordered else Packed((), (), 0),
            budget=routed.budget,
            answer=answer,
            events=tuple(self.meter.events),
            fallbacks=tuple(self.fallbacks),
            notes=(*self.notes, *heavier.hit_notes(self.client)),
        )


async def _together(*steps: Awaitable[Any]) -> list[Any]:
    """Await steps at once. The first error stops the others, and is raised when they have ended."""
    tasks = [asyncio.ensure_future(step) for step in steps]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _text(message: Any) -> str:
    return text(message)


def _expect(value: Any, kind: type, function: str, what: str) -> Any:
    if not isinstance(value, kind):
        raise TechniqueError(f"{function}() should return {what}, found {type(value).__name__}: {value!r:.80}.")
    return value


def _ranking(value: Any, searches: Sequence[Search]) -> list[tuple[str, float]]:
    """Check what a student's search-and-fuse function returned."""
    known = {chunk_id for search in searches for chunk_id in search.ids}
    shape = "a list of (chunk id, score) pairs"
    _expect(value, list, "multi_query_search", shape)
    for pair in value:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str) and _number(pair[1])):
            raise TechniqueError(f"multi_query_search() should return {shape}, found the item {pair!r:.80}.")
        if pair[0] not in known:
            raise TechniqueError(f"multi_query_search() returned {pair[0]!r}, which none of its searches found.")
    return [(chunk_id, float(score)) for chunk_id, score in dict(value).items()]


def _number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


__all__ = ["BASELINE", "NAMED", "Config", "Intent", "Lab", "ask", "default_lab"]
