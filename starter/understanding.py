"""Query understanding: one call, ten fields; and deterministic signals that correct it in one direction."""

import json
import re
from collections.abc import Sequence
from typing import Any

from querylab import Turn, Understanding, Unfinished, fields_of, prompts, text_of


def first_object(text: str) -> dict[str, Any] | None:
    """Take the first whole JSON object out of a reply: out of fences, lead-ins, afterthoughts, lists.

    Args:
        text: a model's reply; braces may stand in the talk around the object, and inside its strings.

    Returns:
        The object, or None when there is no whole one. Never raises.
    """
    raise Unfinished("first_object")


async def understand(
    client: Any, history: Sequence[Turn], question: str, documents: Sequence[str] = ()
) -> Understanding:
    """Find out everything about a question with one call.

    Args:
        client: has ``await client.messages.create(...)``.
        history: earlier turns, oldest first; may be empty.
        question: the last user message, as typed.
        documents: titles of documents in view; they go into the prompt as data.

    Returns:
        Ten legal fields. A reply that is fenced, cut off, or talks around the object is read as far as it goes;
        an illegal value becomes its default; every repair stands in ``salvaged``. Nothing readable: the fallback.

    Raises:
        querylab.models.reply.ModelError: when the call itself fails; the pipeline then takes the careful path.

    Source: lesson 08.
    """
    raise Unfinished("understand")


def raise_complexity(question: str, understanding: Understanding) -> Understanding:
    """Lift SIMPLE to MEDIUM when the form of the sentence shows several things to be found.

    Args:
        question: as typed.
        understanding: what the model said.

    Returns:
        The understanding with ``complexity`` at least MEDIUM when 「分别讲…」, 「甲、乙各要多久」, 「对比甲和乙」,
        「甲和乙的区别」, 以及 with something asked before and after it, "vs" between two things, or two questions, each
        with its mark (「？？」 is one), stand there; else unchanged. Only ever up, never down, no other field touched. A
        sentence form, not a word: 「什么是对比学习」, 「和平区怎么走」 and 「以及路站怎么走」 stay SIMPLE.
    """
    raise Unfinished("raise_complexity")
