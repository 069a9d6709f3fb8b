"""A gap that cannot be filled takes everything else with it."""

import asyncio

from querylab import prompts
from querylab.models import reply


async def search_parts(client, retriever, question, parts):
    plain = list(dict.fromkeys([question, *(part for part in parts if "〔" not in part)]))
    searches = list(await asyncio.gather(*map(retriever.retrieve, plain)))
    for part in parts:
        if "〔" in part:
            earlier = next(search for search in searches if search.query == parts[0])
            passages = [hit.chunk.text for hit in earlier.hits[:3]]
            answer = reply.line(await client.messages.create(**prompts.short_answer(parts[0], passages)))
            searches.append(await retriever.retrieve(part.replace("〔1〕", answer)))
    return searches
