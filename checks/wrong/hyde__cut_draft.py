"""A draft that ran into the token limit is used."""

from querylab import prompts


async def hyde_queries(client, question):
    message = await client.messages.create(**prompts.hyde(question))
    return [question, "".join(block.text for block in message.content if block.type == "text")]
