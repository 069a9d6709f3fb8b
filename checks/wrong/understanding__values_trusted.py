"""Wrong: what the model wrote is taken as it is; an illegal value is an exception or worse."""

import json

from querylab import Understanding, prompts, reply


async def understand(client, history, question, documents=()):
    message = await client.messages.create(**prompts.understand(history, question, documents))
    found = json.loads(reply.text(message))
    found["memory_write_hints"] = tuple(found["memory_write_hints"])
    return Understanding(**found)
