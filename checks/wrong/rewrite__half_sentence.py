"""A reply that was cut off is searched with."""

from querylab import prompts, reply


async def rewrite_query(client, history, question):
    message = await client.messages.create(**prompts.rewrite(history, question))
    text = "".join(block.text for block in message.content if block.type == "text")
    return reply.line(text) if text.strip() else question
