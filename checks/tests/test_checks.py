"""The checks themselves: the solution passes, the starter is unfinished, wrong answers are caught, right ones accepted."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import Unfinished, load_module

from checks import CHECKS, MORE, heavier_guard, run_all, run_more
from checks.bank import as_folder, exercise_of
from checks.handed_in import loaded_again
from checks.judge import ALL, judge
from checks.verdict import Wrong, run

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parent


def judged_all(path: Path, folder: Path) -> list:
    """The verdicts on a file of the bank, made whole."""
    folder = as_folder(path, folder)
    exercise = exercise_of(path).name
    return [judge(check.id, folder) for check in ALL if check.exercise == exercise]


@pytest.mark.parametrize("path", sorted((HERE / "wrong").glob("*.py")), ids=lambda path: path.stem)
def test_wrong_answers_are_caught(path, tmp_path):
    verdicts = judged_all(path, tmp_path)
    wrong = [verdict for verdict in verdicts if verdict.state == "wrong"]
    assert wrong, f"{path.name} passed: {[str(verdict) for verdict in verdicts]}"
    assert not [verdict for verdict in verdicts if verdict.state == "unfinished"]
    # A message that helps: what came, and where to look.
    assert "去看" in wrong[0].message, wrong[0].message


@pytest.mark.parametrize("path", sorted((HERE / "right").glob("*.py")), ids=lambda path: path.stem)
def test_right_answers_written_another_way_are_accepted(path, tmp_path):
    for verdict in judged_all(path, tmp_path):
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


# ── What a message says ─────────────────────────────────────────────────────────────────────────
def judged(lab, path, exercise):
    """The verdict on a file of a student's own; what it does not define stands there as in the reference."""
    (path.parent / "whole").mkdir()
    named = path.rename(path.parent / f"{exercise}__own.py")
    check = next(check for check in MORE if check.exercise == exercise)
    return judge(check.id, as_folder(named, path.parent / "whole"), lab)


@pytest.mark.parametrize(
    ("exercise", "source", "words"),
    [
        ("sub_questions", "def sub_questions(client, question):\n    return [question]", "应当用 async def 定义"),
        (
            "sub_questions",
            "async def search_parts(client, retriever, question, parts):\n    yield await retriever.retrieve(question)",
            "async def 定义，并且 return",
        ),
        ("sub_questions", "async def search_parts(client, retriever, parts):\n    return []", "参数不对"),
        ("drift_guard", "async def check_drift(question, rewrite, encoder, known=''):\n    return None", "去掉 async"),
        ("drift_guard", "def check_drift(question, rewrite, encoder):\n    return None", 'known=""'),
        ("drift_guard", "def check_drift(question, rewrite, encoder, known=''):\n    return None", "得到：None"),
        ("rewrite_cache", "async def may_share(question, other):\n    return True", "去掉 async"),
        ("rewrite_cache", "def cache_key(request, corpus, user):\n    return repr(request.pop('model'))", "不能改"),
    ],
)
def test_what_to_do_is_said_kindly(lab, tmp_path, exercise, source, words):
    (tmp_path / f"{exercise}.py").write_text(source, encoding="utf-8")
    verdict = judged(lab, tmp_path / f"{exercise}.py", exercise)
    assert verdict.state == "wrong" and words in verdict.message and "去看：" in verdict.message, str(verdict)


def test_a_missing_function_and_the_folder_that_is_judged(lab, tmp_path):
    (tmp_path / "drift_guard.py").write_text("def check_drit():\n    pass\n", encoding="utf-8")
    (tmp_path / "rewrite_cache.py").write_text("def cache_key(a, b, c):\n    return a\n", encoding="utf-8")
    mine = Lab.open(lab.corpus, str(tmp_path), lab.client)
    verdicts = {verdict.id: verdict for verdict in run_more(mine)}
    assert "没有找到 check_drift" in verdicts["drift-guard"].message
    for name in ("drift_guard", "rewrite_cache"):
        assert f"去看：{name}.py" in verdicts[name.replace("_", "-")].message


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("import json; json.loads('{')", "JSONDecodeError"),
        ("import inspect; inspect.signature(3)", "TypeError"),
        ("return check_drift(question, rewrite, encoder, known)", "一直在调用自己"),
        ("import re; return check_drift(re.sub('[?]', '', question), rewrite, encoder, known)", "一直在调用自己"),
    ],
)
def test_the_place_is_the_students_line_not_the_librarys(lab, tmp_path, line, error):
    source = f'def check_drift(question, rewrite, encoder, known=""):\n    {line}\n'
    (tmp_path / "drift_guard.py").write_text(source, encoding="utf-8")
    message = judged(lab, tmp_path / "drift_guard.py", "drift_guard").message
    assert error in message and "去看：drift_guard.py 第 2 行" in message, message


def test_a_module_that_python_cannot_read_is_named_with_its_line(lab, tmp_path):
    (tmp_path / "drift_guard.py").write_text("x = 1\ndef check_drift(\n    return\n", encoding="utf-8")
    verdicts = run_more(Lab.open(lab.corpus, str(tmp_path), lab.client))
    message = next(verdict.message for verdict in verdicts if verdict.id == "drift-guard")
    assert "SyntaxError" in message and "去看：drift_guard.py 第" in message


def test_a_rewrite_that_passed_and_cost_an_answer_is_named(lab):
    from querylab.guard.drift import DriftVerdict

    passing = lab.using(check_drift=lambda *arguments: DriftVerdict("ok", "好"))
    with pytest.raises(Wrong, match=r"(?s)跑题了.*」→「.*rejected：") as caught:
        asyncio.run(heavier_guard.worth(passing, "starter/drift_guard.py"))
    assert "召回" not in str(caught.value)


def test_another_session_reads_thresholds_and_versions_anew():
    from unittest import mock

    from querylab import settings

    module = load_module(HERE / "right" / "drift_guard__added_first.py")
    with mock.patch.object(settings, "DRIFT_OK", 0.5):
        again = loaded_again(module.check_drift)
    assert again is not module.check_drift
    assert again.__globals__["STATES"][0][0] == 0.5 and module.STATES[0][0] == settings.DRIFT_OK
    assert loaded_again(len) is len
