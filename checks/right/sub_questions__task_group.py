"""Tasks in a group, gaps filled by a regular expression, failures as None."""

import asyncio
import re

from querylab import prompts, reply


async def sub_questions(client, question):
    try:
        return reply.lines(await client.messages.create(**prompts.sub_questions(question)))[:3]
    except reply.ModelError:
        return [question]


async def search_parts(client, retriever, question, parts):
    found = dict.fromkeys([question, *(part for part in parts if "〔" not in part)])

    async def one(name, text):
        found[name] = await retriever.retrieve(text)

    async with asyncio.TaskGroup() as group:
        for text in found:
            group.create_task(one(text, text))
    for part in (part for part in parts if "〔" in part):
        answers = {}
        for number in set(re.findall("〔(.)〕", part)):
            earlier = dict(enumerate(parts, 1)).get(int(number))
            answers[number] = await answer(client, found[earlier]) if earlier in found else None
        if None not in answers.values():
            await one(part, re.sub("〔(.)〕", lambda gap, answers=answers: answers[gap[1]], part))
    return list(found.values())


async def answer(client, search):
    passages = [hit.chunk.text for hit in search.hits[:3]]
    try:
        word = reply.line(await client.messages.create(**prompts.short_answer(search.query, passages)))
    except reply.ModelError:
        return None
    return None if "不知道" in word else word
