"""The oracle: the reference and the student's module meet the same scenes, and must be seen to do the same.

In: an exercise, a sitting of the student's, a seed. Out: nothing when no difference is left that is not free, else
:class:`~checks.verdict.Wrong` with the first one, in its smallest form and in the student's terms. Scenes are made from
the seed at grading time (:mod:`checks.oracle.day`, :mod:`checks.oracle.later`), with names, roles and figures that
nobody can have written down before; what an exercise leaves open stands in one table (:mod:`checks.oracle.freedoms`).
"""

import inspect
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any
from unittest import mock

from querylab import settings
from querylab.models.reply import BrokenReply, ModelError
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import Techniques, Unfinished

from checks import handed_in
from checks.judge.sitting import Sitting
from checks.oracle import day, later
from checks.oracle.freedoms import FREEDOMS, Difference, difference
from checks.oracle.observe import Observation, Scene, observe, shrunk
from checks.oracle.words import Words
from checks.verdict import Ended, TooLong, Wrong, in_words

__all__ = ["FREEDOMS", "SCENES", "hold", "scenes"]

SCENES: dict[str, Callable[[Words], Iterator[Scene]]] = {
    "rewrite": day.rewrite,
    "hyde": day.hyde,
    "multi-query": day.multi_query,
    "step-back": day.step_back,
    "router": day.router,
    "understanding": later.understanding,
    "scope-router": later.scope_router,
    "sub-questions": later.sub_questions,
    "drift-guard": later.drift_guard,
    "rewrite-cache": later.rewrite_cache,
}
"""Check → its scenes. The configuration of the day has no function to be called; its criteria are its check's."""
OTHER_MODEL = "claude-haiku-4-5-20251001"
"""Another model in the settings: whoever has written the name of one into the code asks the wrong one."""


def scenes(check_id: str, seed: int | str) -> list[Scene]:
    """Make the scenes of a check."""
    return list(SCENES[check_id](Words(seed))) if check_id in SCENES else []


async def hold(check_id: str, sitting: Sitting, lab: Lab, seed: int) -> None:
    """Hold a hand-in against the reference.

    Args:
        check_id: whose scenes.
        sitting: has loaded the student's module.
        lab: its techniques are the student's.
        seed: of the scenes.

    Raises:
        Unfinished: when a function is not written yet.
        Wrong: with the first difference that is not free.
    """
    made = scenes(check_id, seed)
    for name in dict.fromkeys(scene.function for scene in made):
        signature = inspect.signature(_reference().get(name)).parameters.values()
        handed_in.function(lab, name, ", ".join(map(_written, signature)))
    for scene in made:
        found = await _compared(sitting, scene)
        if found:
            await _tell(sitting, scene, found)
    asking = {scene.function: scene for scene in reversed(made) if scene.replies and not scene.by_question}
    with mock.patch.object(settings, "DEFAULT_MODEL", OTHER_MODEL):
        elsewhere = sitting.again(DEFAULT_MODEL=OTHER_MODEL) if asking else sitting
        for scene in asking.values():
            found = await _compared(elsewhere, scene)
            if found:
                await _tell(elsewhere, scene, found)


def _written(parameter: inspect.Parameter) -> str:
    """Write a parameter as the exercise does: 「known=""」."""
    return parameter.name + ("" if parameter.default is parameter.empty else f"={_default(parameter.default)}")


def _default(value: Any) -> str:
    return '""' if value == "" else repr(value)


@lru_cache(maxsize=1)
def _reference() -> Techniques:
    return Techniques(settings.SOLUTION_DIR)


async def _compared(sitting: Sitting, scene: Scene) -> Difference | None:
    function = _reference().get(scene.function)
    waits = inspect.iscoroutinefunction(function)
    right = await observe(function, scene, waits)
    if right.raised is not None and FREEDOMS[scene.function].instead(scene) == [] and not _expected(right):
        raise RuntimeError(f"The reference itself breaks: {scene}") from right.raised
    seen = await observe(sitting.get(scene.function), scene, waits, _look(sitting, scene))
    if isinstance(seen.raised, Unfinished | Ended | TooLong):
        raise seen.raised
    if seen.raised is not None and not _expected(seen):
        error = seen.raised
        raise Wrong(
            in_words(error),
            asked=_described(scene),
            look=getattr(error, "student_place", "") or _look(sitting, scene),
        ) from error
    return difference(scene, right, seen)


def _expected(seen: Observation) -> bool:
    return isinstance(seen.raised, ModelError | CancelledError) and not isinstance(seen.raised, BrokenReply)


async def _tell(sitting: Sitting, scene: Scene, found: Difference) -> None:
    """Look for a smaller scene with the same difference, and tell it.

    Raises:
        Wrong: always.
    """
    smaller = True
    while smaller:
        smaller = False
        for candidate in shrunk(scene):
            other = await _compared(sitting, candidate)
            if other is not None and other.what == found.what:
                scene, found, smaller = candidate, other, True
                break
    raise Wrong(
        found.what + (f"（{scene.why}）" if scene.why else ""),
        asked=_described(scene),
        got=found.got,
        expected=found.expected,
        look=_look(sitting, scene),
    )


def _look(sitting: Sitting, scene: Scene) -> str:
    function = sitting.get(scene.function)
    return getattr(function, "place", "") or f"{sitting.exercise.name}.py 的 {scene.function}"


def _described(scene: Scene) -> str:
    shown = [_short(item) for item in scene.arguments if not (isinstance(item, str) and item.startswith("the "))]
    said = f"；模型的答复：{' / '.join(map(str, scene.replies))}" if scene.replies and not scene.by_question else ""
    found = f"；检索结果：{_short(scene.also)}" if scene.function == "multi_query_search" else ""
    near = f"；余弦 {scene.near:g}" if scene.near is not None else ""
    return f"{scene.function}({', '.join(shown)}){said}{found}{near}"


def _short(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict) and "content" in value[0]:
        shown = "、".join(f"{turn['role']}：{turn['content']}" for turn in value)
        return f"对话 {len(value)} 条［{shown}］" if len(shown) < 200 else f"对话 {len(value)} 条"
    shown = f"「{value}」" if isinstance(value, str) else repr(value)
    return shown if len(shown) < 300 else f"{shown[:300]}…"
