"""CONTRIBUTING.md's steps leave these things behind for every technique."""

import json
import re
from pathlib import Path

import pytest
from querylab import prompts
from querylab.pipeline.techniques import EXERCISES
from querylab.rules.client import MockClient

from checks import CHECKS
from checks.handout import starter_text

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RULES = (ROOT / "notebooks" / "querylab" / "rules" / "client.py").read_text(encoding="utf-8")
TECHNIQUES = [exercise for exercise in EXERCISES.values() if exercise.name in {check.exercise for check in CHECKS}]
PROMPTS = {"router": ("classify", "bridge")}
"""Techniques whose prompts do not bear their own name."""


@pytest.mark.parametrize("exercise", TECHNIQUES, ids=lambda exercise: exercise.name)
def test_every_step_left_its_artefact(exercise):
    name = exercise.name
    solution = ROOT / "solution" / f"{name}.py"
    assert (ROOT / "starter" / f"{name}.py").read_text(encoding="utf-8") == starter_text(solution)
    for task in PROMPTS.get(name, (name,)):
        assert task in prompts.TASKS
        assert f'"{task}"' in RULES
        assert callable(getattr(prompts, task))
    assert any(check.exercise == name for check in CHECKS)
    assert list((ROOT / "checks" / "wrong").glob(f"{name}__*.py"))
    assert list((ROOT / "checks" / "right").glob(f"{name}__*.py"))
    notebook = json.loads((ROOT / "notebooks" / exercise.notebook).read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert any(source.startswith(f"%%exercise {name}\n") for source in sources)
    assert any(f"await checks.{name}(" in source for source in sources), "no acceptance cell"


def test_role_lines_are_different():
    lines = [task.role_line for task in prompts.TASKS.values()]
    assert len(set(lines)) == len(lines)


def test_every_prompt_has_a_rule():
    import asyncio

    async def every_task():
        for task in prompts.TASKS.values():
            request = prompts.request(task, prompts.field("question", "泳池几点开门"))
            message = await MockClient().messages.create(**request)
            assert message.type == "message", task.name

    asyncio.run(every_task())


STEPS = ("Prompt", "Rule", "Solution", "Exercise", "Switch", "Check", "Notebook", "README")


@pytest.mark.parametrize(("number", "step"), list(enumerate(STEPS, start=1)))
def test_the_guide_has_the_eight_steps(number, step):
    assert f"\n{number}. **{step}.**" in GUIDE


def test_every_place_that_the_guide_names_is_there():
    named = {name for name in re.findall(r"`([\w./]+)`", GUIDE) if "/" in name and "NAME" not in name}
    assert {"notebooks/querylab/pipeline/config.py", "checks/acceptance.py"} <= named
    for name in named:
        below = ROOT / "notebooks" / "querylab"
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "notebooks", below)), name
