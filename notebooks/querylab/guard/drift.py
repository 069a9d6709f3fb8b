"""Drift: has a rewrite left its question? Core terms first (what must survive), nearness second.

In: a question and its rewrite. Out: which core terms were lost, came in or were exchanged, and a :class:`DriftVerdict`
type for whoever judges. A sentence encoder does not see a changed number or a dropped 不: 「3 天」 and 「5 天」 lie at
0.9 and more. That is why the hard layer comes before the soft one. How core terms are read:
:mod:`querylab.guard.terms`; what a question itself asks: :mod:`querylab.guard.asked`.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from querylab.guard import figures
from querylab.guard.asked import POINTER, asking_part, content_words, unasked
from querylab.guard.terms import KINDS, LONGEST, WORDS, Kind, Term, code_form, core_terms, denials
from querylab.language import tagged
from querylab.text import normalise, shorten, tokenise

__all__ = [
    "DRIFTS", "ENTITIES", "KINDS", "WORDS", "Drift", "DriftVerdict", "Kind", "Term", "added", "core_terms", "describe",
    "foreign", "lost", "shorten", "swapped", "unasked",
]  # fmt: skip

Drift = Literal["ok", "slight", "rejected"]
DRIFTS: tuple[Drift, ...] = ("ok", "slight", "rejected")

ENTITIES: tuple[Kind, ...] = ("title", "name", "code", "number", "negation")
"""What a rewrite may not bring in of its own. A restriction may come in (「多少」 → 「上限」)."""


@dataclass(frozen=True)
class DriftVerdict:
    """What the guard says of one rewrite.

    Attributes:
        state: ``ok`` (search it), ``slight`` (search it beside the question), ``rejected`` (search the question).
        reason: why, in words.
        cosine: nearness of question and rewrite, -1 to 1; None when the hard layer had already decided.
    """

    state: Drift
    reason: str
    cosine: float | None = None


def lost(question: str, rewrite: str, kinds: Collection[Kind] = KINDS, known: str = "") -> list[Term]:
    """List the core terms of a question that its rewrite no longer has.

    Args:
        question, rewrite: any texts.
        kinds: which kinds must survive.
        known: what was said before. With it a pointer may be resolved (「第二个」, 「这两种」), and a clause that asks
            nothing may go: it answers the turn before (「20 公斤的，邮费多少」).

    Returns:
        Missing terms. A figure may lose its unit, a name its brackets; a denial may be put into a word (没赶上 → 误机).
    """
    if known:
        question = POINTER.sub(" ", asking_part(question))
    return [term for term in _missing(question, rewrite) if term.kind in kinds]


def added(question: str, rewrite: str, known: str = "", kinds: Collection[Kind] = ENTITIES) -> list[Term]:
    """List the core terms of a rewrite that neither the question nor the conversation has.

    Args:
        question, rewrite: any texts.
        known: what was said before; a follow-up takes its names from there, but no denial: 「它能过夜吗」 does not ask
            what 「宠物不能过夜吗」 asks, whatever was answered before.
        kinds: which kinds may not come in.
    """
    found = [term for term in _missing(rewrite, f"{question}\n{known}") if term.kind != "negation"]
    found += [term for term in _missing(rewrite, question) if term.kind == "negation"]
    return [term for term in found if term.kind in kinds]


_EACH = {"1天": "天日", "7天": "周", "1月": "月", "12月": "年", "60分钟": "时", "1次": "次", "6月": "半年"}
"""「一个月多少钱」 and 「月费」, 「一天两次」 and 「每天两次」 ask the same."""


def _missing(whole: str, part: str) -> list[Term]:
    terms, there, plain = core_terms(whole), core_terms(part), "".join(normalise(part[:LONGEST]).split())
    numbers = [term.form for term in there if term.kind == "number"]

    def stands(term: Term) -> bool:
        if term.kind == "number":
            each = not any(form.endswith(term.form[-1]) for form in numbers)
            return any(figures.same(term.form, form) for form in numbers) or (
                each and any(letter in plain for letter in _EACH.get(term.form, ""))
            )
        if term.kind == "code":
            return (
                term.form in [other.form for other in there]
                or re.search(rf"(?<![a-z0-9]){re.escape(term.form)}(?![a-z0-9+#])", code_form(plain)) is not None
            )
        if term.kind == "limit":
            return term.form in [other.form for other in there] or (term.form == "除" and "其他" in plain)
        return term.kind == "negation" or "".join(term.form.split()) in plain

    denied = [term for term in terms if term.kind == "negation"]
    return [term for term in terms if not stands(term)] + denied[: max(0, len(denied) - denials(part))]


_SIDES = tuple(
    tuple(re.compile(side) for side in line.split())
    for line in r"""
        今天|今日 明天|明日 后天 昨天|昨日
        早上|清晨|上午 中午 下午 傍晚 晚上|夜间|夜里|深夜|半夜|凌晨
        寒假|冬季 暑假|夏季
        春节|过年 国庆 元旦 中秋 端午 清明 五一|劳动节
        上半[年月] 下半[年月]
        (?:上个?|这个?|本)(?=[周月]) 下个?(?=[周月])
        (?<=.)(?<![提目当生])(?:之前|以前|以内|前|内)(?![台面天年往容部]) (?<=.)(?:之后|以后|后)(?![台面天年勤果续])
        最多|至多|上限|不超过 最少|至少|起码|下限|不少于
        最晚|最迟 最早
        (?<!不)超过|以上|高于|(?<![未不])满|over|above 以下|不足|低于|未满|不满|under|below
        入职|到岗 离职|辞职
        左 右(?!边界)
        地下 地上|地面
        本科 硕士|研究生 博士
        小班 中班 大班
        国内|境内 国外|海外|境外
        before after
        at.least at.most
        without with(?!out)
    """.strip().splitlines()
)
"""Closed classes: each line one class, its sides apart. A side may be left out; it may not become another."""

_NO_KIND = frozenset(
    "的了和与或及个张这那该各每是在到给把被用由找有没不要能可只办补换丢借租退交查领带开关进出上下几多全从"
    "哪谁么些买订抢取拿种些天次份张项保"
)
_ROLES = ("主管", "总监", "经理", "主任")
_KIND_WORD = re.compile(
    rf"[\u4e00-\u9fff]{{2}}(?:{'|'.join(_ROLES)}|系统|平台|疫苗|保险|银行|学院|医院|专业|贷款|中心|仓库|机房|宿舍|食堂)|"
    rf"陪产假|(?=[\u4e00-\u9fff])[^{''.join(sorted(_NO_KIND))}](?:[假组卡证险岗票课]|部(?!分))"
)
"""A word whose last characters name a kind, with what stands before it: with another one there it is another thing."""


def swapped(question: str, rewrite: str) -> list[tuple[str, str]]:
    """List things that were exchanged, (old, new): 年假 for 病假, 财务主管 for 采购主管, 今天 for 明天, 至少 for 最多.

    Limits: only where the last characters name a kind, or where two words are sides of one closed class; 「津贴」 for
    「补贴」 is a synonym and not listed.
    """
    here, there = normalise(question[:LONGEST]), normalise(rewrite[:LONGEST])
    gone = [word for word in _kind_words(here) if word not in there]
    new = [word for word in _kind_words(there) if word not in here]
    found = [(old, other) for old in gone for other in new if old[-1] == other[-1] and old[0] != other[0]]
    for sides in _SIDES:
        hits = [(side.search(here), side.search(there)) for side in sides]
        left = [one[0] for one, other in hits if one and not other]
        came = [other[0] for one, other in hits if other and not one]
        found += list(zip(left[:1], came[:1], strict=False))
    return found


def _kind_words(text: str) -> list[str]:
    """Words of a kind. What stands before a longer one than 假 or 卡 must be one word, and no verb (登录系统)."""

    def tells_which(word: str) -> bool:
        if word[2:] in _ROLES:
            return _NO_KIND.isdisjoint(word[:2])
        before = tagged(word[:2])
        return len(word) < 4 or (len(before) == 1 and before[0][1][0] in "nbj")

    return [word for word in dict.fromkeys(_KIND_WORD.findall(text)) if tells_which(word)]


def foreign(rewrite: str, known: str) -> list[str]:
    """List the content words of a rewrite that do not stand in a text.

    For a follow-up: 「这个人叫什么」 and 「平台组组长叫什么」 are far apart, as they should be. What can be asked is
    whether every word came from the conversation.
    """
    there = normalise(known)
    return [word for word in content_words(rewrite) if not all(part in there for part in tokenise(word))]


def describe(terms: Iterable[Term]) -> str:
    """Write terms for people: 数字「三天」、否定「不能」."""
    return "、".join(str(term) for term in terms)
