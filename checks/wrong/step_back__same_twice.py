"""A question that is general already is searched twice: it counts twice in the fusion, and costs twice."""

from querylab import prompts, reply


async def step_back_queries(client, question):
    return [question, reply.line(await client.messages.create(**prompts.step_back(question)))]
