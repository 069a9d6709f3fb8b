"""The model is asked two times for one rewrite."""

from querylab import prompts, reply


async def rewrite_query(client, history, question):
    await client.messages.create(**prompts.rewrite(history, question))
    return reply.line(await client.messages.create(**prompts.rewrite(history, question)))
