"""Starter and solution: where technique functions come from, and what "not yet written" means.

Both tracks have the same modules, one a technique. A module is read from its file when a function is
needed, and again whenever the file has changed, so that an edit counts from the next run on.
"""

import ast
import importlib.util
import linecache
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from querylab import settings


@dataclass(frozen=True)
class Exercise:
    """One technique: its module, the names that the module defines, and the notebook that asks for it."""

    name: str
    functions: tuple[str, ...]
    notebook: str


EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise
    for exercise in (
        Exercise("rewrite", ("rewrite_query", "needs_rewrite"), "01_rewriting.ipynb"),
        Exercise("hyde", ("hypothetical_document", "hyde_queries"), "02_hyde.ipynb"),
        Exercise("multi_query", ("query_variants", "multi_query_search"), "03_multi_query.ipynb"),
        Exercise("step_back", ("step_back_query", "step_back_queries", "STEP_BACK_SYSTEM"), "04_step_back.ipynb"),
        Exercise("router", ("classify", "bridge_query", "route"), "05_router.ipynb"),
        Exercise("default_config", ("DEFAULT_CONFIG", "REASONS"), "07_ledger_and_default_config.ipynb"),
        Exercise("understanding", ("first_object", "understand", "raise_complexity"), "08_understanding.ipynb"),
        Exercise("scope_router", ("tier0", "choose_path"), "08_understanding.ipynb"),
        Exercise("sub_questions", ("sub_questions", "search_parts"), "09_sub_questions.ipynb"),
        Exercise("drift_guard", ("check_drift",), "10_drift_guard.ipynb"),
        Exercise("rewrite_cache", ("cache_key", "may_share"), "11_cache_and_deadlines.ipynb"),
    )
}


class Unfinished(NotImplementedError):
    """An exercise that has not been written yet: the one error that an unsolved notebook may end in."""

    def __init__(self, what: str) -> None:
        """Name the function; the message adds the notebook that asks for it."""
        exercise = exercise_of(what)
        where = f"：请先完成 notebooks/{exercise.notebook} 里的练习" if exercise else ""
        super().__init__(f"{what} 还没有写{where}。")
        self.what = what

    def _render_traceback_(self) -> list[str]:
        """Show two lines in a notebook: a long traceback would look like a mistake."""
        exercise = exercise_of(self.what)
        hint = f'\n  想先往下看，可以新建一个单元格运行 lab.borrow("{exercise.name}")，暂时借用参考答案。'
        return [f"○ 尚未完成 — {self}" + (hint if exercise else "")]


def exercise_of(name: str) -> Exercise | None:
    """Find the exercise that a function, or a module, belongs to."""
    if name in EXERCISES:
        return EXERCISES[name]
    return next((exercise for exercise in EXERCISES.values() if name in exercise.functions), None)


class MissingTechnique(AttributeError):
    """A technique module that lacks a function it should define."""


