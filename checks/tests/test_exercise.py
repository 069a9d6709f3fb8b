"""``%%exercise``, the first cell, and borrowing: as a student's kernel sees them, and what happens to files."""

import inspect
import json
import re
import shutil
import sys
import threading
from pathlib import Path

import pytest
import querylab
from IPython.core.interactiveshell import InteractiveShell
from querylab import settings
from querylab import start as start_function
from querylab.lesson import exercise, saving, store
from querylab.lesson.exercise import exercise_name
from querylab.lesson.handout import starter_text
from querylab.lesson.saving import save
from querylab.pipeline import lab as pipeline
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import EXERCISES, MissingTechnique, Techniques

from checks.in_kernel import Kernel, copy_repository, hand_out

ROOT = settings.ROOT
StartError = querylab.start.__globals__["StartError"]
SAVED = "已存为 starter/rewrite.py，要写的都在，可以验收。"
FIRST = 'import querylab; lab = querylab.start("01_rewriting")'
BODY = '''"""Mine."""

async def rewrite_query(client, history, question):
    return question + "!"

def needs_rewrite(history, question):
    return True
'''


# ── Kernels and files ───────────────────────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """One copy of the repository for the kernel tests of this file: a starter and a solution kernel on it."""
    root = copy_repository(tmp_path_factory.mktemp("lab"))
    starter, solution = Kernel(root), Kernel(root, QUERYLAB_TRACK="solution")
    first = starter.run(FIRST)
    # Opening a second lab would cost seconds: what is shown there is looked at in this process.
    solution.run(
        "from querylab import settings; from querylab.lesson import exercise; exercise.register(get_ipython())"
    )
    yield starter, solution, first
    starter.close()
    solution.close()


@pytest.fixture
def starter(kernels):
    """The starter kernel; its files are as handed out, and nothing is remembered."""
    hand_out(kernels[0].root)
    return kernels[0]


