"""The conversation before a question, in one form: the shapes of the Messages API in, plain turns out."""

from collections.abc import Mapping, Sequence
from typing import Any

from querylab.text import whole
from querylab.types import Turn

ROLES = ("user", "assistant")


def turns(history: Sequence[Mapping[str, Any]]) -> tuple[Turn, ...]:
    """Read a history as the SDK has it: content is a text, or a list of blocks whose text counts.

    Args:
        history: messages, oldest first: ``{"role": "user" | "assistant", "content": …}``.

    Returns:
        The same turns with plain text; a turn without text (only a tool call, an image) is left out.

    Raises:
        ValueError: names the first message that has another shape.
    """
    read: list[Turn] = []
    for number, turn in enumerate(history, start=1):
        role = turn.get("role") if isinstance(turn, Mapping) else None
        if role not in ROLES or not isinstance(turn.get("content"), str | list | tuple):
            raise ValueError(
                f"Turn {number} of the history is {str(turn)[:80]!r}; expected a dict with 'role' (user or assistant) "
                "and 'content' (a text, or a list of the Messages API's blocks)."
            )
        text = _text(turn["content"], number)
        if text.strip():
            read.append({"role": role, "content": whole(text)})
    return tuple(read)


def _text(content: str | Sequence[Any], number: int) -> str:
    if isinstance(content, str):
        return content
    texts = []
    for block in content:
        fields = block if isinstance(block, Mapping) else getattr(block, "__dict__", None)
        if fields is None or "type" not in fields:
            raise ValueError(f"Turn {number} of the history holds {str(block)[:60]!r}, which is no content block.")
        if fields["type"] == "text":
            texts.append(str(fields["text"]))
    return "\n".join(texts)
