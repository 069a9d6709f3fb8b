"""The gap is filled with a bridge query: a whole sentence where one word was meant."""

import asyncio
import re

from querylab import prompts, reply


async def search_parts(client, retriever, question, parts):
    plain = list(dict.fromkeys([question, *(part for part in parts if "〔" not in part)]))
    found = dict(zip(plain, await asyncio.gather(*map(retriever.retrieve, plain)), strict=True))
    for part in parts:
        if "〔" not in part:
            continue
        filled = await fill(client, part, parts, found)
        if filled:
            found[part] = await retriever.retrieve(filled)
    return list(found.values())


async def fill(client, part, parts, found):
    for number in sorted(set(re.findall("〔([123])〕", part))):
        before = found.get(parts[int(number) - 1]) if int(number) <= len(parts) else None
        if before is None:
            return None
        passages = [hit.chunk.text for hit in before.hits[:3]]
        try:
            answer = reply.line(await client.messages.create(**prompts.bridge(before.query, passages)))
        except reply.ModelError:
            return None
        if answer.startswith("不知道"):
            return None
        part = part.replace(f"〔{number}〕", answer)
    return part
