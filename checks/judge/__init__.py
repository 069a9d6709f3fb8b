"""The judge: whether one exercise of a hand-in does what it should, without believing the hand-in anything.

In: a check and a folder of modules. Out: a :class:`~checks.verdict.Verdict`. The student's code runs in a process of
its own (:mod:`checks.judge.house`), which holds no expectation, no answer and no verdict: it is told what to call, and
asks for models and searches. All that it asks and returns arrives here as data (:mod:`checks.judge.sitting`), and is
held against the reference (:mod:`checks.oracle`) and the lab's own criteria. A verdict that does not come is *wrong*.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from querylab.pipeline.lab import Lab, default_lab
from querylab.pipeline.techniques import EXERCISES

from checks.acceptance import CHECKS, Check
from checks.judge.house import house
from checks.judge.sitting import HandedIn, Sitting
from checks.more import MORE
from checks.reasons import check_reasons
from checks.verdict import Verdict, run

__all__ = ["ALL", "Judged", "judge", "judge_in_full", "judge_lab"]

DEFAULT_CONFIG = Check("default-config", "default_config", check_reasons)
ALL: tuple[Check, ...] = (*CHECKS, DEFAULT_CONFIG, *MORE)
"""Every check that there is: the lab's own two, and those of the eleven exercises."""
_BY_ID = {check.id: check for check in ALL}
DEADLINE_SECONDS = 30.0


@dataclass(frozen=True)
class Judged:
    """A verdict, and what else was seen.

    Attributes:
        verdict: the outcome.
        printed: what the student's code printed.
        denied: what it tried and was not let do.
    """

    verdict: Verdict
    printed: str = ""
    denied: tuple[str, ...] = ()


def judge(check_id: str, folder: Path, lab: Lab | None = None) -> Verdict:
    """Judge one check on one folder of modules; see :func:`judge_in_full`."""
    return judge_in_full(check_id, folder, lab).verdict


def judge_in_full(check_id: str, folder: Path, lab: Lab | None = None, seed: int | None = None) -> Judged:
    """Judge one check on one folder of modules.

    Args:
        check_id: such as ``multi-query``.
        folder: holds one module an exercise, as ``starter/`` does.
        lab: its corpus, retriever and model are used; the default lab's when None.
        seed: of the scenarios; from the module's own text when None, so that the same hand-in meets the same ones.

    Raises:
        KeyError: for an unknown check.
    """
    check = _BY_ID[check_id]
    house()  # it loads the lab over there, while this process opens its own
    lab = lab or default_lab()
    if check.exercise is None:
        return Judged(run(check.id, lambda: check.run(lab)))
    exercise = EXERCISES[check.exercise]
    path = folder / f"{exercise.name}.py"
    if seed is None:
        seed = int.from_bytes(hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest()[:8], "big")
    with Sitting(folder, exercise) as sitting:
        verdict = run(check.id, lambda: _held(check, sitting, lab, seed), DEADLINE_SECONDS)
        denied = [*sitting.denied, *(act for other in sitting.others for act in other.denied)]
        return Judged(verdict, sitting.printed(), tuple(dict.fromkeys(denied)))


async def _held(check: Check, sitting: Sitting, lab: Lab, seed: int) -> str:
    """Hold a hand-in against the reference first, then against the lab's criteria."""
    from checks import oracle  # here: it needs sittings

    sitting.load()
    theirs = replace(lab, techniques=HandedIn(sitting.folder, sitting=sitting))
    await oracle.hold(check.id, sitting, theirs, seed)
    return await check.run(theirs)


def judge_lab(lab: Lab, checks: Iterable[Check]) -> list[Verdict]:
    """Judge several checks on a lab's own folder, in order.

    What is borrowed is the reference's, and functions that were put in by name have no file: these run right here.
    """
    return [
        run(check.id, lambda check=check: check.run(lab))
        if check.exercise is None or check.exercise in lab.techniques.borrowed or lab.techniques.functions
        else judge(check.id, lab.techniques.folder, lab)
        for check in checks
    ]
