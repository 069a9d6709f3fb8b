"""Only the first four of each ranking."""

import asyncio
from collections.abc import Sequence
from typing import Any

from querylab import prompts, reply, rrf_fuse, settings


async def query_variants(client: Any, question: str) -> list[str]:
    message = await client.messages.create(**prompts.multi_query(question))
    wordings = [question, *reply.lines(message)]
    return list(dict.fromkeys(wordings))[: settings.VARIANTS + 1]


async def multi_query_search(retriever: Any, variants: Sequence[str]) -> list[tuple[str, float]]:
    searches = await asyncio.gather(*(retriever.retrieve(variant) for variant in variants))
    return rrf_fuse([search.ids[:4] for search in searches])
