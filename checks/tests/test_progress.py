"""The board: what is ticked off, what is remembered, and what must never cost a student anything."""

import asyncio
import contextlib
import json
import multiprocessing
import re
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import settings
from querylab.lesson import progress, store
from querylab.lesson.progress import GOALS, Standing, board, record
from querylab.pipeline import lab as pipeline
from querylab.pipeline.config import Config
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import EXERCISES, Techniques, Unfinished

import checks
from checks import __main__ as command_line
from checks.in_kernel import hand_out
from checks.verdict import Verdict

DAY = [goal for goal in GOALS if not goal.later]


@pytest.fixture(autouse=True)
def memory(tmp_path, monkeypatch):
    """A memory of its own for every test."""
    monkeypatch.setattr(store, "FOLDER", tmp_path / ".lab")
    monkeypatch.setattr(progress, "_this_kernel", {})
    return tmp_path / ".lab" / "progress.json"


def marks(shown: progress.Board) -> dict[str, str]:
    return {goal.check: progress.MARKS[shown.of(goal).shown] for goal in GOALS}


@pytest.fixture
def student(lab, monkeypatch, tmp_path):
    """A student's lab with a starter folder of its own, as handed out, opened as the default one."""
    hand_out(tmp_path)
    monkeypatch.setattr(settings, "STARTER_DIR", tmp_path / "starter")
    mine = Lab(lab.corpus, lab.retriever, lab.client, Techniques(settings.STARTER_DIR))
    monkeypatch.setattr(checks, "default_lab", lambda: mine)
    return mine


def write(exercise: str, text: str = "") -> list[Any]:
    """Save an exercise (the reference where no text is given) and return its functions, as its cell would."""
    path = settings.STARTER_DIR / f"{exercise}.py"
    text = text or (settings.SOLUTION_DIR / f"{exercise}.py").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return [Techniques(settings.STARTER_DIR).get(name) for name in EXERCISES[exercise].functions]


# ── What is remembered ──────────────────────────────────────────────────────────────────────────
def test_every_check_has_a_goal_and_the_day_has_five_hours():
    every = [*checks.CHECKS, checks.DEFAULT_CONFIG, *checks.MORE]
    assert [goal.check for goal in GOALS] == [check.id for check in every]
    assert sum(goal.minutes for goal in DAY) == 300
    assert [goal.check for goal in GOALS if goal.later] == [check.id for check in checks.MORE]
    for name in {goal.exercise for goal in GOALS} - {None}:
        first = next(goal for goal in GOALS if goal.exercise == name)
        assert f"{first.notebook}.ipynb" == EXERCISES[name].notebook


def test_a_notebook_s_goals_take_the_time_that_it_says():
    minutes = Counter()
    for goal in GOALS:
        minutes[goal.notebook] += goal.minutes
    for notebook, total in minutes.items():
        text = (settings.ROOT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8")
        assert re.search(r"\| 时间 \| 约 (\d+) 分钟", text)[1] == str(total), notebook


def test_nothing_is_ticked_at_first_and_looking_writes_nothing(memory):
    assert set(marks(board()).values()) == {"○"}
    assert not memory.exists()


def test_a_tick_is_remembered_by_the_next_session(monkeypatch):
    assert record("rewrite", "passed") == []
    monkeypatch.setattr(progress, "_this_kernel", {})
    assert marks(board())["rewrite"] == "✓"
    assert str(board()).startswith("进度：1 / 9，剩下的大约要 260 分钟；进阶：0 / 5")
    record("drift-guard", "passed")
    assert str(board()).startswith("进度：1 / 9，剩下的大约要 260 分钟；进阶：1 / 5")


def test_a_fresh_copy_keeps_the_tick_and_a_wrong_version_crosses_it_out():
    for state, mark, note in (
        ("unfinished", "○", ""),
        ("passed", "✓", ""),
        ("unfinished", "✓", "以前通过过；现在的代码还没写完"),
        ("wrong", "✗", "召回变低了；以前通过过"),
        ("unfinished", "✓", "以前通过过；现在的代码还没写完"),
        ("passed", "✓", ""),
    ):
        record("rewrite", state, "召回变低了\n  得到：0")
        standing = board().of(GOALS[2])
        assert (progress.MARKS[standing.shown], standing.note) == (mark, note)


@given(st.lists(st.sampled_from(progress.STATES)))
def test_a_goal_counts_when_it_passed_and_is_not_wrong_now(states):
    standing = Standing()
    for state in states:
        standing = standing.after(state)
    assert (standing.shown == "passed") == ("passed" in states and states[-1] != "wrong")


def test_the_solution_track_ticks_nothing_off_for_the_student(memory, monkeypatch):
    monkeypatch.setenv("QUERYLAB_TRACK", "solution")
    record("rewrite", "passed")
    assert not memory.exists()
    assert marks(board())["rewrite"] == "✓" and "solution" in board().title
    assert marks(board(track="starter"))["rewrite"] == "○"


def test_the_solution_board_does_not_depend_on_the_student_s(monkeypatch):
    record("hyde", "passed")
    monkeypatch.setenv("QUERYLAB_TRACK", "solution")
    assert set(marks(board()).values()) == {"○"}


def test_fresh_verdicts_are_shown_and_not_remembered(memory):
    shown = board([Verdict("hyde", "wrong", "丢了原问题\n  得到：[]")])
    assert marks(shown)["hyde"] == "✗" and "丢了原问题" in str(shown) and "得到" not in str(shown)
    assert not memory.exists()


def test_unknown_checks_and_states_are_refused(memory):
    with pytest.raises(KeyError, match="rewrite"):
        record("rewrit", "passed")
    with pytest.raises(ValueError, match="unfinished"):
        record("rewrite", "done")
    assert not memory.exists()


def test_the_board_as_text_and_as_a_table():
    record("hyde", "wrong", "<b>不对</b>")
    text, table = str(board()), board()._repr_html_()
    assert len(text.splitlines()) == 1 + len(GOALS)
    for goal in GOALS:
        line = next(line for line in text.splitlines() if f" {goal.check} " in line)
        assert goal.notebook in line and f"{goal.minutes} 分钟" in line
        assert f'href="{goal.notebook}.ipynb"' in table and goal.title in table
    assert "&lt;b&gt;不对" in table and "<b>不对" not in table


# ── What may happen to the file ─────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        '{"rewrite": 5}',
        '{"rewrite": {"state": "done", "passed": true, "message": ""}}',
        "\udcff",
        "[" * 9999,
    ],
)
def test_a_damaged_file_is_set_aside_and_told(memory, damage):
    record("hyde", "passed")
    memory.write_bytes(damage.encode("utf-8", "surrogateescape"))
    said = record("rewrite", "passed")
    assert len(said) == 1 and "progress.damaged-1.json" in said[0]
    aside = memory.with_name("progress.damaged-1.json")
    assert aside.read_bytes() == damage.encode("utf-8", "surrogateescape")
    assert marks(board())["rewrite"] == "✓" and board().notices == ()
    memory.write_text("}", encoding="utf-8")
    assert "progress.damaged-2.json" in str(board()), "the first one is not overwritten"


