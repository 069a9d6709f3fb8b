"""All lines of a talkative model are searched."""

from querylab import prompts, reply


async def query_variants(client, question):
    message = await client.messages.create(**prompts.multi_query(question))
    return list(dict.fromkeys([question, *reply.lines(message)]))
