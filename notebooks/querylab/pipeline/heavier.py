"""Heavier rewriting on the path of one question: sub-questions, the drift guard, the cache, the length limit.

Functions here take the pipeline's run of one question (its lab, configuration, meter, notes and fallbacks) and do one
step for it. They are what notebook 09 adds; with their switches off the path is the one of the other notebooks.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from querylab.guard import drift
from querylab.guard.caches import CachingClient, RewriteCache, fingerprint
from querylab.guard.drift import DriftVerdict
from querylab.types import ROUTES, Fallback, Route, Search

_MUST_KEEP: dict[str, tuple[drift.Kind, ...]] = {
    "hyde_queries": ("title", "name", "code"),
    "step_back_queries": ("title", "code"),
}
"""Core terms that an expansion of another kind must keep. An invented passage says 若干 for figures, and a step back
leaves figures, times and places out on purpose; both lie far from the question by design, so their cosine says
nothing."""


# What an expansion asks the model for, by the function that asks.
_TASKS = {"hyde_queries": "hyde", "query_variants": "multi_query", "step_back_queries": "step_back"}


# ── The guard and the length limit ──────────────────────────────────────────────────────────────
def rewritten(run: Any, text: str) -> str:
    """Cut and judge the rewrite of a question.

    Returns:
        What is to be searched: the rewrite, or the question itself when the rewrite was rejected. On slight drift the
        question goes into ``run.also``, to be searched beside it.
    """
    text = cut(run, text, run.question)
    if not run.config.guard or text == run.question:
        return text
    verdict = _judge(run, run.question, text, _said(run))
    if verdict.state == "rejected":
        run.fallbacks.append(Fallback("guard", f"「{text}」 {verdict.reason}", "the question as typed"))
        forget(run, "rewrite", "understand")
        return run.question
    if verdict.state == "slight":
        run.notes.append(f"guard: slight drift, the question is searched too: 「{text}」 {verdict.reason}")
        run.also.append(run.question)
    return text


def expansions(run: Any, name: str, query: str, texts: Sequence[str]) -> list[str]:
    """Cut and judge what one expansion returned; the question itself always passes."""
    if name != "hyde_queries":
        texts = [cut(run, text, query) for text in texts]
    if not run.config.guard:
        return list(texts)
    kept = []
    for text in texts:
        verdict = DriftVerdict("ok", "") if text == query else _judge_expansion(run, name, query, text)
        if verdict.state == "rejected":
            run.fallbacks.append(Fallback("guard", f"「{text}」 {verdict.reason}", "the other searches"))
        else:
            kept.append(text)
    if not set(kept) - {query} and set(texts) - {query}:
        forget(run, _TASKS[name])
    return kept or [query]


def retriever(run: Any, query: str) -> Any:
    """Give the retriever for steps that write their own searches: the meter's, with the guard before it when on.

    Args:
        run: the run of one question.
        query: the question as it stands after its own rewriting.
    """
    return GuardedRetriever(run, query) if run.config.guard else run.retriever


class OneByOne:
    """Makes several searches by making each, all at once."""

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """See :meth:`querylab.retrieval.retriever.Retriever.retrieve_many`."""
        return list(await asyncio.gather(*(self.retrieve(query, routes) for query in queries)))


class GuardedRetriever(OneByOne):
    """Searches what was written from found passages: a bridge, a filled gap, a round of the agentic loop.

    Such a query leaves the question on purpose, so neither its nearness nor what it dropped says anything. But every
    core term in it must come from the question, the conversation or a passage; else the question itself is searched.
    """

    def __init__(self, run: Any, query: str) -> None:
        self._run, self._query = run, query

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Search, or on a rejected query give the question's own search."""
        run, meter = self._run, self._run.meter
        passages = dict.fromkeys(hit.chunk.text for search in meter.searches for hit in search.hits)
        invented = drift.added(self._query, query, "\n".join([run.question, _said(run), *passages]))
        if not invented:
            return await run.retriever.retrieve(query, routes)
        run.fallbacks.append(Fallback("guard", f"「{query}」 多了{drift.describe(invented)}", "the question itself"))
        own = (self._query, tuple(routes))
        made = next((search for search in meter.searches if (search.query, search.routes) == own), None)
        return made or await run.retriever.retrieve(self._query, routes)


def _said(run: Any) -> str:
    return "\n".join(turn["content"] for turn in run.history)


def cut(run: Any, text: str, question: str) -> str:
    """Cut one rewritten line to the configuration's length; the question itself is never cut."""
    limit = run.config.line_limit
    return text if limit is None or text == question else drift.shorten(text, limit)


def _judge_expansion(run: Any, name: str, query: str, text: str) -> DriftVerdict:
    if name not in _MUST_KEEP:
        return _judge(run, query, text)
    lost, swapped = drift.lost(query, text, _MUST_KEEP[name]), drift.swapped(query, text)
    if lost:
        return DriftVerdict("rejected", f"丢了{drift.describe(lost)}")
    if swapped:
        return DriftVerdict("rejected", f"「{swapped[0][0]}」换成了「{swapped[0][1]}」")
    return DriftVerdict("ok", "")


def _judge(run: Any, question: str, text: str, known: str = "") -> DriftVerdict:
    check = run.lab.techniques.get("check_drift")
    verdict = (
        check(question, text, run.lab.retriever.encoder, known)
        if known
        else check(question, text, run.lab.retriever.encoder)
    )
    if not isinstance(verdict, DriftVerdict) or verdict.state not in drift.DRIFTS:
        raise run.technique_error(f"check_drift() should return a DriftVerdict, found {verdict!r:.80}.")
    return verdict


