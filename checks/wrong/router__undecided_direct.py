"""What cannot be decided is answered from nothing."""

from querylab import prompts, reply


async def classify(client, question):
    label = reply.label(await client.messages.create(**prompts.classify(question)), ("single-hop", "multi-hop"))
    return label or "direct"
