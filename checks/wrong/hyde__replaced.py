"""The invented passage is searched instead of the question."""

from querylab import prompts, reply


async def hyde_queries(client, question):
    return [reply.text(await client.messages.create(**prompts.hyde(question)))]
