"""Wrong: a call for each group of fields, where one would do."""

import json

from querylab.understanding.separate import understand_separately


def _object(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


async def understand(client, history, question, documents=()):
    return await understand_separately(client, history, question, documents, _object)
