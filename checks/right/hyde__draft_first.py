"""The passage stands before the question, which is allowed."""

from querylab import prompts, reply


async def hypothetical_document(client, question):
    return reply.text(await client.messages.create(**prompts.hyde(question)))


async def hyde_queries(client, question):
    try:
        return [await hypothetical_document(client, question), question]
    except reply.ModelError:
        return [question]
