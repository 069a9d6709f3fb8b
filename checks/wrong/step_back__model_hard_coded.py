"""The model's name stands in the code."""

from typing import Any

from querylab import prompts, reply


async def step_back_query(client: Any, question: str) -> str:
    message = await client.messages.create(**(prompts.step_back(question) | {"model": "claude-haiku-5-5"}))
    return reply.line(message)


async def step_back_queries(client: Any, question: str) -> list[str]:
    return list(dict.fromkeys([question, await step_back_query(client, question)]))
