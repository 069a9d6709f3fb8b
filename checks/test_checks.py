"""The checks themselves: the solution passes, the starter is unfinished, wrong answers are caught, right ones accepted."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from querylab.pipeline import Lab
from querylab.tracks import EXERCISES, Unfinished, load_module

from checks import CHECKS, MORE, run_all, run_more
from checks.verdict import run

HERE = Path(__file__).parent
ROOT = HERE.parent
SECONDS = 3.0


def submitted(lab: Lab, path: Path) -> tuple[Lab, list]:
    """A lab with the functions of one submission on top of the solution's, and the checks that judge them."""
    exercise = EXERCISES[path.stem.partition("__")[0]]
    module = load_module(path)
    functions = {name: getattr(module, name) for name in exercise.functions if hasattr(module, name)}
    assert functions, f"{path.name} defines none of {exercise.functions}"
    return lab.using(**functions), [check for check in (*CHECKS, *MORE) if check.exercise == exercise.name]


@pytest.mark.parametrize("path", sorted((HERE / "wrong").glob("*.py")), ids=lambda path: path.stem)
def test_wrong_answers_are_caught(lab, path):
    student, judges = submitted(lab, path)
    verdicts = [run(check.id, lambda check=check: check.run(student), SECONDS) for check in judges]
    wrong = [verdict for verdict in verdicts if verdict.state == "wrong"]
    assert wrong, f"{path.name} passed: {[str(verdict) for verdict in verdicts]}"
    assert not [verdict for verdict in verdicts if verdict.state == "unfinished"]
    # A message that helps: what came, and where to look.
    assert "去看" in wrong[0].message, wrong[0].message


@pytest.mark.parametrize("path", sorted((HERE / "right").glob("*.py")), ids=lambda path: path.stem)
def test_right_answers_written_another_way_are_accepted(lab, path):
    student, judges = submitted(lab, path)
    for check in judges:
        verdict = run(check.id, lambda check=check: check.run(student))
        assert verdict.state == "passed", str(verdict)


def test_every_exercise_has_wrong_and_right_answers_on_file():
    for exercise in {check.exercise for check in (*CHECKS, *MORE)} - {None}:
        assert len(list((HERE / "wrong").glob(f"{exercise}__*.py"))) >= 3
        assert list((HERE / "right").glob(f"{exercise}__*.py"))


def test_solution_passes_and_starter_is_unfinished(lab):
    assert [verdict.state for verdict in run_all(lab)] == ["passed"] * 8
    starter = Lab.open(lab.corpus, "starter", lab.client)
    assert [verdict.state for verdict in run_all(starter)] == ["passed"] * 2 + ["unfinished"] * 6


def test_the_later_notebooks_checks_too(lab):
    assert {verdict.state for verdict in run_more(lab)} == {"passed"}
    starter = Lab.open(lab.corpus, "starter", lab.client)
    assert {verdict.state for verdict in run_more(starter)} == {"unfinished"}


def test_verdicts_are_the_same_every_time(lab):
    assert [str(verdict) for verdict in run_all(lab)] == [str(verdict) for verdict in run_all(lab)]


def test_a_check_that_never_ends_is_wrong_and_soon():
    async def endless():
        while True:
            await asyncio.sleep(0)

    start = time.perf_counter()
    verdict = run("endless", endless, 0.3)
    assert verdict.state == "wrong" and time.perf_counter() - start < 5


def test_unfinished_inside_a_task_group_is_unfinished():
    async def grouped():
        async with asyncio.TaskGroup() as group:
            group.create_task(unfinished())

    async def unfinished():
        raise Unfinished("classify")

    assert run("grouped", grouped).state == "unfinished"


@pytest.mark.parametrize(
    ("track", "code", "last"),
    [
        ("solution", 0, "8 passed, 0 wrong, 0 not yet written"),
        ("starter", 1, "2 passed, 0 wrong, 6 not yet written"),
    ],
)
def test_command_line(track, code, last):
    done = subprocess.run(
        [sys.executable, "-m", "checks", track], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert last in done.stdout.splitlines()


def test_command_line_json_and_a_folder_of_ones_own(tmp_path):
    (tmp_path / "hyde.py").write_text((ROOT / "solution" / "hyde.py").read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "checks", str(tmp_path), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 1
    states = {check["id"]: check["state"] for check in json.loads(done.stdout)["checks"]}
    assert states["hyde"] == "passed" and states["rewrite"] == "unfinished" and len(states) == 8


def test_command_line_says_when_there_is_nothing_to_check(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "checks", str(tmp_path / "none")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 2 and "none" in done.stderr and "Traceback" not in done.stderr
