"""The judge's end of a sitting: functions that look like the student's own, and run in the student's process.

In: a folder and an exercise. Out: a :class:`Sitting`, whose :class:`Far` functions are called, awaited, inspected and
cancelled like any other. Both sides work in turn: the judge says something and then stands still until the student's
process has nothing left to do. So a gather is a gather, a virtual clock stays exact, and the same hand-in always gives
the same sequence of events.
"""

import asyncio
import builtins
import inspect
import pickle
import select
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from querylab.models import reply
from querylab.pipeline.techniques import EXERCISES, Exercise, MissingTechnique, Techniques, Unfinished

from checks.judge import wire
from checks.judge.house import house
from checks.verdict import Ended, TooLong

SECONDS = 8.0
"""Longest time for which a student's code may compute before it asks or returns."""
POLL_SECONDS = 0.004


class FarError(Exception):
    """An exception of the student's own making, of a kind that the judge does not have."""


class Sitting:
    """One module of one hand-in, loaded in a process of its own. Use as a context manager, or :meth:`close` it."""

    def __init__(
        self, folder: Path, exercise: Exercise, changes: Mapping[str, Any] | None = None, seconds: float = SECONDS
    ) -> None:
        self.folder, self.exercise, self.changes, self.seconds = folder, exercise, dict(changes or {}), seconds
        self.line, self.process, self.place = house().sit(folder, exercise.name, exercise.functions, self.changes)
        self.number = self.said = self.rested = 0
        self.timers = self.closed = False
        self.spent = 0.0  # seconds that the last call took over there, by its own clock
        self.things: list[Any] = []
        self.done: dict[int, dict[str, Any]] = {}
        self.futures: dict[int, asyncio.Future[None]] = {}
        self.answering: dict[int, asyncio.Task[None]] = {}
        self.denied: list[str] = []
        self.others: list[Sitting] = []
        self.names: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "Sitting":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """End the student's process, and every further session of it."""
        if not self.closed:
            self.closed = True
            self.line.close()
            house().end(self.process)
            shutil.rmtree(self.place, ignore_errors=True)
        for other in self.others:
            other.close()

    def printed(self) -> str:
        """What the student's code has printed so far."""
        try:
            return (self.place / "output.txt").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def load(self) -> "Sitting":
        """Load the module.

        Raises:
            Unfinished: when there is no such file.
            Whatever the module raises.
        """
        told = self._result(self._order("load"))
        value = told.get("value")
        if not isinstance(value, dict):
            raise Ended("the module's names are not told")
        if value.get("missing") == "file":
            raise Unfinished(self.exercise.name)
        self.names = {str(name): item for name, item in value.items() if isinstance(item, dict)}
        return self

    def get(self, name: str) -> Any:
        """Give one name of the module, as :meth:`querylab.pipeline.techniques.Techniques.get` does."""
        told = self.names.get(name)
        path = self.folder / f"{self.exercise.name}.py"
        if told is None:
            wanted = ", ".join(self.exercise.functions)
            raise MissingTechnique(f"{path} does not define {name}; it should define {wanted}.")
        if told.get("is") == "nothing":
            raise Unfinished(name)
        if told.get("is") == "value":
            return wire.unpack(self._result(self._order("value", name)).get("value"))
        return Far(self, name, told)

    def again(self, **changes: Any) -> "Sitting":
        """Open the same module in another session: another process, another day, other settings."""
        other = Sitting(self.folder, self.exercise, {**self.changes, **changes}, self.seconds)
        self.others.append(other)
        return other.load()

    # ── calls ───────────────────────────────────────────────────────────────────────────────────
    def call(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Call a function; what has to be awaited comes back as something to await."""
        plain = [argument for argument in arguments if isinstance(argument, list | dict)]
        number = self._order("call", name, tuple(map(self._outside, arguments)), dict(keywords))
        told = self._result(number, plain)
        self.spent = float(told.get("spent") or 0.0)
        if told.get("kind") == "awaitable":
            return _Given(self, number, plain)
        if told.get("kind") == "generator":
            return _generator()
        return wire.unpack(told.get("value"))

    async def wait(self, number: int, plain: list[Any]) -> Any:
        """Await what a function returned."""
        self.futures[number] = asyncio.get_running_loop().create_future()
        self._tell("await", number)
        try:
            while number not in self.done:
                if self.timers and not self.answering:
                    await asyncio.sleep(POLL_SECONDS)
                    self._hear(False)
                    continue
                try:
                    await asyncio.wait([self.futures[number]], timeout=POLL_SECONDS if self.timers else None)
                except asyncio.CancelledError:
                    self._tell("cancel", number)
                if self.futures[number].done() and self.futures[number].exception() is not None:
                    raise self.futures[number].exception()
                if self.timers:
                    self._hear(False)
        finally:
            self.futures.pop(number, None)
        return wire.unpack(self._settled(self.done.pop(number), plain).get("value"))

    def _order(self, what: str, *rest: Any) -> int:
        self.number += 1
        self._tell(what, self.number, *rest)
        return self.number

    def _result(self, number: int, plain: Sequence[Any] = ()) -> dict[str, Any]:
        if number not in self.done:
            raise Ended("no answer")
        return self._settled(self.done.pop(number), plain)

    def _settled(self, told: dict[str, Any], plain: Sequence[Any]) -> dict[str, Any]:
        """Let the arguments change as the student changed them, and raise what was raised."""
        after = told.get("after")
        for argument, item in zip(plain, after if isinstance(after, list) else (), strict=False):
            changed = wire.unpack(item)
            if type(changed) is type(argument) and changed != argument:
                argument.clear()
                argument.extend(changed) if isinstance(argument, list) else argument.update(changed)
        if isinstance(told.get("error"), dict):
            raise self._raised(told["error"])
        return told

    # ── the line ────────────────────────────────────────────────────────────────────────────────
    def _tell(self, what: str, number: int, *rest: Any) -> None:
        """Say one thing, and stand still until the student's process is at rest again."""
        self.said += 1
        try:
            wire.send(self.line, pickle.dumps((what, number, *rest)))
        except OSError as error:
            raise Ended("the process has ended") from error
        self._hear(True)

    def _hear(self, until_rest: bool) -> None:
        """Read what the student's process says: until it is at rest, or what is there already."""
        until = time.monotonic() + self.seconds
        while self.rested < self.said if until_rest else select.select([self.line], [], [], 0)[0]:
            self.line.settimeout(max(0.01, until - time.monotonic()))
            try:
                said = wire.read(wire.receive(self.line))
            except TimeoutError as error:
                raise TooLong(self.seconds) from error
            except OSError as error:
                raise Ended("the process has ended") from error
            if time.monotonic() > until:
                raise TooLong(self.seconds)
            self._heard(said)

    def _heard(self, said: dict[str, Any]) -> None:
        if "rest" in said:
            self.rested, self.timers = int(said["rest"]), bool(said.get("timers"))
        elif "done" in said:
            self.done[said["done"]] = said
            future = self.futures.get(said["done"])
            if future is not None and not future.done():
                future.set_result(None)
        elif "ask" in said:
            self.answering[said["ask"]] = asyncio.get_running_loop().create_task(self._answer(said))
        elif "drop" in said:
            if said["drop"] in self.answering:
                self.answering[said["drop"]].cancel()
        elif "at_once" in said:
            method, arguments, keywords = self._asked(said["at_once"], said)
            try:
                answer = (method(*arguments, **keywords), None)
            except Exception as error:  # it is the student's to catch
                answer = (None, error)
            wire.send(self.line, pickle.dumps(("at once", *answer)))
        elif "denied" in said:
            self.denied.append(str(said["denied"])[:100])

    def _asked(self, thing: Any, said: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
        try:
            found = self.things[thing]
            method = getattr(found.messages if said["method"] == "create" else found, said["method"])
            if said["method"] not in ("create", "retrieve", "retrieve_many", "encode"):
                raise wire.Broken("no such method")
            return method, wire.unpack(said["arguments"]), wire.unpack(said["keywords"])
        except (LookupError, TypeError, AttributeError) as error:
            raise Ended("it asks what nobody understands") from error

    async def _answer(self, said: dict[str, Any]) -> None:
        number = said["ask"]
        value, failure = None, None
        try:
            method, arguments, keywords = self._asked(said["thing"], said)
            value = await method(*arguments, **keywords)
        except asyncio.CancelledError:
            self.answering.pop(number, None)
            raise
        except BaseException as error:  # it is the student's to catch, or to let through
            failure = error
        self.answering.pop(number, None)
        if self.closed:
            return
        try:
            self._tell("answer", number, value, _portable(failure))
        except (Ended, TooLong) as error:
            for future in self.futures.values():
                if not future.done():
                    future.set_exception(error)

    def _outside(self, argument: Any) -> Any:
        """Write an argument for the other side: a client, a retriever and an encoder stay here and are asked for."""
        waits = ["create"] if hasattr(argument, "messages") else []
        waits += [name for name in ("retrieve", "retrieve_many") if callable(getattr(argument, name, None))]
        at_once = ["encode"] if callable(getattr(argument, "encode", None)) and not isinstance(argument, str) else []
        if not waits and not at_once:
            return argument
        self.things.append(argument)
        return ("ask", len(self.things) - 1, tuple(waits), tuple(at_once))

    def _raised(self, told: dict[str, Any]) -> BaseException:
        """Make the exception that the student's code raised, or one that says what it was."""
        words, kind = str(told.get("words", "")), str(told.get("kind", "Exception"))
        lab = [str(name) for name in told.get("lab") or ()]
        error: BaseException
        if "Unfinished" in lab:
            error = Unfinished(str(told.get("what", "")))
        elif lab and hasattr(reply, lab[0]) and issubclass(getattr(reply, lab[0]), reply.ModelError):
            error = getattr(reply, lab[0])(words)
        elif kind == "CancelledError":
            error = asyncio.CancelledError(words)
        else:
            error = _builtin(kind, [str(name) for name in told.get("kinds") or ()], words)
        place = told.get("place")
        if isinstance(place, list) and len(place) == 2:
            error.student_place = f"{self.exercise.name}.py 第 {place[0]} 行" + (f"：{place[1]}" if place[1] else "")
        error.student_kind = kind
        return error


def _builtin(kind: str, kinds: list[str], words: str) -> BaseException:
    for name in kinds:
        found = getattr(builtins, name, None)
        if isinstance(found, type) and issubclass(found, Exception) and name not in ("Exception", "UnicodeDecodeError"):
            try:
                return type(kind, (found,), {})(words) if kind != name else found(words)
            except TypeError:  # it takes other arguments
                continue
    return type(kind, (FarError,), {})(words)


def _portable(error: BaseException | None) -> BaseException | None:
    if error is None:
        return None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # an exception that does not survive its own pickling
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


class Far:
    """A student's function, called from here and run over there."""

    def __init__(self, sitting: Sitting, name: str, told: Mapping[str, Any]) -> None:
        self.sitting, self.__name__ = sitting, name
        parameters = told.get("parameters")
        if isinstance(parameters, list):
            self.__signature__ = inspect.Signature(
                [
                    inspect.Parameter(
                        str(name), inspect._ParameterKind(kind), default=None if default else inspect.Parameter.empty
                    )
                    for name, kind, default in parameters
                ]
            )
        line = told.get("line")
        self.place = f"{sitting.exercise.name}.py 第 {line} 行：{name}" if line else ""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call it over there."""
        return self.sitting.call(self.__name__, arguments, keywords)

    def again(self, **changes: Any) -> Any:
        """Give the same function of another session (see :meth:`Sitting.again`)."""
        return self.sitting.again(**changes).get(self.__name__)


@dataclass
class _Given:
    """What a student's function returned to be awaited."""

    sitting: Sitting
    number: int
    plain: list[Any]

    def __await__(self) -> Any:
        return self.sitting.wait(self.number, self.plain).__await__()


async def _generator() -> Any:
    """Stand for the asynchronous generator that a function with ``yield`` has become."""
    yield None


@dataclass(frozen=True)
class HandedIn(Techniques):
    """Techniques of a hand-in, of which one exercise is judged; what the check borrows is the reference's."""

    sitting: Sitting | None = None

    def get(self, name: str) -> Any:
        """Return one function: the student's, run in the student's process; never loaded here."""
        exercise = next((item for item in EXERCISES.values() if name in item.functions), None)
        if exercise is not None and exercise.name in self.borrowed:
            return super().get(name)
        if name in self.functions or self.sitting is None or exercise is None:
            return super().get(name)
        if exercise.name != self.sitting.exercise.name:
            raise MissingTechnique(f"{exercise.name} is not what is judged here.")
        return self.sitting.get(name)
