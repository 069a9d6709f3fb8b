"""Sub-question splitting: a question that asks several things becomes questions that are searched apart."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from querylab import Search, Unfinished, prompts, reply, settings


async def sub_questions(client: Any, question: str) -> list[str]:
    """Let the model split a question into parts that each ask one thing.

    Args:
        client: has ``await client.messages.create(...)``.
        question: a complete question, after rewriting.

    Returns:
        One to three texts. A question that asks one thing comes back as the only part. In a part that needs the
        answer to an earlier one, 〔1〕 stands for the answer to the first part, 〔2〕 for that to the second.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable; the pipeline then searches the question
            alone.

    Source: lesson 09; Press et al., "Measuring and Narrowing the Compositionality Gap in Language Models", 2023.
    """
    raise Unfinished("sub_questions")


async def search_parts(client: Any, retriever: Any, question: str, parts: Sequence[str]) -> list[Search]:
    """Search a question and its parts: independent parts together, a part with a gap after the gap is filled.

    Args:
        client: has ``await client.messages.create(...)``; filling a gap costs one call with
            ``prompts.short_answer(part, passages)`` on the best three passages that the earlier part found.
        retriever: has ``await retriever.retrieve(query)``, which returns a Search.
        question: the question itself; it is always searched.
        parts: what :func:`sub_questions` returned.

    Returns:
        One Search for the question and one for each part, the question first. A part whose gap cannot be filled (the
        call fails, or the passages do not say) is left out; the others stay.

    Source: lesson 09; Trivedi et al., "Interleaving Retrieval with Chain-of-Thought Reasoning", ACL 2023.
    """
    raise Unfinished("search_parts")
