"""What a request to the Messages API is: which arguments the SDK takes, and its one canonical form."""

import hashlib
import inspect
import json
from functools import cache
from typing import Any

from querylab import prompts

TRANSPORT = ("timeout", "extra_headers", "extra_query")
"""Arguments about the way, not about what is asked; they are neither part of the key nor kept."""


def check_arguments(request: dict[str, Any]) -> None:
    """Refuse arguments that ``AsyncMessages.create`` does not take, as the SDK does.

    Raises:
        TypeError: for an unknown or missing argument (also the sampling parameters, which the SDK no
            longer has), and for ``stream=True``, which the lab's clients do not do.
    """
    _signature().bind(None, **request)
    if request.get("stream"):
        raise TypeError("The lab's clients answer in one piece: leave stream out.")


@cache
def _signature() -> inspect.Signature:
    from anthropic.resources.messages import AsyncMessages

    return inspect.signature(AsyncMessages.create)


def canonical(request: dict[str, Any]) -> str | None:
    """Write a request in the one form in which two equal requests are the same text.

    Args:
        request: keyword arguments of ``messages.create``.

    Returns:
        JSON with sorted keys and without spaces; texts stay as they are, character for character.
        None when the request cannot be written so, or depends on headers of its own: such a request
        is neither recorded nor replayed.
    """
    if request.get("extra_headers") or request.get("extra_query"):
        return None
    asked = {name: value for name, value in request.items() if name not in TRANSPORT}
    try:
        return json.dumps(asked, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        return None


def key(form: str) -> str:
    """Name a canonical request: SHA-256 (hexadecimal) over it and the version of the prompts."""
    return hashlib.sha256(f"{prompts.VERSION}\n{form}".encode("utf-8", "surrogatepass")).hexdigest()


def task_name(request: dict[str, Any]) -> str:
    """Name the task of a request, ``other`` when its system prompt is none of the lab's."""
    task = prompts.task_of(request.get("system"))
    return task.name if task else "other"


def question(request: dict[str, Any]) -> str:
    """Return what a request asks about, for messages to people: its question field, or its last text."""
    messages = request.get("messages") or [{}]
    content = messages[-1].get("content", "") if isinstance(messages[-1], dict) else ""
    fields = prompts.read_fields(content) if isinstance(content, str) else []
    asked = next((field.text for field in fields if field.name == "question"), str(content))
    return " ".join(asked.split())[:120]
