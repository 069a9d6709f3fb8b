"""Search: every text that stands for a question goes to the retriever; one ranking comes back.

In: the question, complete, and its route. Out: a :class:`~querylab.pipeline.state.Found`. What is searched is decided
by :mod:`~querylab.pipeline.expand` and :mod:`~querylab.pipeline.split`, which run side by side.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from querylab.pipeline.expand import Plan, expand
from querylab.pipeline.split import split
from querylab.pipeline.state import FAILED, Found, Run, TechniqueError, expect, together
from querylab.retrieval.protocol import AnyRetriever
from querylab.retrieval.wrappers import NotingRetriever
from querylab.types import Route, Search


async def search(run: Run, query: str, made: Sequence[Search] = ()) -> Found:
    """Search a question every way that is on.

    Args:
        run: the run of one question.
        query: the question, complete.
        made: searches that routing has already made; then nothing is expanded or split.
    """
    if made:
        expanded, parts = Found.fused(joined(made)), ()
    elif not run.config.sub_questions:
        expanded, parts = await search_expanded(run, query), ()
    elif not run.config.expands:
        expanded, parts = Found(), await split(run, query)
    elif run.config.in_turn:
        expanded, parts = await search_expanded(run, query), await split(run, query)
    else:
        expanded, parts = await together(search_expanded(run, query), split(run, query))
    typed = [await run.retriever.retrieve(run.question)] if run.config.beside else []
    searches = await also_searched(run, joined(expanded.searches, parts, typed))
    return expanded if searches == expanded.searches else Found.fused(searches)


async def search_expanded(run: Run, query: str) -> Found:
    """Search what the expansions wrote; with multi-query, by the student's own search and fusion."""
    plan = await expand(run, query)
    if run.config.multi_query:
        noting = NotingRetriever(run.retriever)
        call = run.function("multi_query_search")(noting, list(plan))
        ranking = await run.attempt("multi-query search", call, FAILED, function="multi_query_search")
        if ranking is not FAILED:
            return Found(tuple(noting.searches), _checked(ranking, noting.searches))
    return Found.fused(await planned(run.retriever, plan))


async def planned(retriever: AnyRetriever, plan: Plan) -> list[Search]:
    """Make the searches of a plan, all at once, and give them in its order."""
    by_routes: dict[tuple[Route, ...], list[str]] = {}
    for text, routes in plan.items():
        by_routes.setdefault(routes, []).append(text)
    groups = await asyncio.gather(*(retriever.retrieve_many(texts, routes) for routes, texts in by_routes.items()))
    made = {
        text: search
        for texts, searches in zip(by_routes.values(), groups, strict=True)
        for text, search in zip(texts, searches, strict=True)
    }
    return [made[text] for text in plan]


async def also_searched(run: Run, searches: Sequence[Search]) -> tuple[Search, ...]:
    """Search what slight drift left to be searched too, and put it after the other searches."""
    known = [search.query for search in searches]
    return joined(searches, await run.retriever.retrieve_many([text for text in run.also if text not in known]))


def joined(*several: Sequence[Search]) -> tuple[Search, ...]:
    """Put searches together, each text on the same routes once, in order."""
    by_query: dict[tuple[str, tuple[Route, ...]], Search] = {}
    for search in (search for searches in several for search in searches):
        by_query.setdefault((search.query, search.routes), search)
    return tuple(by_query.values())


def _checked(value: Any, searches: Sequence[Search]) -> tuple[tuple[str, float], ...]:
    """Check what a student's search-and-fuse function returned."""
    known = {chunk_id for search in searches for chunk_id in search.ids}
    shape = "a list of (chunk id, score) pairs"
    expect(value, list, "multi_query_search", shape)
    for pair in value:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str) and _number(pair[1])):
            raise TechniqueError(f"multi_query_search() should return {shape}, found the item {pair!r:.80}.")
        if pair[0] not in known:
            raise TechniqueError(f"multi_query_search() returned {pair[0]!r}, which none of its searches found.")
    return tuple((chunk_id, float(score)) for chunk_id, score in dict(value).items())


def _number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
