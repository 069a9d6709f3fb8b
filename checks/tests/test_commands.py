"""The command line: one object on standard output, and never another clone's files."""

import json

import pytest
from querylab import settings
from querylab.__main__ import COMMANDS, main
from querylab.commands.place import check_place

LOUD = """
from querylab import Config
print("a technique that prints")
DEFAULT_CONFIG = Config("mine")
REASONS = {}
"""


@pytest.fixture
def track(tmp_path):
    folder = tmp_path / "loud"
    folder.mkdir()
    (folder / "default_config.py").write_text(LOUD, encoding="utf-8")
    return folder


def test_with_json_standard_output_holds_the_object_and_nothing_else(track, capsys):
    assert main(["ask", "年假能结转几天", "--track", str(track), "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["question"] == "年假能结转几天"
    assert "a technique that prints" in said.err


def test_the_control_rows_come_out_of_the_ledger(capsys):
    assert main(["ledger", "--rows", "controls", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    rows = [row["config"] for row in said["rows"]]
    rankings = {row["config"]: row for row in said["rankings"]}
    assert list(rankings) == rows
    for row in said["rankings"]:
        assert row["ndcg_at_10"] == next(r["ndcg_at_10"] for r in said["rows"] if r["config"] == row["config"])
        assert row["all_evidence_in_3"] <= row["all_evidence_in_5"] <= row["all_evidence_in_10"] <= 1
    assert {**rankings["gate open"], "config": ""} == {**rankings["baseline"], "config": ""}, "no gate, no difference"
    assert rows[:2] == ["baseline", "gate open"] and "router + budget, no safety net" in rows


def test_calibrate_tells_what_happens_to_questions_left_out(capsys):
    assert main(["calibrate", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {item["question"] for item in found["leave_one_out"]} == {item["question"] for item in found["margins"]}
    assert found["written"] is False and found["too_large"] == ["office#4"]
    assert main(["calibrate"]) == 0
    assert "leave one out: with the gates fitted on the other 11" in capsys.readouterr().out


def test_a_document_in_view_is_read(capsys):
    assert main(["ask", "这份文档讲了什么", "--config", "baseline", "--document", "travel"]) == 0
    assert "path       read" in capsys.readouterr().out
    assert main(["ask", "这份文档讲了什么", "--config", "baseline", "--document", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err


# ── Which clone ─────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def other_clone(tmp_path):
    package = tmp_path / "clone" / "notebooks" / "querylab"
    package.mkdir(parents=True)
    (package / "settings.py").write_text("", encoding="utf-8")
    return tmp_path / "clone"


def test_in_another_clone_a_command_refuses_and_names_both(other_clone, monkeypatch, capsys):
    monkeypatch.chdir(other_clone / "notebooks")
    assert main(["lost"]) == 2
    words = capsys.readouterr().err
    assert str(other_clone) in words and str(settings.ROOT) in words
    from checks.__main__ import main as check

    assert check(["solution"]) == 2
    assert str(other_clone) in capsys.readouterr().err


@pytest.mark.parametrize("folder", [".", "notebooks", "checks/tests"])
def test_in_its_own_clone_it_works(folder):
    check_place(settings.ROOT / folder)


def test_elsewhere_it_works_on_its_own(tmp_path):
    check_place(tmp_path)


def test_every_command_says_what_it_is_for():
    for command in COMMANDS.values():
        assert command.HELP and command.__doc__.startswith("``python -m querylab ")
