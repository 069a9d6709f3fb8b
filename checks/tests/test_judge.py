"""The judge: hostile hand-ins get an honest grade; nothing that they print, write or delete reaches anybody."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from checks.bank import as_folder
from checks.judge import judge, judge_in_full, wire
from checks.judge.house import house
from checks.oracle import FREEDOMS, SCENES, scenes

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parent


def tree() -> str:
    """One figure for every source file of the project."""
    folders = ("checks", "solution", "starter", "notebooks/querylab")
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(str(path).encode() + path.read_bytes() for path in files)).hexdigest()


@pytest.mark.parametrize("path", sorted((HERE / "hostile").glob("*.py")), ids=lambda path: path.stem)
def test_hostile_hand_ins_are_wrong_and_change_nothing(path, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-judge")
    before = tree()
    judged = judge_in_full("step-back", as_folder(path, tmp_path))
    assert judged.verdict.state == "wrong", str(judged.verdict)
    assert tree() == before
    assert "sk-secret" not in f"{judged}"


@pytest.mark.parametrize(
    ("line", "act"),
    [
        ("import socket; socket.create_connection(('127.0.0.1', 9), 1)", "连网"),
        ("import subprocess; subprocess.run(['true'])", "启动或结束进程"),
        ("import os; os.remove('/tmp/nothing-of-the-kind')", "改动文件（os.remove）"),
        ("open('/tmp/nothing-of-the-kind', 'w')", "写 nothing-of-the-kind"),
        ("import ctypes; ctypes.CDLL(None)", "绕过 Python（ctypes.dlopen）"),
    ],
)
def test_a_right_hand_in_that_tries_something_is_right_and_the_act_is_told(tmp_path, line, act):
    source = (ROOT / "solution" / "hyde.py").read_text(encoding="utf-8")
    tried = "".join(f"    {part.strip()}\n" for part in line.split(";"))
    (tmp_path / "hyde.py").write_text(f"{source}\n\ntry:\n{tried}except OSError:\n    pass\n", encoding="utf-8")
    judged = judge_in_full("hyde", tmp_path)
    assert judged.verdict.state == "passed", str(judged.verdict)
    assert act in judged.denied


def test_json_is_one_object_whatever_a_hand_in_prints(tmp_path):
    noise = (
        "print('{}'); import sys; sys.stdout.write('x' * 1000); sys.stderr.write('y'); import os; os.write(1, b'z')\n"
    )
    for name in ("hyde", "rewrite"):
        source = (ROOT / "solution" / f"{name}.py").read_text(encoding="utf-8")
        (tmp_path / f"{name}.py").write_text(f"{source}\n{noise}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "checks", str(tmp_path), "--json"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    states = {check["id"]: check["state"] for check in json.loads(done.stdout)["checks"]}
    assert states["hyde"] == states["rewrite"] == "passed" and done.returncode == 1


def test_the_process_knows_no_solution_and_no_key(tmp_path):
    sees = "import os\nfrom querylab import settings\nprint(sorted(os.environ), sorted(os.listdir(settings.ROOT)))\n"
    (tmp_path / "hyde.py").write_text(sees, encoding="utf-8")
    printed = judge_in_full("hyde", tmp_path).printed
    assert "notebooks" in printed
    for word in ("solution", "checks", "ANTHROPIC", "PYTEST"):
        assert word not in printed


def test_a_sitting_leaves_no_process_and_the_house_can_be_closed(tmp_path):
    judge("hyde", as_folder(HERE / "right" / "hyde__draft_first.py", tmp_path))
    assert house().process.poll() is None and house().folder.is_dir()
    assert not house().folder.is_relative_to(ROOT)


def test_the_same_hand_in_meets_the_same_scenes_and_another_other_ones():
    for check_id in SCENES:
        assert repr([s.arguments for s in scenes(check_id, 7)]) == repr([s.arguments for s in scenes(check_id, 7)])
        assert repr([s.arguments for s in scenes(check_id, 7)]) != repr([s.arguments for s in scenes(check_id, 8)])
        assert {scene.function for scene in scenes(check_id, 7)} <= set(FREEDOMS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("check_id", SCENES)
def test_the_reference_does_what_the_reference_does(check_id, seed):
    verdict = judge_in_full(check_id, ROOT / "solution", seed=seed).verdict
    assert verdict.state == "passed", str(verdict)


@pytest.mark.parametrize("value", [None, True, 3, 2.5, "甲\ud83d", [1, (2, {"a": {3}})], float("inf"), {}])
def test_values_come_over_as_they_are(value):
    data = json.loads(json.dumps(wire.pack(value)))
    assert wire.unpack(data) == value and type(wire.unpack(data)) is type(value)


def test_what_is_no_plain_value_comes_over_as_its_name():
    loop: list = []
    loop.append(loop)
    assert isinstance(wire.unpack(wire.pack(object())), wire.Strange)
    assert "Strange" in type(wire.unpack(json.loads(json.dumps(wire.pack(loop))))[0]).__name__ or wire.pack(loop)
    for data in (
        {"record": "Search", "fields": 3},
        {"unknown": 1},
        {"record": "os", "fields": {}},
        [1],
        {"a": 1, "b": 2},
    ):
        with pytest.raises(wire.Broken):
            wire.unpack(data)
