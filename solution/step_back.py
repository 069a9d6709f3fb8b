"""Step-back: when no sentence says it so narrowly, also ask the question one level above."""

from typing import Any

from querylab import prompts, reply


async def step_back_query(client: Any, question: str) -> str:
    """Let the model take one step back, to the rule above the case.

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
    message = await client.messages.create(**prompts.step_back(question))
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
