"""A dataclass under ``from __future__ import annotations``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from querylab import prompts, reply


@dataclass
class Draft:
    text: str
    longest: ClassVar[int] = 4000


async def hypothetical_document(client, question):
    message = await client.messages.create(**prompts.hyde(question))
    return Draft(reply.text(message)).text


async def hyde_queries(client, question):
    return [question, await hypothetical_document(client, question)]
