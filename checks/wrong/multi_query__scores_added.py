"""Raw scores are added instead of reciprocal ranks."""


async def multi_query_search(retriever, variants):
    scores = {}
    for variant in variants:
        for hit in (await retriever.retrieve(variant)).hits:
            scores[hit.chunk.id] = scores.get(hit.chunk.id, 0) + hit.bm25 + hit.cosine
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
