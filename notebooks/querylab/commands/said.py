"""What a command says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """The outcome of a command: for people, and for programs (``--json``).

    Attributes:
        text, data: the same twice, for standard output.
        beside: lines for standard error.
        code: the exit code.
    """

    text: str
    data: Mapping[str, Any]
    beside: tuple[str, ...] = ()
    code: int = 0
