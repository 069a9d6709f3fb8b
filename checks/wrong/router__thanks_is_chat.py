"""A polite word at the start makes it chit-chat."""

from querylab import prompts
from querylab.models import reply


async def classify(client, question):
    message = await client.messages.create(**prompts.classify(question))
    if question.startswith(("谢谢", "你好")):
        return "direct"
    return reply.label(message, ("direct", "single-hop", "multi-hop")) or "single-hop"