# ── Sub-questions ───────────────────────────────────────────────────────────────────────────────
async def parts(run: Any, query: str) -> tuple[Search, ...]:
    """Split a question, and search it and its parts.

    Returns:
        The searches, the question's own first; ``run.parts`` holds the parts. When nothing usable comes of the
        splitting, the question alone.
    """
    splitting = run.lab.techniques.get("sub_questions")(run.client, query)
    found = await run.attempt("sub-questions", splitting, [query], function="sub_questions", limited=True)
    run.expect_texts(found, "sub_questions")
    found = [cut(run, text, query) for text in found if text.strip()] or [query]
    if run.config.guard and found != [query]:
        # No single part keeps everything; together they must.
        verdict = _judge(run, query, "，".join(found))
        if verdict.state == "rejected":
            run.fallbacks.append(Fallback("guard", f"「{'」「'.join(found)}」 {verdict.reason}", "the question alone"))
            forget(run, "sub_questions")
            found = [query]
    run.parts = tuple(found)
    noting = NotingRetriever(retriever(run, query))
    searching = run.lab.techniques.get("search_parts")(run.client, noting, query, list(found))
    searches = await run.attempt("parts", searching, None, "the question alone", "search_parts", limited=True)
    if searches is None:
        own = [] if query in [search.query for search in noting.searches] else [await run.retriever.retrieve(query)]
        return joined(own, noting.searches)
    if not isinstance(searches, list | tuple) or not all(isinstance(item, Search) for item in searches):
        raise run.technique_error(f"search_parts() should return a list of Searches, found {searches!r:.80}.")
    lost = len({query, *found}) - len({search.query for search in searches})
    if lost > 0:
        run.fallbacks.append(Fallback("parts", f"{lost} of {len(found)} could not be searched", "the other parts"))
    return tuple(searches)


def joined(expanded: Sequence[Search], *more: Sequence[Search]) -> tuple[Search, ...]:
    """Put searches together, each query text once, in order."""
    by_query: dict[tuple[str, tuple[str, ...]], Search] = {}
    for search in (*expanded, *(search for searches in more for search in searches)):
        by_query.setdefault((search.query, search.routes), search)
    return tuple(by_query.values())


async def also_searched(run: Any, searches: Sequence[Search]) -> tuple[Search, ...]:
    """Search what slight drift left to be searched too, and put it after the other searches."""
    known = [search.query for search in searches]
    also = await run.retriever.retrieve_many([text for text in run.also if text not in known])
    return joined(searches, also)


# ── Searches side by side ───────────────────────────────────────────────────────────────────────
class SharedRetriever(OneByOne):
    """Makes each search of one question once: the ways that run side by side share the question's own."""

    def __init__(self, retriever: Any) -> None:
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
        """Stop searches that are still under way though nobody needs them any more; what they found, or ran into,
        concerns nobody."""
        for task in self._made.values():
            task.cancel()
        await asyncio.gather(*self._made.values(), return_exceptions=True)


class NotingRetriever:
    """Remembers the searches that one step made, in order."""

    def __init__(self, retriever: Any) -> None:
        self.searches: list[Search] = []
        self._retriever = retriever

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """See :meth:`querylab.retrieval.retriever.Retriever.retrieve`."""
        search = await self._retriever.retrieve(query, routes)
        self.searches.append(search)
        return search

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        """See :meth:`querylab.retrieval.retriever.Retriever.retrieve_many`."""
        searches = await self._retriever.retrieve_many(queries, routes)
        self.searches += searches
        return searches


def shared(run: Any) -> Any:
    """Give the retriever that a run's ways share; the meter's own where only one way is on.

    With ``beside``, the search of the question as typed begins here, while it is being rewritten.
    """
    config = run.config
    expands = config.hyde or config.multi_query or config.step_back
    if not (config.beside or (config.sub_questions and expands)):
        return run.meter.retriever
    retriever = SharedRetriever(run.meter.retriever)
    if config.beside:
        retriever.begin(run.question)
    return retriever


# ── The cache ───────────────────────────────────────────────────────────────────────────────────
def cached(run: Any) -> Any:
    """Give the client that techniques are handed: the meter's, with the lab's cache before it when that is on."""
    if not run.config.cache:
        return run.meter.client
    if run.lab.cache is None:
        run.lab.cache = open_cache(run.lab)
    answers = getattr(run.lab.client, "answers", type(run.lab.client).__name__)
    return CachingClient(run.meter.client, run.lab.cache, fingerprint(run.lab.corpus), run.lab.user, answers)


def forget(run: Any, *tasks: str) -> None:
    """Drop what the guard rejected from the cache, so that the next one who asks is not given it again."""
    if run.config.cache:
        for task in tasks:
            run.client.forget(task)


def open_cache(lab: Any, **options: Any) -> RewriteCache:
    """Open a cache with a lab's encoder and its techniques' rules; options as :class:`RewriteCache` takes them."""
    key, may_share = lab.techniques.get("cache_key"), lab.techniques.get("may_share")
    return RewriteCache(lab.retriever.encoder, key, may_share, **options)


def hit_notes(client: Any) -> list[str]:
    """Say in words what came out of the cache."""
    return [
        f"cache: {task} from {found.level}" + (f", asked as 「{found.kept.question}」" if found.cosine else "")
        for task, found in getattr(client, "found", ())
    ]
