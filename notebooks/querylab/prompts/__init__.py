"""The prompt texts, and the requests built from them.

Comes in: a question, its conversation, passages. Goes out: the keyword arguments of ``client.messages.create``:
``prompts.rewrite(history, question)`` and its siblings. The system prompts stand in ``texts``, the ten fields of an
understanding in ``schema``; whatever a person or a document wrote goes into the user message as ``data``.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from querylab import settings
from querylab.prompts import schema
from querylab.prompts.data import Field, clean_title, clean_titles, field, history_field, read_fields
from querylab.prompts.texts import (
    AGENT,
    ANSWER,
    BRIDGE,
    CLASSIFY,
    HYDE,
    MULTI_QUERY,
    PART_TASKS,
    PARTS,
    REPLY,
    REWRITE,
    SEARCH_TOOL,
    SHORT_ANSWER,
    STEP_BACK,
    SUB_QUESTIONS,
    TASKS,
    UNDERSTAND,
    VERSION,
    Task,
    task_of,
)
from querylab.types import Turn

__all__ = [
    "AGENT", "ANSWER", "BRIDGE", "CLASSIFY", "HYDE", "MULTI_QUERY", "PARTS", "REPLY", "REWRITE", "SEARCH_TOOL",
    "SHORT_ANSWER", "STEP_BACK", "SUB_QUESTIONS", "TASKS", "UNDERSTAND", "VERSION", "Field", "Task", "agent", "answer",
    "bridge", "classify", "clean_title", "clean_titles", "field", "history_field", "hyde", "multi_query", "read_fields",
    "reply", "request", "rewrite", "short_answer", "step_back", "sub_questions", "task_of", "understand",
    "understand_part",
]  # fmt: skip


def rewrite(history: Sequence[Turn], question: str) -> dict[str, Any]:
    """Build the request that rewrites ``question`` in the light of the conversation's last turns."""
    return request(REWRITE, history_field(history), field("question", question))


def hyde(question: str) -> dict[str, Any]:
    """Build the request for one invented passage that would answer ``question``."""
    return request(HYDE, field("question", question))


def multi_query(question: str) -> dict[str, Any]:
    """Build the one request that brings all other wordings of ``question``, a line each."""
    return request(MULTI_QUERY, field("question", question))


def step_back(question: str) -> dict[str, Any]:
    """Build the request for the more general question above ``question``."""
    return request(STEP_BACK, field("question", question))


def classify(question: str) -> dict[str, Any]:
    """Build the request for one of the three intent labels."""
    return request(CLASSIFY, field("question", question))


def bridge(question: str, passages: Iterable[str]) -> dict[str, Any]:
    """Build the request for the second-round query, given the first round's passages, best first."""
    return request(BRIDGE, *(field("passage", text) for text in passages), field("question", question))


def sub_questions(question: str) -> dict[str, Any]:
    """Build the request for the one to three sub-questions of ``question``, a line each."""
    return request(SUB_QUESTIONS, field("question", question))


def short_answer(question: str, passages: Iterable[str]) -> dict[str, Any]:
    """Build the request for the word or phrase that answers one sub-question, given passages, best first."""
    return request(SHORT_ANSWER, *(field("passage", text) for text in passages), field("question", question))


def answer(question: str, passages: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Build the request that answers from ``(chunk id, text)`` passages."""
    return request(ANSWER, *(field("passage", text, id=name) for name, text in passages), field("question", question))


def reply(history: Sequence[Turn], question: str) -> dict[str, Any]:
    """Build the request for a short friendly reply to something that needs no search."""
    return request(REPLY, history_field(history), field("question", question))


def understand(history: Sequence[Turn], question: str, documents: Iterable[str] = ()) -> dict[str, Any]:
    """Build the one request that fills all ten fields; ``documents`` are titles, which go in as data.

    The reply is bound to a JSON schema by the API's structured output.
    """
    data = (*map(_document, clean_titles(documents)), history_field(history), field("question", question))
    return request(UNDERSTAND, *data) | _structured(schema.FIELDS)


def understand_part(part: str, history: Sequence[Turn], question: str, documents: Iterable[str] = ()) -> dict[str, Any]:
    """Build the request for one of :data:`PARTS`: the same data, a few of the fields."""
    data = (*map(_document, clean_titles(documents)), history_field(history), field("question", question))
    return request(PART_TASKS[part], *data) | _structured(PARTS[part])


def agent(question: str, messages: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Build the request for the next step of the agentic loop.

    Args:
        question: a complete question.
        messages: what followed it so far: the model's ``tool_use`` blocks and the ``tool_result`` blocks, in turn.
    """
    first = request(AGENT, field("question", question))
    return first | {"messages": [*first["messages"], *messages], "tools": [SEARCH_TOOL]}


def _document(title: str) -> str:
    return field("document", title)


def _structured(names: Sequence[str]) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": schema.schema(names)}}}


def request(task: Task, *parts: str) -> dict[str, Any]:
    """Build the keyword arguments of ``client.messages.create`` for one task.

    Thinking is off: these replies are one line, and thinking would use up their token limit.
    """
    return {
        "model": settings.model(),
        "max_tokens": task.max_tokens,
        "system": task.system,
        "messages": [{"role": "user", "content": "\n".join(part for part in parts if part)}],
        "thinking": {"type": "disabled"},
    }
