"""The house in which students' code runs: a throw-away copy of the lab, and one process from which sittings are forked.

In: a folder that was handed in. Out: a line to a fresh process that has loaded nothing but the lab, in a folder of its
own with a copy of the hand-in. The copy of the lab holds neither solutions nor checks. Where the system has namespaces
(Linux with ``unshare``), the house has no network, sees no process but its own, and finds ``solution/`` and
``checks/`` empty; elsewhere the fence in :mod:`checks.judge.fence` stands alone. :attr:`House.walls` says which.
"""

import contextlib
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from querylab import settings

from checks.judge import wire

HERE = Path(__file__).parent
KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
"""All that a student's process is told of the environment: no key, no setting of the lab."""
CLOSED = ("solution", "checks", ".git", ".lab")
SECONDS_OF_CPU = 60
BYTES = 1_500_000_000
START_SECONDS = 60.0
LARGEST = 2_000_000
"""Bytes of one file of a hand-in that are copied."""


class House:
    """One copy of the lab, one waiting process; :meth:`sit` opens a sitting, :meth:`close` ends everything."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="querylab-judge-"))
        self.lock = threading.Lock()
        _furnish(self.folder)
        self.walls = _walls()
        self.control, theirs = socket.socketpair()
        command = [sys.executable, "-I", "-B", str(self.folder / "judge" / "child.py"), str(theirs.fileno())]
        told = (self.folder / "house.txt").open("wb")
        self.process = subprocess.Popen(
            [*self.walls, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=told,
            pass_fds=(theirs.fileno(),),
            env={name: os.environ[name] for name in KEPT if name in os.environ} | {"OPENBLAS_NUM_THREADS": "1"},
            cwd=self.folder,
            start_new_session=True,
        )
        theirs.close()
        told.close()
        self.control.settimeout(START_SECONDS)
        self.ready = False

    def _wait(self) -> None:
        """Wait until the process has loaded the lab; opening a house does not wait for it.

        Raises:
            RuntimeError: when it did not start; says why.
        """
        try:
            wire.receive(self.control)
            self.ready = True
        except (OSError, TimeoutError) as error:
            words = (self.folder / "house.txt").read_text(encoding="utf-8", errors="replace")
            self.close()
            raise RuntimeError(f"The process for students' code did not start: {words[-500:]}") from error

    def sit(
        self, handed_in: Path, exercise: str, names: Sequence[str], changes: Mapping[str, Any]
    ) -> tuple[socket.socket, int, Path]:
        """Open a sitting: a fresh process with a copy of a hand-in.

        Args:
            handed_in: a folder of modules.
            exercise: the module that is to be loaded.
            names: what it should define.
            changes: what is different in that session (see ``child._elsewhere``).

        Returns:
            The line, the number of the process in the house, and its folder.
        """
        folder = Path(tempfile.mkdtemp(prefix="sitting-", dir=self.folder))
        _copy_modules(handed_in, folder / "starter")
        closed = [str(settings.ROOT / name) for name in CLOSED] + [str(handed_in.resolve())]
        order = {
            "folder": str(folder),
            "exercise": exercise,
            "names": list(names),
            "changes": dict(changes),
            "seconds": SECONDS_OF_CPU,
            "bytes": BYTES,
            "closed": closed,
        }
        mine, theirs = socket.socketpair()
        with self.lock:
            if not self.ready:
                self._wait()
            socket.send_fds(self.control, [pickle.dumps(order)], [theirs.fileno()])
            theirs.close()
            return mine, int(wire.receive(self.control)), folder

    def end(self, process: int) -> None:
        """End a sitting's whole process group."""
        try:
            with self.lock:
                self.control.sendall(pickle.dumps({"end": process}))
                wire.receive(self.control)
        except OSError:  # the house is closed, and everybody in it gone
            return

    def close(self) -> None:
        """End every process, and remove the copy."""
        self.control.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@lru_cache(maxsize=1)
def house() -> House:
    """The house of this process, opened at first use and closed at the end."""
    opened = House()
    Finalize(opened, opened.close, exitpriority=1)  # at the end of this process, be it a worker of a pool or not
    return opened


def _furnish(folder: Path) -> None:
    """Copy the lab without solutions, checks and pictures; what a student's code may read, it reads here."""
    skip = shutil.ignore_patterns("*.ttf", "*.otf", "*.woff*", ".*")
    shutil.copytree(settings.ROOT / "notebooks" / "querylab", folder / "notebooks" / "querylab", ignore=skip)
    shutil.copytree(settings.CORPUS_DIR, folder / "corpus", ignore=shutil.ignore_patterns("recordings", ".*"))
    (folder / "judge").mkdir()
    for name in ("child.py", "fence.py", "wire.py"):
        shutil.copy2(HERE / name, folder / "judge" / name)


def _copy_modules(handed_in: Path, into: Path) -> None:
    into.mkdir()
    for path in sorted(handed_in.glob("*.py")):
        if path.is_file() and path.stat().st_size <= LARGEST:
            shutil.copyfile(path, into / path.name)


def _walls() -> tuple[str, ...]:
    """The command that puts namespaces round the house; empty where the system has none, or forbids them."""
    if not sys.platform.startswith("linux") or not shutil.which("unshare"):
        return ()
    hide = " && ".join(
        f"mount -t tmpfs -o ro none '{settings.ROOT / name}'" for name in CLOSED if (settings.ROOT / name).is_dir()
    )
    walls = (
        *("unshare", "--user", "--map-root-user", "--net", "--ipc", "--mount", "--pid", "--fork", "--kill-child"),
        *("sh", "-c", f'{hide or "true"} && exec "$@"', "sh"),
    )
    tried = subprocess.run(
        [*walls, "true"], stdin=subprocess.DEVNULL, capture_output=True, timeout=START_SECONDS, check=False
    )
    return walls if tried.returncode == 0 else ()
