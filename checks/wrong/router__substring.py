"""A label counts when it stands anywhere in the reply."""

from querylab import prompts, reply


async def classify(client, question):
    words = reply.text(await client.messages.create(**prompts.classify(question))).lower()
    return next((label for label in ("direct", "multi-hop", "single-hop") if label in words), "single-hop")
