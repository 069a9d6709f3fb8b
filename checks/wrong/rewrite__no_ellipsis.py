"""No rule for an elliptical question."""

import re
from collections.abc import Sequence
from typing import Any

from querylab import Turn, prompts, reply

REFERENCES = re.compile(
    "他|她|它|这个|那个|这位|那位|这些|那些|这种|那种|这条|那条|这份|那份|这样|那样|这里|那里|那边|该|此|前者|后者|上面|上述|刚才|刚刚|之前说|前面|第[一二两三四1-4][个种条位]|\\b(?:it|its|they|them|their|he|his|she|her|that|this|those|these|there|former|latter)\\b",
    re.IGNORECASE,
)
ELLIPSIS = re.compile("^(?:那|那么|还有|and|what about|how about)|呢[？?。!！\\s]*$", re.IGNORECASE)
SHORT = 12


async def rewrite_query(client: Any, history: Sequence[Turn], question: str) -> str:
    message = await client.messages.create(**prompts.rewrite(history, question))
    return reply.line(message)


def needs_rewrite(history: Sequence[Turn], question: str) -> bool:
    if not history:
        return False
    text = question.strip()
    return bool(len(text) <= SHORT or REFERENCES.search(text))
