"""Calls itself for ever."""

from querylab import prompts, reply


async def step_back_query(client, question):
    return await step_back_query(client, question)
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
