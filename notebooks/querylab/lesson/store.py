"""What the lab remembers between sessions: small JSON files in ``.lab/``, safe against two notebooks at once.

Every change is read, made and written under a lock, and a file is replaced as a whole, so that nobody
ever reads half of one. A damaged file is set aside under a new name, never deleted, and never a crash.
``.lab/`` is git-ignored and may be deleted at any time.
"""

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from querylab import settings

FOLDER = settings.ROOT / ".lab"
LOCK_SECONDS = 5.0
"""Longest wait for another notebook, which holds a lock for milliseconds; then go on without."""

Data = dict[str, Any]


def write_atomically(path: Path, data: bytes) -> None:
    """Write a whole file or nothing: beside it first, then put in its place.

    Permissions stay; a symbolic link is followed.

    Raises:
        OSError: when the folder or the file cannot be written; the old file is then untouched.
    """
    path = path.resolve()
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        beside = Path(file.name)
        try:
            file.write(data)
            file.close()
            if path.exists():
                shutil.copymode(path, beside)
            else:
                beside.chmod(0o644)
            _replace(beside, path)
        except BaseException:
            file.close()
            beside.unlink(missing_ok=True)
            raise


def _replace(source: Path, target: Path) -> None:
    """``os.replace``, tried again while a Windows virus scanner or editor holds the target."""
    for _ in range(4):
        with contextlib.suppress(PermissionError):
            source.replace(target)
            return
        time.sleep(0.05)
    source.replace(target)


def free_name(path: Path, word: str) -> Path:
    """Find a name beside a file that nobody has: ``rewrite.py`` → ``rewrite.kept-1.py``, ``-2`` …"""
    number = 1
    while (candidate := path.with_name(f"{path.stem}.{word}-{number}{path.suffix}")).exists():
        number += 1
    return candidate


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold the lock of this name against other notebooks; it goes with the process that holds it.

    Where locks are impossible (a read-only folder, some network drives) it does nothing.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            FOLDER.mkdir(exist_ok=True)
            file = stack.enter_context((FOLDER / f"{name}.lock").open("ab"))
            end = time.monotonic() + LOCK_SECONDS
            while not _try_lock(file) and time.monotonic() < end:
                time.sleep(0.01)
        yield


def _try_lock(file: BinaryIO) -> bool:
    try:
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # no locks here: waiting would not help
        return True
    return True


def read(name: str, valid: Callable[[Data], bool]) -> tuple[Data, list[str]]:
    """Read one remembered file.

    Args:
        name: its name in ``.lab/``, with ``.json``.
        valid: says whether the data has the right shape.

    Returns:
        The data ({} when there is none) and sentences for the student (mostly none).
    """
    with locked(name):
        return _read(name, valid)


def update(name: str, valid: Callable[[Data], bool], change: Callable[[Data], None]) -> list[str]:
    """Change one remembered file in place.

    Returns:
        Sentences for the student; also when the file could not be written, which is no error.
    """
    with locked(name):
        data, said = _read(name, valid)
        change(data)
        text = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        try:
            FOLDER.mkdir(exist_ok=True)
            write_atomically(FOLDER / name, text.encode())
        except OSError as error:
            said.append(f"⚠ .lab/{name} 写不进去（{error.strerror}），这次的记录不会留到下一次。")
        return said


def _read(name: str, valid: Callable[[Data], bool]) -> tuple[Data, list[str]]:
    path = FOLDER / name
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        return {}, [f"⚠ .lab/{name} 读不出来（{error.strerror}）。"]
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict) and valid(data):
        return data, []
    aside = free_name(path, "damaged")
    with contextlib.suppress(OSError):
        path.replace(aside)
    return {}, [f"⚠ .lab/{name} 已损坏，改名为 .lab/{aside.name}，从空白重新记录。"]
