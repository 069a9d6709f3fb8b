"""In turn: a part that needs no answer waits for the gap before it."""

import asyncio

from querylab import prompts, reply


async def search_parts(client, retriever, question, parts):
    texts = []
    found = {}

    async def search_them():
        new = [text for text in dict.fromkeys(texts) if text not in found]
        found.update(zip(new, await asyncio.gather(*map(retriever.retrieve, new)), strict=True))

    texts.append(question)
    answers = {}
    for number, part in enumerate(parts, 1):
        if "〔" in part:
            await search_them()
            for earlier in range(1, number):
                if f"〔{earlier}〕" in part and earlier not in answers and parts[earlier - 1] in found:
                    answers[earlier] = await answer(client, found[parts[earlier - 1]])
                part = part.replace(f"〔{earlier}〕", answers.get(earlier) or f"〔{earlier}〕")
            parts = [*parts[: number - 1], part, *parts[number:]]
        if "〔" not in part:
            texts.append(part)
    await search_them()
    return list(found.values())


async def answer(client, search):
    passages = [hit.chunk.text for hit in search.hits[:3]]
    try:
        word = reply.line(await client.messages.create(**prompts.short_answer(search.query, passages)))
    except reply.ModelError:
        return None
    return None if word.startswith("不知道") else word
