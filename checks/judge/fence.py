"""What a student's process may not do: limits of the system, and Python's own audit hook.

In: the folder that is its own, and places that it must not read. Out: nothing; from then on the process cannot open a
connection, start another process, write outside its folder, or read what is closed to it. What it tried is reported.
The hook is a fence and no wall: where the system has namespaces, :mod:`checks.judge.house` puts the wall round it.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_PROCESSES = (
    "os.fork", "os.forkpty", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "subprocess.Popen", "pty.spawn",
    "os.kill", "os.killpg", "os.startfile", "signal.pthread_kill",
)  # fmt: skip
_CONNECTIONS = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
                "socket.gethostbyname", "socket.gethostbyaddr")  # fmt: skip
_CHANGES = (
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate",
    "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree", "shutil.move",
)  # fmt: skip
LARGEST_FILE = 4_000_000
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def limits(seconds: int, memory: int) -> None:
    """Limit processor time, memory, and the size of files, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, value in (
        ("RLIMIT_CPU", seconds),
        ("RLIMIT_AS", memory),
        ("RLIMIT_FSIZE", LARGEST_FILE),
        ("RLIMIT_CORE", 0),
    ):
        resource.setrlimit(getattr(resource, name), (value, value))


def close(own: Path, closed: Sequence[Path], tell: Callable[[str], None]) -> None:
    """Put up the fence; there is no way back.

    Args:
        own: the folder that may be written.
        closed: places that may not even be read.
        tell: is told every act that was turned down.
    """
    root, shut = os.path.realpath(own) + os.sep, tuple(os.path.realpath(place) for place in closed)
    told: set[str] = set()

    def turn_down(act: str) -> None:
        if act not in told and len(told) < 20:
            told.add(act)
            tell(act)
        raise PermissionError(f"评分时不允许：{act}")

    def inside(path: Any) -> bool:
        return (os.path.realpath(os.fsdecode(path)) + os.sep).startswith(root)

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if isinstance(path, int):
                return
            writes = bool((flags or 0) & _WRITES) or bool(set(str(mode or "")) & set("wax+"))
            real = os.path.realpath(os.fsdecode(path))
            if writes and not inside(real) and real != os.devnull:
                turn_down(f"写 {Path(real).name}")
            if real.startswith("/proc/") and real.endswith(("environ", "mem", "cmdline", "maps")):
                turn_down(f"读 {real}")
            if any(real == place or real.startswith(place + os.sep) for place in shut):
                turn_down(f"读 {Path(real).name}")
        elif event in _CONNECTIONS:
            turn_down("连网")
        elif event in _PROCESSES:
            turn_down("启动或结束进程")
        elif event in _CHANGES:
            if not all(inside(item) for item in arguments if isinstance(item, str | bytes | os.PathLike)):
                turn_down(f"改动文件（{event}）")
        elif event.startswith("ctypes."):
            turn_down(f"绕过 Python（{event}）")

    sys.addaudithook(guard)
