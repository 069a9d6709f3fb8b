"""Every part is a task; a part with a gap waits for the tasks of the parts that it needs."""

import asyncio
import re

from querylab import prompts, reply


async def search_parts(client, retriever, question, parts):
    searches, tasks = {}, []

    def search(text):
        if text not in searches:
            searches[text] = asyncio.ensure_future(retriever.retrieve(text))
        return searches[text]

    async def part_at(index):
        text = parts[index]
        for number in sorted({int(number) for number in re.findall(r"〔(\d)〕", text)}):
            before = await tasks[number - 1] if number <= index else None
            if before is None:
                return None
            passages = [hit.chunk.text for hit in before.hits[:3]]
            try:
                word = reply.line(await client.messages.create(**prompts.short_answer(before.query, passages)))
            except reply.ModelError:
                return None
            if word.startswith("不知道"):
                return None
            text = text.replace(f"〔{number}〕", word)
        return await search(text)

    whole = search(question)
    tasks += [asyncio.ensure_future(part_at(index)) for index in range(len(parts))]
    done = [await whole, *await asyncio.gather(*tasks)]
    return [item for item in done if item is not None]
