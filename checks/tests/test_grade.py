"""The instructor's desk: every kind of entry, the same bytes again, nothing of a student's that runs in the page."""

import csv
import json
import zipfile
from pathlib import Path

import nbformat
import pytest

from checks import grade
from checks.desk import collect, similar

ROOT = Path(__file__).resolve().parents[2]
HYDE = (ROOT / "solution" / "hyde.py").read_text(encoding="utf-8")


@pytest.fixture
def a_class(tmp_path):
    folder = tmp_path / "class"
    (folder / "anna" / "starter").mkdir(parents=True)
    (folder / "anna" / "starter" / "hyde.py").write_text(HYDE, encoding="utf-8")
    with zipfile.ZipFile(folder / "ben.zip", "w") as packed:
        packed.writestr("ben-main/starter/hyde.py", HYDE.replace("[question, await", "[await"))
    (folder / "cleo").mkdir()
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(f"%%exercise hyde\n{HYDE}"), nbformat.v4.new_code_cell("print(1)")]
    )
    nbformat.write(notebook, folder / "cleo" / "02_hyde.ipynb")
    (folder / "<b>dan").mkdir()
    (folder / "<b>dan" / "hyde.py").write_text(
        "print('<script>alert(1)</script>')\nx = '</pre><script>'\n", encoding="utf-8"
    )
    with zipfile.ZipFile(folder / "eve.zip", "w") as packed:
        packed.writestr("../../hyde.py", HYDE)
    (folder / "fred.zip").write_bytes(b"no zip")
    return folder


def states(out: Path) -> dict[str, str]:
    with (out / "results.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row["hyde"] for row in csv.DictReader(file)}


def test_a_class_is_judged_and_judged_again_with_the_same_bytes(a_class, tmp_path, capsys):
    outs = [tmp_path / "one", tmp_path / "two"]
    for out in outs:
        assert grade.main([str(a_class), "--out", str(out), "--jobs", "1"]) == 1  # two cannot be read
    assert states(outs[0]) == {
        "anna": "passed", "ben": "wrong", "cleo": "passed", "<b>dan": "wrong", "eve": "", "fred": "",
    }  # fmt: skip
    names = ("results.csv", "results.json", "index.html")
    written = [[(out / name).read_bytes() for name in names] for out in outs]
    assert written[0] == written[1]
    assert grade.main([str(a_class), "--out", str(outs[0]), "--jobs", "1"]) == 1  # from what is kept
    assert [(outs[0] / name).read_bytes() for name in names] == written[0]
    page = written[0][2].decode()
    assert "<script" not in page and "<b>dan" not in page and "&lt;script&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    assert {entry["name"] for entry in json.loads(written[0][1])} == set(states(outs[0]))
    assert "[6/6]" in capsys.readouterr().err


def test_what_is_kept_is_not_judged_again_and_what_changed_is(a_class, tmp_path, monkeypatch):
    out, judged = tmp_path / "out", []
    monkeypatch.setattr(
        grade,
        "mark",
        lambda folder, lab: judged.append(folder) or {"checks": [], "minutes": 0, "row": None, "sources": {}},
    )
    for _ in range(2):
        grade.main([str(a_class), "--out", str(out), "--jobs", "1"])
    assert len(judged) == 4
    (a_class / "anna" / "starter" / "hyde.py").write_text(HYDE + "\nX = 1\n", encoding="utf-8")
    grade.main([str(a_class), "--out", str(out), "--jobs", "1"])
    assert len(judged) == 5


def test_exit_codes(tmp_path):
    assert grade.main([str(tmp_path / "none"), "--out", str(tmp_path / "o")]) == 2
    (tmp_path / "empty").mkdir()
    assert grade.main([str(tmp_path / "empty"), "--out", str(tmp_path / "o")]) == 2


def test_the_last_cell_of_a_name_counts_and_a_module_comes_first(tmp_path):
    folder, into = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    into.mkdir()
    for name, body in (("9_a", "A = 1"), ("10_b", "A = 2")):
        cell = nbformat.v4.new_code_cell(f"%%exercise hyde\n{body}")
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / f"{name}.ipynb")
    collect.collected(collect.Entry("x", folder), into)
    assert (into / "hyde.py").read_text(encoding="utf-8") == "A = 2"
    (folder / "hyde.py").write_text("A = 3", encoding="utf-8")
    collect.collected(collect.Entry("x", folder), into)
    assert (into / "hyde.py").read_text(encoding="utf-8") == "A = 3"


def test_similar_hand_ins_are_named_and_the_handed_out_text_is_not():
    starter = (ROOT / "starter" / "router.py").read_text(encoding="utf-8")
    solution = (ROOT / "solution" / "router.py").read_text(encoding="utf-8")
    assert similar.pairs({"a": {"router": starter}, "b": {"router": starter}}) == []
    (pair,) = similar.pairs({"a": {"router": solution}, "b": {"router": solution + "# x"}, "c": {"router": starter}})
    assert (pair.one, pair.other, pair.share) == ("a", "b", 1.0)
