"""The naive way: a call for each thing one wants to know. It is here to be held against the one call."""

from collections.abc import Sequence
from typing import Any

from querylab import prompts
from querylab.models import reply
from querylab.models.protocol import Client
from querylab.types import Turn
from querylab.understanding.fields import Understanding
from querylab.understanding.parse import FirstObject, fields_of, text_of


async def understand_separately(
    client: Client, history: Sequence[Turn], question: str, documents: Sequence[str], first_object: FirstObject
) -> Understanding:
    """Fill the ten fields with five calls, one after the other.

    Args:
        client: has ``await client.messages.create(...)``.
        history: earlier turns, oldest first.
        question: as typed.
        documents: titles of documents in view; data.
        first_object: finds the first whole JSON object in a reply.

    Returns:
        The understanding. No call knows what another one said, so nothing keeps them from contradicting each other.

    Raises:
        querylab.models.reply.ModelError: when the rewriting cannot be used, or any call fails.
    """
    found: dict[str, Any] = {
        "rewritten": reply.line(await client.messages.create(**prompts.rewrite(history, question)))
    }
    for part, names in prompts.PARTS.items():
        message = await client.messages.create(**prompts.understand_part(part, history, question, documents))
        said = fields_of(text_of(message), first_object)
        found |= {name: said[name] for name in names if name in said}
    return Understanding.of(found, question, "separate")
