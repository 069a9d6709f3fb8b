"""The process in which a student's code runs: no judge, no answers, no key, no network, no way out of its own folder.

Run as a script with ``python -I``. It loads the lab once and then waits (``main``); for every sitting the judge sends a
socket, and a fork of this process serves it (``Sitting``): it loads the student's module, calls its functions, and
passes on what they ask of the model and the retriever. Those stand on the judge's side, as do all expectations.
"""

import asyncio
import datetime
import inspect
import os
import pickle
import queue
import random
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "notebooks")]

import fence  # noqa: E402
import wire  # noqa: E402


class _Turns(selectors.DefaultSelector):
    """A selector that says when the event loop has nothing left to do but wait."""

    at_rest: Callable[[bool], None]

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None or timeout > 0:
            self.at_rest(timeout is not None)
        return super().select(timeout)


class Sitting:
    """One module of one student, served over one socket until the socket ends."""

    def __init__(self, line: socket.socket, folder: Path, exercise: str, names: tuple[str, ...]) -> None:
        self.line, self.exercise, self.names = line, exercise, names
        self.path = folder / f"{exercise}.py"
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.given: dict[int, Any] = {}  # awaitables that a function returned
        self.tasks: dict[int, asyncio.Task[Any]] = {}
        self.answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self.number = 0
        self.heard = 0
        self.lock = threading.Lock()

    def serve(self) -> None:
        """Serve until the line ends."""
        turns = _Turns()
        turns.at_rest = self.at_rest
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(turns)) as runner:
            runner.run(self.run())

    async def run(self) -> None:
        """Listen, and let the loop do what is heard."""
        self.loop = asyncio.get_running_loop()
        self.loop.set_exception_handler(lambda loop, context: None)
        self.ended = self.loop.create_future()
        threading.Thread(target=self.listen, daemon=True).start()
        await self.ended

    # ── lines ───────────────────────────────────────────────────────────────────────────────────
    def listen(self) -> None:
        """Read the judge's frames: an answer to a call that blocks goes to it, anything else to the loop."""
        try:
            while True:
                what, *rest = pickle.loads(wire.receive(self.line))
                if what == "at once":
                    self.answers.put(tuple(rest))
                else:
                    self.loop.call_soon_threadsafe(self.hear, what, *rest)
        except (OSError, EOFError):
            os._exit(0)

    def say(self, **parts: Any) -> None:
        """Send one frame."""
        payload = wire.frame(**parts)
        with self.lock:
            wire.send(self.line, payload)

    def at_rest(self, timers: bool) -> None:
        """Say that everything heard so far is done, or waits; and whether it waits for a clock or a thread."""
        if self.heard:
            self.say(rest=self.heard, timers=timers or threading.active_count() > 2)

    def hear(self, what: str, number: int, *rest: Any) -> None:
        """Do what the judge says."""
        self.heard += 1
        getattr(self, f"on_{what}")(number, *rest)

    # ── what the judge asks ─────────────────────────────────────────────────────────────────────
    def on_load(self, number: int) -> None:
        """Load the module, and say what it defines."""
        from querylab.pipeline.techniques import load_module

        try:
            if not self.path.is_file():
                return self.say(done=number, value={"missing": "file"})
            module = load_module(self.path)
            self.functions = {name: getattr(module, name) for name in self.names if hasattr(module, name)}
            self.say(done=number, value={name: _described(value) for name, value in self.functions.items()})
        except BaseException as error:  # whatever a module raises is told
            self.fail(number, error)

    def on_value(self, number: int, name: str) -> None:
        """Tell a value that the module defines."""
        self.say(done=number, value=wire.pack(self.functions[name]))

    def on_call(self, number: int, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Call a function; what must be awaited is kept until the judge asks for it."""
        arguments = tuple(self._inside(argument) for argument in arguments)
        plain = [argument for argument in arguments if isinstance(argument, list | dict)]
        try:
            start = time.perf_counter()
            got = self.functions[name](*arguments, **keywords)
            spent = time.perf_counter() - start
            kind = "generator" if inspect.isasyncgen(got) else "awaitable" if inspect.isawaitable(got) else "value"
            if kind == "awaitable":
                self.given[number] = (got, plain)
            self.say(
                done=number,
                kind=kind,
                spent=spent,
                value=None if kind != "value" else wire.pack(got),
                after=[wire.pack(item) for item in plain],
            )
        except BaseException as error:
            self.fail(number, error, plain)

    def on_await(self, number: int) -> None:
        """Await what a call returned."""
        self.tasks[number] = self.loop.create_task(self._awaited(number, *self.given.pop(number)))

    async def _awaited(self, number: int, given: Any, plain: list[Any]) -> None:
        try:
            got = wire.pack(await given)
            self.say(done=number, kind="value", value=got, after=[wire.pack(item) for item in plain])
        except BaseException as error:
            self.fail(number, error, plain)

    def on_cancel(self, number: int) -> None:
        """Cancel it."""
        if number in self.tasks:
            self.tasks[number].cancel()

    def on_answer(self, number: int, value: Any, error: BaseException | None) -> None:
        """Give the judge's answer to whoever waits for it."""
        future = self.waiting.pop(number, None)
        if future is not None and not future.done():
            future.set_exception(error) if error is not None else future.set_result(value)

    def fail(self, number: int, error: BaseException, plain: list[Any] | None = None) -> None:
        """Tell what was raised: its kinds by name, its words, its place in the student's file."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ in ("builtins", "asyncio.exceptions")]
        lab = [kind.__name__ for kind in type(error).__mro__ if kind.__module__.startswith("querylab.")]
        try:
            words = str(error)[: wire.SHOWN]
        except Exception as broken:
            words = f"<str raises {type(broken).__name__}>"
        told = {
            "kind": type(error).__name__,
            "lab": lab,
            "kinds": kinds,
            "words": words,
            "place": _place(error, self.path),
            "what": str(getattr(error, "what", "")),
        }
        self.say(done=number, error=told, after=[wire.pack(item) for item in plain or ()])

    # ── what the student asks ───────────────────────────────────────────────────────────────────
    def _inside(self, argument: Any) -> Any:
        return _Ask(self, *argument) if isinstance(argument, tuple) and argument[:1] == ("ask",) else argument

    async def ask(self, thing: int, method: str, arguments: Any, keywords: Any) -> Any:
        """Ask the judge, and wait."""
        self.number += 1
        number, future = self.number, self.loop.create_future()
        self.waiting[number] = future
        self.say(
            ask=number, thing=thing, method=method, arguments=wire.pack(list(arguments)), keywords=wire.pack(keywords)
        )
        try:
            return await future
        except asyncio.CancelledError:
            self.waiting.pop(number, None)
            self.say(drop=number)
            raise

    def ask_at_once(self, thing: int, method: str, arguments: Any, keywords: Any) -> Any:
        """Ask the judge, and stand still until it answers."""
        self.say(at_once=thing, method=method, arguments=wire.pack(list(arguments)), keywords=wire.pack(keywords))
        value, error = self.answers.get()
        if error is not None:
            raise error
        return value


class _Ask:
    """Stands for a client, a retriever or an encoder of the judge's."""

    def __init__(self, sitting: Sitting, _: str, thing: int, waits: tuple[str, ...], at_once: tuple[str, ...]) -> None:
        for name in waits:
            setattr(self, name, _waiting(sitting, thing, name))
        for name in at_once:
            setattr(self, name, lambda *a, _name=name, **k: sitting.ask_at_once(thing, _name, a, k))
        if "create" in waits:
            self.messages = self


def _waiting(sitting: Sitting, thing: int, name: str) -> Callable[..., Any]:
    async def method(*arguments: Any, **keywords: Any) -> Any:
        return await sitting.ask(thing, name, arguments, keywords)

    method.__name__ = name
    return method


def _described(value: Any) -> dict[str, Any]:
    """Say what a name of the module is: None, a function with its parameters and its line, or something else."""
    if value is None:
        return {"is": "nothing"}
    if not callable(value):
        return {"is": "value", "shown": repr(value)[: wire.SHOWN]}
    code = getattr(inspect.unwrap(value), "__code__", None)
    try:
        parameters = [
            [parameter.name, int(parameter.kind), parameter.default is not inspect.Parameter.empty]
            for parameter in inspect.signature(value).parameters.values()
        ]
    except (TypeError, ValueError):  # something built in, which tells no signature
        parameters = None
    return {"is": "function", "parameters": parameters, "line": code.co_firstlineno if code else 0}


def _place(error: BaseException, path: Path) -> list[Any]:
    """The last line of the student's own file in a traceback: its number and its text."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return [error.lineno or 1, (error.text or "").strip()[: wire.SHOWN]]
    import traceback

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return [frames[-1].lineno or 1, (frames[-1].line or frames[-1].name)[: wire.SHOWN]] if frames else []


class _Later(datetime.datetime):
    """``datetime.datetime``, by a clock that goes by ``time.time``."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "_Later":
        """By :func:`time.time`."""
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls) -> "_Later":
        """By :func:`time.time`."""
        return cls.fromtimestamp(time.time(), datetime.UTC).replace(tzinfo=None)


