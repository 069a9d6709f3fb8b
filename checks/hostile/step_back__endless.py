"""Never ends, and catches what would end it."""

from querylab import prompts, reply


async def step_back_query(client, question):
    while True:
        try:
            for number in range(10**9):
                number += 1
        except BaseException:
            pass
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
