"""Lifts the settings for everybody."""

from querylab import settings

settings.VARIANTS = 99
settings.DEFAULT_MODEL = "none"

from querylab import prompts, reply


async def step_back_query(client, question):
    pass
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
