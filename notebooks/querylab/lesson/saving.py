"""An exercise cell's text becomes ``starter/NAME.py``, and no work is ever destroyed.

In goes the text of a cell; out come sentences for the student, mostly none. A file that holds something which this
notebook's cells did not write, and which is not the text that was handed out, is kept under a new name first.
"""

import hashlib
from pathlib import Path

from querylab import settings
from querylab.lesson import store

WRITTEN = "written.json"
WRITTEN_PER_EXERCISE = 200
"""Hashes that are remembered for one exercise; the oldest go first."""


def save(name: str, body: str, writer: str = "") -> list[str]:
    """Save a cell's body as ``starter/NAME.py``; the same text a second time changes nothing.

    Args:
        name: an exercise.
        body: Python source, even when it does not parse: work is never lost.
        writer: the notebook, as far as it is known.

    Returns:
        Sentences for the student, mostly none: what was kept, or, with ✗ in front, that nothing could be written.
    """
    path = settings.STARTER_DIR / f"{name}.py"
    text = body.rstrip() + "\n"
    said: list[str] = []
    try:
        with store.locked("starter"):
            found = path.read_bytes() if path.exists() else b""
            if _plain(found) != _plain(text.encode()):
                if not _may_replace(name, found, text, writer, said):
                    kept = _keep(path, found)
                    said.append(f"starter/{name}.py 里有别处写下的内容，已另存为 starter/{kept.name}，没有丢失。")
                store.write_atomically(path, text.encode())
            said += _remember(name, text, writer)
    except OSError as error:
        said.append(
            f"✗ starter/{name}.py 写不进去（{error.strerror}），所以这个单元格没有运行。"
            "代码还在单元格里：把课程仓库放到能写的文件夹，再运行一次。"
        )
    return said


def _may_replace(name: str, found: bytes, text: str, writer: str, said: list[str]) -> bool:
    """Say whether the text on disk may go: nothing there, as handed out, or written by this notebook's cells.

    The handed-out text itself replaces nobody's work silently: it comes from a fresh copy of the notebook.
    """
    shipped = _shipped(name)
    if not found.strip() or _plain(found) == shipped:
        return True
    written, sentences = store.read(WRITTEN, _valid)
    said += sentences
    return [writer, _hash(found)] in written.get(name, []) and _plain(text.encode()) != shipped


def _shipped(name: str) -> bytes | None:
    """The text that was handed out; None when ``solution/`` is not there, or not fit, to make it from."""
    from querylab.lesson.handout import starter_text

    try:
        return _plain(starter_text(settings.SOLUTION_DIR / f"{name}.py").encode())
    except (OSError, ValueError, SyntaxError):
        return None


def _keep(path: Path, data: bytes) -> Path:
    """Put a copy beside a file under a new name, unless the same bytes have been kept there before."""
    for earlier in path.parent.glob(f"{path.stem}.kept-*{path.suffix}"):
        if earlier.read_bytes() == data:
            return earlier
    kept = store.free_name(path, "kept")
    with kept.open("xb") as file:
        file.write(data)
    return kept


def _remember(name: str, text: str, writer: str) -> list[str]:
    entry = [writer, _hash(text.encode())]
    written, said = store.read(WRITTEN, _valid)
    if entry in written.get(name, []):
        return said

    def change(data: store.Data) -> None:
        data[name] = [*data.get(name, []), entry][-WRITTEN_PER_EXERCISE:]

    return said + store.update(WRITTEN, _valid, change)


def _valid(data: store.Data) -> bool:
    return all(
        isinstance(entries, list) and all(isinstance(entry, list) and len(entry) == 2 for entry in entries)
        for entries in data.values()
    )


def _plain(data: bytes) -> bytes:
    """What counts when texts are compared: not the line ends of another system, not blank lines at the end."""
    return data.replace(b"\r\n", b"\n").rstrip()


def _hash(text: str | bytes) -> str:
    return hashlib.sha256(_plain(text.encode() if isinstance(text, str) else text)).hexdigest()
