"""Expansions: an invented passage, two other wordings, and the more general question above a question.

In: one question. Out: text to search with. Chinese leaves a question word where the answer would stand, so a question
becomes a statement when that word is exchanged in its place (几天 → 若干天, 谁 → 有关人员): everything here is built from
such exchanges and from noun phrases of the question, and never from the remains of a cut sentence.
"""

import re

from querylab.language import is_english
from querylab.rules.mentions import mentions
from querylab.rules.words import (
    GENERAL,
    asked,
    asking_clauses,
    clauses,
    clean,
    content_terms,
    pairs,
    without_courtesy,
    words,
)
from querylab.settings import DRAFT_CHARACTERS

_FRAMES = (
    "{topic}按本规定执行，适用范围、条件和例外情形由主管部门解释。",
    "有关人员应当在规定时限内提出申请，按要求提交材料，经负责人审批后办理。",
    "未按要求办理或者超过时限的，按有关规定处理。",
    "相关标准由归口部门定期公布，并根据实际情况调整。",
)
_ENGLISH = (
    "{topic}: this section sets out the rule, who approves it and the time limit that applies. "
    "A request is made to the responsible office within the period stated."
)
_ENDINGS = re.compile(r"(?:吗|呢|(?<![什怎要])么|吧|啊|呀|不|没)*[？?。！!]*$")
_EITHER = re.compile(r"(\w)[不没]\1")
_FIGURE = re.compile(r"(?<![A-Za-z0-9.-])\d+(?:\.\d+)?")


def topic(question: str) -> str:
    """Give the noun phrase that a question is about: its first mention, a long one first, no property; "" without one."""
    found = [m.text for m in mentions(question) if m.kind != "time"] or [m.text for m in mentions(question)]
    about = next((text for text in found if len(text) > 2), found[0] if found else "")
    property_of = next((about[-n:] for n in (3, 2) if about[-n:] in GENERAL and len(about) > n + 1), "")
    return about.removesuffix(property_of)


def stated(question: str) -> str:
    """Turn a question into the statement that would answer it, without its figures: 「能借几天」 → 「能借若干天」."""
    out = []
    for clause in clauses(question):
        clause = _EITHER.sub(r"\1", _ENDINGS.sub("", clause) or clause)
        word, answer = next(((word, answer) for word, answer in pairs("stated") if word in clause), ("", ""))
        out.append(clause.replace(word, answer, 1) if word else clause)
    return _FIGURE.sub("若干", "，".join(out))


def hypothetical_passage(question: str) -> str:
    """Write the passage that might answer: the question as a statement, in the sentences of a regulation.

    Rule: :func:`stated`, then frames about its topic, up to the length that the lab asks for.
    Limits: it adds no word that only an expert would know. Example: 「借投影仪要提前几天」 →
    「借投影仪要提前若干天。投影仪按本规定执行，…」.
    """
    text = without_courtesy(clean(question))
    short, long = DRAFT_CHARACTERS
    if is_english(text):
        return _ENGLISH.format(topic=" ".join(content_terms(text)[:3])[:20].capitalize() or "The matter")[:long]
    about = _FIGURE.sub("若干", topic(text))
    draft = f"{stated(text)[: long - 60]}。" if asking_clauses(text) else ""
    for frame in _FRAMES:
        sentence = frame.format(topic=about if about and len(about) < 16 else "本事项")
        if len(draft) + len(sentence) <= long and len(draft) < short + 20:
            draft += sentence
    return draft


def variants(question: str) -> list[str]:
    """Write two other wordings: its key words, and the heading that a paper would give it.

    Rule: the content words, a blank between them; words of speech exchanged for those of papers (丢了 → 遗失).
    Limits: no synonyms beyond a short list. Example: 「工具箱丢了怎么办」 → 「工具箱 丢」, 「关于工具箱遗失如何处理的规定」.
    """
    text = without_courtesy(clean(question)).rstrip("？?。！! ")
    if is_english(text):
        keys = " ".join(content_terms(text)) or text
        return [keys if keys != text else f"{keys} policy", f"Policy on: {text[:1].lower()}{text[1:]}"]
    formal = _ENDINGS.sub("", text) or text
    for word, written in pairs("formal"):
        if written not in formal:
            formal = formal.replace(word, written)
    first = " ".join(_key_words(text)) or text
    heading = f"关于{('、'.join(clauses(formal)) or formal).removesuffix('的')}的规定"
    return [first if first not in (text, question) else f"{first} 规定", heading]


def _key_words(text: str) -> list[str]:
    """The words that carry content, numbers and denials among them, in order, each once."""
    marks = ("x", "uj", "ul", "uz", "y", "r", "c", "p", "e", "o")
    drop = {"请问", "可以", "需要", "应该", "能", "要", "会", "就", "都", "也", "还", "又", "再"}
    cut = words(_EITHER.sub(r"\1", text))
    says = ("n", "m", "q", "d", "a", "j", "z")
    kept = [
        word
        for word, tag, _ in cut
        if tag not in marks and (len(word) > 1 or tag.startswith(says) or word in "不没未无非别勿")
    ]
    return [word for word in dict.fromkeys(kept) if word not in drop and asked(word) in ("none", "yes-no")]


def step_back(question: str) -> str:
    """Write the more general question above a question: which rules hold for what it is about.

    Rule: its topic, and the kind of rule that answers what it asks (谁 → 审批权限, 几天 → 时限要求); two clauses, two kinds.
    Limits: the topic stays as specific as its noun phrase. Example: 「叉车培训多少钱」 → 「叉车培训的费用标准是什么」.
    """
    text = without_courtesy(clean(question))
    if is_english(text):
        named = " ".join(content_terms(text)[:3])
        return f"What are the general rules on {named}?" if named else "What are the general rules?"
    rules = dict(pairs("rule"))
    kinds = [rules[asked(clause)] for clause in asking_clauses(text)] or [rules["none"]]
    about = topic(text)
    return f"{_FIGURE.sub('若干', about) or '这类事项'}的{'和'.join(dict.fromkeys(kinds[:2]))}是什么"
