"""Sub-question splitting: a question that asks several things becomes questions that are searched apart."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from querylab import Search, prompts, reply, settings

PASSAGES = 3
GAP = re.compile(r"〔([1-3])〕")
UNKNOWN = "不知道"


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
    message = await client.messages.create(**prompts.sub_questions(question))
    return reply.lines(message, settings.SUB_QUESTIONS)


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
    at_once = list(dict.fromkeys([question, *(part for part in parts if not GAP.search(part))]))
    searches = list(await asyncio.gather(*map(retriever.retrieve, at_once)))
    found = {part: searches[at_once.index(part)] for part in parts if part in at_once}
    for part in parts:
        if not GAP.search(part):
            continue
        filled = await _filled(client, part, parts, found)
        if filled:
            found[part] = await retriever.retrieve(filled)
            searches.append(found[part])
    return searches


async def _filled(client: Any, part: str, parts: Sequence[str], found: dict[str, Search]) -> str:
    """Put the earlier answers into the gaps of a part; "" when one of them is not to be had."""
    for number in dict.fromkeys(GAP.findall(part)):
        earlier = parts[int(number) - 1] if int(number) <= len(parts) else ""
        if earlier not in found:
            return ""
        passages = [hit.chunk.text for hit in found[earlier].hits[:PASSAGES]]
        asked = found[earlier].query
        try:
            answer = reply.line(await client.messages.create(**prompts.short_answer(asked, passages)))
        except reply.ModelError:
            return ""
        if answer.startswith(UNKNOWN):
            return ""
        part = part.replace(f"〔{number}〕", answer)
    return part
