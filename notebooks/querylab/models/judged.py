"""Is a recorded reply one that its task can use? The same rules by which a technique reads it, one a task.

Comes in: a reply of a recording. Goes out: nothing, or why the step would fall back. A reply that fails is kept in the
recording all the same: it is what the model said.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from querylab.models import reply as reading
from querylab.models.recording import Reply, message
from querylab.models.reply import ModelError, ReplyError
from querylab.prompts.schema import ENUMS, FIELDS
from querylab.prompts.texts import PARTS
from querylab.types import INTENTS


def fault(reply: Reply) -> str:
    """Say why a reply cannot be used for its task; nothing when it can."""
    if reply.tool_use and reply.stop_reason == "tool_use":
        return ""  # a tool call needs no text beside it
    try:
        _READERS.get(reply.task, reading.text)(message({}, reply))
    except ModelError as error:
        return str(error)
    return ""


def faults(replies: Iterable[Reply]) -> dict[str, str]:
    """Name the replies that cannot be used: key → why."""
    found = {reply.key: fault(reply) for reply in replies}
    return {key: why for key, why in found.items() if why}


def _label(said: Any) -> None:
    if reading.label(said, INTENTS) is None:
        raise ReplyError(f"no label, or more than one: {reading.text(said)[:40]}")


def _fields(names: Sequence[str]) -> Callable[[Any], None]:
    def read(said: Any) -> None:
        text = reading.text(said)
        start = text.find("{")
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(text, max(start, 0))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise ReplyError(f"no JSON object: {text[:40]}")
        missing = [name for name in names if name not in value]
        if missing:
            raise ReplyError(f"without the fields {', '.join(missing)}")
        illegal = [f"{name}={value[name]!r}" for name in names if name in ENUMS and value[name] not in ENUMS[name][0]]
        if illegal:
            raise ReplyError(f"not among the allowed values: {', '.join(illegal)}")

    return read


_READERS: dict[str, Callable[[Any], Any]] = {
    "rewrite": reading.line,
    "step_back": reading.line,
    "bridge": reading.line,
    "short_answer": reading.line,
    "multi_query": reading.lines,
    "sub_questions": reading.lines,
    "classify": _label,
    "understand": _fields(FIELDS),
    **{name: _fields(names) for name, names in PARTS.items()},
}
"""Task → how its reply is read; every other one is text."""
