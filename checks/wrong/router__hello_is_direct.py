"""Whatever begins with a greeting is direct."""

from collections.abc import Sequence
from typing import Any

from querylab import INTENTS, Budgets, Hit, Intent, Routed, prompts, reply

PASSAGES = 3


async def classify(client: Any, question: str) -> Intent:
    message = await client.messages.create(**prompts.classify(question))
    if question.startswith("你好"):
        return "direct"
    return reply.label(message, INTENTS) or "single-hop"


async def bridge_query(client: Any, question: str, hits: Sequence[Hit]) -> str:
    passages = [hit.chunk.text for hit in hits[:PASSAGES]]
    message = await client.messages.create(**prompts.bridge(question, passages))
    return reply.line(message)


async def route(client: Any, retriever: Any, question: str, budgets: Budgets) -> Routed:
    intent = await classify(client, question)
    if intent != "multi-hop":
        return Routed(intent, budgets.default)
    first = await retriever.retrieve(question)
    second = await retriever.retrieve(await bridge_query(client, question, first.hits))
    return Routed(intent, budgets.multi_hop, (first, second))
