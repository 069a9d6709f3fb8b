"""Independent parts wait for each other."""


async def search_parts(client, retriever, question, parts):
    return [await retriever.retrieve(text) for text in dict.fromkeys([question, *parts])]
