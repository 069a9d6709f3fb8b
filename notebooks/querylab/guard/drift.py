"""Drift: has a rewrite left its question? Core terms first (what must survive), nearness second.

In: a question and its rewrite. Out: which core terms were lost, added or exchanged, and a :class:`DriftVerdict` type
for whoever judges. A sentence encoder does not see a changed number or a dropped 不: 「3 天」 and 「5 天」 lie at 0.9
and more. That is why the hard layer comes before the soft one. How core terms are read: :mod:`querylab.guard.core_terms`.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

from querylab import settings
from querylab.guard import figures
from querylab.guard.core_terms import LONGEST, TIGHT_LIMITS, core_terms
from querylab.guard.figures import KINDS, MASKED, NUMBER, READ, UNIT, WORDS, Kind, Term, code_form, figure, number
from querylab.rules import asking
from querylab.rules import language as lang
from querylab.text import normalise, tokenise

__all__ = [
    "DRIFTS", "ENTITIES", "KINDS", "WORDS", "Drift", "DriftVerdict", "Kind", "Term", "added", "core_terms", "describe",
    "foreign", "lost", "number", "shorten", "swapped", "things",
]  # fmt: skip

Drift = Literal["ok", "slight", "rejected"]
DRIFTS: tuple[Drift, ...] = ("ok", "slight", "rejected")

ENTITIES: tuple[Kind, ...] = ("title", "name", "code", "number", "date", "negation", "condition")
"""What a rewrite may not bring in of its own. A limiting word may come in (「多少」 → 「上限」), so it is not here; but
see :data:`querylab.guard.core_terms.TIGHT_LIMITS`."""


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


# ── Comparing ───────────────────────────────────────────────────────────────────────────────────
def lost(question: str, rewrite: str, kinds: Collection[Kind] = KINDS, known: str = "") -> list[Term]:
    """List the core terms of a question that its rewrite no longer has.

    Args:
        question, rewrite: any texts.
        kinds: which kinds must survive.
        known: what was said before. With it a pointer may be resolved: 「第二个」 and 「这两种」 may become what they
            mean, and 「后天」 a date that was said.

    Returns:
        Missing terms in order. A figure may lose its unit, a name or title its brackets; a denial may be put into a
        word (没赶上 → 误), a limit into another of its side (超过 3 天 → 3 天以上).
    """
    missing = _missing(question, rewrite, kinds)
    if missing and known and foreign(rewrite, question):
        missing = _missing(_POINTERS.sub(" ", question), rewrite, kinds)
        said = {term.form for term in core_terms(known) if term.kind == "date"}
        if any(term.kind == "date" and term.form in said for term in core_terms(rewrite)):
            missing = [term for term in missing if term.form not in _RELATIVE_DAYS]
    return missing


def added(question: str, rewrite: str, known: str = "", kinds: Collection[Kind] = ENTITIES) -> list[Term]:
    """List the core terms of a rewrite that neither the question nor the conversation has.

    Args:
        question, rewrite: any texts.
        known: what was said before; a follow-up takes its names from there, but no denial: 「它能过夜吗」 does not ask
            what 「宠物不能过夜吗」 asks, whatever was answered before.
        kinds: which kinds may not come in.
    """
    found = _missing(rewrite, f"{question}\n{known}", [kind for kind in kinds if kind != "negation"])
    if "negation" in kinds:
        found += _missing(rewrite, question, ("negation",))
    if "number" in kinds:
        found += _bounded(rewrite, f"{question}\n{known}")
    return sorted(found, key=lambda term: KINDS.index(term.kind))


_POINTERS = re.compile(
    rf"第{NUMBER}(?:[个种项条点类款份位]|$)|"
    r"(?:[这那前后]|上述|以上|前面|后面)[一二两三四五六七八九\d][个种类份条项款门位名家本张件点台部]"
)
_RELATIVE_DAYS = lang.lexicon("今天 明天 后天 昨天 前天 大后天 下周 上周 下月 上月 明年 去年 前年 后年 周末")

_EVERY_ONE = {
    "1天": "天", "7天": "周", "1月": "月", "3月": "季", "12月": "年", "1人": "人", "1次": "次", "60分钟": "小时"
}  # fmt: skip
"""「一天两次」 and 「每天两次」, 「一年多少钱」 and 「年费」 ask the same."""
_MET: dict[tuple[Kind, str], str] = {
    ("limit", "≤"): "限|之前|以前|[天日月年时钟周久]内",
    ("limit", "≥"): "门槛|起步|以后|之后|[天日月年时钟周]后",
    ("limit", "最晚"): "期限|时限|截止|之前|以前",
    ("limit", "只"): "限|专用|专属",
    ("limit", "除"): "另外|其他|其它|其余|别的",
    ("limit", "后"): "以上|超过|满|起|overdue",
    ("limit", "前"): "提前|截止|期限|最晚|最迟",
    ("limit", "累计"): "总|共",
    ("negation", "停"): "停|关|闭|不|终止|结束|中止|取消",
    ("condition", "晚上"): "晚",
    ("condition", "单次"): "[一1每]次",
    ("number", "1次"): "单次",
    ("number", "第1季"): "[三3]个月|一个季度",
    ("number", "3月"): "一季度",
}
"""What else may stand for a term."""
_DENYING_WORDS = re.compile(
    "误|错过|忘|漏|挂了|停止|失败|逾期|超期|欠|剩余|结余|余额|挂科|断|拒|关闭|闭馆|闭店|暂停|停业|停办|终止|取消|异常|故障|丢失|遗失|旷|"
    "fail|error|problem|trouble|lost|missing|denied|expired|overdue"
)
"""Words that deny in their meaning: 「没赶上飞机」 and 「误机」, 「登不上」 and 「登录失败」."""


def _missing(whole: str, part: str, kinds: Collection[Kind]) -> list[Term]:
    there, plain = core_terms(part), "".join(normalise(part[:LONGEST]).split())
    forms = Counter((term.kind, term.form) for term in there)
    spare = sum((Counter(_DENYING_WORDS.findall(plain)) - Counter(_DENYING_WORDS.findall(normalise(whole)))).values())
    figures_there = [term for term in there if term.kind == "number"]
    plain_figures = {term.form for term in figures_there if _PLAIN.fullmatch(term.form)}
    bare_figures = {form for term in figures_there for form in _bare(term)}
    missing: list[Term] = []
    for term in core_terms(whole):
        if term.kind not in kinds:
            continue
        if forms[term.kind, term.form]:
            if term.kind == "negation":
                forms[term.kind, term.form] -= 1  # two denials are two: 「没带…不能进」
        elif term.kind == "negation" and spare > 0:
            spare -= 1
        elif not (
            (term.kind in ("title", "name", "condition") and "".join(term.form.split()) in plain)
            or (term.kind == "code" and _has_code(plain, term.form))
            or (
                term.kind == "number"
                and (_unitless(term, plain_figures, bare_figures) or _as_every(term.form, forms, plain))
            )
            or (term.kind == "limit" and term.form[0] == "每" and _each(term.form[1:], forms, plain))
            or ((form := _MET.get((term.kind, term.form))) and re.search(form, plain))
        ):
            missing.append(term)
    return missing


def _has_code(plain: str, form: str) -> bool:
    """Say whether an identifier stands in a text as a whole word: VPN-2 does not stand in VPN-20."""
    return re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9+#])", code_form(plain)) is not None


_PLAIN = re.compile(r"-?[\d./]+")


def _bare(term: Term) -> set[str]:
    """A figure without its unit: as it was written, and as it is counted (三成: 3, 30)."""
    written = re.search(NUMBER, normalise(term.text))
    value = number(written[0]) if written else None
    return {re.sub(r"[^\d./~]+$", "", term.form)} | ({figure(value)} if value is not None else set())


def _unitless(term: Term, plain: set[str], bare: set[str]) -> bool:
    """Say whether a figure stands there with no unit on one side: 「3天」 and 「3」 are taken for the same."""
    return term.form in bare if _PLAIN.fullmatch(term.form) else not plain.isdisjoint(_bare(term))


def _as_every(form: str, forms: Counter[tuple[Kind, str]], plain: str) -> bool:
    unit = _EVERY_ONE.get(form)
    return unit is not None and (forms["limit", f"每{unit}"] > 0 or _per(unit, plain))


def _each(unit: str, forms: Counter[tuple[Kind, str]], plain: str) -> bool:
    one = next((form for form, word in _EVERY_ONE.items() if word == unit), "")
    return forms["number", one] > 0 or _per(unit, plain) or f"一{unit}" in plain or f"一个{unit}" in plain


def _per(unit: str, plain: str) -> bool:
    return re.search(rf"[按单]{unit}|{unit}(?:均|费|租|卡|薪|度)", plain) is not None


def _bounded(rewrite: str, known: str) -> list[Term]:
    """List limits that a rewrite put to a figure which stood bare: 「请假 3 天」 → 「请假 3 天以上」."""
    there = {(term.kind, term.form) for term in core_terms(known)}
    here = core_terms(rewrite)
    if not any(term.kind == "number" and (term.kind, term.form) in there for term in here):
        return []
    return [
        term
        for term in here
        if term.kind == "limit"
        and term.text in TIGHT_LIMITS
        and (term.kind, term.form) not in there
        and not re.search(_MET["limit", term.form], known)
    ]


def foreign(rewrite: str, known: str) -> list[str]:
    """List the content words of a rewrite that do not stand in a text.

    For a follow-up: 「这个人叫什么」 and 「平台组组长叫什么」 are far apart, as they should be. What can be asked is
    whether every word came from the conversation.
    """
    there = normalise(known)
    general = lang.FUNCTION_WORDS | lang.ATTRIBUTES
    return [word for word in dict.fromkeys(tokenise(rewrite)) if word not in there and word not in general]


# ── What is asked ────────────────────────────────────────────────────────────────────────────────
_ASKS = re.compile(
    rf"(?:{lang.alternatives(f'{lang.QUESTION_WORDS} 多长')})"
    rf"(?:{lang.alternatives(' '.join(sorted(lang.QUESTION_TAILS)))})?"
)
"""A question word, with what may follow it (几点, 什么时候)."""
_JOINTS = (
    lang.FUNCTION_WORDS
    | lang.lexicon(f"{lang.OPENINGS} {lang.INNER_FILLERS} {lang.FINAL_PARTICLES}")
    | lang.lexicon("一下 请问 想问 能不能 可不可以 要不要")
)
_MUST = re.compile(r"必须|须|应当|应该|需要|要不要|(?<![只还主])要(?!求|点|事|件|紧)|得(?=[\u4e00-\u9fff]*吗)")
_RULED = re.compile(r"是?(?:怎么|如何|怎样)规定的?|有(?:什么|哪些|何)规定|的?规定(?:是什么|有哪些|是怎样的|怎么说)")
"""Three ways of asking what the rule is: they ask the same."""
_ARTICLES = lang.lexicon("a an the please")
_READ_FIGURE = re.compile(rf"{READ}[天日月年时钟周岁分元]?|{MASKED}")


def things(text: str) -> tuple[str, ...]:
    """List what a question is about: what each of its clauses asks for, then its words, in order.

    Args:
        text: a complete question.

    Returns:
        The kinds asked (``time`` for 何时 and 什么时候, ``permission`` for 能不能, with ``must`` for 要不要) and the
        words that are no joints, question words or padding. Figures are left out: they are core terms. Two
        questions that ask the same of the same things, joined by other words, have the same list; 「由谁申请」 and
        「由谁审批」, 「电话是多少」 and 「邮箱是什么」, 「甲组能找乙组吗」 and 「乙组能找甲组吗」 have not.
    """
    if len(text) > lang.LONGEST:
        return (text,)
    if lang.is_english(text):
        return tuple(word for word in re.findall(r"[\w'+#-]+", normalise(text)) if word not in _ARTICLES)
    plain = _RULED.sub("什么规定", normalise(text))
    asks = [asking.asked(clause).kind for clause in asking.clauses(plain)]
    if "permission" in asks and _MUST.search(plain):
        asks.append("must")
    _, rest = figures.read(figures.spelled(plain))
    cut = [word for word, _ in lang.cut(_READ_FIGURE.sub(" ", rest)) if word.isalnum()]
    words = [
        word
        for before, word in zip(["", *cut], cut, strict=False)
        if word not in _JOINTS
        and not _ASKS.fullmatch(word)
        and not (_ASKS.fullmatch(before) and word in lang.QUESTION_TAILS)
    ]
    return (*asks, *words)


# ── Exchanged ───────────────────────────────────────────────────────────────────────────────────
def swapped(question: str, rewrite: str) -> list[tuple[str, str]]:
    """List things that were exchanged: 年假 for 病假, 财务主管 for 采购主管, 今天 for 明天, 从甲到乙 for 从乙到甲.

    Limits: only where the last characters name a kind, where two words are sides of one closed class
    (:data:`_SIDES`), or where two terms or figures changed places; 「津贴」 for 「补贴」 is a synonym and not listed.
    """
    here, there = _kind_words(question), _kind_words(rewrite)
    gone = [word for word in here if word not in there]
    new = [word for word in there if word not in here]
    found = [(old, other) for old in gone for other in new if old[-1] == other[-1] and old[0] != other[0]]
    return [
        *found,
        *_other_side(question, rewrite),
        *_other_order(question, rewrite),
        *_other_figure(question, rewrite),
    ]


@lru_cache(maxsize=4096)
def _kind_words(text: str) -> tuple[str, ...]:
    plain = normalise(text[:LONGEST])
    found = [match[0] for form in _KIND_WORDS for match in form.finditer(plain)]
    return tuple(word for word in dict.fromkeys(found) if len(word) < 4 or _modifies(word[:2], word[2:]))


def _modifies(word: str, head: str) -> bool:
    """Say whether two characters before a head tell which one it is; before a role they may be any name of a field."""
    tags = [tag for _, tag in lang.cut(word)]
    known = len(tags) == 1 and tags[0][0] in "njbv"
    return (known or head in lang.ROLE_SUFFIXES.split()) and word not in _NO_MODIFIERS


_NO_KIND = (
    "的了和与或及个张这那该各每是在到给把被用由找有没不要能可只办补换丢借租退交查领带开关"
    "进出上下几多全内外按从几哪谁么些"
)
_NO_MODIFIERS = lang.PROCESS_VERBS | lang.lexicon("登录 登陆 访问 注册 操作 公司 单位 学校 我们 他们 你们 相关 有关")
_DEPARTMENT = _NO_KIND.replace("内外", "") + "本专学百文理"
_KIND_WORDS = (
    # The last character of these words names a kind; with another one before it, it is another thing.
    re.compile(
        rf"陪产假|护理假|育儿假|(?=[\u4e00-\u9fff])[^{_NO_KIND}买购订抢取拿\d\s](?:[假组卡证险岗线票库局区课]|部(?!分))|"
        rf"(?=[\u4e00-\u9fff])[^{_DEPARTMENT}\d\s]科(?![室目技学普研长])|(?=[\u4e00-\u9fff])[^{_NO_KIND}调排代替接\d\s]班"
    ),
    re.compile(
        rf"(?=[\u4e00-\u9fff]{{2}})[^{_NO_KIND}\d\s]{{2}}"
        r"(?:主管|总监|经理|主任|科长|处长|部长|系统|平台|疫苗|保险|银行|学院|医院|专业|贷款|中心|仓库|机房|宿舍|食堂)"
    ),
)
_IN, _SIDE = "校门站场园馆院厂库口境城港区楼", "转侧边拐手脚眼耳"
_SIDES: tuple[tuple[re.Pattern[str], ...], ...] = tuple(
    tuple(re.compile(side) for side in sides.split(" / "))
    for sides in (
        "今天|今日 / 明天|明日 / 后天 / 昨天|昨日 / 前天",
        "月初|月头 / 月中 / 月底|月末",
        "年初 / 年中 / 年底|年末",
        "早上|早晨|清晨|上午 / 中午 / 下午 / 傍晚|黄昏 / 晚上|夜间|夜里|深夜|半夜|凌晨",
        "白天 / 晚上|夜间|夜里|深夜|半夜",
        "(?<=[\u4e00-\u9fff])(?<![提目当生先从眼空以之])(?:之前|以前|前)(?![台面天年后辈任往夕述]) / "
        "(?<=[\u4e00-\u9fff])(?<![最然今背随售事日落])(?:之后|以后|后)(?![台面天年勤果续悔来])",
        "入职|到岗 / 离职|离岗|辞职",
        "上班 / 下班",
        "迟到 / 早退",
        f"(?<![促改推跟先引])进入?[{_IN}] / 出[{_IN}]",
        f"入[{_IN}] / 出[{_IN}]",
        f"左[{_SIDE}] / 右[{_SIDE}]",
        "男(?=[性生士员职厕装宿款]) / 女(?=[性生士员职厕装宿款])",
        "全部|全额|全款 / 部分",
        "带薪|有薪 / 无薪",
        "因公 / 因私",
        "增加|提高|上调 / 减少|降低|下调",
        "开通|开启|启用 / 关闭|停用|注销",
        "开始 / 结束|截止",
        "购买|买入 / 出售|转卖|卖",
        "(?<=从)高铁|高铁|动车|火车 / 飞机|航班 / 汽车票|大巴|客车 / 轮船",
        "微信 / 支付宝",
        "小学 / 初中 / 高中 / 大学",
        "本科 / 硕士 / 博士 / 大专",
        "儿童|小孩|孩子 / 成人|大人 / 老人|老年人",
        "老师|教师 / 学生",
        "客户|顾客|买家 / 商家|卖家|店家|供应商",
        "房东|出租人 / 租客|租户|承租人",
        "楼上 / 楼下",
        "地上|地面 / 地下",
        "纸质 / 电子",
        "只要 / 只有",
        "before / after",
    )
)
"""Closed classes: each line one class, its sides apart. A side may be left out; it may not become another."""


def _other_side(question: str, rewrite: str) -> Iterator[tuple[str, str]]:
    here, there = normalise(question[:LONGEST]), normalise(rewrite[:LONGEST])
    for sides in _SIDES:
        found = [(side.search(here), side.search(there)) for side in sides]
        gone = [one[0] for one, other in found if one and not other]
        new = [other[0] for one, other in found if other and not one]
        if gone and new:
            yield gone[0], new[0]


_EITHER_WAY = lang.lexicon("和 与 跟 及 以及 或 或者 还是 、 , / and or")
_MANY = 8
"""Terms of one question that are tried against each other."""


def _other_order(question: str, rewrite: str) -> Iterator[tuple[str, str]]:
    """Two terms that changed places around the same words: 「从甲飞乙」 → 「从乙飞甲」; 「甲和乙」 are the same."""
    here, there = (" ".join(normalise(text[: lang.LONGEST]).split()) for text in (question, rewrite))
    texts = [term.text for term in core_terms(question[: lang.LONGEST]) if term.kind in ("name", "condition", "code")]
    words = [word for word in dict.fromkeys((*texts, *_kind_words(question[: lang.LONGEST]))) if word in here][:_MANY]
    for one in words:
        for other in words:
            between = re.search(rf"{re.escape(one)}(.{{1,6}}?){re.escape(other)}", here) if one != other else None
            if (
                between
                and between[1].strip() not in _EITHER_WAY
                and f"{other}{between[1]}{one}" in there
                and between[0] not in there
            ):
                yield between[0], f"{other}{between[1]}{one}"


_COUNTED = re.compile(rf"(?<![\d.,])({NUMBER})\s*({UNIT})")


def _other_figure(question: str, rewrite: str) -> Iterator[tuple[str, str]]:
    """Two figures that changed places: 「A 组 3 天 B 组 5 天」 → 「A 组 5 天 B 组 3 天」."""
    here, there = _figures_of(question), _figures_of(rewrite)
    changed = [word for word in here if word in there and here[word][0] != there[word][0]]
    for one, other in combinations(changed, 2):
        if (here[one][0], here[other][0]) == (there[other][0], there[one][0]):
            yield f"{one}{here[one][1]}", f"{one}{there[one][1]}"


def _figures_of(text: str) -> dict[str, tuple[str, str]]:
    plain = "".join(figures.spelled(text[: lang.LONGEST]).split())
    return {
        plain[max(0, match.start() - 3) : match.start()]: (figure(number(match[1]) or figures.ZERO), match[0])
        for match in _COUNTED.finditer(plain)
    }


# ── Length ──────────────────────────────────────────────────────────────────────────────────────
_BREAK = re.compile(r"[，,；;。！!？?、\s]")


def shorten(text: str, limit: int = settings.REWRITE_CHARACTERS) -> str:
    """Cut one line to a length, at a sensible place.

    The last mark or space in the second half of what fits is the place; without one, the end of the last whole word.

    Args:
        text: one line.
        limit: characters that may stay, from 1.

    Returns:
        The line itself when it is short enough; else its beginning, never longer than the limit and never blank.
    """
    if limit < 1:
        raise ValueError(f"A length limit is 1 or more characters, found {limit}.")
    text = text.strip()
    if len(text) <= limit:
        return text
    head = text[:limit]
    places = [match.start() for match in _BREAK.finditer(text[: limit + 1]) if match.start() >= limit / 2]
    if places:
        return head[: places[-1]].rstrip()
    end = 0
    for word, _ in lang.cut(text):
        if end + len(word) > limit:
            break
        end += len(word)
    return head[: end or limit].rstrip() or head


def describe(terms: Iterable[Term]) -> str:
    """Write terms for people: 数字「三天」、否定「不能」."""
    return "、".join(str(term) for term in terms)
