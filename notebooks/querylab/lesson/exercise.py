"""``%%exercise NAME``: a notebook cell that is a module of ``starter/``, or on the solution kernel of ``solution/``.

Cell and file are one program. An input transformer, not a cell magic, exchanges the cell's text before IPython parses
it; what runs instead loads the file as an ordinary module and puts its names into the notebook.

- starter track: the body is saved as ``starter/NAME.py`` first. One line says where, and what is still missing.
- solution track: ``solution/NAME.py`` is loaded as it is at this moment; nothing is written, nothing is said.
"""

import difflib
import hashlib
import html
import io
import os
import re
import tokenize
import unicodedata
from dataclasses import dataclass
from typing import Any

from querylab import settings
from querylab.lesson.one_program import CannotStandInAFile, borrowed_names, cannot_stand
from querylab.lesson.saving import save
from querylab.pipeline.techniques import EXERCISES, Techniques, load_module, source_of

HEADER = re.compile(r"%%exercise\b(?P<name>.*)")
MAGIC = re.compile(r"\s*%{1,2}\s*(?P<word>\w+)")
RUNNER = "_querylab_exercise"
"""Name under which the notebook finds what loads the file."""


# ── The cell ────────────────────────────────────────────────────────────────────────────────────
class Transformer:
    """Exchanges the text of ``%%exercise`` cells. IPython calls it once or twice per execution."""

    has_side_effects = True  # IPython then leaves it out when it only asks whether a cell is complete

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.said: list[str] = []
        self._saved: tuple[int, str] | None = None
        self._names: dict[str, dict[str, Any]] = {}

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
            _require_reference(name, lines[0])
        elif not body.strip():
            raise _error(f"第一行下面没有代码。starter/{name}.py 没有改动。", lines[0])
        elif (self.shell.execution_count, body) != self._saved:
            self._saved = (self.shell.execution_count, body)
            self.said = save(name, body, self._writer())
        return [f"# {lines[0]}", f"get_ipython().user_ns['{RUNNER}']('{name}')\n"]

    def run(self, name: str) -> None:
        """Load the saved file and put its names into the notebook; on the starter track, say in a line how it stands.

        Raises:
            CannotStandInAFile: names the lines that only a notebook understands; the file is saved all the same.
            Whatever the module raises when it is loaded.
        """
        namespace = self.shell.user_ns
        starter = settings.track() == "starter"
        path = (settings.STARTER_DIR if starter else settings.SOLUTION_DIR) / f"{name}.py"
        for key, value in self._names.pop(name, {}).items():
            if namespace.get(key) is value:  # a function that this version no longer defines
                del namespace[key]
        if starter:
            for sentence in self.said:
                print(sentence)
            if any(sentence.startswith("✗") for sentence in self.said):
                return
            refused = cannot_stand(source_of(path))
            if refused:
                raise CannotStandInAFile(f"starter/{name}.py", refused)
            for line in borrowed_names(source_of(path), namespace):
                print(line)
        module = load_module(path)
        names = {key: value for key, value in vars(module).items() if not key.startswith("__")}
        namespace.update(names)
        self._names[name] = names
        if starter:
            from IPython.display import display

            missing = Techniques(settings.STARTER_DIR).unfinished(name)
            display(Saved(f"starter/{name}.py", tuple(missing), not missing and _end_borrowing(name)))

    def _writer(self) -> str:
        """Name the notebook that this kernel belongs to, where the front end tells (JupyterLab, VS Code)."""
        notebook = os.environ.get("JPY_SESSION_NAME") or self.shell.user_ns.get("__vsc_ipynb_file__") or ""
        return hashlib.sha256(str(notebook).encode()).hexdigest()[:12] if notebook else ""


@dataclass(frozen=True)
class Saved:
    """What running an exercise cell says: where it stands, and what is still missing; a link in a notebook."""

    file: str
    missing: tuple[str, ...]
    ended_borrowing: bool

    def _words(self, file: str) -> str:
        state = f"还没写完：{'、'.join(self.missing)}" if self.missing else "要写的都在，可以验收"
        ended = "。借用到此为止，从现在起用你自己写的" if self.ended_borrowing else ""
        return f"已存为 {file}，{state}{ended}。"

    def __repr__(self) -> str:
        return self._words(self.file)

    def _repr_html_(self) -> str:
        link = f'<a href="../{html.escape(self.file)}">{html.escape(self.file)}</a>'
        return f'<div style="text-align:left">{self._words(link)}</div>'


def _end_borrowing(name: str) -> bool:
    """Use the student's own version from now on; say whether the reference was in use."""
    from querylab.pipeline.lab import opened_lab

    lab = opened_lab()
    if lab is None or name not in lab.techniques.borrowed:
        return False
    lab.techniques = lab.techniques.give_back(name)
    return True


def register(shell: Any) -> None:
    """Switch ``%%exercise`` on in an IPython shell; a second time changes nothing."""
    transforms = shell.input_transformers_cleanup
    # By name, not by class: after an autoreload there are two classes of this name.
    transforms[:] = [transform for transform in transforms if type(transform).__name__ != Transformer.__name__]
    # First of all: IPython's own clean-up drops blank first lines, and with them the right line numbers.
    transformer = Transformer(shell)
    transforms.insert(0, transformer)
    shell.user_ns[RUNNER] = transformer.run


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


def _require_reference(name: str, line: str) -> None:
    path = settings.SOLUTION_DIR / f"{name}.py"
    if not path.is_file():
        raise _error(
            f"这是 solution 轨道，但找不到 solution/{name}.py。补上 solution/ 文件夹，或换成普通的 Python 内核。", line
        )
