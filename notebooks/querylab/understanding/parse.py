"""From a model's reply to fields, whatever the reply looks like: whole, fenced, cut off, or no JSON at all.

The first defence, taking the first whole JSON object out of the talk around it, is the student's
``first_object``. What stands here is the net under it: the text of a reply that was cut off, and the
fields that can still be read out of half an object.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from querylab.prompts.schema import FIELDS

LIMIT = 20_000
"""Characters of a reply that are looked at; one that is longer is no understanding."""

FirstObject = Callable[[str], Mapping[str, Any] | None]

_KEY = re.compile(rf'"({"|".join(FIELDS)})"\s*:\s*')
_ENDS = tuple(" \t\r\n,}]")
_BARE = re.compile(r"[A-Za-z_]+|-?\d+(?:\.\d+)?")


def text_of(message: Any) -> str:
    """Take the text out of a reply, also out of one that was cut off. Never raises.

    Args:
        message: an ``anthropic.types.Message``, or anything else.

    Returns:
        All text blocks joined; "" when there are none, or when the model refused.
    """
    content = getattr(message, "content", None)
    if not isinstance(content, list) or getattr(message, "stop_reason", None) == "refusal":
        return ""
    texts = (getattr(block, "text", None) for block in content if getattr(block, "type", None) == "text")
    return "".join(piece for piece in texts if isinstance(piece, str))[:LIMIT]


def fields_of(said: str, first_object: FirstObject) -> Mapping[str, Any]:
    """Read the fields of a reply: its first whole object, or else what half an object still holds.

    Args:
        said: the reply's text.
        first_object: finds the first whole JSON object; None when there is none.

    Returns:
        Field → value, unchecked; empty when nothing can be read.
    """
    found = first_object(said[:LIMIT])
    return found if isinstance(found, Mapping) else fragment(said[:LIMIT])


def fragment(said: str) -> dict[str, Any]:
    """Read field by field out of text that holds no whole object: a reply that broke off, or lost its braces.

    Args:
        said: any text.

    Returns:
        The fields whose values are whole. A value that breaks off is left out: half a sentence is not
        searched with. The first of two values counts.
    """
    decoder = json.JSONDecoder(strict=False)
    found: dict[str, Any] = {}
    for match in _KEY.finditer(said):
        if match[1] in found:
            continue
        try:
            value, end = decoder.raw_decode(said, match.end())
        except (ValueError, RecursionError):
            bare = _BARE.match(said, match.end())  # "complexity": SIMPLE
            if bare and bare.end() < len(said):
                found[match[1]] = bare[0]
            continue
        # A number is whole when something ends it: 0.9 at the end of the text may have been 0.95, and 0. is no 0.
        if said[end : end + 1] in _ENDS or not isinstance(value, int | float) or isinstance(value, bool):
            found[match[1]] = value
    return found
