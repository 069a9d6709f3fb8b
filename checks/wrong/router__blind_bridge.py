"""The bridge is written without the passages of the first round."""

from querylab import INTENTS, Routed, prompts, reply


async def route(client, retriever, question, budgets):
    message = await client.messages.create(**prompts.classify(question))
    intent = reply.label(message, INTENTS) or "single-hop"
    if intent != "multi-hop":
        return Routed(intent, budgets.default)
    first = await retriever.retrieve(question)
    bridge = reply.line(await client.messages.create(**prompts.bridge(question, [])))
    return Routed(intent, budgets.multi_hop, (first, await retriever.retrieve(bridge)))
