"""What came back from the API: is it a message at all, and if it is an error, what does it say in plain words?

Comes in: whatever the SDK returned or raised. Goes out: a word on what is missing, or an error fit to be shown.
"""

import os
from typing import Any
from urllib.parse import urlsplit

from querylab.models.reply import KeyRefused, LastingFailure


def fault(value: Any) -> str:
    """Say what keeps a value from being a complete message; nothing when it is one.

    The SDK does not look: a 200 with other JSON inside becomes a ``Message`` full of None, one with a
    web page becomes a string.
    """
    from anthropic.types import Message

    if not isinstance(value, Message):
        return f"the body holds {type(value).__name__} instead"
    if value.type != "message" or value.role != "assistant" or not isinstance(value.stop_reason, str):
        return "type, role or stop_reason is missing"
    if not isinstance(value.content, list):
        return "it has no content blocks"
    for block in value.content:
        kind = getattr(block, "type", None)
        if not isinstance(kind, str) or (kind == "text" and not isinstance(getattr(block, "text", None), str)):
            return "a content block is none"
    counts = [getattr(value.usage, name, None) for name in ("input_tokens", "output_tokens")]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return "it does not say how many tokens it used"
    return ""


def in_words(error: Exception) -> Exception:
    """Make an error fit to be shown: with its cause in words, and cut off from the frames beneath.

    Those frames belong to the SDK and hold the request's headers, and with them the key: a verbose
    traceback would print them.
    """
    import anthropic

    if isinstance(error, anthropic.APIStatusError) and _lasting(error):
        words = " ".join(str(error.api_message or error.message).split())[:200]
        error = _refused(error.status_code, words)
    elif isinstance(error, anthropic.APIConnectionError) and error.__cause__ is not None:
        cause = error.__cause__
        timed_out = isinstance(error, anthropic.APITimeoutError)
        words = "no answer in time" if timed_out else "no connection, or it broke off"
        error.message = f"{words} ({type(cause).__name__}{f': {cause}' if str(cause) else ''})"
        error.args = (error.message,)
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _lasting(error: Any) -> bool:
    return error.status_code in (401, 402, 403, 404) or "credit balance" in str(error.api_message)


def _refused(status: int, words: str) -> LastingFailure:
    if status in (401, 403):
        return KeyRefused(
            f"the API does not accept the key ({status}: {words}). Check ANTHROPIC_API_KEY, and that it belongs to "
            "the server in ANTHROPIC_BASE_URL if that is set"
        )
    if status == 404 and _ends_in_version():
        return LastingFailure(
            f"the server knows no such address ({status}: {words}). ANTHROPIC_BASE_URL ends in /v1, and the SDK adds "
            "/v1/messages by itself: leave the /v1 out"
        )
    if status == 404:
        return LastingFailure(f"the API does not know the model or the address ({status}: {words}). Check LAB_MODEL")
    return LastingFailure(f"the account does not pay for this call ({status}: {words})")


def _ends_in_version() -> bool:
    """Say whether the base URL already holds the part of the path that the SDK adds."""
    return urlsplit(os.environ.get("ANTHROPIC_BASE_URL", "").strip()).path.rstrip("/").endswith("/v1")
