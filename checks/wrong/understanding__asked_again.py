"""A second call when the reply is unreadable."""

import json

from querylab import Understanding, fields_of, prompts, text_of


def first_object(text):
    decoder = json.JSONDecoder()
    for start, character in enumerate(text):
        if character == "{":
            try:
                return decoder.raw_decode(text, start)[0]
            except ValueError:
                continue
    return None


async def understand(client, history, question, documents=()):
    message = await client.messages.create(**prompts.understand(history, question, documents))
    if first_object(text_of(message)) is None:
        message = await client.messages.create(**prompts.understand(history, question, documents))
    return Understanding.of(fields_of(text_of(message), first_object), question)
