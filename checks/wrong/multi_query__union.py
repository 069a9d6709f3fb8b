"""A union in the order of finding, without fusion."""


async def multi_query_search(retriever, variants):
    found = {}
    for variant in variants:
        for item in (await retriever.retrieve(variant)).ids:
            found.setdefault(item, 1.0)
    return list(found.items())
