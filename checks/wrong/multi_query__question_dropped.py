"""Only the variants are searched."""

from querylab import prompts, reply


async def query_variants(client, question):
    message = await client.messages.create(**prompts.multi_query(question))
    return [line for line in reply.lines(message) if line != question][:2]