# ── another session ─────────────────────────────────────────────────────────────────────────────
def _elsewhere(changes: dict[str, Any]) -> None:
    """Make this process another day, another ``hash``, other thresholds: before the student's module is loaded."""
    import builtins

    from querylab import prompts, settings
    from querylab.prompts import texts

    for name, value in changes.items():
        if name == "another_process":
            for function in ("hash", "id"):
                real = getattr(builtins, function)
                setattr(builtins, function, lambda item, real=real: real(item) ^ 5)
        elif name == "days":
            real_time = time.time
            time.time = lambda real=real_time, days=value: real() + days * 24 * 3600
            datetime.datetime = _Later
        elif name == "VERSION":
            prompts.VERSION = texts.VERSION = value
        else:
            setattr(settings, name, value)


def _sit(line: socket.socket, order: dict[str, Any]) -> None:
    """Serve one sitting in this forked process, and end it."""
    os.setsid()
    folder = Path(order["folder"])
    output = os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    line = socket.socket(fileno=fcntl_above(line))
    os.closerange(3, line.fileno())
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    os.chdir(folder)
    random.seed(os.urandom(16))
    sitting = Sitting(line, folder / "starter", order["exercise"], tuple(order["names"]))
    _elsewhere(order["changes"])
    fence.limits(order["seconds"], order["bytes"])
    fence.close(folder, [Path(place) for place in order["closed"]], lambda act: sitting.say(denied=act))
    sitting.serve()


