"""Question and passage are glued into one search."""

from querylab import prompts, reply


async def hyde_queries(client, question):
    return [question + " " + reply.text(await client.messages.create(**prompts.hyde(question)))]
