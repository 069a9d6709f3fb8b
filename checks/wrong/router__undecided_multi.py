"""What cannot be decided takes the dearest path."""

from querylab import prompts, reply


async def classify(client, question):
    message = await client.messages.create(**prompts.classify(question))
    return reply.label(message, ("direct", "single-hop")) or "multi-hop"
