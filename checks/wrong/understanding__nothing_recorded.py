"""Wrong: repairs are made, and nobody is told."""

import json
from dataclasses import replace

from querylab import Understanding, fields_of, prompts, text_of


def _object(text):
    start = text.find("{")
    try:
        return json.JSONDecoder().raw_decode(text, max(start, 0))[0]
    except ValueError:
        return None


async def understand(client, history, question, documents=()):
    message = await client.messages.create(**prompts.understand(history, question, documents))
    return replace(Understanding.of(fields_of(text_of(message), _object), question), salvaged=())
