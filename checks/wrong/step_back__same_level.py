"""The multi-query prompt is used: other wordings, not the level above."""

from querylab import prompts, reply


async def step_back_queries(client, question):
    return [question, *reply.lines(await client.messages.create(**prompts.multi_query(question)))]
