"""〔1〕 is searched as it stands."""

import asyncio


async def search_parts(client, retriever, question, parts):
    return list(await asyncio.gather(*map(retriever.retrieve, dict.fromkeys([question, *parts]))))
