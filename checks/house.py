"""The house as it stands: its rooms, the files in them, who imports whom, and the map that CONTRIBUTING.md shows.

``python -m checks.house`` writes the map into CONTRIBUTING.md again.
"""

import ast
import re
from collections.abc import Mapping
from graphlib import TopologicalSorter
from pathlib import Path

from querylab import settings

PACKAGE = settings.ROOT / "notebooks" / "querylab"
GUIDE = settings.ROOT / "CONTRIBUTING.md"

ROOMS = (
    "settings", "types", "language", "text", "prompts",  # the ground
    "corpus", "retrieval", "models", "rules", "understanding", "guard", "pipeline", "measure", "lesson", "show",
    "commands", "__main__", "__init__",
)  # fmt: skip
"""From the bottom of the house to its roof. A module imports from rooms below its own, or from its own."""

_MAP = re.compile(r"(<!-- map -->\n```text\n).*?(```\n<!-- /map -->)", re.DOTALL)


def modules() -> dict[str, Path]:
    """Find every module of the helper package, by its name inside it."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "fonts" in path.relative_to(PACKAGE).parts:
            continue  # the script that made the font subset; nobody imports it
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


MODULES = modules()


def room(module: str) -> str:
    """Name the room that a module stands in: itself, or the package around it; "" for a homeless one."""
    while module and module not in ROOMS:
        module = module.rpartition(".")[0]
    return module


def imported(path: Path) -> set[str]:
    """Name every module of querylab that a file imports, at its top or inside a function; TYPE_CHECKING counts too.

    Raises:
        ValueError: for a relative import.
    """
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{path}:{node.lineno} imports relatively; write the whole name.")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    inside = {name.removeprefix("querylab").lstrip(".") for name in names if name.split(".")[0] == "querylab"}
    return {_module_of(name) for name in inside}


def _module_of(name: str) -> str:
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name or "__init__"


def arrows() -> dict[str, set[str]]:
    """Give for every module those that it imports. A package's own face imports its parts, never the reverse."""
    found = {module: imported(path) - {module} for module, path in MODULES.items()}
    return {
        module: {other for other in others if not module.startswith(f"{other}.")} for module, others in found.items()
    }


def order(graph: Mapping[str, set[str]]) -> list[str]:
    """Put modules in order, each above those that it imports.

    Raises:
        graphlib.CycleError: when there is no such order: somebody imports in a circle.
    """
    sorter = TopologicalSorter({module: sorted(others) for module, others in sorted(graph.items())})
    sorter.prepare()
    placed: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        placed += ready
        sorter.done(*ready)
    return placed


def house_map() -> str:
    """Draw the house: every room from the roof down, its doorplate, its files from the top down, its arrows."""
    graph = arrows()
    placed = order(graph)
    lines = []
    for name in reversed(ROOMS[: ROOMS.index("__main__")]):
        inside = [module for module in reversed(placed) if room(module) == name and module != name]
        others = {room(other) for module in [name, *inside] for other in graph[module]} - {name, "__init__"}
        plate = (ast.get_docstring(ast.parse(MODULES[name].read_text(encoding="utf-8"))) or "").splitlines()[0]
        lines.append(f"{name:14}{plate}")
        files = [module.removeprefix(f"{name}.") for module in inside]
        uses = [below for below in reversed(ROOMS) if below in others]
        lines += _wrapped("files  ", files) + _wrapped("uses   ", uses)
    return "\n".join(lines) + "\n"


def _wrapped(label: str, names: list[str], width: int = 100) -> list[str]:
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + len(name) + 1 <= width:
            lines[-1] += f" {name}"
        else:
            lines.append(f"{'':14}{label if not lines else '':7}{name}")
    return lines


def with_map(guide: str) -> str:
    """Put the map into the guide's text, in place of the one that stands there."""
    return _MAP.sub(lambda found: found[1] + house_map() + found[2], guide)


def main() -> None:
    """Write the map into CONTRIBUTING.md."""
    GUIDE.write_text(with_map(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
