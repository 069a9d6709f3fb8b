"""The body is empty."""


async def rewrite_query(client, history, question):
    pass
