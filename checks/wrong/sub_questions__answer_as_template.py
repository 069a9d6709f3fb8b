"""The answer is read as a template of re.sub."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from querylab import Search, prompts, reply, settings

PASSAGES = 3
GAP = re.compile("〔([1-3])〕")
UNKNOWN = "不知道"


async def sub_questions(client: Any, question: str) -> list[str]:
    message = await client.messages.create(**prompts.sub_questions(question))
    return reply.lines(message, settings.SUB_QUESTIONS)


async def search_parts(client: Any, retriever: Any, question: str, parts: Sequence[str]) -> list[Search]:
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
        part = re.sub(f"〔{number}〕", answer, part)
    return part
