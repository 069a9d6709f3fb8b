"""An id that stands twice in one list is credited twice."""


async def multi_query_search(retriever, variants):
    scores = {}
    for variant in variants:
        for rank, item in enumerate((await retriever.retrieve(variant)).ids, start=1):
            scores[item] = scores.get(item, 0) + 1 / (60 + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
