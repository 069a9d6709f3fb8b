"""The text is taken from the first block, whatever that is."""

from querylab import prompts


async def rewrite_query(client, history, question):
    message = await client.messages.create(**prompts.rewrite(history, question))
    return message.content[0].text
