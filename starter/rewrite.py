"""Query rewriting: make the question complete before anything else looks at it."""

import re
from collections.abc import Sequence
from typing import Any

from querylab import Turn, Unfinished, prompts, reply


async def rewrite_query(client: Any, history: Sequence[Turn], question: str) -> str:
    """Rewrite a question into one that can be searched without the conversation.

    Args:
        client: has ``await client.messages.create(...)``.
        history: earlier turns, oldest first; may be empty.
        question: the last user message, as typed.

    Returns:
        One line: references resolved, compounds split into their key words, spoken filler gone. The
        line never answers the question.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable; the pipeline then
            searches the question as typed.

    Source: lesson 01; Ma et al., "Query Rewriting for Retrieval-Augmented Large Language Models", 2023.
    """
    raise Unfinished("rewrite_query")


def needs_rewrite(history: Sequence[Turn], question: str) -> bool:
    """Decide by rule whether a question is worth a rewriting call.

    Args:
        history: earlier turns, oldest first; without any there is nothing to refer to.
        question: the last user message, as typed.

    Returns:
        True when there is a history and the question has a reference, is elliptical ("…呢"), or is
        so short (at most 12 characters) that it probably leans on what was said before. When in
        doubt True: an unneeded call costs a moment, an unresolved follow-up costs the answer.
    """
    raise Unfinished("needs_rewrite")
