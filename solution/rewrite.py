"""Query rewriting: make the question complete before anything else looks at it."""

import re
from collections.abc import Sequence
from typing import Any

from querylab import Turn, prompts, reply

REFERENCES = re.compile(
    r"他|她|它|这个|那个|这位|那位|这些|那些|这种|那种|这条|那条|这份|那份|这样|那样|这里|那里|那边|该|此|前者|后者|"
    r"上面|上述|刚才|刚刚|之前说|前面|第[一二两三四1-4][个种条位]|\b(?:it|its|they|them|their|he|his|she|her|that|this|those|"
    r"these|there|former|latter)\b",
    re.IGNORECASE,
)
ELLIPSIS = re.compile(r"^(?:那|那么|还有|and|what about|how about)|呢[？?。!！\s]*$", re.IGNORECASE)
SHORT = 12


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
    message = await client.messages.create(**prompts.rewrite(history, question))
    return reply.line(message)


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
    if not history:
        return False
    text = question.strip()
    return bool(len(text) <= SHORT or REFERENCES.search(text) or ELLIPSIS.search(text))
