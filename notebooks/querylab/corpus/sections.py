"""Markdown of any origin cut into sections: at its headings, and where one is too long, between its paragraphs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from querylab import settings
from querylab.text import count_tokens, sentences

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True)
class Section:
    """One section to be: its heading (with those above it) and its text."""

    heading: str
    body: str


def cut(markdown: str, name: str, limit: int = settings.IMPORTED_TOKENS) -> tuple[str, list[Section]]:
    """Cut a text into sections.

    Args:
        markdown: a whole document; front matter is passed over but for its title, HTML comments are dropped.
        name: its title where it has no heading of the first level at its beginning.
        limit: tokens of one section. Longer ones are cut between paragraphs, then between a table's rows (its head is
            repeated) or between sentences; only a single longer row or sentence stays longer.

    Returns:
        The title, and the sections that hold any text; none for a document without text.
    """
    text = markdown.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    title = name
    if front := _FRONT.match(text):
        text = text[front.end() :]
        named = re.search(r"(?m)^title:\s*[\"']?(.+?)[\"']?\s*$", front[1])
        title = named[1] if named else title
    path: list[tuple[int, str]] = []
    sections: list[Section] = []
    for level, heading, body in _parts(_COMMENT.sub("", text).replace("<!--", "&lt;!--")):
        if level == 1 and not path and not sections:
            title = heading or title
            path = [(0, "")]  # the title is no heading over everything
        elif level:
            path = [*(above for above in path if above[0] < level), (level, heading)]
        above = " / ".join(words for _, words in path if words) or title
        pieces = list(_pieces(body, limit))
        for number, piece in enumerate(pieces, start=1):
            sections.append(Section(above if len(pieces) == 1 else f"{above} ({number})", piece))
    return _line(title), [Section(_line(section.heading), section.body) for section in sections]


def _line(text: str) -> str:
    return " ".join(text.split())


def _parts(text: str) -> Iterator[tuple[int, str, str]]:
    """Go through a text as (level of the heading, 0 before the first; heading; text under it)."""
    level, heading, body, fence = 0, "", [], ""
    for line in text.split("\n"):
        mark = line.strip()[:3]
        if mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
        found = None if fence else _HEADING.match(line)
        if found:
            yield level, heading, "\n".join(body).strip()
            level, heading, body = len(found[1]), found[2], []
        else:
            body.append(line)
    yield level, heading, "\n".join(body).strip()


def _pieces(body: str, limit: int) -> Iterator[str]:
    """Put paragraphs together up to the limit."""
    held: list[str] = []
    for paragraph in _paragraphs(body):
        for part in _shorter(paragraph, limit):
            if held and count_tokens("\n\n".join([*held, part])) > limit:
                yield "\n\n".join(held)
                held = []
            held.append(part)
    if held:
        yield "\n\n".join(held)


def _paragraphs(body: str) -> Iterator[str]:
    """Split at blank lines, none of them in a code fence."""
    held: list[str] = []
    fence = False
    for line in body.split("\n"):
        fence ^= line.strip()[:3] in ("```", "~~~")
        if line.strip() or fence:
            held.append(line)
        elif held:
            yield "\n".join(held)
            held = []
    if held:
        yield "\n".join(held)


def _shorter(paragraph: str, limit: int) -> Iterator[str]:
    if count_tokens(paragraph) <= limit:
        yield paragraph
    elif paragraph.startswith("|"):
        head, rows = paragraph.split("\n")[:2], paragraph.split("\n")[2:]
        yield from ("\n".join([*head, *group]) for group in _groups(rows, limit - count_tokens("\n".join(head)), "\n"))
    elif paragraph.startswith(("```", "~~~")):
        yield paragraph  # code cut apart is no code
    else:
        yield from ("".join(group) for group in _groups(sentences(paragraph), limit, ""))


def _groups(parts: Sequence[str], limit: int, between: str) -> Iterator[list[str]]:
    held: list[str] = []
    for part in parts:
        if held and count_tokens(between.join([*held, part])) > limit:
            yield held
            held = []
        held.append(part)
    if held:
        yield held
