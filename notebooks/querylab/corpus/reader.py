"""Reading one corpus folder's files; every fault met on the way is remembered with its file and line."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from querylab.corpus.model import Fault

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ID_SHAPE = "lower-case letters, digits and single hyphens, such as 'annual-leave'"


class Reader:
    """Reads one folder's files.

    Attributes:
        folder: the corpus.
        faults: everything wrong so far; a corpus with one cannot be used.
        warnings: what a reader should know, though the corpus can be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []

    def fault(self, path: Path, line: int | None, message: str) -> None:
        """Remember a fault."""
        self.faults.append(Fault(path, line, message))

    def warn(self, path: Path, line: int | None, message: str) -> None:
        """Remember a warning."""
        self.warnings.append(Fault(path, line, message))

    def check_id(self, path: Path, line: int | None, found: str) -> None:
        """Note an id that is none."""
        if not _ID.fullmatch(found):
            self.fault(path, line, f"bad id {found!r}; an id is {_ID_SHAPE}")

    def text(self, path: Path) -> str | None:
        """Read a file as text with plain line breaks; None, and a fault, when it is unreadable, not UTF-8 or empty."""
        try:
            raw = path.read_bytes()
        except OSError as error:
            self.fault(path, None, f"cannot be read: {error.strerror or error}")
            return None
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw[: error.start].count(b"\n") + 1
            self.fault(path, line, f"not UTF-8 (byte 0x{raw[error.start]:02x}); save the file as UTF-8")
            return None
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not text.strip():
            self.fault(path, None, "the file is empty")
            return None
        return text

    def objects(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        """Read a JSON-lines file as (line number, object); nothing when there is no such file."""
        if not path.exists():
            return
        text = self.text(path)
        for number, line in enumerate((text or "").split("\n"), start=1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except json.JSONDecodeError as error:
                self.fault(path, number, f"not JSON: {error.msg} at column {error.colno}")
                continue
            if not isinstance(value, dict):
                self.fault(path, number, f"expected one JSON object a line, found {type(value).__name__}")
                continue
            yield number, value

    def fields(self, path: Path, number: int, value: Mapping[str, Any], shape: Mapping[str, type]) -> bool:
        """Report fields that are missing, of the wrong type, or blank where a text is needed."""
        before = len(self.faults)
        for key, kind in shape.items():
            if key not in value:
                self.fault(path, number, f"the field {key!r} is missing")
            elif not isinstance(value[key], kind):
                found = type(value[key]).__name__
                self.fault(path, number, f"the field {key!r} should be {kind.__name__}, found {found}")
        return len(self.faults) == before


def line_of(text: str, beginning: str) -> int | None:
    """Find the first line that begins with a text, for a fault's line number."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip().startswith(beginning):
            return number
    return None
