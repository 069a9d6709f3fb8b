"""A polite word at the start makes it chit-chat."""

from querylab import Routed, prompts, reply


async def classify(client, question):
    message = await client.messages.create(**prompts.classify(question))
    if question.startswith(("谢谢", "你好")):
        return "direct"
    return reply.label(message, ("direct", "single-hop", "multi-hop")) or "single-hop"


async def route(client, retriever, question, budgets):
    intent = await classify(client, question)
    if intent != "multi-hop":
        return Routed(intent, budgets.default)
    first = await retriever.retrieve(question)
    passages = [hit.chunk.text for hit in first.hits[:3]]
    bridge = reply.line(await client.messages.create(**prompts.bridge(question, passages)))
    return Routed(intent, budgets.multi_hop, (first, await retriever.retrieve(bridge)))
