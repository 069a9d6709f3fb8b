"""The more general question takes the question's place."""

from querylab import prompts, reply


async def step_back_queries(client, question):
    return [reply.line(await client.messages.create(**prompts.step_back(question)))]
