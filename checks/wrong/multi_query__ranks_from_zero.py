"""Ranks count from 0."""


async def multi_query_search(retriever, variants):
    scores = {}
    for variant in variants:
        for rank, item in enumerate((await retriever.retrieve(variant)).ids):
            scores[item] = scores.get(item, 0) + 1 / (60 + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
