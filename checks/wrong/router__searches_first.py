"""Everything is searched before the label is looked at."""

from querylab import INTENTS, Routed, prompts, reply


async def route(client, retriever, question, budgets):
    message = await client.messages.create(**prompts.classify(question))
    intent = reply.label(message, INTENTS) or "single-hop"
    first = await retriever.retrieve(question)
    if intent != "multi-hop":
        return Routed(intent, budgets.default)
    passages = [hit.chunk.text for hit in first.hits[:3]]
    bridge = reply.line(await client.messages.create(**prompts.bridge(question, passages)))
    return Routed(intent, budgets.multi_hop, (first, await retriever.retrieve(bridge)))
