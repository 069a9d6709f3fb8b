"""Understanding by rule: what a small model would say about one question, in ten fields.

In: the conversation and the question. Out: a mapping with the ten fields. The scope goes by the nearest labelled
examples, like the intent; the other fields by forms of language, so that several focuses inside one clause
(「甲、乙各要几个」) are missed, as a small model misses many of them.
"""

import re
from collections.abc import Sequence
from typing import Any

from querylab.language import is_english
from querylab.prompts.schema import Complexity, Kind, Scope, Specificity
from querylab.rules import ellipsis, reference
from querylab.rules.agent import compared
from querylab.rules.intent import intent, is_multi_hop, nearest
from querylab.rules.rewrite import rewrite
from querylab.rules.words import asked, asking_clauses, clean
from querylab.text import exact_terms
from querylab.types import Turn

_SCOPES: dict[str, tuple[Scope, float]] = {
    "conversation": ("META_CONVERSATION", 0.9),
    "documents": ("KB_META", 0.9),
    "task": ("TASK_EXECUTION", 0.85),
    "world": ("OUT_OF_SCOPE", 0.85),
}
_ENOUGH, _CLOSE, _SURE = 3, 0.55, 0.65
"""Of the nearest examples so many share the scope, the nearest this close; or the nearest is so close that it settles."""
_COMPARES = re.compile(
    r"区别|不同|差别|差异|对比|比较|相比|哪个更|哪种更|\bvs\b|\bdifference\b|\bcompare\b", re.IGNORECASE
)
_OPINION = re.compile(
    r"你(?:觉得|认为|怎么看)|合理吗|值得吗|值不值|好不好|有必要吗|靠谱吗|划算吗|\bdo you think\b", re.IGNORECASE
)
_SPOKEN = re.compile(
    r"咋|啥|[这那](?:东西|玩意)|怎么回事|什么情况|搞不定|弄不了|不好使|用不了|坏了|丢了|崩了|挂了|老婆|老公|娃|老板|"
    r"走人|倒霉|太慢|不对劲|乱七八糟"
)
_NOW = re.compile(r"今[天年]|现在|目前|当前|最新|最近|本[月周]|这个?[月周]|明[天年]|下个?[月周]|还剩|\b(?:today|now|latest|current)\b",
                  re.IGNORECASE)  # fmt: skip
_SELF = re.compile(
    r"(?:^|[，,。；;！!])\s*(我(?:是|叫|在|负责|来自)[^，,。；;？?！!谁哪什几多怎]{2,30})(?=$|[，,。；;！!])"
)


def understanding(history: Sequence[Turn], question: str) -> dict[str, Any]:
    """Fill the ten fields for one question.

    Rule: the rewriting by :func:`rewrite`; the rest by the forms above, on the rewritten question.
    Limits: a matter of the wide world that no example is near to is searched.
    Example: 「月票能退吗」 → factoid, SIMPLE, KNOWLEDGE_QUERY.
    """
    rewritten = rewrite(history, question)
    text = clean(rewritten)
    scope, confidence = _scope(question)
    return {
        "rewritten": rewritten,
        "intent": _kind(text, scope),
        "complexity": _complexity(text),
        "specificity": "PRECISE" if exact_terms(text) else _looseness(text),
        "time_aware": bool(_NOW.search(text)),
        "memory_aware": bool(history) and rewritten != rewrite([], question),
        "is_ambiguous": scope == "KNOWLEDGE_QUERY" and _is_ambiguous(text),
        "memory_write_hints": [f"用户说：{found}" for found in _SELF.findall(clean(question))][:3],
        "scope": scope,
        "scope_confidence": confidence,
    }


def _scope(question: str) -> tuple[Scope, float]:
    typed = clean(question)
    if typed and intent(typed) == "direct":
        return "CHITCHAT", 0.95
    near = nearest(typed) if typed else ()
    label = near[0][1] if near else ""
    near_enough = near and near[0][2] >= (_CLOSE if sum(other == label for _, other, _ in near) >= _ENOUGH else _SURE)
    if label in _SCOPES and near_enough:
        return _SCOPES[label]
    return "KNOWLEDGE_QUERY", 0.6 if ellipsis.leans(typed) else 0.9


def _kind(text: str, scope: Scope) -> Kind:
    if scope == "CHITCHAT":
        return "chitchat"
    if _COMPARES.search(text):
        return "comparison"
    if _OPINION.search(text):
        return "opinion"
    return "procedural" if "procedure" in {asked(clause) for clause in asking_clauses(text)} else "factoid"


def _complexity(text: str) -> Complexity:
    """Two hops by form: COMPLEX; two named things compared, or more than one asking clause: MEDIUM; else SIMPLE."""
    if is_multi_hop(text):
        return "COMPLEX"
    return "MEDIUM" if compared(text) or len(asking_clauses(text)) > 1 else "SIMPLE"


def _looseness(text: str) -> Specificity:
    return "FUZZY" if _SPOKEN.search(text) else "NORMAL"


def _is_ambiguous(text: str) -> bool:
    """Say whether a question still points at something it does not name, or names nothing at all."""
    if is_english(text):
        return bool(re.match(r"(?:and\s+)?(?:it|that|this|they|he|she|those)\b", text, re.IGNORECASE))
    return ellipsis.leans(text) or any(form.match(text) for _, form in reference.PRONOUNS)
