"""RRF written out, searches one after the other, the question last."""

from querylab import prompts, reply


async def query_variants(client, question):
    found = []
    for line in reply.lines(await client.messages.create(**prompts.multi_query(question))):
        if line != question and line not in found:
            found.append(line)
    return [*found[:2], question]


async def multi_query_search(retriever, variants):
    scores = {}
    for search in await retriever.retrieve_many(variants):
        best = {}
        for place, hit in enumerate(search.hits):
            best.setdefault(hit.chunk.id, place + 1)
        for item, rank in best.items():
            scores[item] = scores.get(item, 0.0) + 1.0 / (rank + 60)
    return [(item, scores[item]) for item in sorted(scores, key=lambda item: (-scores[item], item))]
