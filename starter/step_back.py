"""Step-back: when no sentence says it so narrowly, also ask the question one level above."""

from typing import Any

from querylab import Unfinished, prompts, reply

# The system prompt. Its first line stays 你是后退提问助手。 and the lines below it are yours.
STEP_BACK_SYSTEM: str | None = None


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
    raise Unfinished("step_back_query")


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
    raise Unfinished("step_back_queries")
