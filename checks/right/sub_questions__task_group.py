"""Tasks in a group, gaps filled by a regular expression's function, failures as None."""

import asyncio

from querylab import prompts
from querylab.models import reply


async def sub_questions(client, question):
    try:
        return reply.lines(await client.messages.create(**prompts.sub_questions(question)))[:3]
    except reply.ModelError:
        return [question]


async def search_parts(client, retriever, question, parts):
    found = {}

    async def one(text):
        found[text] = await retriever.retrieve(text)

    async with asyncio.TaskGroup() as group:
        for text in {question, *(part for part in parts if "〔" not in part)}:
            group.create_task(one(text))
    for part in (part for part in parts if "〔" in part):
        place = int(part[part.index("〔") + 1]) - 1
        try:
            passages = [hit.chunk.text for hit in found[parts[place]].hits[:3]]
            answer = reply.line(await client.messages.create(**prompts.short_answer(parts[place], passages)))
        except (reply.ModelError, KeyError, IndexError):
            continue
        if "不知道" not in answer:
            await one(part.replace(f"〔{place + 1}〕", answer))
    return list(found.values())
