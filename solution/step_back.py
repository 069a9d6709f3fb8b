"""Step-back: when no sentence says it so narrowly, also ask the question one level above."""

from typing import Any

from querylab import prompts, reply

# The system prompt. Its first line stays 你是后退提问助手。 and the lines below it are yours.
STEP_BACK_SYSTEM: str | None = prompts.STEP_BACK.system


async def step_back_query(client: Any, question: str) -> str:
    """Let the model take one step back, to the rule above the case; STEP_BACK_SYSTEM is the system prompt it gets.

    Args:
        client: has ``await client.messages.create(...)``.
        question: a complete question.

    Returns:
        One more general question: the level above, not another wording of the same.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable.

    Source: lesson 04; Zheng et al., "Take a Step Back: Evoking Reasoning via Abstraction in Large
    Language Models", ICLR 2024.
    """
    request = prompts.step_back(question) | {"system": STEP_BACK_SYSTEM}
    message = await client.messages.create(**request)
    return reply.line(message)


async def step_back_queries(client: Any, question: str) -> list[str]:
    """List the texts to search: the question itself, and beside it the more general one.

    Args:
        client: has ``await client.messages.create(...)``.
        question: a complete question.

    Returns:
        ``[question, more general question]``; the question alone when both are the same.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable.
    """
    return list(dict.fromkeys([question, await step_back_query(client, question)]))
