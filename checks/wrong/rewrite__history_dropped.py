"""The model is asked without the conversation."""

from querylab import prompts, reply


async def rewrite_query(client, history, question):
    return reply.line(await client.messages.create(**prompts.rewrite([], question)))
