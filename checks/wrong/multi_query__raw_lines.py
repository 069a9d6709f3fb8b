"""The reply is cut at line ends and nothing more."""

from querylab import prompts, reply


async def query_variants(client, question):
    message = await client.messages.create(**prompts.multi_query(question))
    return [question, *reply.text(message).split("\n")][:3]
