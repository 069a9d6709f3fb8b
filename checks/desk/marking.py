"""Mark one hand-in: every check, and the ledger row of the student's own configuration.

In: a folder of modules. Out: a plain dictionary, the same for the same modules: no times, no places of this machine.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from querylab.lesson.progress import GOALS
from querylab.measure.evaluate import evaluate
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import EXERCISES, Exercise, Techniques, exercise_of, source_of

from checks.judge import ALL, judge_in_full
from checks.judge.sitting import Sitting
from checks.verdict import run

PRINTED = 2_000
"""Characters that are kept of what a hand-in prints."""
MINUTES = {goal.check: goal.minutes for goal in GOALS}
EXERCISE_CHECKS = tuple(check for check in ALL if check.exercise is not None)
"""What is marked: baseline and follow-up are the lab's own, and the same for everybody."""


@dataclass(frozen=True)
class _AllOfThem(Techniques):
    """All exercises of one hand-in, each run in a sitting of its own."""

    sittings: dict[str, Sitting] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        exercise: Exercise | None = exercise_of(name)
        if exercise is None or name not in exercise.functions:
            return super().get(name)
        if exercise.name not in self.sittings:
            self.sittings[exercise.name] = Sitting(self.folder, exercise)
            self.sittings[exercise.name].load()
        return self.sittings[exercise.name].get(name)


@contextlib.contextmanager
def _techniques(folder: Path) -> Iterator[_AllOfThem]:
    techniques = _AllOfThem(folder)
    try:
        yield techniques
    finally:
        for sitting in techniques.sittings.values():
            sitting.close()


def mark(folder: Path, lab: Lab) -> dict[str, Any]:
    """Judge a folder of modules.

    Args:
        folder: holds the modules.
        lab: the offline lab.

    Returns:
        ``checks`` (id, state, message, printed, denied), ``minutes`` passed, ``row`` of the ledger (None when the
        student's configuration is not accepted, or does not run), ``sources`` by exercise.
    """
    checks = []
    for check in EXERCISE_CHECKS:
        judged = judge_in_full(check.id, folder, lab)
        checks.append(
            {
                "id": check.id,
                "state": judged.verdict.state,
                "message": judged.verdict.message,
                "printed": judged.printed[:PRINTED],
                "denied": list(judged.denied),
            }
        )
    states = {entry["id"]: entry["state"] for entry in checks}
    return {
        "checks": checks,
        "minutes": sum(MINUTES.get(name, 0) for name, state in states.items() if state == "passed"),
        "row": _row(folder, lab) if states["default-config"] == "passed" else None,
        "sources": _sources(folder),
    }


def _row(folder: Path, lab: Lab) -> dict[str, Any] | None:
    found: list[dict[str, Any]] = []
    with _techniques(folder) as techniques:
        theirs = Lab(lab.corpus, lab.retriever, lab.client, techniques)

        async def measured() -> str:
            found.append((await evaluate(theirs.default_config(), None, theirs)).whole().row())
            return "measured"

        run("ledger", measured)
    return found[0] if found else None


def _sources(folder: Path) -> dict[str, str]:
    sources = {}
    for name in EXERCISES:
        path = folder / f"{name}.py"
        if path.is_file():
            try:
                sources[name] = source_of(path)
            except (SyntaxError, UnicodeDecodeError):
                sources[name] = path.read_bytes().decode("utf-8", "replace")
    return sources
