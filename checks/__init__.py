"""Acceptance checks for notebooks and the command line.

A notebook's acceptance cell hands in the functions it has just defined::

    import checks
    await checks.multi_query(query_variants, multi_query_search)

It prints one line when they pass, raises :class:`~querylab.pipeline.techniques.Unfinished` when they are not yet
written, and :class:`CheckFailed` with the first differing case when they are wrong. Either way the goal
is ticked off, or not, on the student's board (``querylab.lesson.progress``). Without arguments a check judges
the track's own files. ``python -m checks`` runs all eight on a whole track.
"""

from collections.abc import Sequence
from typing import Any

from querylab import settings
from querylab.lesson import progress
from querylab.pipeline.lab import Lab, default_lab
from querylab.pipeline.techniques import EXERCISES, Unfinished

from checks.acceptance import CHECKS, Check
from checks.more import MORE
from checks.reasons import check_reasons
from checks.verdict import CheckFailed, Verdict, Wrong, run

__all__ = [
    "CHECKS",
    "MORE",
    "CheckFailed",
    "Verdict",
    "Wrong",
    "baseline",
    "chit_chat",
    "default_config",
    "drift_guard",
    "everything",
    "follow_up",
    "hyde",
    "multi_query",
    "remember",
    "rewrite",
    "rewrite_cache",
    "router",
    "run_all",
    "run_more",
    "scope_router",
    "step_back",
    "sub_questions",
    "understanding",
]

DEFAULT_CONFIG = Check("default-config", "default_config", check_reasons)
"""Beside the eight: the last notebook's own acceptance."""

_BY_ID = {check.id: check for check in (*CHECKS, DEFAULT_CONFIG, *MORE)}
_FILE: Any = object()
"""Stands for a function that was not handed in: the track's own file is judged."""


def run_all(lab: Lab) -> list[Verdict]:
    """Run the eight checks on one lab, in order."""
    return [run(check.id, lambda check=check: check.run(lab)) for check in CHECKS]


def run_more(lab: Lab) -> list[Verdict]:
    """Run the checks of the later notebooks on one lab, in order."""
    return [run(check.id, lambda check=check: check.run(lab)) for check in MORE]


def everything(lab: Lab | None = None) -> progress.Board:
    """Run all eight checks and the default configuration's on a track's files, and remember the outcome.

    Returns:
        The board of all goals, fresh verdicts of the day's included: the last notebook's acceptance.
    """
    lab = lab or default_lab()
    verdicts = [*run_all(lab), run(DEFAULT_CONFIG.id, lambda: DEFAULT_CONFIG.run(lab))]
    notices = remember(lab, verdicts)
    return progress.board(verdicts, _track(lab), notices)


def remember(lab: Lab, verdicts: Sequence[Verdict]) -> list[str]:
    """Tick goals off on the board: the student's own work only, never what was borrowed or put in.

    Returns:
        Sentences for the student, mostly none.
    """
    track = _track(lab)
    if track is None or lab.corpus.root.resolve() != settings.CORPUS_DIR.resolve():
        return []
    borrowed, put_in = lab.techniques.borrowed, lab.techniques.functions
    own = []
    for verdict in verdicts:
        exercise = EXERCISES.get(_BY_ID[verdict.id].exercise or "")
        handed_in = exercise and all(name in put_in for name in exercise.functions)
        if exercise is None or handed_in or exercise.name not in borrowed:
            own.append(verdict)
    return progress.record_all(own, track)


def _track(lab: Lab) -> settings.Track | None:
    folders = {settings.STARTER_DIR: "starter", settings.SOLUTION_DIR: "solution"}
    return folders.get(lab.techniques.folder)


async def _accept(check_id: str, *functions: Any) -> None:
    check, lab = _BY_ID[check_id], default_lab()
    if check.exercise:
        names = EXERCISES[check.exercise].functions
        pairs = zip(names, functions, strict=True)
        lab = lab.using(**{name: function for name, function in pairs if function is not _FILE})
    verdict = run(check.id, lambda: check.run(lab))
    for notice in remember(lab, [verdict]):
        print(notice)
    if verdict.state == "wrong":
        raise CheckFailed(str(verdict))
    if verdict.state == "unfinished":
        raise Unfinished(verdict.missing)
    print(verdict)


async def baseline() -> None:
    """Check 1: the lab as it stands, before any technique."""
    await _accept("baseline")


async def follow_up() -> None:
    """Check 2: an unresolved follow-up finds nothing."""
    await _accept("follow-up")


async def rewrite(rewrite_query: Any = _FILE, needs_rewrite: Any = _FILE) -> None:
    """Check 3: query rewriting."""
    await _accept("rewrite", rewrite_query, needs_rewrite)


async def hyde(hypothetical_document: Any = _FILE, hyde_queries: Any = _FILE) -> None:
    """Check 4: HyDE."""
    await _accept("hyde", hypothetical_document, hyde_queries)


async def multi_query(query_variants: Any = _FILE, multi_query_search: Any = _FILE) -> None:
    """Check 5: multi-query and RRF."""
    await _accept("multi-query", query_variants, multi_query_search)


async def step_back(step_back_query: Any = _FILE, step_back_queries: Any = _FILE) -> None:
    """Check 6: step-back prompting."""
    await _accept("step-back", step_back_query, step_back_queries)


async def router(classify: Any = _FILE, bridge_query: Any = _FILE, route: Any = _FILE) -> None:
    """Check 7: intent routing with two hops."""
    await _accept("router", classify, bridge_query, route)


async def chit_chat(classify: Any = _FILE, bridge_query: Any = _FILE, route: Any = _FILE) -> None:
    """Check 8: chit-chat costs no search; thanks before a question is no chit-chat."""
    await _accept("chit-chat", classify, bridge_query, route)


async def understanding(first_object: Any = _FILE, understand: Any = _FILE, raise_complexity: Any = _FILE) -> None:
    """Judge notebook 08's one call, its defences and its signals."""
    await _accept("understanding", first_object, understand, raise_complexity)


async def scope_router(tier0: Any = _FILE, choose_path: Any = _FILE) -> None:
    """Judge notebook 08's tier 0 and its choice of a path."""
    await _accept("scope-router", tier0, choose_path)


async def sub_questions(sub_questions: Any = _FILE, search_parts: Any = _FILE) -> None:
    """Judge notebook 09's splitting, and the search of the parts."""
    await _accept("sub-questions", sub_questions, search_parts)


async def drift_guard(check_drift: Any = _FILE) -> None:
    """Judge notebook 09's drift guard."""
    await _accept("drift-guard", check_drift)


async def rewrite_cache(cache_key: Any = _FILE, may_share: Any = _FILE) -> None:
    """Judge notebook 09's cache key, and its rule for sharing."""
    await _accept("rewrite-cache", cache_key, may_share)


async def default_config(default_config: Any = _FILE, reasons: Any = _FILE) -> None:
    """Judge the product of the day: a configuration, and a reason for each technique left off."""
    await _accept("default-config", default_config, reasons)
