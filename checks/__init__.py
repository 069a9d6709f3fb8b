"""Acceptance checks for notebooks and the command line.

A notebook's acceptance cell judges the saved file, which the exercise cell has just loaded::

    import checks
    await checks.multi_query(query_variants, multi_query_search)

The functions are handed in so that one sees what is judged; whatever is not the file's own function is turned down,
since only the file is kept. It prints one line when they pass and shows what comes next, raises
:class:`~querylab.pipeline.techniques.Unfinished` when they are not yet written, and :class:`CheckFailed` with the first
differing case when they are wrong. ``python -m checks`` runs all eight on a whole track.
"""

import sys
from collections.abc import Sequence
from typing import Any

from querylab import settings
from querylab.lesson import progress
from querylab.pipeline.lab import Lab, default_lab
from querylab.pipeline.techniques import EXERCISES, Exercise, MissingTechnique, Unfinished

from checks import handed_in
from checks.acceptance import CHECKS
from checks.judge import DEFAULT_CONFIG, judge_lab
from checks.more import MORE
from checks.verdict import CheckFailed, Verdict, Wrong

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

_BY_ID = {check.id: check for check in (*CHECKS, DEFAULT_CONFIG, *MORE)}
_FILE: Any = object()
"""Stands for a function that was not handed in: the track's own file is judged."""


def run_all(lab: Lab) -> list[Verdict]:
    """Run the eight checks on one lab, in order."""
    return judge_lab(lab, CHECKS)


def run_more(lab: Lab) -> list[Verdict]:
    """Run the default configuration's check and those of the later notebooks on one lab, in order."""
    return judge_lab(lab, (DEFAULT_CONFIG, *MORE))


def everything(lab: Lab | None = None) -> progress.Board:
    """Run all eight checks and the default configuration's on a track's files, and remember the outcome.

    Returns:
        The board of all goals, fresh verdicts of the day's included: the last notebook's acceptance.
    """
    lab = lab or default_lab()
    verdicts = judge_lab(lab, (*CHECKS, DEFAULT_CONFIG))
    notices = remember(lab, verdicts)
    return progress.board(verdicts, _track(lab), notices, lab.techniques.borrowed)


def remember(lab: Lab, verdicts: Sequence[Verdict]) -> list[str]:
    """Tick goals off on the board: the student's own work only, never what was borrowed.

    Returns:
        Sentences for the student, mostly none.
    """
    track = _track(lab)
    if track is None or lab.corpus.root.resolve() != settings.CORPUS_DIR.resolve():
        return []
    own = [verdict for verdict in verdicts if _BY_ID[verdict.id].exercise not in lab.techniques.borrowed]
    return progress.record_all(own, track)


def _track(lab: Lab) -> settings.Track | None:
    folders = {settings.STARTER_DIR: "starter", settings.SOLUTION_DIR: "solution"}
    return folders.get(lab.techniques.folder)


async def _accept(check_id: str, *functions: Any) -> None:
    check, lab = _BY_ID[check_id], default_lab()
    if check.exercise:
        _require_the_file_s_own(lab, EXERCISES[check.exercise], functions)
        if check.exercise in lab.techniques.borrowed:
            print(
                f"↩ 借用 · {check_id} — {check.exercise} 现在用的是参考答案，不计入进度。"
                "写完自己的练习，运行那个单元格，借用就结束。"
            )
            return
    (verdict,) = judge_lab(lab, [check])
    for notice in remember(lab, [verdict]):
        print(notice)
    if verdict.state == "wrong":
        raise CheckFailed(str(verdict))
    if verdict.state == "unfinished":
        raise Unfinished(verdict.missing)
    whose = "（参考答案）" if _track(lab) == "solution" else ""
    print(f"{verdict}{whose}")
    _show(progress.passed(check_id, _track(lab), lab.techniques.borrowed))


def _require_the_file_s_own(lab: Lab, exercise: Exercise, functions: Sequence[Any]) -> None:
    """Turn down a function that is not the saved file's.

    Raises:
        CheckFailed: names it, and what to do.
    """
    for name, function in zip(exercise.functions, functions, strict=False):
        if function is _FILE:
            continue
        try:
            filed = lab.techniques.get(name)
        except (Unfinished, MissingTechnique):
            continue  # the check says what is missing
        except Exception:  # the check runs the file again, and says where it breaks
            return
        if function is not filed:
            file = handed_in.look(lab, exercise.name)
            raise CheckFailed(
                f"✗ 不对 · 交来的 {name} 不是 {file} 里的那一个。\n"
                f"  验收看的是存下来的文件。在 %%exercise {exercise.name} 单元格里改，运行它，再运行这里。"
            )


def _show(shown: progress.Passed) -> None:
    if "IPython" not in sys.modules:
        print(shown)
        return
    from IPython.display import display

    display(shown)


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


async def step_back(
    step_back_query: Any = _FILE, step_back_queries: Any = _FILE, step_back_system: Any = _FILE
) -> None:
    """Check 6: step-back prompting, and the student's own prompt."""
    await _accept("step-back", step_back_query, step_back_queries, step_back_system)


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
    """Judge notebook 10's drift guard."""
    await _accept("drift-guard", check_drift)


async def rewrite_cache(cache_key: Any = _FILE, may_share: Any = _FILE) -> None:
    """Judge notebook 11's cache key, and its rule for sharing."""
    await _accept("rewrite-cache", cache_key, may_share)


async def default_config(default_config: Any = _FILE, reasons: Any = _FILE) -> None:
    """Judge the product of the day: a configuration, and a reason for each technique left off."""
    await _accept("default-config", default_config, reasons)