@pytest.fixture
def solution(kernels):
    return kernels[1]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Folders of their own for tests within this process."""
    hand_out(tmp_path)
    monkeypatch.setattr(settings, "STARTER_DIR", tmp_path / "starter")
    monkeypatch.setattr(settings, "SOLUTION_DIR", tmp_path / "solution")
    monkeypatch.setattr(store, "FOLDER", tmp_path / ".lab")
    return tmp_path


@pytest.fixture
def opened(monkeypatch, lab):
    """Let ``start`` find the lab opened already."""
    monkeypatch.setattr(pipeline, "default_lab", lambda: lab)


def written(files: Path, name: str = "rewrite") -> str:
    return (files / "starter" / f"{name}.py").read_text(encoding="utf-8")


# ── The header ──────────────────────────────────────────────────────────────────────────────────
def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("%%exercise rewrite\nx = 1\n", "rewrite"),
        ("%%exercise   router  \n", "router"),
        ("x = 1\n", None),
        ("", None),
        ("%%time\nx = 1\n", None),
        ("!ls\n", None),
        ('text = """\n%%exercise rewrite\n"""\n', None),
        ('%%exercise hyde\ntext = """\n%%exercise rewrite\n"""\n', "hyde"),
        ("# %%exercise rewrite\nx = 1\n", None),
    ],
)
def test_header(cell, name):
    assert exercise_name(lines(cell)) == name


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%%exercise rewrit\n", ["rewrit", "是不是 rewrite", *EXERCISES]),
        ("%%exercise rewrite.py\n", ["是不是 rewrite"]),
        ("%%exercise rewrite hyde\n", ["没有叫", *EXERCISES]),
        ("%%exercise\n", ["后面要写", *EXERCISES]),
        ("%%exercise   \nx = 1\n", ["后面要写"]),
        ("import os\n%%exercise rewrite\n", ["第一行", "第 2 行"]),
        ("\n%%exercise rewrite\n", ["第一行", "第 2 行"]),
        ("# mine\n\n  %%exercise rewrite\n", ["第一行", "第 3 行"]),
        ("%%time\n%%exercise rewrite\n", ["第一行"]),
        ("%%exercise hyde\nx = 1\n%%exercise rewrite\n", ["第一行", "第 3 行"]),
        ("%exercise rewrite\n", ["%%exercise rewrite"]),
        ("%%exercies rewrite\n", ["%%exercise rewrite"]),
        ("\n%%Exercise rewrite\n", ["%%exercise rewrite"]),
        ("  %%exercise rewrite\n", ["顶格"]),
        ("%%exercise_rewrite\n", ["%%exercise rewrite"]),
        ("％％exercise rewrite\n", ["半角"]),
    ],
)
def test_a_bad_header_is_a_syntax_error_that_helps(cell, words):
    with pytest.raises(SyntaxError) as caught:
        exercise_name(lines(cell))
    for word in words:
        assert word in caught.value.msg
    assert caught.value.lineno and caught.value.text in cell


@pytest.mark.parametrize(
    "cell", ["%%exercise rewrit\n1", "import os\n%%exercise rewrite", "%%exercise", "%%exercies hyde"]
)
def test_a_bad_header_fails_in_a_kernel(starter, cell):
    shown = starter.run(cell)
    assert shown.startswith("!SyntaxError"), shown
    assert "rewrite" in shown and "exercise.py" not in shown, "the words, without our own frames"


# ── Running a cell ──────────────────────────────────────────────────────────────────────────────
def test_a_cell_is_saved_and_says_in_a_line_how_it_stands(starter):
    assert starter.run(f"%%exercise rewrite\n{BODY.rstrip()}") == SAVED
    assert (starter.root / "starter" / "rewrite.py").read_bytes() == BODY.encode()
    assert starter.run('print(await rewrite_query(None, [], "q"))') == "q!\n"
    assert not [path for path in (starter.root / "starter").iterdir() if path.suffix != ".py"]


def test_cell_and_file_are_one_program(starter):
    """What the notebook holds afterwards is what the file defines: names, sources, places of errors."""
    starter.run(f"%%exercise rewrite\n{BODY}")
    same = "lab.techniques.get('needs_rewrite') is needs_rewrite"
    assert starter.run(same) == "True"
    source = starter.run("import inspect; print(inspect.getsource(needs_rewrite))")
    assert source.strip() == "def needs_rewrite(history, question):\n    return True"
    only_one = BODY[: BODY.index("def needs_rewrite")]
    assert starter.run(f"%%exercise rewrite\n{only_one}") == "已存为 starter/rewrite.py，还没写完：needs_rewrite。"
    assert starter.run("needs_rewrite").startswith("!NameError"), "the version of before is gone, as from the file"
    shown = re.sub(r"\x1b\[[0-9;]*m", "", starter.run("%%exercise rewrite\nx = 1\n\ndef f():\n    return 1 / 0\n\nf()"))
    assert shown.startswith("!ZeroDivisionError") and "rewrite.py:4" in shown.replace(" ", "").replace(
        "line4", "rewrite.py:4"
    )


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ('await rewrite_query(None, [], "q")', "第 9 行在函数外面写了 await"),
        ("%config InlineBackend.figure_format = 'svg'", "第 9 行「%config"),
        ("!echo 1", "第 9 行「!echo 1」"),
        ("rewrite_query?", "第 9 行「rewrite_query?」"),
    ],
)
def test_what_cannot_stand_in_a_file_is_named_and_nothing_is_run(starter, last, words):
    starter.run("needs_rewrite = 'old'")
    shown = starter.run(f"%%exercise rewrite\n{BODY}\n{last}".replace('"""Mine."""\n', '"""Mine."""'))
    assert words.replace("9", "8") in shown or words in shown, shown
    assert "下面的单元格" in shown and "Traceback" not in shown
    assert last in (starter.root / "starter" / "rewrite.py").read_text(encoding="utf-8"), "work is never lost"
    assert starter.run("needs_rewrite") == "'old'"


def test_a_helper_of_another_cell_is_named_when_the_cell_is_run(starter):
    starter.run("def helper(text): return text + '!'")
    code = BODY.replace('question + "!"', "helper(question) + unheard_of")
    shown = starter.run(f"%%exercise rewrite\n{code}")
    assert "第 4 行用到的 helper 是别的单元格里的" in shown and "unheard_of 没有定义" in shown
    assert starter.run('await rewrite_query(None, [], "q")').startswith("!NameError"), "as from the file"


@pytest.mark.parametrize(
    "text",
    [
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n"
        "@dataclass\nclass Case:\n    text: str\n    more: list[Case] | None = None\n\nCase('a')\n",
        "from __future__ import annotations\nfrom pydantic import BaseModel\n\n"
        "class Case(BaseModel):\n    text: str\n    more: list[Case] = []\n\nCase(text='a')\n",
    ],
)
@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_technique_is_an_ordinary_module(tmp_path, text, coding):
    path = tmp_path / "rewrite.py"
    cookie = "# -*- coding: gb18030 -*-\n" if coding == "gb18030" else ""
    path.write_bytes((cookie + text + BODY + "# 中文\n").encode(coding))
    assert Techniques(tmp_path).unfinished("rewrite") == []
    assert Techniques(tmp_path).get("needs_rewrite")([], "") is True


def test_a_cell_that_does_not_parse_is_saved_and_shown_as_usual(starter):
    shown = starter.run("%%exercise rewrite\nx = 1\ndef broken(:\n    pass")
    assert shown.startswith("!SyntaxError") and "broken" in shown and "2" in shown
    assert "def broken(:" in (starter.root / "starter" / "rewrite.py").read_text(encoding="utf-8")


def test_an_empty_cell_changes_nothing(starter):
    before = (starter.root / "starter" / "rewrite.py").read_bytes()
    assert "没有改动" in starter.run("%%exercise rewrite\n\n")
    assert (starter.root / "starter" / "rewrite.py").read_bytes() == before


def test_the_root_is_frozen(starter, tmp_path):
    starter.run(f"import os; home = os.getcwd(); os.chdir({str(tmp_path)!r})")
    try:
        assert starter.run(f"%%exercise rewrite\n{BODY}# moved\n") == SAVED
    finally:
        starter.run("os.chdir(home)")
    assert "# moved" in (starter.root / "starter" / "rewrite.py").read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == []


def test_in_a_read_only_folder_nothing_runs_that_is_not_saved(starter):
    starter.run("def refuse(path, data): raise PermissionError(13, 'Permission denied')")
    starter.run("from querylab.lesson import store; kept = store.write_atomically; store.write_atomically = refuse")
    try:
        shown = starter.run(f"%%exercise rewrite\n{BODY}\n1 + 1")
    finally:
        starter.run("store.write_atomically = kept")
    assert shown.count("✗") == 1 and "starter/rewrite.py 写不进去" in shown and "已存为" not in shown


def test_a_foreign_edit_is_kept_and_told_once(starter):
    path = starter.root / "starter" / "rewrite.py"
    path.write_text("# written in an editor\n", encoding="utf-8")
    shown = starter.run(f"%%exercise rewrite\n{BODY}")
    assert shown.count("rewrite.kept-1.py") == 1 and len(shown.splitlines()) == 2
    assert path.with_name("rewrite.kept-1.py").read_text(encoding="utf-8") == "# written in an editor\n"
    assert path.read_text(encoding="utf-8") == BODY
    assert starter.run(f"%%exercise rewrite\n{BODY}") == SAVED
    assert starter.run(f"%%exercise rewrite\n{BODY}# more\n") == SAVED, "the cell's own earlier text is not kept"


def test_the_solution_kernel_runs_the_reference_and_writes_nothing(starter, solution):
    before = {path: path.stat().st_mtime_ns for path in starter.root.rglob("*") if "__pycache__" not in str(path)}
    assert solution.run(f"%%exercise rewrite\n{BODY}") == ""
    assert solution.run("needs_rewrite([], '谁')") == "False", "the student's would say True"
    assert solution.run("%%exercise router\nraise RuntimeError") == ""
    after = {path: path.stat().st_mtime_ns for path in starter.root.rglob("*") if "__pycache__" not in str(path)}
    assert after == before


def test_editing_the_reference_takes_effect_at_once(starter, solution):
    path = solution.root / "solution" / "rewrite.py"
    for mark in (1, 2):
        path.write_text(f"MARK = {mark}\n", encoding="utf-8")
        solution.run(f"%%exercise rewrite\n{BODY}")
        assert solution.run("MARK") == str(mark)
    through_lab = "await __import__('querylab.pipeline.techniques', fromlist=['x']).Techniques.of_track(settings.track()).get('rewrite_query')(None, [], '谁')"
    for word in "!?":
        path.write_text(BODY.replace("!", word), encoding="utf-8")
        assert solution.run(through_lab) == f"'谁{word}'"


def test_editing_the_starter_file_takes_effect_at_once(starter):
    ask = "(await lab.ask('谁', [], querylab.REWRITE_ALWAYS, answer=False)).rewritten"
    assert starter.run(ask).startswith("!Unfinished")
    starter.run(f"%%exercise rewrite\n{BODY}")
    assert starter.run(ask) == "'谁!'"
    (starter.root / "starter" / "rewrite.py").write_text(BODY.replace('"!"', '"?"'), encoding="utf-8")
    assert starter.run(ask) == "'谁?'"


def test_without_a_reference_the_solution_kernel_says_so(starter, solution):
    (solution.root / "solution" / "hyde.py").unlink()
    shown = solution.run("%%exercise hyde\nx = 1")
    assert shown.startswith("!SyntaxError") and "solution/hyde.py" in shown


def test_registered_once_however_often_the_first_cell_runs(starter):
    starter.run(FIRST)
    count = "sum(type(t).__name__ == 'Transformer' for t in get_ipython().input_transformers_cleanup)"
    assert starter.run(count) == "1"


def test_other_cells_are_left_alone(files):
    shell = InteractiveShell()
    exercise.register(shell)
    exercise.register(shell)
    assert shell.transform_cell("x = 1\n%time y = 2\n").startswith("x = 1\nget_ipython()")
    assert sum(isinstance(item, exercise.Transformer) for item in shell.input_transformers_cleanup) == 1
    before = written(files)
    assert shell.check_complete(f"%%exercise rewrite\n{BODY}")[0] in ("complete", "incomplete", "invalid")
    assert written(files) == before, "asking whether a cell is complete writes nothing"


# ── Files ───────────────────────────────────────────────────────────────────────────────────────
def kept(files: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((files / "starter").glob("*.kept-*"))}


def test_saving_over_the_shipped_text_keeps_nothing(files):
    assert save("rewrite", BODY.rstrip()) == []
    assert written(files) == BODY
    assert kept(files) == {}
    assert save("rewrite", BODY) == []


def test_line_ends_of_another_system_are_no_foreign_edit(files):
    path = files / "starter" / "rewrite.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert save("rewrite", BODY) == []
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert save("rewrite", BODY + "# more") == []
    assert kept(files) == {}


def test_kept_files_are_numbered_and_never_overwritten(files):
    path = files / "starter" / "rewrite.py"
    for text in ("# one\n", "# two\n", "# one\n"):
        path.write_text(text, encoding="utf-8")
        assert len(save("rewrite", BODY)) == 1
    assert kept(files) == {"rewrite.kept-1.py": "# one\n", "rewrite.kept-2.py": "# two\n"}


def test_bytes_that_are_no_utf8_are_kept_as_they_are(files):
    path = files / "starter" / "rewrite.py"
    path.write_bytes("# 中文".encode("gb18030"))
    assert len(save("rewrite", BODY)) == 1
    assert path.with_name("rewrite.kept-1.py").read_bytes() == "# 中文".encode("gb18030")


def test_a_fresh_copy_of_the_notebook_does_not_replace_work_silently(files):
    save("rewrite", BODY)
    shipped = starter_text(files / "solution" / "rewrite.py")
    assert len(save("rewrite", shipped)) == 1
    assert kept(files) == {"rewrite.kept-1.py": BODY}


def test_another_notebook_does_not_replace_work_silently(files):
    save("rewrite", BODY, writer="one")
    assert len(save("rewrite", BODY + "# other\n", writer="two")) == 1
    assert kept(files) == {"rewrite.kept-1.py": BODY}
    assert save("rewrite", BODY + "# more\n", writer="two") == []


def test_the_notebook_is_known_in_jupyterlab_and_in_vs_code(files, monkeypatch):
    shell = InteractiveShell()
    writers = set()
    for variable, namespace in (("", {}), ("/course/01.ipynb", {}), ("", {"__vsc_ipynb_file__": "/course/02.ipynb"})):
        monkeypatch.setenv("JPY_SESSION_NAME", variable)
        shell.user_ns.pop("__vsc_ipynb_file__", None)
        shell.user_ns.update(namespace)
        exercise.Transformer(shell)(["%%exercise hyde\n", f"# {variable}{namespace}\n"])
        (entry,) = json.loads((files / ".lab" / "written.json").read_text(encoding="utf-8"))["hyde"][-1:]
        writers.add(entry[0])
        assert "/course" not in entry[0]
    assert len(writers) == 3 and "" in writers


def test_without_a_solution_folder_what_is_there_counts_as_foreign(files):
    shutil.rmtree(files / "solution")
    assert len(save("rewrite", BODY)) == 1
    assert save("rewrite", BODY + "# more") == []


def test_a_broken_reference_is_no_fault_of_the_student_s(files):
    (files / "solution" / "rewrite.py").write_text("def broken(:\n", encoding="utf-8")
    assert len(save("rewrite", BODY)) == 1
    assert written(files) == BODY


def test_a_damaged_memory_costs_a_copy_and_no_work(files):
    save("rewrite", BODY)
    (files / ".lab" / "written.json").write_text('{"rewrite": [["", "ab', encoding="utf-8")
    said = save("rewrite", BODY + "# more")
    assert any("written.damaged-1.json" in sentence for sentence in said)
    assert kept(files) == {"rewrite.kept-1.py": BODY}
    assert save("rewrite", BODY + "# again") == []


def test_when_keeping_fails_nothing_is_overwritten(files, monkeypatch):
    path = files / "starter" / "rewrite.py"
    path.write_text("# foreign\n", encoding="utf-8")

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving, "_keep", refuse)
    assert "写不进去" in save("rewrite", BODY)[0]
    assert path.read_text(encoding="utf-8") == "# foreign\n"


def test_a_failed_write_leaves_the_old_file_whole(files, monkeypatch):
    before, names = written(files), sorted((files / "starter").iterdir())

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(store, "_replace", refuse)
    assert "写不进去" in save("rewrite", BODY)[0]
    assert written(files) == before
    assert sorted((files / "starter").iterdir()) == names, "and no litter"


def test_two_notebooks_at_once_lose_nothing(files):
    def work(writer: str) -> None:
        for number in range(15):
            save("rewrite", f"# {writer} {number}\n", writer)

    threads = [threading.Thread(target=work, args=(writer,)) for writer in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = {*kept(files).values(), written(files)}
    remembered = json.loads((files / ".lab" / "written.json").read_text(encoding="utf-8"))["rewrite"]
    assert len(remembered) == 30
    assert any("one" in text for text in texts) and any("two" in text for text in texts)
    assert written(files) in ("# one 14\n", "# two 14\n")


# ── The first cell ──────────────────────────────────────────────────────────────────────────────
def test_the_first_cell_says_which_track_and_model(kernels, opened, monkeypatch, capsys):
    monkeypatch.setenv("QUERYLAB_TRACK", "solution")
    start_function("01_rewriting")
    solution_shown, starter_shown = capsys.readouterr().out, kernels[2]
    assert "starter：" in starter_shown and "solution：" in solution_shown
    for shown in (starter_shown, solution_shown):
        assert shown.startswith("01_rewriting · 一切就绪")
        assert "MOCK=1" in shown and "不代表真实模型" in shown
        assert "✗" not in shown and str(ROOT) not in shown and "/tmp" not in shown


def test_the_first_cell_names_unfinished_work_on_the_starter_track_only(files, opened, monkeypatch, capsys):
    def shown() -> str:
        start_function("05_router", needs=("rewrite", "hyde"))
        return capsys.readouterr().out

    before = shown()
    assert "rewrite_query、needs_rewrite" in before and "01_rewriting.ipynb" in before
    assert 'lab.borrow("rewrite", "hyde")' in before
    save("rewrite", BODY)
    assert 'lab.borrow("hyde")' in shown()
    monkeypatch.setenv("QUERYLAB_TRACK", "solution")
    assert "borrow" not in (solution := shown()) and "一切就绪" in solution
    (files / "starter" / "rewrite.py").unlink()
    assert shown() == solution


def test_borrowing_is_one_line_and_leaves_the_student_s_file_alone(starter):
    before = (starter.root / "starter" / "rewrite.py").read_bytes()
    said = starter.run('lab.borrow("rewrite", "hyde")')
    assert "solution/rewrite.py" in said and "solution/hyde.py" in said
    try:
        again = starter.run('_ = querylab.start("05_router", needs=("rewrite", "hyde", "multi_query"))')
        assert "正在借用参考答案：rewrite、hyde" in again and 'lab.borrow("multi_query")' in again
        assert starter.run("lab.techniques.get('needs_rewrite')([], '谁')") == "False"
        assert starter.run("querylab.default_lab() is lab") == "True"
        assert starter.run('lab.borrow("rewrit")').startswith("!MissingTechnique")
    finally:
        starter.run("lab.techniques = type(lab.techniques)(lab.techniques.folder)")
    assert (starter.root / "starter" / "rewrite.py").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (None, ["rewrite_query", "needs_rewrite"]),
        ("", ["rewrite_query", "needs_rewrite"]),
        ("rewrite_query = None\ndef needs_rewrite(h, q): return True\n", ["rewrite_query"]),
        (BODY.replace("    return True", "    x = 1\n    raise Unfinished('needs_rewrite')"), ["needs_rewrite"]),
        (BODY, []),
    ],
)
def test_unfinished(files, text, missing):
    path = files / "starter" / "rewrite.py"
    path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    assert Techniques(files / "starter").unfinished("rewrite") == missing
    with pytest.raises(MissingTechnique):
        Techniques(files / "starter").unfinished("rewrit")


def test_an_earlier_exercise_that_cannot_be_read_is_named(files, opened, capsys):
    (files / "starter" / "rewrite.py").write_text("def broken(:\n", encoding="utf-8")
    start_function("05_router", needs=("rewrite",))
    shown = capsys.readouterr().out
    assert "SyntaxError" in shown and "01_rewriting.ipynb" in shown
    with pytest.raises(MissingTechnique):
        start_function("05_router", needs=("rewrit",))


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"MOCK": "yes"}, ["MOCK=yes", "replay"]),
        ({"MOCK": "0"}, ["ANTHROPIC_API_KEY"]),
        ({"QUERYLAB_TRACK": "teacher"}, ["QUERYLAB_TRACK=teacher"]),
    ],
)
def test_faults_of_the_environment_end_in_a_mend(monkeypatch, capsys, variables, words):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(StartError):
        start_function("00_baseline")
    shown = capsys.readouterr().out
    assert "✗ 环境变量" in shown
    for word in words:
        assert word in shown


def test_a_missing_package_is_named_with_its_mend(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(StartError):
        start_function("00_baseline")
    assert "缺少 rjieba：在终端运行 pip install -r requirements.txt" in capsys.readouterr().out


def test_a_missing_reference_is_named_on_the_solution_track(files, monkeypatch, capsys):
    monkeypatch.setenv("QUERYLAB_TRACK", "solution")
    shutil.rmtree(files / "solution")
    with pytest.raises(StartError):
        start_function("02_hyde")
    assert "找不到 solution/" in capsys.readouterr().out


def test_a_lab_without_the_reference_cannot_borrow(files, lab):
    (files / "solution" / "hyde.py").unlink()
    student = Lab(lab.corpus, lab.retriever, lab.client, Techniques.of_track("starter"))
    with pytest.raises(settings.SettingError, match="hyde"):
        student.borrow("hyde")
    assert student.techniques.borrowed == frozenset()


# ── import querylab ─────────────────────────────────────────────────────────────────────────────
def test_functions_are_not_hidden_by_the_modules_of_their_names():
    for name in ("start", "evaluate"):
        assert inspect.isfunction(getattr(querylab, name))
        __import__(f"querylab.{'lesson' if name == 'start' else 'measure'}.{name}")
        assert inspect.isfunction(getattr(querylab, name))
    with pytest.raises(AttributeError, match="no_such_name"):
        querylab.no_such_name  # noqa: B018
