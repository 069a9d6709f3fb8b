"""What travels between the judge and the process in which a student's code runs: frames, and values as plain JSON.

In: a value of the student's. Out: JSON that says what it is, from which the judge builds its own copy. Nothing that the
student's side sends is ever executed: unknown kinds arrive as their name and their text, and data classes are made
again from a fixed list. This file is read by both sides, so it imports nothing of the lab before it is used.
"""

import dataclasses
import json
import math
import socket
import struct
from collections.abc import Callable
from importlib import import_module
from typing import Any

LONGEST = 8_000_000
"""Bytes of one frame; whoever sends more is cut off."""
DEEPEST = 40
SHOWN = 300
"""Characters that are told of a value of an unknown kind."""

RECORDS = {
    "Budgets": "types",
    "Chunk": "types",
    "Hit": "types",
    "Routed": "types",
    "Search": "types",
    "DriftVerdict": "guard.drift",
    "Salvage": "understanding.fields",
    "Understanding": "understanding.fields",
    "Config": "pipeline.config",
}
"""Data classes that may travel, and the room that defines each."""


class Broken(ConnectionError):
    """The other side is gone, or says what nobody understands."""


@dataclasses.dataclass(frozen=True)
class Strange:
    """Stands in the judge's process for a value of a kind that no exercise asks for."""

    kind: str
    shown: str
    trait: str = ""

    def __repr__(self) -> str:
        return self.shown or self.kind

    def close(self) -> None:
        """Do nothing: the coroutine that this may stand for is closed already."""


# ── frames ──────────────────────────────────────────────────────────────────────────────────────
def send(line: socket.socket, payload: bytes) -> None:
    """Send one frame."""
    line.sendall(struct.pack("!I", len(payload)) + payload)


def receive(line: socket.socket) -> bytes:
    """Receive one frame.

    Raises:
        Broken: when the line ends, or the frame is too long.
        TimeoutError: when the socket's own time is up.
    """
    (length,) = struct.unpack("!I", _exactly(line, 4))
    if length > LONGEST:
        raise Broken(f"a frame of {length} bytes")
    return _exactly(line, length)


def _exactly(line: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        piece = line.recv(min(count - len(parts), 1 << 16))
        if not piece:
            raise Broken("the line ended")
        parts += piece
    return bytes(parts)


# ── values ──────────────────────────────────────────────────────────────────────────────────────
def record(name: str) -> type:
    """Find a data class of :data:`RECORDS`."""
    return getattr(import_module(f"querylab.{RECORDS[name]}"), name)


def pack(value: Any, depth: int = 0) -> Any:
    """Write a value as JSON data. Subclasses of text, numbers and containers arrive as what they are made of."""
    if value is None or type(value) is bool:
        return value
    if depth > DEEPEST:
        return _strange(value)
    if isinstance(value, str):
        return str.encode(value, "utf-8", "surrogatepass").decode("utf-8", "surrogatepass")
    if isinstance(value, int) and int.bit_length(value) < 4000:
        return int.__add__(value, 0)
    if isinstance(value, float):
        number = float.__add__(value, 0.0)
        return number if math.isfinite(number) else {"number": repr(number)}
    kind = type(value)
    if kind.__name__ in RECORDS and kind is record(kind.__name__):
        fields = {field.name: pack(getattr(value, field.name), depth + 1) for field in dataclasses.fields(kind)}
        return {"record": kind.__name__, "fields": fields}
    for name, container in (("list", list), ("tuple", tuple), ("set", (set, frozenset))):
        if isinstance(value, container):
            return {name: [pack(item, depth + 1) for item in list(value)]}
    if isinstance(value, dict):
        return {"dict": [[pack(key, depth + 1), pack(item, depth + 1)] for key, item in dict.items(value)]}
    if kind.__module__ == "numpy" and hasattr(value, "item") and not getattr(value, "shape", ()):
        return pack(value.item(), depth + 1)
    return _strange(value)


def _strange(value: Any) -> dict[str, Any]:
    import inspect

    trait = "coroutine" if inspect.iscoroutine(value) else ""
    if trait:
        value.close()
    try:
        shown = repr(value)[:SHOWN]
    except Exception as error:  # a student's __repr__ may do anything
        shown = f"<repr raises {type(error).__name__}>"
    return {"strange": [str(type(value).__name__), str(shown), trait]}


def unpack(data: Any) -> Any:
    """Build the judge's own copy of what :func:`pack` wrote.

    Raises:
        Broken: for data that :func:`pack` does not write.
    """
    if data is None or isinstance(data, bool | int | float | str):
        return data
    try:
        return _unpacked(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Broken(f"unreadable: {str(data)[:100]}") from error


def _unpacked(data: Any) -> Any:
    if not isinstance(data, dict):
        raise TypeError(data)
    if "record" in data:
        fields = {str(name): unpack(value) for name, value in data["fields"].items()}
        try:
            return record(data["record"])(**fields)
        except (TypeError, ValueError) as error:  # fields that the class itself turns down
            return Strange(data["record"], f"{data['record']}({fields})"[:SHOWN], str(error)[:SHOWN])
    if "strange" in data:
        kind, shown, trait = data["strange"]
        return Strange(str(kind), str(shown), str(trait))
    makers: dict[str, Callable[[Any], Any]] = {
        "list": lambda items: [unpack(item) for item in items],
        "tuple": lambda items: tuple(unpack(item) for item in items),
        "set": lambda items: {unpack(item) for item in items},
        "dict": lambda pairs: {unpack(key): unpack(item) for key, item in pairs},
        "number": float,
    }
    (name,) = data
    return makers[name](data[name])


def frame(**parts: Any) -> bytes:
    """Write one frame of the student's side."""
    return json.dumps(parts).encode("ascii")


def read(payload: bytes) -> dict[str, Any]:
    """Read one frame of the student's side.

    Raises:
        Broken: when it is none.
    """
    try:
        parts = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise Broken("no JSON") from error
    if not isinstance(parts, dict):
        raise Broken("no frame")
    return parts
