"""Only the parts are searched: what the splitting missed is lost."""

import asyncio


async def search_parts(client, retriever, question, parts):
    return list(await asyncio.gather(*map(retriever.retrieve, parts)))
