"""The reply is used with its label and quotes."""

from querylab import prompts, reply


async def step_back_query(client, question):
    return reply.text(await client.messages.create(**prompts.step_back(question)))
