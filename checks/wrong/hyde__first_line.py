"""Only the first line of the draft."""

from typing import Any

from querylab import prompts, reply


async def hypothetical_document(client: Any, question: str) -> str:
    message = await client.messages.create(**prompts.hyde(question))
    return reply.line(message)


async def hyde_queries(client: Any, question: str) -> list[str]:
    return [question, await hypothetical_document(client, question)]
