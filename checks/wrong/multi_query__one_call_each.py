"""Each variant is paid for with a call of its own."""

from querylab import prompts, reply


async def query_variants(client, question):
    found = [question]
    for index in range(2):
        message = await client.messages.create(**prompts.multi_query(question))
        found.append([line for line in reply.lines(message) if line != question][index])
    return found
