"""As many sub-questions as the model likes."""

from querylab import prompts, reply


async def sub_questions(client, question):
    return reply.lines(await client.messages.create(**prompts.sub_questions(question)))
