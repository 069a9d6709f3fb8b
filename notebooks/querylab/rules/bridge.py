"""The bridge between two hops: from the first round's passages to the second round's query.

In: the question and the passages found, best first (title, heading, body lines). Out: the thing the question did not
name (a role, a unit, a 《title》, a level) and what the question still asks about it. The same search for a thing of the
kind that is asked gives the short answer that fills 〔1〕 in a later sub-question.
"""

import re
from collections.abc import Sequence

from querylab.language import is_english
from querylab.rules.answer import rank_sentences
from querylab.rules.mentions import mentions
from querylab.rules.words import GENERAL, LONGEST, asked, asking_clauses, clauses, clean

UNKNOWN = "不知道"
_LEVEL = re.compile(r"(?:[一二三四五六甲乙丙丁特][级类档等]|[PST]\d级?)[\u4e00-\u9fff]{0,2}")
_FIGURE = re.compile(
    r"\d+(?:\.\d+)?(?:%|个工作日|[\u4e00-\u9fff]{1,2})?|[一二三四五六七八九十百两半]+(?:个工作日|个月|天|年|元|小时|次)"
)
_TITLE = re.compile(r"《[^《》]{1,40}》")
_ROLE = re.compile(
    r"\b(?:[A-Z][\w-]*\s+)+(?:Manager|Officer|Director|Head|Lead|Committee|Team|Department|Office|Policy|Standard|Guide)\b"
)
RELATIVE = re.compile(
    r"^(?P<clause>.{3,}?)的(?:那|这|该)?(?:一)?(?:个|位|名|家|份)?"
    r"(?P<noun>人员?|同事|领导|负责人|主管|经理|部门|科室|小组|团队|单位|机构|班组|文件|制度|标准|办法|规范|规定)?(?:的)?[，, ]*"
    r"(?P<rest>(?:叫|是|在|有|电话|邮箱|手机|分机|办公|怎么|如何|联系|姓|名字|几|多|什么|哪|谁|带|管|归|向|最|要|能).*)$"
)
POINTING = re.compile(
    r"^(?:再|然后|那么|并且|以及|还有|请问|同时|另外|告诉我)*(?:(?:那|这|该|此)(?:一)?(?:个|位|名|家|份|级|类|档|种|条|项|层)?"
    r"(?:人员?|部门|级别|等级|标准|规定|制度|文件|单位|岗位|小组|团队|班组)?|他们?|她们?|它们?|其)(?=[\u4e00-\u9fff])"
)


def bridge(question: str, passages: Sequence[str]) -> str:
    """Write the second-round query.

    Rule: go through the passages' sentences, most related to the question first; take the first thing of the fitting
    kind that the question does not name; write it in front of what is still asked. No such thing: the question unchanged.
    Limits: the sentence most related may name another role than the one meant; English passages give roles only.
    Example: 「批准闭馆的那个人叫什么」 with 「闭馆须由馆务科科长批准」 → 「馆务科科长叫什么」.
    """
    text = clean(question)
    if not text or not passages:
        return question
    rest, kind = _still_asked(text)
    for sentence, _, score in rank_sentences(text, [("", passage) for passage in passages])[:6]:
        found = _entities(sentence[:LONGEST], text, kind) if score else []
        if found:
            return f"{' '.join(found)}{'' if not rest or rest[0] in '的叫在是' else ' '}{rest}".strip()
    return question


def _still_asked(question: str) -> tuple[str, str]:
    """Split off what the question still asks, and say which kind of thing leads there: person, rule, any."""
    text = question.rstrip("？?。 ")
    if is_english(text):
        found = re.search(r"(?:,\s*|\s)and\s+(.*)$", text, re.IGNORECASE)
        return (found[1] if found else text), "any"
    relative = RELATIVE.search(text)
    if relative and asked(relative["clause"]) == "none":
        return relative["rest"], "rule" if relative["noun"] in (
            "文件",
            "制度",
            "标准",
            "办法",
            "规范",
            "规定",
        ) else "person"
    parts = asking_clauses(text)
    if len(parts) > 1:
        kind = {"person": "person", "unit": "person", "class": "rule"}.get(asked(parts[0]), "any")
        later = "，".join(POINTING.sub("", part) for part in parts[1:])
        return (f"{parts[0]}，{later}" if asked(parts[0]) == "class" else later), kind
    return text, {"person": "person", "unit": "person", "class": "rule"}.get(asked(text), "any")


def _entities(sentence: str, question: str, kind: str) -> list[str]:
    """List the bridging things of one sentence that the question lacks: one, or a rule together with its level."""
    if is_english(sentence):
        return [role for role in _ROLE.findall(sentence) if role.casefold() not in question.casefold()][:1]
    people = [name for name in actors(sentence) if name not in question]
    rules = [title for title in _TITLE.findall(sentence) if title.strip("《》") not in question][:1]
    rules += [level for level in _LEVEL.findall(sentence) if level not in question][:1]
    if kind == "person":
        return people[:1] or rules
    return rules or (people[:1] if kind == "any" else [])


def actors(sentence: str) -> list[str]:
    """List who acts in a sentence: those after 由 or 经 first, then other people, then units."""
    found = [m for m in mentions(sentence) if m.kind in ("person", "unit") and m.text not in GENERAL]
    order = sorted(found, key=lambda m: (not m.agent, m.kind != "person", m.start))
    return list(dict.fromkeys(m.text for m in order))


def short_answer(question: str, passages: Sequence[str]) -> str:
    """Answer one sub-question by a word or phrase of the passages; 不知道 when nothing of the kind stands there.

    Rule: sentence by sentence, the one most related first: the first person or unit for 谁, level or 《title》 for
    几级, figure for 多少, that the question does not name.
    Limits: the sentence most related may speak of another case. Example: 「谁批准闭馆」 with
    「闭馆须由馆务科科长批准」 → 馆务科科长.
    """
    text = clean(question)
    kind = asked((asking_clauses(text) or clauses(text) or [""])[-1])
    for sentence, _, score in rank_sentences(text, [("", passage) for passage in passages])[:4]:
        found = [thing for thing in _things(sentence[:LONGEST], kind) if thing not in text] if score else []
        if found:
            return found[0]
    return UNKNOWN


def _things(sentence: str, kind: str) -> list[str]:
    match kind:
        case "person" | "unit":
            return actors(sentence)
        case "class":
            return _LEVEL.findall(sentence) or _TITLE.findall(sentence)
        case "amount" | "time" | "count":
            return _FIGURE.findall(sentence)
        case "place":
            return [m.text for m in mentions(sentence) if m.kind == "place"]
    return _TITLE.findall(sentence)
