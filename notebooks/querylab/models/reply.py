"""From a model's message to text, lines or a label: every way a reply can be unusable has a name.

A technique calls :func:`text`, :func:`line`, :func:`lines` or :func:`label`. What cannot be used
raises a :class:`ReplyError`; the pipeline catches it, searches the question as typed, and writes the
reason into the trace.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any


class ModelError(Exception):
    """A model call that brought nothing usable; the message is the reason the trace shows."""


class CallFailed(ModelError):
    """The call itself failed: network, time-out, overload, refused request, empty purse."""


class LastingFailure(CallFailed):
    """A failure that every further call would meet too; going on would only measure the fallbacks."""


class BudgetReached(LastingFailure):
    """The ceiling on money (``LAB_MAX_USD``) leaves no room for the next call."""


class KeyRefused(LastingFailure):
    """The API does not accept the key."""


class NotRecorded(LastingFailure):
    """A replayed run asked for something that the recording does not hold."""


class ReplyError(ModelError):
    """The call succeeded, but its reply cannot be used."""


class EmptyReply(ReplyError):
    """No text in the reply (nothing at all, thinking only, or blanks)."""


class RefusedReply(ReplyError):
    """The model declined to answer (``stop_reason == "refusal"``)."""


class CutReply(ReplyError):
    """The reply broke off (token limit, paused turn): a half sentence is not searched with."""


class BrokenReply(ReplyError):
    """A reply that is not a message: a 200 with something else inside."""


def text(message: Any) -> str:
    """Take the text out of a message.

    Args:
        message: an ``anthropic.types.Message``.

    Returns:
        All text blocks joined, stripped; thinking and tool blocks are passed over.

    Raises:
        BrokenReply, RefusedReply, CutReply, EmptyReply: see there.
    """
    content = getattr(message, "content", None)
    if not isinstance(content, list):
        kind = type(message).__name__
        hint = "; was 'await' forgotten before the call?" if hasattr(message, "__await__") else ""
        raise BrokenReply(f"the reply is not a message with content blocks ({kind}{hint})")
    reason = getattr(message, "stop_reason", None)
    if reason == "refusal":
        raise RefusedReply("the model refused")
    if reason in ("max_tokens", "model_context_window_exceeded", "pause_turn"):
        raise CutReply(f"the reply was cut off ({reason})")
    texts = (getattr(block, "text", None) for block in content if getattr(block, "type", None) == "text")
    joined = _THINKING.sub("", "".join(piece for piece in texts if isinstance(piece, str))).strip()
    if not joined:
        raise EmptyReply("the reply holds no text")
    if declines(joined):
        raise RefusedReply(f"the model declined: {' '.join(joined.split())[:60]}")
    return joined


_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
"""Thoughts that some servers leave in the text."""

_SORRY = re.compile(
    r"(?:非常|很)?(?:抱歉|对不起|不好意思)[，,。!！、]|作为(?:一个|一名)?(?:AI|人工智能|语言模型)|"
    r"(?:I'm|I am) sorry\b|Sorry,|As an AI\b"
)
_CANNOT = re.compile(r"无法|不能|没法|没有办法|不便|can't|cannot|can not|unable|won't")


def declines(text: str) -> bool:
    """Say whether a text excuses itself instead of doing its task: it begins with an apology, and cannot."""
    begins = _SORRY.match(text)
    return bool(begins and _CANNOT.search(text[:60]))


_ASKS = re.compile(r"[?？吗呢么谁哪几]|多少|多久|多大|多长|多高|如何|是否|能否|可否|有无")
_STATES = re.compile(r"(?<=[\u4e00-\u9fff])\d+(?:\.\d+)?\s*(?:[\u4e00-\u9fff%％]).*。$")

_NAMES = re.compile(r"的[\u4e00-\u9fff]{1,4}。$")
"""A line that ends in 「……的规定。」 names what it is about; it tells nothing."""


def states(line: str) -> bool:
    """Say whether one line answers instead of asking: a sentence with a figure, a full stop, and no question word.

    A search text is a question or a row of key words; neither is told like 「年假最多结转5天。」.
    """
    return bool(_STATES.search(line)) and not _ASKS.search(line) and not _NAMES.search(line)


_BULLET = re.compile(
    r"^\s*(?:"
    r"[-*•·–—]+\s+|[•·]\s*"  # - * • bullets
    r"|[（(]\s*(?:\d{1,2}|[一二三四五六七八九十]{1,2})\s*[)）]\s*"  # （1） (一)
    r"|\d{1,2}\s*(?:[)）]|[、．.](?!\d)|[:：](?!\s*\d))\s*"  # 1) 1、 1. 1: but not 3.5, 1、2级, 9:30
    r"|[一二三四五六七八九十]{1,2}\s*[、．.](?![一二三四五六七八九十百])\s*"  # 一、 but not 一、二级
    r"|[①②③④⑤⑥⑦⑧⑨⑩]\s*"
    r"|#{1,6}\s+|>\s+(?!\d)"  # > quoted, but not > 5
    r")"
)
_FENCE = re.compile(r"^\s*```\w*\s*$")
_META = (
    "改写|检索|查询|搜索|提问|问题|变体|关键词|书面|口语|规范|说法|形式|语句|句子|词|结果|后退|独立|完整|最终|新|版本|"
    "query|queries|rewritten|rewrite|search|keywords?|variant|version|question|standalone|step-?back|sub-?question"
)
"""Words by which a model names what it writes; a label is made of nothing else."""
_PART_OF_LABEL = rf"(?:{_META}|[的后第子条个]|[0-9一二三]|\s)"
_NAMES_IT = rf"{_PART_OF_LABEL}*?(?:{_META}){_PART_OF_LABEL}*"
_LABEL = re.compile(rf"^\s*(?:【{_NAMES_IT}】\s*[:：]?|{_NAMES_IT}\s*[:：])\s*", re.IGNORECASE)
_LEAD_IN = re.compile(r".*[:：]")
"""A line that ends in a colon, with lines after it, announces them."""
_GREETS = re.compile(r"(?:好的|没问题|当然(?:可以)?|sure|certainly|of course|okay|ok)(?!\w).*[。.!！]", re.IGNORECASE)
_TAGGED = re.compile(r"<(\w+)>(.*)</\1>", re.DOTALL)
_PAIRS = (("“", "”"), ("「", "」"), ("『", "』"), ('"', '"'), ("'", "'"), ("`", "`"), ("**", "**"), ("__", "__"))
_EDGE = " \t\u3000\u00a0\ufeff\u200b"


def lines(reply: Any, limit: int | None = None) -> list[str]:
    """Read a reply as a list of search texts, one a line.

    Survives numbering and bullets (``1. 1) 1、 （1） ① - • *``), quotes, bold, code fences, a lead-in
    line ("以下是……："), blank lines, full-width spaces, CRLF and a JSON list. A number that belongs to
    the text (``3.5 天``) stays. Repeated lines are dropped.

    Args:
        reply: a message, or text already taken from one.
        limit: how many lines to keep, from the first.

    Returns:
        Clean, distinct lines that hold at least one letter or digit, in the reply's order.

    Raises:
        ReplyError: when no usable line is left.
    """
    whole = _untagged(_whole(reply))
    raw = [line for piece in _json_strings(whole) or [whole] for line in piece.splitlines()]
    raw = [line for line in raw if not _FENCE.match(line)]
    lead = [line for line in raw if _clean(line)]
    if len(lead) > 1 and _announces(lead[0].strip(_EDGE + "*")):
        raw = raw[raw.index(lead[0]) + 1 :]
    found: dict[str, str] = {}
    for line in raw:
        clean = _clean(line)
        if clean:
            found.setdefault(unicodedata.normalize("NFKC", clean).casefold(), clean)
    if not found:
        raise EmptyReply("the reply holds no usable line")
    return list(found.values())[:limit]


def _whole(reply: Any) -> str:
    return _THINKING.sub("", reply).strip(_EDGE + "\r\n") if isinstance(reply, str) else text(reply)


def _announces(line: str) -> bool:
    return bool(_LEAD_IN.fullmatch(line) or _GREETS.fullmatch(line))


def _untagged(whole: str) -> str:
    """Take the one tag off that a model has put round its reply: ``<query>…</query>``."""
    tagged = _TAGGED.fullmatch(whole.strip())
    return tagged[2] if tagged else whole


def line(reply: Any) -> str:
    """Read a reply as one search text: its first usable line.

    Raises:
        ReplyError: when there is none.
    """
    return lines(reply, 1)[0]


def label(reply: Any, labels: Sequence[str]) -> str | None:
    """Read a reply as one of a closed set of labels.

    The whole reply, its first line, or the one value of a JSON object must be the label, apart from case, quotes,
    bold, a closing stop, and a blank in place of the hyphen. Where another label stands after the first line, as in
    "multi-hop" over "single-hop", guessing which was meant is how a wrong route is taken.

    Args:
        reply: a message, or text already taken from one.
        labels: the allowed labels.

    Returns:
        The label, or None when the reply is no label or more than one.

    Raises:
        ReplyError: when the message holds no text at all.
    """
    whole = _whole(reply)
    found = _json_strings(whole)
    first, _, rest = (found[0] if len(found) == 1 else whole).strip(_EDGE + "\r\n").partition("\n")
    if any(_plain(name) in _plain(rest) for name in labels):
        return None
    clean = _plain(_clean(_clean(first).rstrip("。.!！")).rstrip("。.!！"))
    return next((name for name in labels if clean == _plain(name)), None)


def _plain(label: str) -> str:
    return re.sub(r"[_\s]+", "-", unicodedata.normalize("NFKC", label).casefold().strip(_EDGE))


def _clean(line: str) -> str:
    """Take bullets, labels and wrapping marks off one line; blank when no letter or digit is left."""
    before = None
    line = line.strip(_EDGE)
    while line != before:
        before = line
        line = _LABEL.sub("", _BULLET.sub("", line)).strip(_EDGE)
        for opening, closing in _PAIRS:
            inner = line[len(opening) : -len(closing)]
            wrapped = len(line) > len(opening) + len(closing) and line.startswith(opening) and line.endswith(closing)
            if wrapped and opening not in inner and closing not in inner:
                line = inner.strip(_EDGE)
        if line.startswith("**") and line.count("**") == 2:  # **label** rest
            line = line.replace("**", "").strip(_EDGE)
    return line if any(character.isalnum() for character in line) else ""


def _json_strings(whole: str) -> list[str]:
    """Read a JSON list of strings (or an object with one such list), fenced or not; else nothing."""
    body = re.search(r"(?ms)^[ \t]*([\[{].*[\]}])[ \t]*(?:\s*```)?\s*\Z", whole)
    if not body:
        return []
    try:
        value = json.loads(body[1])
    except (ValueError, RecursionError):  # no JSON; a number too long; brackets too deep
        return []
    return _leaves(value)


def _leaves(value: Any, depth: int = 3) -> list[str]:
    """The texts in a JSON value: of an object with a list in it, those of the list; else all its values, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = next((item for item in value.values() if isinstance(item, list)), list(value.values()))
    if not isinstance(value, list) or not depth:
        return []
    return [text for item in value for text in _leaves(item, depth - 1)]
