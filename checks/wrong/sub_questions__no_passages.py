"""The gap is filled from nothing: the model sees no passage, and would have to invent."""

import asyncio

from querylab import prompts, reply


async def search_parts(client, retriever, question, parts):
    plain = list(dict.fromkeys([question, *(part for part in parts if "〔" not in part)]))
    searches = list(await asyncio.gather(*map(retriever.retrieve, plain)))
    for part in parts:
        if "〔" in part:
            try:
                answer = reply.line(await client.messages.create(**prompts.short_answer(parts[0], [])))
            except reply.ModelError:
                continue
            if not answer.startswith("不知道"):
                searches.append(await retriever.retrieve(part.replace("〔1〕", answer)))
    return searches
