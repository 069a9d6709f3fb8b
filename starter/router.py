"""Intent routing: no search for chit-chat, one for a plain question, two for a question with a bridge."""

from collections.abc import Sequence
from typing import Any

from querylab import INTENTS, Budgets, Hit, Intent, Routed, Unfinished, prompts, reply


async def classify(client: Any, question: str) -> Intent:
    """Let the model choose the path of a question.

    Args:
        client: has ``await client.messages.create(...)``.
        question: a complete question, after rewriting.

    Returns:
        ``direct``, ``single-hop`` or ``multi-hop``. A reply that is not exactly one of these labels
        is undecidable and becomes ``single-hop``: when in doubt spend a search, never answer from
        nothing.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable.

    Source: lesson 05; Jeong et al., "Adaptive-RAG", NAACL 2024.
    """
    raise Unfinished("classify")


async def bridge_query(client: Any, question: str, hits: Sequence[Hit]) -> str:
    """Let the model write the second-round query from what the first round found.

    Args:
        client: has ``await client.messages.create(...)``.
        question: a complete multi-hop question.
        hits: the first round's pool, best first; the best three are shown to the model.

    Returns:
        One line: the bridging entity (a role, a regulation, a level) and what is still asked.

    Raises:
        querylab.models.reply.ModelError: when the model gives nothing usable.

    Source: lesson 05; Trivedi et al., "Interleaving Retrieval with Chain-of-Thought Reasoning", ACL 2023.
    """
    raise Unfinished("bridge_query")


async def route(client: Any, retriever: Any, question: str, budgets: Budgets) -> Routed:
    """Send a question down one of three paths.

    Args:
        client: has ``await client.messages.create(...)``.
        retriever: has ``await retriever.retrieve(query)``, which returns a Search.
        question: a complete question, after rewriting.
        budgets: context budgets in tokens, ``default`` and ``multi_hop``.

    Returns:
        direct: no search. single-hop: ``budgets.default``, no searches yet (the pipeline expands and
        searches). multi-hop: ``budgets.multi_hop``, with two searches made: the question, then the
        bridge query written from what the first one found.

    Raises:
        querylab.models.reply.ModelError: when the model gives no usable label or bridge; the pipeline
            then takes the single-hop path and says so in the trace.
    """
    raise Unfinished("route")
