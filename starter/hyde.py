"""HyDE: search with an invented passage, because a passage looks more like the passage wanted."""

from typing import Any

from querylab import Unfinished, prompts, reply


async def hypothetical_document(client: Any, question: str) -> str:
    """Let the model invent the passage that would answer a question.

    Args:
        client: has ``await client.messages.create(...)``.
        question: a complete question.

    Returns:
        The invented passage, 80–150 characters. Nobody reads it: it is only searched with.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable.

    Source: lesson 02; Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023.
    """
    raise Unfinished("hypothetical_document")


async def hyde_queries(client: Any, question: str) -> list[str]:
    """List the texts to search: the question itself, and beside it the invented passage.

    Args:
        client: has ``await client.messages.create(...)``.
        question: a complete question.

    Returns:
        ``[question, passage]``: beside, never instead. A draft that runs after something which does
        not exist can then not push out of the pool what the question itself finds.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable.
    """
    raise Unfinished("hyde_queries")
