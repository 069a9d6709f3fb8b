"""Two searches, but no room for two documents."""

from querylab import INTENTS, Routed, prompts, reply


async def route(client, retriever, question, budgets):
    message = await client.messages.create(**prompts.classify(question))
    intent = reply.label(message, INTENTS) or "single-hop"
    if intent != "multi-hop":
        return Routed(intent, budgets.default)
    first = await retriever.retrieve(question)
    passages = [hit.chunk.text for hit in first.hits[:3]]
    bridge = reply.line(await client.messages.create(**prompts.bridge(question, passages)))
    return Routed(intent, budgets.default, (first, await retriever.retrieve(bridge)))