def fcntl_above(line: socket.socket) -> int:
    """Move the socket's number out of the way: the low ones are a student's to close."""
    import fcntl

    number = fcntl.fcntl(line.fileno(), fcntl.F_DUPFD_CLOEXEC, 200)
    line.close()
    return number


def main() -> None:
    """Wait for sittings; end when the judge's end of the line is closed."""
    control = socket.socket(fileno=int(sys.argv[1]))
    import anthropic.types  # noqa: F401
    import numpy  # noqa: F401
    import querylab.guard.drift
    import querylab.guard.sharing
    import querylab.pipeline.config
    import querylab.pipeline.techniques
    import querylab.retrieval.fuse
    import querylab.understanding.lexicon
    import querylab.understanding.parse  # noqa: F401

    warm_up()
    running: set[int] = set()
    wire.send(control, b"ready")
    while True:
        try:
            payload, lines, _, _ = socket.recv_fds(control, 1 << 16, 4)
        except OSError:
            payload, lines = b"", []
        while running and (gone := _reaped()):
            running.discard(gone)
        if not payload:
            for process in running:
                _end(process)
            os._exit(0)
        order = pickle.loads(payload)
        if "end" in order:
            _end(order["end"])
            wire.send(control, b"ended")
            continue
        process = os.fork()
        if not process:
            try:
                control.close()
                _sit(socket.socket(fileno=lines[0]), order)
            finally:
                os._exit(0)
        os.close(lines[0])
        running.add(process)
        wire.send(control, str(process).encode())


def warm_up() -> None:
    """Read the dictionaries once, here, so that no sitting has to."""
    from querylab import drift, lexicon, sharing

    drift.lost("泳镜三天没还罚多少", "泳镜3天未还的罚款是多少")
    drift.foreign("泳镜怎么借", "泳镜")
    drift.unasked("泳镜怎么借", "泳镜如何借")
    sharing.wording("泳镜怎么借")
    lexicon.squeezed("泳镜怎么借")


def _end(process: int) -> None:
    for end in (os.killpg, os.kill):
        try:
            end(process, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _reaped() -> int:
    try:
        return os.waitpid(-1, os.WNOHANG)[0]
    except ChildProcessError:
        return 0


if __name__ == "__main__":
    main()
