"""The two kernels: the ordinary one is the starter track, "querylab solution" the solution, in every runner."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from querylab import __main__ as command_line
from querylab.lesson import kernels

from checks.in_kernel import Kernel, copy_repository, hand_out, kernel_environment

TRACK = "from querylab import settings; settings.track()"
REGISTER = "from querylab.lesson import exercise; exercise.register(get_ipython())"
STUDENT = "def needs_rewrite(history, question):\n    return 'student'\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The kernel, installed into a folder of its own that Jupyter also looks into."""
    prefix = tmp_path_factory.mktemp("prefix")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(prefix / "share" / "jupyter"))
        kernels.install(str(prefix))
        yield prefix / "share" / "jupyter" / "kernels" / kernels.NAME


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    return copy_repository(tmp_path_factory.mktemp("lab"))


def test_the_kernelspec_is_this_python_on_the_solution_track(installed):
    spec = json.loads((installed / "kernel.json").read_text(encoding="utf-8"))
    assert spec["env"] == {"QUERYLAB_TRACK": "solution"}
    assert spec["display_name"] == "querylab solution"
    assert spec["language"] == "python"
    assert Path(spec["argv"][0]).samefile(sys.executable)


def test_it_goes_where_this_python_s_jupyter_looks():
    assert inspect.signature(kernels.install).parameters["prefix"].default == sys.prefix


def test_the_command_installs_and_removes(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")
    install = kernels.install
    monkeypatch.setattr(kernels, "install", lambda: install(str(tmp_path)))
    spec = tmp_path / "share" / "jupyter" / "kernels" / "querylab-solution" / "kernel.json"
    assert command_line.main(["kernels"]) == 0
    assert spec.is_file() and str(tmp_path) in capsys.readouterr().out
    assert command_line.main(["kernels", "--remove"]) == 0
    assert not spec.exists() and "removed" in capsys.readouterr().out


def test_each_kernel_is_on_its_track_and_follows_edits(installed, root):
    hand_out(root)
    ordinary, solution = Kernel(root), Kernel(root, kernels.NAME)
    try:
        assert ordinary.run(TRACK) == "'starter'"
        assert solution.run(TRACK) == "'solution'"
        for kernel, says in ((ordinary, "'student'"), (solution, "False")):
            assert kernel.run(REGISTER) == ""
            assert "!" not in kernel.run(f"%%exercise rewrite\n{STUDENT}")
            assert kernel.run("needs_rewrite([], 'q')") == says
        assert (root / "starter" / "rewrite.py").read_text(encoding="utf-8").startswith("def needs_rewrite")

        # Both are open while files change: the next run sees it, for the cell and for the lab.
        through_lab = "from querylab.pipeline.techniques import Techniques; Techniques.of_track(settings.track())"
        for kernel, folder in ((ordinary, "starter"), (solution, "solution")):
            path = root / folder / "rewrite.py"
            for word in ("once", "more"):
                path.write_text(STUDENT.replace("student", word), encoding="utf-8")
                assert kernel.run(f"{through_lab}.get('needs_rewrite')([], 'q')") == f"'{word}'"
        solution.run("%%exercise rewrite\npass")
        assert solution.run("needs_rewrite([], 'q')") == "'more'"
    finally:
        ordinary.close()
        solution.close()


def test_two_notebooks_at_once_on_one_exercise(root):
    hand_out(root)
    one, two = (Kernel(root, JPY_SESSION_NAME=f"/course/{name}.ipynb") for name in ("one", "two"))
    try:
        for kernel in (one, two):
            kernel.run(REGISTER)
        assert "kept" not in one.run("%%exercise hyde\n# one")
        assert "hyde.kept-1.py" in two.run("%%exercise hyde\n# two")
        assert "kept" not in two.run("%%exercise hyde\n# two, again")
        assert (root / "starter" / "hyde.kept-1.py").read_text(encoding="utf-8") == "# one\n"
    finally:
        one.close()
        two.close()


def test_a_bad_header_fails_even_in_nbval_s_lax_mode(root):
    hand_out(root)
    for name, cell in {"good": "%%exercise hyde\nx = 1", "bad": "%%exercise hide\nx = 1"}.items():
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (REGISTER, cell)])
        nbformat.write(notebook, root / "notebooks" / f"{name}.ipynb")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null", "--nbval-lax", "-q"]
    done = subprocess.run(
        [*command, "--rootdir", ".", "--nbval-kernel-name", "python3", "good.ipynb", "bad.ipynb"],
        cwd=root / "notebooks",
        env=kernel_environment(root),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert "1 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    assert "没有叫「hide」的练习" in done.stdout
