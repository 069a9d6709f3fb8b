"""Wrong: a reply that was cut off is thrown away, though half of its fields are whole."""

import json

from querylab import Understanding, prompts, reply


async def understand(client, history, question, documents=()):
    message = await client.messages.create(**prompts.understand(history, question, documents))
    said = reply.text(message)
    start, end = said.find("{"), said.rfind("}")
    try:
        return Understanding.of(json.loads(said[start : end + 1]), question)
    except ValueError:
        return Understanding.fallback(question)
