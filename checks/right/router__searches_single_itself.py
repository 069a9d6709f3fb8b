"""The single-hop path searches at once and hands its search on; labels are read by a pattern."""

import re

from querylab import Routed, prompts, reply


async def classify(client, question):
    words = reply.text(await client.messages.create(**prompts.classify(question))).lower()
    found = re.fullmatch(r"[\s*\"'「]*(direct|single-hop|multi-hop)[\s*\"'」。.!]*", words)
    return found[1] if found else "single-hop"


async def bridge_query(client, question, hits):
    passages = [hit.chunk.text for hit in hits][:4]
    return reply.line(await client.messages.create(**prompts.bridge(question, passages)))


async def route(client, retriever, question, budgets):
    intent = await classify(client, question)
    if intent == "direct":
        return Routed(intent, budgets.default, ())
    first = await retriever.retrieve(question)
    if intent == "single-hop":
        return Routed(intent, budgets.default, (first,))
    second = await retriever.retrieve(await bridge_query(client, question, first.hits))
    return Routed(intent, budgets.multi_hop, (first, second))
