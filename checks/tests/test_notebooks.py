"""The notebooks: every cell run and stored, on the right kernels, on both tracks, offline."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from querylab.lesson.handout import starter_text
from querylab.lesson.kernels import NAME
from querylab.pipeline.techniques import EXERCISES

from checks import fake_api
from checks.run_notebooks import run

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
LOOSE_TAGS = {"raises-exception", "nbval-raises-exception", "nbval-skip", "nbval-ignore-output"}
"""Tags that let a cell say anything; only widgets and pictures drawn in the browser need one."""


def cells(path: Path, kind: str = "code") -> list[dict]:
    content = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in content["cells"] if cell["cell_type"] == kind]


def source(cell: dict) -> str:
    return "".join(cell["source"])


def offline(**more: str) -> dict[str, str]:
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("LAB_", "MOCK", "ANTHROPIC", "QUERYLAB"))
    }
    path = os.pathsep.join([str(ROOT / "checks" / "no_network"), kept.pop("PYTHONPATH", "")]).rstrip(os.pathsep)
    return kept | {"PYTHONPATH": path, "PYTHONUTF8": "1"} | more


def nbval(*arguments: str) -> subprocess.CompletedProcess:
    """Run nbval in its strict mode."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--nbval", "--nbval-cell-timeout", "120"]
    return subprocess.run(
        [*command, *arguments], cwd=ROOT, env=offline(), capture_output=True, text=True, encoding="utf-8", timeout=500
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_as_it_should_be(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["metadata"]["kernelspec"]["name"] == "python3", "opened, a notebook must be on the starter track"
    unrun = [source(cell)[:60] for cell in cells(path) if cell["execution_count"] is None]
    assert not unrun, f"never run: {unrun}; run  make notebooks"
    counts = [cell["execution_count"] for cell in cells(path)]
    assert counts == list(range(1, len(counts) + 1)), "run it once, in order, from a fresh kernel"
    for cell in cells(path):
        assert not [output for output in cell["outputs"] if output["output_type"] == "error"], source(cell)
        assert not [o for o in cell["outputs"] if o.get("name") == "stderr"], f"a warning is stored: {source(cell)}"
        loose = LOOSE_TAGS & set(cell["metadata"].get("tags", ()))
        widget = any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in cell["outputs"])
        assert not loose or (loose == {"nbval-ignore-output"} and widget), (
            f"{loose} lets everything pass: {source(cell)}"
        )
        assert "NBVAL_" not in source(cell)
    assert any(cell["outputs"] for cell in cells(path)), "a notebook without outputs proves nothing"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_names_no_place_of_one_machine(path):
    text = re.sub(r'"image/png": ?"[^"]*"', "", path.read_text(encoding="utf-8"))
    assert not re.search(r"(/home/|/root/|/work/|/tmp/|/Users/|[A-Z]:\\\\Users)", text)
    assert not re.search(r" at 0x[0-9a-f]", text), "an address in a repr differs in every run"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_files_that_the_text_names_are_links_that_open(path):
    text = "\n".join(source(cell) for cell in cells(path, "markdown"))
    for name in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (path.parent / name).exists(), name
    plain = re.findall(r"(?<!\[)`((?:\.\./)?(?:querylab|checks|solution|starter|corpus)/[\w./-]+\.\w+)`", text)
    assert not [name for name in plain if any((base / name).exists() for base in (path.parent, ROOT))], plain


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)
def test_shipped_cell_is_the_shipped_starter(exercise):
    path = ROOT / "notebooks" / exercise.notebook
    found = [source(cell) for cell in cells(path) if source(cell).startswith(f"%%exercise {exercise.name}\n")]
    assert len(found) == 1
    starter = (ROOT / "starter" / f"{exercise.name}.py").read_text(encoding="utf-8")
    assert found[0].partition("\n")[2].rstrip("\n") == starter.rstrip("\n")
    assert starter == starter_text(ROOT / "solution" / f"{exercise.name}.py")


