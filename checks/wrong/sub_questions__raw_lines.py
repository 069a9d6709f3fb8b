"""Numbers, lead-in and blank lines become sub-questions."""

from querylab import prompts, reply


async def sub_questions(client, question):
    return reply.text(await client.messages.create(**prompts.sub_questions(question))).splitlines()[:3]
