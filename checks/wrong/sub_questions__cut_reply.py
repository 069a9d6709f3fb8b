"""Half a sentence of a cut-off reply is searched with."""

from querylab import prompts, reply


async def sub_questions(client, question):
    message = await client.messages.create(**prompts.sub_questions(question))
    return reply.lines("".join(getattr(block, "text", "") for block in message.content), 3)
