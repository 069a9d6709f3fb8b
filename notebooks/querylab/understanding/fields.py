"""The record that an understanding is, made of whatever a reply held.

In: whatever a reply held, as a mapping. Out: an :class:`Understanding` whose every field is legal, and a
:class:`Salvage` for each one that was not.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from querylab import settings
from querylab.prompts.schema import (
    COMPLEXITIES,
    ENUMS,
    FIELDS,
    FLAGS,
    Complexity,
    Kind,
    Origin,
    Scope,
    Specificity,
)

NO_CONFIDENCE = 0.5
"""What a scope without a usable confidence is worth: too little to leave the search out."""

INJECTION = re.compile(
    r"<\s*/?\s*(?:script|system|question|turn|document|passage|iframe|img)|javascript:|\{\{|\bsystem\s*prompt\b|"
    r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|above|prior|earlier|all|instructions?|rules?)\b|"
    r"(?:忽略|无视|忘掉|忘记|不要理会|不用管|覆盖)[^。]{0,12}(?:以上|上面|之前|前面|先前|所有|全部|一切|系统)?[^。]{0,6}"
    r"(?:指令|指示|要求|规则|提示|设定|约束)|系统提示词|你现在是|从现在起你",
    re.IGNORECASE | re.DOTALL,
)
"""Signs that a text gives orders instead of facts. A hint with one of them is dropped, not repaired."""


@dataclass(frozen=True)
class Salvage:
    """One repair: which field, what was found there (shortened), what was put in its place."""

    field: str
    found: str
    used: str

    def __str__(self) -> str:
        return f"{self.field}: {self.found} → {self.used}"


@dataclass(frozen=True)
class Understanding:
    """Everything that is known about one question before anything is searched.

    Attributes:
        rewritten: the question, complete without its conversation: the text that is searched.
        intent: factoid, procedural, comparison, opinion, chitchat.
        complexity: SIMPLE (one search answers it), MEDIUM, COMPLEX.
        specificity: FUZZY (spoken, vague), NORMAL, PRECISE (a code, a number, a title).
        time_aware: the answer depends on today's date.
        memory_aware: the question leans on what was said before.
        is_ambiguous: it can be read in two ways, or nothing is known about it: the careful path.
        memory_write_hints: what the user said of themselves and may be remembered, 120 characters each.
        scope: what the question is about; all but KNOWLEDGE_QUERY are answered without a search.
        scope_confidence: 0 to 1.
        origin: where it comes from: one merged call, five separate ones, tier 0, or the fallback.
        salvaged: every repair that parsing made.
        signals: the sentence forms that raised the complexity.
    """

    rewritten: str
    intent: Kind = "factoid"
    complexity: Complexity = "MEDIUM"
    specificity: Specificity = "NORMAL"
    time_aware: bool = False
    memory_aware: bool = False
    is_ambiguous: bool = False
    memory_write_hints: tuple[str, ...] = ()
    scope: Scope = "KNOWLEDGE_QUERY"
    scope_confidence: float = NO_CONFIDENCE
    origin: Origin = "merged"
    salvaged: tuple[Salvage, ...] = ()
    signals: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Mapping[str, Any], question: str, origin: Origin = "merged") -> "Understanding":
        """Make a legal understanding of whatever a reply held. Never raises.

        Args:
            found: field → value as parsed; unknown keys are passed over, missing ones get their default.
            question: as typed; used where no usable rewriting is found.
            origin: see the class.

        Returns:
            Every field legal; each repair stands in ``salvaged``. When not one field could be used, the
            :meth:`fallback`.
        """
        if not any(name in found for name in FIELDS):
            inner = [value for value in found.values() if isinstance(value, Mapping)]
            if len(inner) == 1 and any(name in inner[0] for name in FIELDS):  # {"result": {…}}
                found = inner[0]
        repairs: list[Salvage] = []

        def use(name: str, value: Any) -> Any:
            words = _short(found[name]) if name in found else "没有这个字段"
            repairs.append(Salvage(name, words, _short(value)))
            return value

        values: dict[str, Any] = {}
        rewritten = _line(found.get("rewritten"))
        values["rewritten"] = rewritten if rewritten is not None else use("rewritten", question)
        for name, (allowed, default) in ENUMS.items():
            legal = _enum(found.get(name), allowed)
            values[name] = legal if legal is not None else use(name, default)
            if legal is not None and legal != found.get(name):
                use(name, legal)
        for name in FLAGS:
            flag = _flag(found.get(name))
            values[name] = flag if flag is not None else False
            if flag is None or flag is not found[name]:
                use(name, values[name])
        confidence = _confidence(found.get("scope_confidence"))
        values["scope_confidence"] = confidence if confidence is not None else NO_CONFIDENCE
        if confidence is None or isinstance(found["scope_confidence"], str):
            use("scope_confidence", values["scope_confidence"])
        values["memory_write_hints"], dropped = _hints(found.get("memory_write_hints"))
        if "memory_write_hints" not in found:
            use("memory_write_hints", ())
        repairs += [Salvage("memory_write_hints", _short(hint), why) for hint, why in dropped]
        if not any(name in found for name in FIELDS):
            return cls.fallback(question, tuple(repairs))
        return cls(**values, origin=origin, salvaged=tuple(repairs))

    @classmethod
    def fallback(cls, question: str, salvaged: Sequence[Salvage] = ()) -> "Understanding":
        """Say that nothing is known: the question as typed, ambiguous, so that the careful path is taken."""
        return cls(question, is_ambiguous=True, origin="fallback", salvaged=tuple(salvaged))

    def at_least(self, complexity: Complexity, *signals: str) -> "Understanding":
        """Return it with the complexity raised to a level, never lowered; ``signals`` say why it was."""
        if COMPLEXITIES.index(self.complexity) >= COMPLEXITIES.index(complexity):
            return self
        return replace(self, complexity=complexity, signals=(*self.signals, *signals))

    def row(self) -> dict[str, Any]:
        """The ten fields, as a plain mapping."""
        return {name: getattr(self, name) for name in FIELDS}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def _line(value: Any) -> str | None:
    """A rewriting that can be searched: one line with a letter or digit, no longer than a question is."""
    if not isinstance(value, str):
        return None
    text = " ".join(value.encode("utf-8", "replace").decode("utf-8").split())
    usable = any(character.isalnum() for character in text) and len(text) <= settings.REWRITTEN_CHARACTERS
    return text if usable else None


def _enum(value: Any, allowed: Sequence[str]) -> str | None:
    """The allowed word that a value means: case, blanks and hyphens aside; of a list its first allowed one."""
    if isinstance(value, list | tuple):
        return next((word for item in value[:10] if (word := _enum(item, allowed))), None)
    if not isinstance(value, str):
        return None
    plain = re.sub(r"[\s\-]+", "_", value.strip(" \t\r\n\"'。.").casefold())
    return next((word for word in allowed if word.casefold() == plain), None)


def _flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    words = {"true": True, "yes": True, "是": True, "1": True, "false": False, "no": False, "否": False, "0": False}
    return words.get(value.strip().casefold()) if isinstance(value, str) else None


def _confidence(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0 <= number <= 1 else None


def _hints(value: Any) -> tuple[tuple[str, ...], list[tuple[Any, str]]]:
    """Keep what may be remembered: texts, cut to length, without signs of an order; say what was dropped."""
    items = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    kept: list[str] = []
    dropped: list[tuple[Any, str]] = []
    if value is not None and not isinstance(value, str | list | tuple):
        dropped.append((value, "不是一列文字，丢掉"))
    for item in items:
        text = _plain(item) if isinstance(item, str) else ""
        if not text:
            if item != "":
                dropped.append((item, "不是文字，丢掉"))
        elif INJECTION.search(text):
            dropped.append((text, "像是指令，丢掉"))
        elif len(kept) == settings.MEMORY_HINTS:
            dropped.append((text, f"超过 {settings.MEMORY_HINTS} 条，丢掉"))
        else:
            if len(text) > settings.MEMORY_HINT_CHARACTERS:
                dropped.append((text, f"截到 {settings.MEMORY_HINT_CHARACTERS} 个字"))
            kept.append(text[: settings.MEMORY_HINT_CHARACTERS])
    return tuple(dict.fromkeys(kept)), dropped


def _plain(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
