"""The passage is written and then forgotten."""

from querylab import prompts


async def hyde_queries(client, question):
    await client.messages.create(**prompts.hyde(question))
    return [question]