@dataclass(frozen=True)
class Techniques:
    """The technique functions of one track.

    Attributes:
        folder: holds one module a technique.
        functions: functions put in by name; they come before the folder's.
        borrowed: exercises taken from the reference solution instead.
    """

    folder: Path
    functions: Mapping[str, Any] = field(default_factory=dict)
    borrowed: frozenset[str] = frozenset()

    @classmethod
    def of_track(cls, track: settings.Track | Path | str) -> "Techniques":
        """Take ``starter``, ``solution``, or a folder.

        Raises:
            SettingError: when there is no such folder.
        """
        folder = {"starter": settings.STARTER_DIR, "solution": settings.SOLUTION_DIR}.get(str(track), Path(track))
        if not folder.is_dir():
            raise settings.SettingError(f"{str(track)!r} is neither 'starter' nor 'solution' nor a folder of modules.")
        return cls(folder)

    def using(self, **functions: Any) -> "Techniques":
        """Return the same track with some functions put in by name.

        Raises:
            MissingTechnique: for a name that no exercise defines.
        """
        for name in functions:
            if exercise_of(name) is None:
                raise MissingTechnique(f"No exercise defines {name!r}.")
        return replace(self, functions={**self.functions, **functions})

    def borrow(self, name: str) -> "Techniques":
        """Return the same track with one exercise taken from the reference solution.

        Raises:
            MissingTechnique: for an unknown exercise; lists the known ones.
        """
        if name not in EXERCISES:
            raise MissingTechnique(f"No exercise is called {name!r}. Known: {', '.join(EXERCISES)}.")
        return replace(self, borrowed=self.borrowed | {name})

    def give_back(self, name: str) -> "Techniques":
        """Return the same track with one exercise no longer borrowed."""
        return replace(self, borrowed=self.borrowed - {name})

    def get(self, name: str) -> Any:
        """Return one technique function (or ``DEFAULT_CONFIG`` / ``REASONS``).

        Raises:
            Unfinished: when its module is missing, or defines it as None.
            MissingTechnique: when the module is there but does not define it, or no exercise does.
        """
        if name in self.functions:
            if self.functions[name] is None:
                raise Unfinished(name)
            return self.functions[name]
        exercise = exercise_of(name)
        if exercise is None or name not in exercise.functions:
            raise MissingTechnique(f"No exercise defines {name!r}.")
        path = self.path(exercise)
        if not path.is_file():
            raise Unfinished(name)
        module = load_module(path)
        if not hasattr(module, name):
            raise MissingTechnique(f"{path} does not define {name}; it should define {', '.join(exercise.functions)}.")
        value = getattr(module, name)
        if value is None:
            raise Unfinished(name)
        return value

    def path(self, exercise: Exercise) -> Path:
        """Return the file that an exercise is read from."""
        folder = settings.SOLUTION_DIR if exercise.name in self.borrowed else self.folder
        return folder / f"{exercise.name}.py"

    def unfinished(self, name: str) -> list[str]:
        """List what of one exercise is not written yet, without calling anything.

        Args:
            name: an exercise.

        Returns:
            The functions that are missing, None, or still hold ``raise Unfinished``.

        Raises:
            MissingTechnique: for an unknown exercise.
            Whatever the module raises on import, such as SyntaxError.
        """
        if name not in EXERCISES:
            raise MissingTechnique(f"No exercise is called {name!r}. Known: {', '.join(EXERCISES)}.")
        exercise = EXERCISES[name]
        path = self.path(exercise)
        raising = _raising_unfinished(source_of(path)) if path.is_file() else set()
        missing = []
        for function in exercise.functions:
            try:
                self.get(function)
            except (Unfinished, MissingTechnique):
                missing.append(function)
            else:
                if function in raising and function not in self.functions:
                    missing.append(function)
        return missing


def _raising_unfinished(source: str) -> set[str]:
    """The functions of a module in which ``raise Unfinished`` still stands."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {function.name for function in functions if any(map(_is_raise_unfinished, ast.walk(function)))}


def _is_raise_unfinished(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and node.exc is not None and "Unfinished" in ast.unparse(node.exc)


_loaded: dict[Path, tuple[tuple[int, ...], types.ModuleType]] = {}


def load_module(path: Path) -> types.ModuleType:
    """Run a technique module from its file, as ``import`` would; again only when the file has changed.

    It stands in ``sys.modules`` under ``FOLDER.NAME``, where dataclasses and pydantic look for it; a byte order mark
    and a coding cookie are understood. No bytecode is written beside the student's files.

    Raises:
        Whatever the module raises on import, such as SyntaxError.
    """
    path = path.resolve()
    stat = path.stat()
    stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    if path not in _loaded or _loaded[path][0] != stamp:
        linecache.checkcache(str(path))
        module = types.ModuleType(f"{path.parent.name}.{path.stem}")
        module.__file__ = str(path)
        code = compile(source_of(path), str(path), "exec", dont_inherit=True)
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)
        _loaded[path] = (stamp, module)
    return _loaded[path][1]


def source_of(path: Path) -> str:
    """Read Python source in whatever encoding it declares.

    Raises:
        SyntaxError, UnicodeDecodeError: when it cannot be decoded.
    """
    return importlib.util.decode_source(path.read_bytes())
