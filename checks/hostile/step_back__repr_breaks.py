"""A value whose repr raises."""


class Odd:
    def __repr__(self):
        raise RuntimeError("no")

    def __eq__(self, other):
        return True


from querylab import prompts, reply


async def step_back_query(client, question):
    return Odd()
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
