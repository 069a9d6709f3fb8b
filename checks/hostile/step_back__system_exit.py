"""Raises SystemExit."""

from querylab import prompts, reply


async def step_back_query(client, question):
    raise SystemExit(0)
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
