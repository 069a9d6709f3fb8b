"""Returns a list that holds itself."""

from querylab import prompts, reply


async def step_back_query(client, question):
    value = []
    value.append(value)
    return value
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
