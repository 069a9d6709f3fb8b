"""The prompt of step-back."""

from typing import Any

from querylab import prompts, reply


async def hypothetical_document(client: Any, question: str) -> str:
    message = await client.messages.create(**prompts.step_back(question))
    return " ".join(reply.text(message).split())


async def hyde_queries(client: Any, question: str) -> list[str]:
    return [question, await hypothetical_document(client, question)]
