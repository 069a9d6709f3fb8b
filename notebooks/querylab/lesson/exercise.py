"""``%%exercise NAME``: a notebook cell that is a module of ``starter/``, or on the solution kernel of ``solution/``.

An input transformer, not a cell magic: it exchanges the cell's text before IPython parses it, so that
top-level ``await``, the display of the last expression, line numbers and ``inspect.getsource`` work as
in any other cell. In goes the text of a cell; out comes the text to run, its header now a comment.

- starter track: the body is saved as ``starter/NAME.py`` and run.
- solution track: the body is replaced by ``solution/NAME.py`` as it is at this moment; nothing is written.

Saving never destroys work. A file that holds something which this notebook's cells did not write, and
which is not the text that was handed out, is kept under a new name first.
"""

import difflib
import hashlib
import io
import os
import re
import tokenize
import unicodedata
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.lesson import store
from querylab.pipeline.techniques import EXERCISES

HEADER = re.compile(r"%%exercise\b(?P<name>.*)")
MAGIC = re.compile(r"\s*%{1,2}\s*(?P<word>\w+)")
WRITTEN = "written.json"
WRITTEN_PER_EXERCISE = 200
"""Hashes that are remembered for one exercise; the oldest go first."""


# ── The cell ────────────────────────────────────────────────────────────────────────────────────
class Transformer:
    """Exchanges the text of ``%%exercise`` cells. IPython calls it once or twice per execution."""

    has_side_effects = True  # IPython then leaves it out when it only asks whether a cell is complete

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self._said: set[tuple[int, str]] = set()

    def __call__(self, lines: list[str]) -> list[str]:
        """Return the lines to run instead; a cell without a header comes back untouched.

        Raises:
            SyntaxError: for an unknown or missing name, a header below the first line, or a missing
                solution module. (A ``UsageError`` would count as a pass in nbval's lax mode.)
        """
        name = exercise_name(lines)
        if name is None:
            return lines
        body = "".join(lines[1:])
        if settings.track() == "solution":
            body = _reference(name, lines[0])
        elif not body.strip():
            raise _error(f"第一行下面没有代码。starter/{name}.py 没有改动。", lines[0])
        else:
            self._say(save(name, body, self._writer()))
        return [f"# {lines[0]}", *body.splitlines(keepends=True)]

    def _say(self, sentences: list[str]) -> None:
        for sentence in sentences:
            once = (self.shell.execution_count, sentence)
            if once not in self._said:
                self._said.add(once)
                print(sentence)

    def _writer(self) -> str:
        """Name the notebook that this kernel belongs to, where the front end tells (JupyterLab, VS Code)."""
        notebook = os.environ.get("JPY_SESSION_NAME") or self.shell.user_ns.get("__vsc_ipynb_file__") or ""
        return _hash(str(notebook))[:12] if notebook else ""


def register(shell: Any) -> None:
    """Switch ``%%exercise`` on in an IPython shell; a second time changes nothing."""
    transforms = shell.input_transformers_cleanup
    # By name, not by class: after an autoreload there are two classes of this name.
    transforms[:] = [transform for transform in transforms if type(transform).__name__ != Transformer.__name__]
    # First of all: IPython's own clean-up drops blank first lines, and with them the right line numbers.
    transforms.insert(0, Transformer(shell))


def exercise_name(lines: list[str]) -> str | None:
    """Read the header of a cell.

    Returns:
        The name of the exercise, or None for an ordinary cell.

    Raises:
        SyntaxError: for a header that would not be understood.
    """
    first = lines[0] if lines else ""
    header = HEADER.match(first)
    for number, line in enumerate(lines[1:], start=2):
        if re.match(r"\s*%%exercise\b", line) and not _inside_string(lines, number):
            raise _error(f"%%exercise 必须写在单元格的第一行，而且只写一次；这里在第 {number} 行。", line, number)
    if header is None:
        _reject_near_miss(next((line for line in lines if line.strip()), ""))
        return None
    name = header["name"].strip()
    known = f"可用的名字：{'、'.join(EXERCISES)}。"
    if not name:
        raise _error(f"%%exercise 后面要写练习的名字，例如 %%exercise rewrite。{known}", first)
    if name not in EXERCISES:
        near = difflib.get_close_matches(name.lower(), EXERCISES, 1)
        raise _error(f"没有叫「{name}」的练习。{f'是不是 {near[0]}？' if near else ''}{known}", first)
    return name


def _reject_near_miss(line: str) -> None:
    """Turn down what was meant as a header: ``%exercise``, ``%%exercies``, an indented or a full-width one."""
    magic = MAGIC.match(unicodedata.normalize("NFKC", line))
    word = magic["word"].lower() if magic else ""
    if word.startswith("exercise") or difflib.get_close_matches(word, ["exercise"], cutoff=0.8):
        raise _error("看不懂这一行。练习单元格的第一行顶格写，用半角符号，例如 %%exercise rewrite。", line)


def _inside_string(lines: list[str], number: int) -> bool:
    """Say whether a line (from 1) is text inside a string, and no header."""
    source = "".join(["#\n" if HEADER.match(lines[0]) else lines[0], *lines[1:]])
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.start[0] == number and token.string == "%":
                return False
    except (tokenize.TokenError, SyntaxError):
        return False
    return True


def _error(message: str, line: str, number: int = 1) -> SyntaxError:
    return SyntaxError(message, ("单元格", number, 1, line))


def _reference(name: str, line: str) -> str:
    path = settings.SOLUTION_DIR / f"{name}.py"
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _error(
            f"这是 solution 轨道，但找不到 solution/{name}.py。补上 solution/ 文件夹，或换成普通的 Python 内核。", line
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise _error(f"solution/{name}.py 读不出来：{error}。", line) from None


# ── The file ────────────────────────────────────────────────────────────────────────────────────
def save(name: str, body: str, writer: str = "") -> list[str]:
    """Save a cell's body as ``starter/NAME.py``; the same text a second time changes nothing.

    Args:
        name: an exercise.
        body: Python source, even when it does not parse: work is never lost.
        writer: the notebook, as far as it is known.

    Returns:
        Sentences for the student: what was kept, or what could not be written. Mostly none.
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
        said.append(f"⚠ starter/{name}.py 写不进去（{error.strerror}）。这个单元格照常运行，但代码没有存成文件。")
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
