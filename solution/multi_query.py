"""Multi-query and RRF: ask for the same thing in several wordings, and fuse the rankings."""

import asyncio
from collections.abc import Sequence
from typing import Any

from querylab import prompts, reply, rrf_fuse, settings


async def query_variants(client: Any, question: str) -> list[str]:
    """List the wordings to search: the question first, then the model's variants.

    Args:
        client: has ``await client.messages.create(...)``; one call brings all variants.
        question: a complete question.

    Returns:
        At most three distinct texts, the question first.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable.

    Source: lesson 03; Rackauckas, "RAG-Fusion: a New Take on Retrieval-Augmented Generation", 2024.
    """
    message = await client.messages.create(**prompts.multi_query(question))
    wordings = [question, *reply.lines(message)]
    return list(dict.fromkeys(wordings))[: settings.VARIANTS + 1]


async def multi_query_search(retriever: Any, variants: Sequence[str]) -> list[tuple[str, float]]:
    """Search every wording and fuse the rankings by RRF.

    Args:
        retriever: has ``await retriever.retrieve(query)``, which returns a Search with ``.ids``.
        variants: n texts; each costs one retrieval.

    Returns:
        ``(chunk id, fused score)`` pairs, best first.
    """
    searches = await asyncio.gather(*(retriever.retrieve(variant) for variant in variants))
    return rrf_fuse([search.ids for search in searches])
