"""The whole conversation is put in front of the question."""

from querylab import prompts


async def rewrite_query(client, history, question):
    await client.messages.create(**prompts.rewrite(history, question))
    return " ".join(turn["content"] for turn in history) + " " + question
