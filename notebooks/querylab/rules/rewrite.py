"""Rewriting: a question that leans on the talk becomes one that can be understood alone.

In: the conversation and the question. Out: the question. The steps: courtesy off the front; references; ellipses; a
subject that was left out. A complete question comes back to the letter, and no figure of a reply travels into it.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from querylab.language import is_english
from querylab.rules import ellipsis, english, reference
from querylab.rules.intent import intent
from querylab.rules.reference import Exchange
from querylab.rules.words import asking_clauses, clean, without_courtesy
from querylab.types import Turn

TURNS_BACK = 4
"""Exchanges that a reference may reach back."""

_CITATION = re.compile(r"\[[\w-]+#\d+\]")
_VAGUE = re.compile(r"大概|大约|一下(?=[\u4e00-\u9fff])")
_PARTICLE = re.compile(r"(?<=[\u4e00-\u9fff])[啊呀哦哈嘛]+(?=[？?]?$)")


def rewrite(history: Sequence[Turn], question: str) -> str:
    """Make a question stand alone.

    Rule: see the module; each earlier question is completed by the one before it.
    Limits: what no word of the talk names cannot be put in; an aside between two turns hides the older topic.
    Example: after 「储物柜怎么租」, 「要押金吗」 → 「储物柜要押金吗」.
    """
    typed = question.strip()
    asked_for = clean(typed)
    if not asked_for:
        return typed
    done = _rewrite(_exchanges(history), asked_for)
    return typed if done == asked_for else done


@lru_cache(maxsize=512)
def _rewrite(talk: tuple[tuple[str, str], ...], question: str) -> str:
    if is_english(question):
        done = [Exchange(asked, told) for asked, told in talk[-TURNS_BACK:] if asked]
        return english.rewrite(done, question)
    text = without_courtesy(question)
    vague = asking_clauses(text) and _PARTICLE.sub("", _VAGUE.sub("", text))
    text = vague or text
    if not talk or (not asking_clauses(text) and len(text) > 14):
        return text
    leans = text.startswith("那") or "呢" in text or any(form.search(text) for _, form in reference.PRONOUNS)
    if not leans and intent(question) == "direct":  # small talk has nothing to be completed
        return question
    done = [Exchange(_rewrite(talk[:index], asked), told) for index, (asked, told) in enumerate(talk)][-TURNS_BACK:]
    return _completed(done, text)


def _completed(talk: list[Exchange], text: str) -> str:
    found = reference.resolve(text, talk)
    if found != text:
        return found
    last = talk[-1]
    new = ellipsis.remainder(text)
    if new:
        return ellipsis.substituted(new, last.question)
    if ellipsis.leans(text) or any(form.search(text) for _, form in reference.PRONOUNS):
        name = reference.topic(last)
        plain = text.removeprefix("那")
        return f"{name}{plain}" if name and name not in plain else text
    return text


def _exchanges(history: Sequence[Turn]) -> tuple[tuple[str, str], ...]:
    """Pair each question with its reply, without the lab's citations; turns that are no text are left out."""
    pairs: list[tuple[str, str]] = []
    for turn in history:
        text = _CITATION.sub("", clean(_said(turn)))
        if not text:
            continue
        if turn.get("role") == "assistant":
            if pairs and not pairs[-1][1]:
                pairs[-1] = (pairs[-1][0], text)
        elif len(without_courtesy(text)) > 1:
            pairs.append((text, ""))
    return tuple(pairs)


def _said(turn: Mapping[str, Any]) -> str:
    """The text of a turn; the SDK's own shape (a list of blocks) is read too."""
    content = turn.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text") or "") for block in content if isinstance(block, dict))
