"""The bridge between two hops: from the first round's passages to the second round's query.

In: the question and the passages found, best first (title, heading, body lines). Out: the thing the question did not
name (a role, a 《title》, a named rule, a level) and what the question still asks about it.
"""

import re
from collections.abc import Sequence

from querylab.rules import asking, named
from querylab.rules import language as lang
from querylab.rules.answer import content_terms, rank_sentences

_NAMED_RULE = re.compile(
    rf"(?:按照|按|依照|依据|根据|参照|遵照|遵循|执行|"
    rf"适用)((?:[\u4e00-\u9fffA-Za-z0-9]{{2,16}}?)(?:"
    rf"{lang.alternatives('规范 办法 制度 标准 规程 细则 规定 手册 指南 流程 预案 条例 准则')}"
    rf"))"
)
_LEVEL = re.compile(
    r"(?:[一二三四五六甲乙丙丁A-DS][级类档等]|[PST]\d级?|(?:特|高|中|低|重大|一般|"
    r"普通)(?:级别|等级))[\u4e00-\u9fff]{0,4}"
)
_WANTS_UNIT = re.compile(r"哪个(?:部门|单位|组|团队|机构)|部门|科室|团队|小组|委员会|机构|单位|哪家")
_WHO = re.compile(
    r"的\s*(?:那|这|该)(?:一)?(?:个|位|名|家|份|张|间|条|部|项|套|"
    r"种)?\s*(?P<noun>[\u4e00-\u9fff]{0,4}?)(?P<rest>(?:[，,]|的|叫|在|是|有|电话|邮箱|办公|"
    r"工位|分机|怎么|如何|联系|姓|名|上|几|多|什|能|要|由|归|每|哪|谁).*)$"
)
_UNIT_REST = re.compile(
    r"的(?:人员?|同事|部门|科室|小组|团队|委员会|机构|公司|单位|岗位|领导|中心|厅|室|馆|库房|"
    r"仓库?|文件|制度|标准|办法|规范|表单?)(?P<rest>(?:的)?[^，,。]*(?:电话|邮箱|在|叫|几|多|"
    r"什么|怎么|如何|哪|谁|吗|联系|办公室|负责人).*)$"
)
_BACK = re.compile(
    rf"^(?:再|然后|那么|并且|以及|还有|请问|查一?下?|告诉我|看看)*(?:(?:那|这|该|"
    rf"此)(?:一)?(?:{lang.alternatives(lang.MEASURES)})?(?:人|部门|级别|等级|级|类|档|标准|"
    rf"规定|制度|文件|单位|公司|岗位|表单?)?|他们?|她们?|它们?|其)(?=[\u4e00-\u9fff])"
)


def bridge(question: str, passages: Sequence[str]) -> str:
    """Write the second-round query.

    Rule: go through the passages' sentences, most related to the question first; take the first thing of the fitting
    kind that the question does not name (a person or unit for 谁/那个人, a level or a rule for 几级/按哪份, then any);
    write it in front of what is still asked. No such thing: the question unchanged.
    Limits: the sentence most related may name another role than the one meant; English passages give roles only.
    Example: 「批准闭馆的那个人叫什么」 with 「闭馆须由馆务科科长批准」 → 「馆务科科长叫什么」.
    """
    if not question.strip() or not passages:
        return question
    rest, kind = _still_asked(question[: lang.LONGEST])
    for sentence in _candidates(question, passages):
        found = _entities(sentence[: lang.LONGEST], question, kind)
        if found:
            return f"{' '.join(found)}{'' if not rest or rest[0] in '的叫在是' else ' '}{rest}".strip()
    return question


def _candidates(question: str, passages: Sequence[str]) -> list[str]:
    ranked = rank_sentences(question, [("", text) for text in passages])
    return [sentence for sentence, _, score in ranked if score > 0][:6]


def _still_asked(question: str) -> tuple[str, str]:
    """Split off what the question still asks, and say which kind of thing bridges to it (person, rule, any)."""
    text = question.strip().rstrip("？?。 ")
    if lang.is_english(text):
        found = re.search(r"(?:,\s*|\s)and\s+(.*)$", text, re.IGNORECASE)
        kind = (
            "person" if re.search(r"\b(?:who|person|team|department|manager|office)\b", text, re.IGNORECASE) else "any"
        )
        return (found.group(1) if found else text), kind
    relative = _WHO.search(text) or _UNIT_REST.search(text)
    if relative:
        rest = relative["rest"].lstrip("，, ")
        document = bool(
            re.search(
                r"的(?:那|这|该)?[一]?(?:份|张|条|部|项|套)|的(?:文件|制度|标准|办法|规范|表)",
                text[: relative.start("rest")][-8:],
            )
        )
        return rest, "rule" if document else "person"
    parts = asking.clauses(text)
    later = [part for part in parts[1:] if asking.asked(part).kind != "other"]
    kinds = [asking.asked(part).kind for part in parts]
    if later and "class" in kinds:
        return "，".join(part for part in parts if asking.asked(part).kind != "other"), "rule"
    if later:
        first = asking.asked(parts[0]).kind
        document = bool(
            re.search(r"哪(?:一)?(?:份|个|条|项|部|张)(?:制度|规定|规范|办法|标准|预案|条款|文件|表)", parts[0])
        )
        return "，".join(_BACK.sub("", part) for part in later), "rule" if document else "person" if first in (
            "person",
            "approver",
        ) else "any"
    own = asking.asked(text)
    return text, "person" if own.kind in ("person", "approver") else "rule" if own.kind == "class" else "any"


def _entities(sentence: str, question: str, kind: str) -> list[str]:
    """List the bridging things of one sentence that the question lacks: one, or a rule together with its level."""
    if lang.is_english(sentence):
        roles = re.findall(
            r"\b(?:[A-Z][\w-]*\s+)+(?:Manager|Officer|Director|Head|Lead|Committee|Team|Department|"
            r"Office|Policy|Standard|Guide)\b",
            sentence,
        )
        return [role for role in roles if role.casefold() not in question.casefold()][:1]
    agents = [name for name, marked in named.people(sentence) if marked and _is_new(name, question)]
    people = agents or [
        name for name, _ in named.people(sentence) if _is_new(name, question) and name not in lang.PERSON_KINDS.split()
    ]
    units = [name for name in named.organisations(sentence) if _is_new(name, question)]
    people = units or people if _WANTS_UNIT.search(question) else people or units
    rules = [title for title in named.titles(sentence) if _is_new(title, question)]
    rules = rules or [
        found for found in _NAMED_RULE.findall(sentence) if _is_new(found, question) and found[:1] not in "本该此"
    ]
    levels = [found for found in _LEVEL.findall(sentence) if _is_new(found, question)]
    by_rule = list(dict.fromkeys(rules[:1] + levels[:1]))
    if kind == "person":
        return list(dict.fromkeys(people[:1])) or by_rule
    if kind == "rule":
        return by_rule
    return by_rule or people[:1]


def _is_new(entity: str, question: str) -> bool:
    plain = entity.strip("《》")
    return len(plain) >= 2 and plain not in question and bool(content_terms(plain))
