"""Expand: write other texts to search for one single-hop question (notebooks 02 to 04).

In: the question, complete. Out: a :data:`Plan`, the texts and the routes each is sent to. Every expansion that is on
writes at once; what the guard rejects falls out.
"""

from collections.abc import Callable
from typing import Any

from querylab.pipeline.guard import guard_expansions
from querylab.pipeline.state import Run, expect_texts, together
from querylab.types import ROUTES, Route
from querylab.understanding.documents import exact_terms
from querylab.understanding.fields import Understanding

Plan = dict[str, tuple[Route, ...]]
"""Searches to make, in order: text → the routes it is sent to."""


async def expand(run: Run, query: str) -> Plan:
    """Plan the searches for one question; the question alone, on both routes, when no expansion is on."""
    on = {
        "hyde_queries": run.config.hyde,
        "query_variants": run.config.multi_query,
        "step_back_queries": run.config.step_back,
    }
    functions = {name: run.function(name) for name, wanted in on.items() if wanted}

    async def write(name: str, function: Callable[..., Any]) -> Any:  # called when its turn comes, never when stopped
        return await run.attempt(name, function(run.client, query), [query], limited=True)

    if run.config.in_turn:
        written = [await write(*pair) for pair in functions.items()]
    else:
        written = await together(*(write(*pair) for pair in functions.items()))
    plan: Plan = {} if functions else {query: ROUTES}
    for name, texts in zip(functions, written, strict=True):
        texts = guard_expansions(run, name, query, run.usable(name, expect_texts(texts, name), query))
        for text in texts:
            also = _routes(run, query, text, texts) if name == "hyde_queries" else ROUTES
            plan[text] = tuple(route for route in ROUTES if route in (*plan.get(text, ()), *also))
    return plan


async def expand_understood(run: Run, understanding: Understanding) -> Plan:
    """Plan the one search of an understood question; by its specificity where the configuration wants that.

    A FUZZY question gets an invented passage, each route what it is good at: words to the words, the passage to the
    meaning. A PRECISE one gets its exact terms once more, for the words alone.
    """
    query = understanding.rewritten
    if not run.config.hyde_when_fuzzy:
        return await expand(run, query)
    if understanding.specificity == "FUZZY":
        call = run.function("hypothetical_document")(run.client, query)
        draft = await run.attempt("hyde", call, query, function="hypothetical_document", limited=True)
        usable = isinstance(draft, str) and draft.strip() and draft != query
        if usable and draft in guard_expansions(run, "hyde_queries", query, [draft]):
            return {query: ("bm25",), draft: ("cosine",)}
    if understanding.specificity == "PRECISE":
        exact = " ".join(exact_terms(query))
        if exact and exact != query:
            return {query: ROUTES, exact: ("bm25",)}
    return {query: ROUTES}


def _routes(run: Run, query: str, text: str, texts: list[str]) -> tuple[Route, ...]:
    """Say where a text of HyDE is searched: the three arms of notebook 02.

    Source: Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023: there the draft's vector
    is searched instead of the question's. BM25, which they do not have, keeps the question.
    """
    if run.config.hyde_arm == "both" or set(texts) <= {query}:
        return ROUTES
    if text != query:
        return ("cosine",)
    return ("bm25",) if run.config.hyde_arm == "published" else ROUTES
