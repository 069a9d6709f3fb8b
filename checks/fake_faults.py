"""What the local server can do instead of answering well: statuses, pauses, cuts, garbage, altered replies."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One way to answer: a status with a body, with pauses and cuts.

    Attributes:
        status, body, content_type, headers: the response; a ``body`` of None is the good reply.
        change: alters the good reply, a dictionary, in place.
        wait: seconds before the answer begins.
        cut: send half of the body, then close the connection.
        drip: seconds between pieces of the body.
    """

    status: int = 200
    body: bytes | None = None
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    change: Callable[[dict[str, Any]], None] | None = None
    wait: float = 0.0
    cut: bool = False
    drip: float = 0.0


_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def status(code: int, message: str = "as ordered", retry_after_ms: int | None = None, **headers: str) -> Fault:
    """Answer with an error status, in the API's own form."""
    if retry_after_ms is not None:
        headers["retry-after-ms"] = str(retry_after_ms)
    return Fault(code, _error(code, message), headers=headers)


def _error(code: int, message: str) -> bytes:
    error = {"type": _TYPES.get(code, "api_error"), "message": message}
    return json.dumps({"type": "error", "error": error}, ensure_ascii=False).encode("utf-8")


def altered(**values: Any) -> Fault:
    """Answer with a good reply in which some fields are replaced."""
    return Fault(change=lambda reply: reply.update(values))


def hang(seconds: float) -> Fault:
    """Say nothing for some seconds, then answer."""
    return Fault(wait=seconds)


def drip(seconds: float) -> Fault:
    """Answer byte by byte, with a pause after each."""
    return Fault(drip=seconds)


def garbage(body: bytes, content_type: str = "application/json") -> Fault:
    """Answer 200 with something that is no message."""
    return Fault(body=body, content_type=content_type)


def _thinking_first(reply: dict[str, Any]) -> None:
    reply["content"].insert(0, {"type": "thinking", "thinking": "先想一想", "signature": "c2ln"})


OK = Fault()
CUT = Fault(cut=True)
EMPTY = altered(content=[])
REFUSAL = altered(content=[], stop_reason="refusal")
TRUNCATED = altered(stop_reason="max_tokens")
PAUSED = altered(stop_reason="pause_turn")
THINKING_FIRST = Fault(change=_thinking_first)
THINKING_ONLY = altered(content=[{"type": "thinking", "thinking": "先想一想", "signature": "c2ln"}])
