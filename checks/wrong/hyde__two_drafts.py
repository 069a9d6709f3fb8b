"""Two drafts are paid for where one was asked for."""

from querylab import prompts, reply


async def hyde_queries(client, question):
    drafts = [reply.text(await client.messages.create(**prompts.hyde(question))) for _ in range(2)]
    return [question, drafts[0]]