def test_a_folder_that_cannot_be_written_is_told_and_no_error(memory, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(store, "write_atomically", refuse)
    (said,) = record("rewrite", "passed")
    assert "progress.json" in said and "写不进去" in said


def test_a_file_in_the_folder_s_place_is_no_error(memory):
    memory.parent.write_text("", encoding="utf-8")
    assert record("rewrite", "passed")
    assert set(marks(board()).values()) == {"○"}


def _work(folder, goals, together):
    store.FOLDER = folder
    read = store._read

    def read_slowly(*arguments):
        found = read(*arguments)
        time.sleep(0.02)  # time enough for the other to write in between, were it not for the lock
        return found

    store._read = read_slowly
    for goal in goals:
        together.wait(30)
        record(goal, "passed")


def test_two_notebooks_at_once_lose_no_tick(memory):
    names = [goal.check for goal in GOALS[:8]]
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(2)
    halves = (names[:4], names[4:])
    workers = [context.Process(target=_work, args=(memory.parent, half, together)) for half in halves]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert set(json.loads(memory.read_text(encoding="utf-8"))) == set(names)
    assert not list(memory.parent.glob("*damaged*")) and not list(memory.parent.glob(".progress*"))


# ── Acceptance cells ────────────────────────────────────────────────────────────────────────────
def test_an_acceptance_cell_ticks_its_goal_off_and_says_what_comes_next(student, capsys):
    functions = write("step_back")
    asyncio.run(checks.step_back(*functions))
    assert marks(board())["step-back"] == "✓"
    shown = capsys.readouterr().out
    assert shown.startswith("✓ 通过 · step-back") and "（参考答案）" not in shown.splitlines()[0]
    assert f"进度：1 / {len(DAY)}" in shown and "下一步：意图路由" in shown and "05_router.ipynb" in shown


def test_only_the_saved_file_is_judged(student, capsys):
    right = write("step_back")

    async def step_back_queries(client, question):
        return [question, "更一般的问题"]

    with pytest.raises(checks.CheckFailed, match=r"step_back_queries 不是 .*step_back\.py 里的那一个"):
        asyncio.run(checks.step_back(right[0], step_back_queries))
    asyncio.run(checks.step_back())
    assert marks(board())["step-back"] == "✓"
    source = (settings.SOLUTION_DIR / "step_back.py").read_text(encoding="utf-8")
    write("step_back", f"{source}\n# changed on disk\n")
    with pytest.raises(checks.CheckFailed, match="step_back_query 不是"):
        asyncio.run(checks.step_back(*right))


def test_wrong_and_unfinished_cells_are_remembered_and_raised(student):
    both = (
        "STEP_BACK_SYSTEM = ''\n\n\nasync def step_back_query(client, question):\n    return 5\n\n\n"
        "async def step_back_queries(*_):\n    return []\n"
    )
    functions = write("step_back", both)
    with pytest.raises(checks.CheckFailed):
        asyncio.run(checks.step_back(*functions))
    assert marks(board())["step-back"] == "✗"
    with pytest.raises(Unfinished) as caught:
        asyncio.run(checks.hyde())
    assert caught.value.what == "hypothetical_document"
    assert marks(board())["hyde"] == "○"
    assert 'lab.borrow("hyde")' in caught.value._render_traceback_()[0]


def test_without_arguments_the_track_s_own_file_is_judged(student, capsys):
    student.techniques = Techniques(settings.SOLUTION_DIR)
    asyncio.run(checks.chit_chat())
    assert marks(board(track="solution"))["chit-chat"] == "✓"
    assert capsys.readouterr().out.splitlines()[0].endswith("（参考答案）"), "a stored output says whose it is"


def test_borrowed_work_is_called_borrowed_and_ticks_nothing_off(student, memory, capsys):
    student.techniques = student.techniques.borrow("router")
    asyncio.run(checks.chit_chat())
    assert not memory.exists()
    shown = capsys.readouterr().out
    assert "↩ 借用 · chit-chat" in shown and "✓" not in shown
    lines = str(board(borrowed={"router"})).splitlines()
    assert [line.split()[:2] for line in lines if "借用参考答案" in line] == [["↩", "router"], ["↩", "chit-chat"]]
    assert board(borrowed={"router"})._repr_html_().count("↩") == 2


def test_everything_gives_the_board_of_a_track(lab, memory):
    shown = checks.everything(lab)
    verdicts = marks(shown)
    assert shown.track == "solution" and not memory.exists()
    assert [verdicts[check.id] for check in checks.CHECKS] == ["✓"] * 8


# ── The product of the day ──────────────────────────────────────────────────────────────────────
REASONS = {
    "hyde": "调用最贵，召回没有变化",
    "multi_query": "检索三倍，召回没有变化",
    "step_back": "召回没有变化，多一次调用",
}
CHOSEN = Config(rewrite="needed", router=True, wide_multi_hop=True)


def decided(config: Any, reasons: Any) -> list[Any]:
    """Save a decision as a student's cell would."""
    return write(
        "default_config",
        f"from querylab.pipeline.config import Config\n\nDEFAULT_CONFIG = {config!r}\nREASONS = {reasons!r}\n",
    )


def test_a_configuration_with_its_reasons_passes(student):
    asyncio.run(checks.default_config(*decided(CHOSEN, REASONS)))
    assert marks(board())["default-config"] == "✓"


@pytest.mark.parametrize(
    ("config", "reasons", "words"),
    [
        (CHOSEN, {**REASONS, "hyde": "贵"}, "hyde"),
        (CHOSEN, {name: reason for name, reason in REASONS.items() if name != "hyde"}, "hyde"),
        (CHOSEN, {**REASONS, "router": "一次便宜的调用就够了"}, "router"),
        (CHOSEN, ["hyde"], "字典"),
        (Config(), REASONS, "rewrite"),
        ({"hyde": False}, REASONS, "DEFAULT_CONFIG"),
    ],
)
def test_what_is_no_default_configuration(student, config, reasons, words):
    with pytest.raises(checks.CheckFailed, match=words):
        asyncio.run(checks.default_config(*decided(config, reasons)))


@pytest.mark.parametrize("pair", [(None, None), (CHOSEN, None), (None, REASONS)])
def test_a_configuration_that_is_not_yet_chosen(student, pair):
    with contextlib.suppress(Unfinished):
        decided(*pair)
    with pytest.raises(Unfinished, match="07_ledger"):
        asyncio.run(checks.default_config())


# ── The command line ────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def quick(monkeypatch):
    """Only the first two checks, so that the command line is quick."""
    monkeypatch.setattr(checks, "CHECKS", checks.CHECKS[:2])


@pytest.fixture
def opened(monkeypatch, lab):
    def open_lab(corpus, track):
        return Lab(lab.corpus, lab.retriever, lab.client, Techniques.of_track(track))

    monkeypatch.setattr(pipeline.Lab, "open", open_lab)


def test_the_command_line_shows_the_board_on_the_starter_track(quick, opened, memory, capsys):
    assert command_line.main(["starter"]) == 0
    out = capsys.readouterr().out
    assert f"进度：2 / {len(DAY)}" in out and out.splitlines()[-1] == "2 passed, 0 wrong, 0 not yet written"
    assert json.loads(memory.read_text(encoding="utf-8"))["baseline"]["passed"] is True


@pytest.mark.parametrize("arguments", [["solution"], ["solution", "--json"], ["starter", "--json"]])
def test_elsewhere_it_shows_none(quick, opened, memory, capsys, arguments):
    assert command_line.main(arguments) == 0
    out = capsys.readouterr().out
    assert "进度" not in out
    assert memory.exists() == (arguments[0] == "starter")


def test_another_folder_s_work_is_not_the_student_s(quick, opened, memory, tmp_path, capsys):
    (tmp_path / "handed_in").mkdir()
    assert command_line.main([str(tmp_path / "handed_in")]) == 0
    assert "进度" not in capsys.readouterr().out and not memory.exists()
