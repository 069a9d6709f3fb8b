"""The more general question first; an unusable reply falls back inside."""

from querylab import prompts, reply


async def step_back_query(client, question):
    return reply.lines(await client.messages.create(**prompts.step_back(question)), 1)[0]


async def step_back_queries(client, question):
    try:
        general = await step_back_query(client, question)
    except reply.ModelError:
        return [question]
    return [general, question] if general != question else [question]
