"""What a check can say: passed, not yet written, or wrong and where; and how a check is run safely.

A check runs in a thread of its own with a deadline, because a notebook's event loop is already
running and because a student's ``while True`` must end in a sentence, not in a frozen kernel.
"""

import asyncio
import ctypes
import sysconfig
import threading
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from querylab.pipeline.techniques import MissingTechnique, Unfinished

State = Literal["passed", "unfinished", "wrong"]
MARKS: dict[State, str] = {"passed": "✓ 通过", "unfinished": "○ 尚未完成", "wrong": "✗ 不对"}
DEADLINE_SECONDS = 20.0


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check.

    Attributes:
        id: name of the check.
        state: passed, not yet written, or wrong.
        message: what was measured, or the first case that differs.
        missing: the function that is not yet written, when that is the state.
    """

    id: str
    state: State
    message: str
    missing: str = ""

    def __str__(self) -> str:
        return f"{MARKS[self.state]} · {self.id} — {self.message}"


_NOTHING: Any = object()
"""Stands for what a message does not speak of; None is a value that a student's function may return."""


class Wrong(AssertionError):
    """The first case in which the work differs from what must hold."""

    def __init__(
        self, what: str, *, asked: Any = None, got: Any = _NOTHING, expected: Any = _NOTHING, look: str = ""
    ) -> None:
        parts = [what]
        for name, value in (("问的是", _NOTHING if asked is None else asked), ("得到", got), ("应该是", expected)):
            if value is not _NOTHING:
                parts.append(f"  {name}：{value if isinstance(value, str) else repr(value)}")
        if look:
            parts.append(f"  去看：{look}")
        super().__init__("\n".join(parts))


class CheckFailed(AssertionError):
    """Raised by an acceptance cell whose exercise is wrong; a notebook shows its message alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class _Deadline(BaseException):
    """Put into the check's thread when its time is up; no ``except Exception`` of a student's stops it."""


class Ended(RuntimeError):
    """The student's process ended, or said what nobody understands, before it gave an answer."""


class TooLong(RuntimeError):
    """The student's code did not come to rest within some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no rest within {seconds:g} s")
        self.seconds = seconds


def run(check_id: str, check: Callable[[], Awaitable[str]], deadline: float = DEADLINE_SECONDS) -> Verdict:
    """Run one check to its verdict.

    Args:
        check_id: name of the check.
        check: coroutine function that returns a sentence on success and raises otherwise.
        deadline: seconds after which the work counts as never ending.

    Returns:
        ``passed``, ``unfinished`` when :class:`Unfinished` came out of it, else ``wrong``: with the
        check's own words, or with the place in the student's code where an exception arose.
    """
    outcome: list[Verdict] = []

    def work() -> None:
        try:
            outcome.append(Verdict(check_id, "passed", asyncio.run(check())))
        except Unfinished as error:
            outcome.append(_unfinished(check_id, error))
        except Wrong as error:
            outcome.append(Verdict(check_id, "wrong", str(error)))
        except _Deadline:
            outcome.append(Verdict(check_id, "wrong", _too_long(deadline)))
        except BaseException as error:  # a student's code may raise anything: it is the verdict, not lost
            outcome.append(_from_exception(check_id, error))

    thread = threading.Thread(target=work, name=f"check-{check_id}", daemon=True)
    thread.start()
    thread.join(deadline)
    if thread.is_alive():
        _interrupt(thread)
        thread.join(2.0)
    return outcome[0] if outcome else Verdict(check_id, "wrong", _too_long(deadline))


def _interrupt(thread: threading.Thread) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Deadline))


def _too_long(deadline: float) -> str:
    return f"{deadline:.0f} 秒还没有结束。\n  去看：代码里有没有停不下来的循环，或者等待一个永远不会来的结果"


def _unfinished(check_id: str, error: Unfinished) -> Verdict:
    return Verdict(check_id, "unfinished", str(error), error.what)


def _from_exception(check_id: str, error: BaseException) -> Verdict:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, Unfinished):
        return _unfinished(check_id, error)
    if isinstance(error, Wrong):
        return Verdict(check_id, "wrong", str(error))
    if isinstance(error, TooLong):
        return Verdict(check_id, "wrong", _too_long(error.seconds))
    if isinstance(error, Ended):
        return Verdict(check_id, "wrong", _ENDED)
    what = in_words(error)
    place = student_place(error)
    return Verdict(check_id, "wrong", what + (f"\n  去看：{place}" if place else ""))


def in_words(error: BaseException) -> str:
    """Say what was raised, in the student's terms."""
    if isinstance(error, RecursionError):
        return f"函数一直在调用自己，停不下来（{type(error).__name__}: {error}）"
    if isinstance(error, MissingTechnique):
        return f"练习里少了一个要写的函数（名字要和练习里的一样）：{error}"
    return f"运行时出错：{type(error).__name__}: {error}"


_ENDED = "程序没有给出结果就结束了。\n  去看：代码里有没有 os._exit、sys.exit 这样结束程序的调用，有没有占用太多内存"

_LIBRARIES = tuple(
    {
        form
        for name in ("stdlib", "platstdlib")
        for form in (Path(sysconfig.get_path(name)), Path(sysconfig.get_path(name)).resolve())
    }
)


def student_place(error: BaseException) -> str:
    """Name the last line of a traceback that is not the lab's own code nor a library's; "" when there is none.

    A module that Python cannot read has no such line: its file and line are in the error itself. An error that came
    from the student's own process brings its place with it.
    """
    told = getattr(error, "student_place", "")
    if told:
        return told
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_students(frame.filename)]
    if isinstance(error, SyntaxError) and error.filename and _is_students(error.filename):
        return place(error.filename, error.lineno or 1, (error.text or "").strip())
    return place(frames[-1].filename, frames[-1].lineno or 1, frames[-1].line or frames[-1].name) if frames else ""


def place(filename: str, line: int, text: str = "") -> str:
    """Write a place in a student's code: a file's name, or the exercise cell, and the line."""
    path = Path(filename)
    cell = path.parent.name.startswith("ipykernel") or path.suffix != ".py"
    return f"{'练习单元格' if cell else path.name} 第 {line} 行" + (f"：{text}" if text else "")


def _is_students(filename: str) -> bool:
    checks = Path(__file__).parent
    path = Path(filename)
    lab = path.parent == checks or path.is_relative_to(checks.parent / "notebooks" / "querylab")
    frozen = filename.startswith("<") and not filename.startswith("<ipython")  # <frozen importlib>, <string>
    library = "site-packages" in path.parts or any(path.is_relative_to(folder) for folder in _LIBRARIES)
    return not (lab or frozen or library)