def test_every_exercise_cell_has_an_exercise():
    names = [
        source(cell).split()[1] for path in NOTEBOOKS for cell in cells(path) if source(cell).startswith("%%exercise")
    ]
    assert sorted(names) == sorted(EXERCISES)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nbval_on_the_solution_kernel(path):
    done = nbval("--nbval-kernel-name", NAME, str(path))
    assert done.returncode == 0, done.stdout[-6000:]
    assert re.search(r"\d+ passed", done.stdout)


def test_nbval_notices_the_wrong_kernel():
    """On the starter track the very same command must fail: else it would not be the solution that passed."""
    done = nbval("--nbval-kernel-name", "python3", str(NOTEBOOKS[1]))
    assert done.returncode != 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_on_the_starter_track_only_unfinished_work_stops(path, tmp_path):
    """Run the shipped notebook as a new student would, in a copy: top down, and then each exercise and its acceptance cell."""
    for name in ("notebooks", "starter", "solution", "corpus", "checks"):
        ignore = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.egg-info")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    script = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
client = NotebookClient(notebook, kernel_name="python3", timeout=120, allow_errors=True)
with client.setup_kernel():
    stopped = False
    for index, cell in enumerate(notebook.cells):
        wanted = not stopped or "await checks." in cell.source or cell.source.startswith("%%exercise")
        if cell.cell_type != "code" or not wanted:
            continue
        for output in client.execute_cell(cell, index).outputs:
            if output.output_type == "error":
                stopped = True
                print(output.ename)
"""
    copied = tmp_path / "notebooks" / path.name
    places = [str(ROOT / "checks" / "no_network"), str(tmp_path / "notebooks"), str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-c", script, str(copied)],
        cwd=tmp_path / "notebooks",
        env=offline(PYTHONPATH=os.pathsep.join(places)),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert set(done.stdout.split()) <= {"Unfinished"}, done.stdout
    asks = [cell for cell in cells(path) if source(cell).startswith("%%exercise")]
    assert bool(done.stdout.split()) or not asks, "an unsolved exercise must say that it is unfinished"


LIVE = ROOT / "notebooks" / "12_live_model.ipynb"


def test_asked_for_a_live_model_without_a_key_the_notebook_says_how_and_goes_on():
    """Nobody has a key at first: it runs on the recordings, and the three cells that measure time say one line each."""
    notebook = run(LIVE, NAME, offline(MOCK="0"))
    said = ["".join(o.get("text", "") for o in cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]
    assert any("export ANTHROPIC_API_KEY" in text and "checks.fake_api" in text for text in said)
    assert said.count("跳过：没有接上模型\n") == 3


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({}, "每题 p50"),
        ({"LAB_MAX_USD": "0.0025"}, "the ceiling of $0.0025"),
        ({"ANTHROPIC_API_KEY": "sk-ant-x"}, "401"),
    ],
    ids=["a server", "ceiling", "wrong key"],
)
def test_with_a_server_the_notebook_measures_time_and_survives_a_stop(wrong, word):
    with fake_api.running() as served:
        notebook = run(LIVE, NAME, offline(**(served | wrong)))
    text = json.dumps([cell.get("outputs") for cell in notebook.cells], ensure_ascii=False)
    assert "答话的是：测试服务器" in text and "假钱" in text and word in text
    assert "sk-ant-" not in text and ("停在这里" in text) == bool(wrong)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_paragraph_is_broken_between_chinese_characters(path):
    """A line break inside a paragraph is shown as a space, which stands in the middle of a Chinese sentence."""
    starts = re.compile(r"\s*(?:[-*+] |\d+[.)] |#|\||>|<)|.*[─│├└┬]|\s*$")
    for cell in cells(path, "markdown"):
        lines = re.sub(r"```.*?```", "", source(cell), flags=re.DOTALL).split("\n")
        for before, line in itertools.pairwise(lines):
            if starts.match(line) or re.match(r"\s*(?:#|\||<)|\s*$", before):
                continue
            edge = (before.rstrip("*_` ")[-1:] or "a", line.lstrip("*_` ")[:1] or "a")
            wide = [unicodedata.east_asian_width(letter) in "WF" for letter in edge]
            assert not any(wide), f"{cell['id']}: {before[-12:]}⏎{line[:12]}"
