"""What people and documents wrote, as data in a user message: between tags, escaped, cut to length.

A question cannot close its own tag, and a title that gives orders is still only a title.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from querylab import settings
from querylab.types import Turn

_SAME = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
_FIELD = re.compile(r'<(?P<name>\w+)(?: (?P<key>\w+)="(?P<value>[^"]*)")?>(?P<text>.*?)</(?P=name)>', re.DOTALL)


@dataclass(frozen=True)
class Field:
    """One tagged piece of a user message, unescaped again."""

    name: str
    text: str
    attribute: str = ""


def field(name: str, text: str, **attribute: str) -> str:
    """Write one piece of data as ``<name>text</name>``, escaped."""
    label = "".join(f' {key}="{html.escape(value)}"' for key, value in attribute.items())
    return f"<{name}{label}>{html.escape(text, quote=False)}</{name}>"


def history_field(history: Sequence[Turn]) -> str:
    """Write the last turns of a conversation as fields, oldest first; no history, no text."""
    recent = list(history)[-settings.HISTORY_TURNS :]
    return "\n".join(field("turn", turn["content"], role=turn["role"]) for turn in recent)


def read_fields(content: str) -> list[Field]:
    """Read the fields of a user message back, in order: the inverse of :func:`field`."""
    return [
        Field(found["name"], html.unescape(found["text"]), html.unescape(found["value"] or ""))
        for found in _FIELD.finditer(content)
    ]


def clean_title(title: str) -> str:
    """Put a title on one line without control characters, and cut it to length."""
    text = _SAME.sub(" ", _CONTROL.sub(" ", unicodedata.normalize("NFC", title))).strip()
    text = text.encode("utf-8", "replace").decode("utf-8")
    limit = settings.TITLE_CHARACTERS
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def clean_titles(titles: Iterable[str]) -> list[str]:
    """Clean the first few titles; empty ones and repetitions fall out."""
    kept = dict.fromkeys(clean for title in titles if (clean := clean_title(title)))
    return list(kept)[: settings.TITLES]
