"""The documents that a question means: named in 《》, or pointed at among those in view; and its exact terms.

A title is written by whoever uploaded the file. It may be long, hold tags, or give orders; here it is
cut, put on one line, and never more than data between escaped tags.
"""

import re
from collections.abc import Mapping, Sequence

from querylab.text import exact_terms, normalise

__all__ = ["exact_terms", "named"]

_TITLE = re.compile(r"《([^《》]{1,80})》")
_SAME = re.compile(r"\s+")


def named(text: str, titles: Sequence[str]) -> list[str]:
    """List the documents that a text names in 《》, in its order.

    Args:
        text: a question.
        titles: the titles there are, as they stand in the corpus.

    Returns:
        Titles of the corpus, each once. A name without 《》 does not count: every policy's name is made of
        words that also open plain questions.
    """
    known = {_plain(title): title for title in titles}
    found = [known[name] for name in map(_plain, _TITLE.findall(text)) if name in known]
    return list(dict.fromkeys(found))


_SUMMARY = re.compile(r"总结|概括|归纳|梳理|小结|摘要|主要内容|[讲说]了?(?:什么|些什么|哪些)|\bsummar(?:y|i[sz]e)\b")


def to_summarise(question: str, titles: Sequence[str]) -> list[str]:
    """List the documents that a question names and wants told as a whole: 「总结一下《年假管理办法》」.

    No search can answer that: every section is part of the answer, and none is nearer to the question than another.
    """
    return named(question, titles) if _SUMMARY.search(normalise(question)) else []


# ── Documents in view ───────────────────────────────────────────────────────────────────────────
_COUNTS = "一二三四五六七八九十"
_NUMBER = rf"([{_COUNTS}两]|\d{{1,2}})"
_UNIT = r"\s*(?:份|篇|个\s*(?:文档|文件|资料))"
_THE_FIRST = re.compile(rf"前\s*{_NUMBER}{_UNIT}")
_THE_NTH = re.compile(rf"(?:倒数)?第\s*{_NUMBER}{_UNIT}?|最后一{_UNIT}")
_THESE = re.compile(
    rf"[这那](?:几|些|[{_COUNTS}两])?\s*(?:份|篇|个)?\s*(?:文档|文件|资料)"  # 这几份文档, 那些资料, 这文件
    rf"|[这那](?:几|[{_COUNTS}两])?(?:份|篇)"  # 这两份, 那篇
    r"|(?:该|本|上述|以上)(?:文档|文件|资料)"
    r"|\b(?:this|these|that|those|both) (?:documents?|files?)\b",
    re.IGNORECASE,
)


def pointed_at(question: str, in_view: Sequence[str]) -> list[str]:
    """List the documents in view that a question points at.

    Args:
        question: as typed.
        in_view: titles, in the order in which the person sees them; none, and nothing can be pointed at.

    Returns:
        第一份和第三份, 前两份, 最后一份: those; 这份文档, 这几份文档: all that are in view, for who means one of
        several without saying which is better served with all than with a guess. Empty when the question points at
        none; an ordinal beyond the last document points at nothing.
    """
    text = normalise(question)
    chosen: set[int] = set()
    for found in _THE_FIRST.finditer(text):
        chosen |= set(range(_number(found[1])))
    ordinals = list(_THE_NTH.finditer(text))
    # 「第三」 alone is any third; a document's only where a unit stands beside one: 「第一和第三份」.
    if any(re.search(_UNIT, found[0]) for found in ordinals):
        for found in ordinals:
            place = _number(found[1]) if found[1] else 1
            from_behind = not found[1] or found[0].startswith("倒数")
            chosen.add(len(in_view) - place if from_behind else place - 1)
    if not chosen and _THESE.search(text):
        chosen = set(range(len(in_view)))
    return [title for place, title in enumerate(in_view) if place in chosen]


def titles_of(documents: Sequence[str], titles: Mapping[str, str]) -> tuple[str, ...]:
    """Give the titles of documents that were named by id or by title, with or without 《》.

    Args:
        documents: ids or titles; each counts once.
        titles: id → title of every document there is.

    Raises:
        ValueError: for one that is not there; lists those that are.
    """
    known = {_plain(title): title for title in titles.values()}
    found = [titles.get(name) or known.get(_plain(name.strip("《》"))) for name in documents]
    missing = [name for name, title in zip(documents, found, strict=True) if title is None]
    if missing:
        raise ValueError(f"No document is called {missing[0]!r}. The corpus has: {', '.join(titles)}.")
    return tuple(dict.fromkeys(title for title in found if title is not None))


def _number(word: str) -> int:
    return 2 if word == "两" else _COUNTS.index(word) + 1 if word in _COUNTS else int(word)


def _plain(title: str) -> str:
    return _SAME.sub("", normalise(title))
