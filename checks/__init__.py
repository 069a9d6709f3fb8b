"""Acceptance checks for notebooks and the command line.

A notebook's acceptance cell hands in the functions it has just defined::

    import checks
    await checks.multi_query(query_variants, multi_query_search)

It prints one line when they pass, raises :class:`~querylab.tracks.Unfinished` when they are not yet
written, and :class:`CheckFailed` with the first differing case when they are wrong.
``python -m checks`` runs all eight on a whole track.
"""

from typing import Any

from querylab.pipeline import Lab, default_lab
from querylab.tracks import EXERCISES, Unfinished

from checks.acceptance import CHECKS
from checks.verdict import CheckFailed, Verdict, Wrong, run

__all__ = [
    "CHECKS",
    "CheckFailed",
    "Verdict",
    "Wrong",
    "baseline",
    "chit_chat",
    "follow_up",
    "hyde",
    "multi_query",
    "rewrite",
    "router",
    "run_all",
    "step_back",
]


def run_all(lab: Lab) -> list[Verdict]:
    """Run the eight checks on one lab, in order."""
    return [run(check.id, lambda check=check: check.run(lab)) for check in CHECKS]


async def _accept(check_id: str, *functions: Any) -> None:
    check = next(check for check in CHECKS if check.id == check_id)
    lab = default_lab()
    if check.exercise:
        names = EXERCISES[check.exercise].functions
        lab = lab.using(**dict(zip(names, functions, strict=True)))
    verdict = run(check_id, lambda: check.run(lab))
    if verdict.state == "wrong":
        raise CheckFailed(str(verdict))
    if verdict.state == "unfinished":
        raise Unfinished(
            next((f.__name__ for f in functions if f.__name__ in verdict.message), check.exercise or check_id)
        )
    print(verdict)


async def baseline() -> None:
    """Check 1: the lab as it stands, before any technique."""
    await _accept("baseline")


async def follow_up() -> None:
    """Check 2: an unresolved follow-up finds nothing."""
    await _accept("follow-up")


async def rewrite(rewrite_query: Any, needs_rewrite: Any) -> None:
    """Check 3: query rewriting."""
    await _accept("rewrite", rewrite_query, needs_rewrite)


async def hyde(hypothetical_document: Any, hyde_queries: Any) -> None:
    """Check 4: HyDE."""
    await _accept("hyde", hypothetical_document, hyde_queries)


async def multi_query(query_variants: Any, multi_query_search: Any) -> None:
    """Check 5: multi-query and RRF."""
    await _accept("multi-query", query_variants, multi_query_search)


async def step_back(step_back_query: Any, step_back_queries: Any) -> None:
    """Check 6: step-back prompting."""
    await _accept("step-back", step_back_query, step_back_queries)


async def router(classify: Any, bridge_query: Any, route: Any) -> None:
    """Check 7: intent routing with two hops."""
    await _accept("router", classify, bridge_query, route)


async def chit_chat(classify: Any, bridge_query: Any, route: Any) -> None:
    """Check 8: chit-chat costs no search; thanks before a question is no chit-chat."""
    await _accept("chit-chat", classify, bridge_query, route)
