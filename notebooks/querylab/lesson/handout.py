"""What a student is handed: a solution module with the parts removed that the student writes.

The starter modules and the notebooks' exercise cells are made from ``solution/`` by this one
function, so that names, signatures and docstrings cannot drift apart. ``python -m checks.handout``
writes them.
"""

import ast
from pathlib import Path

from querylab.pipeline.techniques import EXERCISES, Exercise


def starter_text(solution: Path) -> str:
    """Make the starter text of one solution module.

    Kept: the module docstring, imports, and every function of the exercise with its signature and
    docstring; its body becomes ``raise Unfinished``. An assignment that the exercise names becomes
    ``= None`` under the comment lines above it. Everything else is the solution's own and dropped.

    Args:
        solution: path of a module in ``solution/``.

    Returns:
        Python source.

    Raises:
        KeyError: for a module that is no exercise.
        ValueError: when an exercise's name is not defined in it, or a function has no docstring.
    """
    exercise = EXERCISES[solution.stem]
    source = solution.read_text(encoding="utf-8")
    lines = source.splitlines()
    tree = ast.parse(source)
    parts: list[str] = [f'"""{ast.get_docstring(tree, clean=False)}"""', ""]
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    kept = ["\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in imports]
    unfinished = any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in _asked(tree, exercise))
    if unfinished:
        kept = _with_unfinished(kept)
    # The order that ruff's isort wants: the standard library, then this project; plain imports first.
    groups = [[line for line in kept if "querylab" not in line], [line for line in kept if "querylab" in line]]
    for group in filter(None, groups):
        parts += [*sorted(group, key=_import_order), ""]
    defined = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in exercise.functions:
            docstring = node.body[0]
            if ast.get_docstring(node) is None:
                raise ValueError(f"{solution}: {node.name} has no docstring to hand out.")
            head = "\n".join(lines[node.lineno - 1 : docstring.end_lineno])
            parts += ["", *([""] if parts[-1] else []), head, f'    raise Unfinished("{node.name}")', ""]
            defined.add(node.name)
        elif isinstance(node, ast.AnnAssign) and getattr(node.target, "id", None) in exercise.functions:
            name = node.target.id
            parts += [*_comments_above(lines, node.lineno), f"{name}: {ast.unparse(node.annotation)} = None"]
            defined.add(name)
    missing = set(exercise.functions) - defined
    if missing:
        raise ValueError(f"{solution} does not define {', '.join(sorted(missing))}.")
    return "\n".join(parts).rstrip() + "\n"


def _asked(tree: ast.Module, exercise: Exercise) -> list[ast.stmt]:
    return [node for node in tree.body if getattr(node, "name", None) in exercise.functions]


def _with_unfinished(imports: list[str]) -> list[str]:
    """Add ``Unfinished`` to the one import from ``querylab`` itself, in the order that ruff's isort wants."""
    door = "from querylab import "
    own = [line for line in imports if line.startswith(door)]
    names = {name.strip() for line in own for name in line.removeprefix(door).strip("()").split(",") if name.strip()}
    ordered = sorted(
        names | {"Unfinished"}, key=lambda name: (0 if name.isupper() else 1 if name[0].isupper() else 2, name)
    )
    return [line for line in imports if line not in own] + [door + ", ".join(ordered)]


def _import_order(line: str) -> tuple[bool, str]:
    return (line.startswith("from"), line.split()[1])


def _comments_above(lines: list[str], lineno: int) -> list[str]:
    start = lineno - 1
    while start > 0 and lines[start - 1].startswith("#"):
        start -= 1
    return lines[start : lineno - 1]
