"""The ten fields of an understanding as the prompt asks for them: their closed sets and their JSON schema."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

Kind = Literal["factoid", "procedural", "comparison", "opinion", "chitchat"]
Complexity = Literal["SIMPLE", "MEDIUM", "COMPLEX"]
Specificity = Literal["FUZZY", "NORMAL", "PRECISE"]
Scope = Literal["KNOWLEDGE_QUERY", "CHITCHAT", "META_CONVERSATION", "KB_META", "OUT_OF_SCOPE", "TASK_EXECUTION"]
Path = Literal["answer", "read", "search", "agent"]
Origin = Literal["merged", "separate", "tier0", "fallback"]

COMPLEXITIES: tuple[Complexity, ...] = get_args(Complexity)
"""From the lowest to the highest."""
SCOPES: tuple[Scope, ...] = get_args(Scope)
PATHS: tuple[Path, ...] = get_args(Path)

ENUMS: dict[str, tuple[tuple[str, ...], str]] = {
    "intent": (get_args(Kind), "factoid"),
    "complexity": (COMPLEXITIES, "MEDIUM"),
    "specificity": (get_args(Specificity), "NORMAL"),
    "scope": (SCOPES, "KNOWLEDGE_QUERY"),
}
"""Closed sets: field → (what is allowed, what an illegal value becomes)."""

FLAGS = ("time_aware", "memory_aware", "is_ambiguous")

FIELDS = (
    "rewritten",
    "intent",
    "complexity",
    "specificity",
    "time_aware",
    "memory_aware",
    "is_ambiguous",
    "memory_write_hints",
    "scope",
    "scope_confidence",
)
"""The ten, in the order in which the prompt asks for them."""


def schema(names: Sequence[str] = FIELDS) -> dict[str, Any]:
    """Write the JSON schema of some fields, as the API's structured output takes it."""
    kinds: dict[str, Any] = {
        "rewritten": {"type": "string"},
        "memory_write_hints": {"type": "array", "items": {"type": "string"}},
        "scope_confidence": {"type": "number"},
    }
    kinds |= {name: {"type": "string", "enum": list(allowed)} for name, (allowed, _) in ENUMS.items()}
    kinds |= {name: {"type": "boolean"} for name in FLAGS}
    return {
        "type": "object",
        "properties": {name: kinds[name] for name in names},
        "required": list(names),
        "additionalProperties": False,
    }
