"""Multi-hop questions get the wide budget, but only one search."""

from querylab import INTENTS, Routed, prompts, reply


async def route(client, retriever, question, budgets):
    message = await client.messages.create(**prompts.classify(question))
    intent = reply.label(message, INTENTS) or "single-hop"
    if intent != "multi-hop":
        return Routed(intent, budgets.default)
    return Routed(intent, budgets.multi_hop, (await retriever.retrieve(question),))
