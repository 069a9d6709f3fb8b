"""Drift: has a rewrite left its question? Core terms first (what must survive), nearness second.

In: a question and its rewrite. Out: the core terms of each (names, systems, 《regulations》, numbers in any form,
dates, negation, limiting words, conditions), which of them were lost, added or swapped, and a :class:`DriftVerdict`
type for whoever judges. A sentence encoder does not see a changed number or a dropped 不: 「3 天」 and 「5 天」 lie at
0.9 and more. That is why the hard layer comes before the soft one.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from querylab import settings
from querylab.models.rules import asking
from querylab.models.rules import language as lang
from querylab.text import normalise, tokenise

Drift = Literal["ok", "slight", "rejected"]
DRIFTS: tuple[Drift, ...] = ("ok", "slight", "rejected")

Kind = Literal["title", "name", "code", "number", "date", "negation", "limit", "condition"]
KINDS: tuple[Kind, ...] = ("title", "name", "code", "number", "date", "negation", "limit", "condition")
ENTITIES: tuple[Kind, ...] = ("title", "name", "code", "number", "date", "negation", "condition")
"""What a rewrite may not bring in of its own. A limiting word may come in (「多少」 → 「上限」), so it is not here."""

WORDS: dict[Kind, str] = {
    "title": "制度名",
    "name": "名称",
    "code": "系统名或代号",
    "number": "数字",
    "date": "时间",
    "negation": "否定",
    "limit": "限定词",
    "condition": "条件",
}


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


@dataclass(frozen=True)
class Term:
    """One core term: its kind, its canonical form (``3天`` for 三天, 3 天 and ３日), and how it was written."""

    kind: Kind
    form: str
    text: str

    def __str__(self) -> str:
        return f"{WORDS[self.kind]}「{self.text}」"


# ── Numbers ─────────────────────────────────────────────────────────────────────────────────────
_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_SCALES = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
_NUM = r"(?:\d[\d,]*(?:\.\d+)?|[一二两三四五六七八九十][零〇一二两三四五六七八九十百千]*)[万亿]?"

_UNITS: dict[str, tuple[str, Decimal]] = {
    word: (unit, Decimal(factor))
    for words, unit, factor in (
        ("个工作日 工作日", "工作日", "1"),
        ("个自然日 自然日 天 日", "天", "1"),
        ("个星期 星期 周 个礼拜 礼拜", "天", "7"),
        ("个月", "月", "1"),
        ("周年 年", "月", "12"),
        ("个季度 季度", "季度", "1"),
        ("个小时 小时 个钟头 钟头", "分钟", "60"),
        ("分钟 刻钟", "分钟", "1"),
        ("秒钟 秒", "秒", "1"),
        ("块钱 元钱 块 元 人民币", "元", "1"),
        ("% 个百分点", "%", "1"),
        ("个人 人 名 位", "人", "1"),
        ("次 回 趟 遍", "次", "1"),
        ("岁 周岁", "岁", "1"),
        ("公里 千米", "公里", "1"),
        ("公斤 千克", "公斤", "1"),
        ("级 等", "级", "1"),
        ("层 楼", "楼", "1"),
        (
            "台 份 本 张 件 页 倍 折 线 档 类 期 号 项 条 个 家 米 克 吨 平方米 字 分 学分 门 针 双 辆 间 套 种 支 笔",
            "",
            "1",
        ),
    )
    for word in words.split()
}
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_WEAK_AFTER_ONE = lang.lexicon(
    "个 次 种 位 名 项 份 台 家 笔 张 件 条 本 页 支 套 间 门 针 双 辆 分 等 号 回 趟 遍 类 期 字 层 楼 人"
)
"""After 一 these make an article (一个人), not a number; 一天, 一元, 一级, 一线 are numbers."""

_MASKED, _READ = "\u0000", "\ue000"
"""What stands in a text in place of a term that has been read off: any, and a figure or date."""


def number(text: str) -> Decimal | None:
    """Read a number in Arabic or Chinese figures: 「1,500」 and 「一千五百」 → 1500, 「1.5万」 → 15000, 「半」 → 0.5.

    Returns:
        Its value; None when the text is no number.
    """
    text = normalise(text).replace(",", "")
    if text == "半":
        return Decimal("0.5")
    factor = _BIG.get(text[-1:], 1)
    body = text[:-1] if factor != 1 else text
    if re.fullmatch(r"\d+(\.\d+)?", body):
        return Decimal(body) * factor
    value = _chinese(body)
    return None if value is None else Decimal(value) * factor


def _chinese(text: str) -> int | None:
    if not text or any(letter not in _DIGITS and letter not in _SCALES for letter in text):
        return None
    if not any(letter in _SCALES for letter in text):
        return int("".join(str(_DIGITS[letter]) for letter in text))
    total, digit = 0, None
    for letter in text:
        if letter in _SCALES:
            total += (1 if digit is None else digit) * _SCALES[letter]
            digit = 0
        else:
            digit = _DIGITS[letter]
    return total + (digit or 0)


def _figure(value: Decimal) -> str:
    return f"{value.normalize():f}"


_GAP = re.compile(r"〔\d〕")
"""Stands for an earlier answer in a sub-question; it is no figure of the question."""

# ── Forms of language, in the order in which they are read off a text ───────────────────────────
_TITLE = re.compile(r"《\s*([^《》]{1,40}?)\s*》")
_QUOTED = re.compile(r"[「『“\"]([^「」『』“”\"]{1,16})[」』”\"]")
_FULL_DATE = re.compile(rf"(?:({_NUM})年)?({_NUM})月({_NUM})[日号]|(\d{{4}})[-/](\d{{1,2}})[-/](\d{{1,2}})")
_MONTH = re.compile(rf"(?:({_NUM}|\d{{4}}|[今去明前后]|本|当)年)?({_NUM})月(?:份|底|初|中旬|上旬|下旬)?")
_YEAR = re.compile(r"((?:19|20)\d{2}|[一二]九?[〇零一二三四五六七八九]{3})年")
_WEEKDAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])")
_CLOCK = re.compile(
    rf"(凌晨|早上|上午|中午|下午|傍晚|晚上|夜里|夜间)?(?:(\d{{1,2}})[:：](\d{{2}})|({_NUM})点(半|钟|整|{_NUM}分)?)"
)
_PERCENT = re.compile(rf"百分之(百|{_NUM})|(\d+(?:\.\d+)?)\s*%")
_SHARE = re.compile(rf"({_NUM})分之({_NUM})")
_ORDINAL = re.compile(rf"第({_NUM})(?:{_UNIT})?|首次|头一次|头一回")
_HALF = re.compile(r"半(?:个)?(小时|钟头|天|月|年)")
_AMOUNT = re.compile(rf"(\d[\d,]*(?:\.\d+)?[万亿]?|{_NUM})\s*({_UNIT})(半)?(?!之[一二])")
_CODE = re.compile(r"[a-z][a-z0-9]*(?:[-_.+/][a-z0-9]+)*|\d+[a-z]+(?![a-z])")
_PLAIN = re.compile(r"\d[\d,]*(?:\.\d+)?[万亿]?|[一二两三四五六七八九]?[十百千][零〇一二三四五六七八九十百千]*万?")
_NOT_NUMBERS = re.compile(
    r"十分(?!钟|之)|千万|万一|一(?:下|起|般|样|直|律|旦|定|致|共|切|些|点|边|面|方面|系列|并|次性|同|带|会儿|向|时)|"
    r"统一|唯一|之一|其一|同一|任一|逐一|不一|单一|一一|进一步|三方|百科|四季|双方|[十百千]几"
)

_LIMIT_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (form, re.compile(pattern))
    for form, pattern in (
        # Negation inside a limit is no negation: it is read off first.
        ("≤", r"不(?:得|能|可|会|应)?(?:超过|高于|多于|大于|长于)|未超过|没超过"),
        ("≥", r"不(?:得|能|可|应)?(?:少于|低于|小于|短于|晚于)|及以上"),
        ("<", r"不足|不满|未满|没满|不到|未到|低于|少于|小于"),
        (">", r"超过|超出|超|高于|多于|大于"),
        ("≤", r"最多|至多|顶多|最高|最长|最久|最大|上限|封顶|限额"),
        ("≤", r"(?<!可)以内|之内|(?<=[天日月年时钟周\d\ue000])内|(?<!可)以下"),
        ("≥", r"至少|最少|起码|最低|最短|最小|下限|(?<!可)以上|(?<=[天日月年岁分元])起|满"),
        ("最晚", r"最晚|最迟|截止(?:日期|时间)?|期限|时限"),
        ("最早", r"最早|最快"),
        ("只", r"仅限|只限|仅|只有|只能|只|唯一|单独"),
        ("除", r"除了|除去|除|以外|之外|不含|不包括|除外|例外"),
        ("每", r"每(?:个)?(?=[天日晚周月年季次人台])"),
        ("前", r"以前|之前|(?<=[日号点\d\ue000])前"),
        ("后", r"以后|之后|过后|(?<=[日号点天月年时\d\ue000])后"),
        ("连续", r"连续|累计|合计"),
    )
)
_AFTER_FIGURE = re.compile(rf"{_READ}[天日月年时钟周]?$")
_TIME_LIMITS = ("前", "后")
"""Said of no date or figure, 之后 only tells an order of events, which a paraphrase may drop."""

_CHOICES = re.compile(r"(\w{1,3}?)[不没]\1|是否|能否|可否|有无|会否|要否")
_NOT_NEGATIONS = re.compile(
    r"不(?:过|错|少|仅|但|断|好意思|同|一样|管|论|料|久|够|可抗力|限|动产)|无(?:论|线|限|人机)|未来|"
    r"没(?:关系|问题|事)|非常|除非|莫非|差不多|了不起|对不起|来不及|别(?:人|的|处|称|墅)|特别|类别|级别|个别|区别|识别|分别|性别"
)
_NEGATIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("免", re.compile(r"不用|不需要|不需|不必|无须|无需|不要求|免于|免(?=打|交|收|费|签|押)")),
    (
        "不",
        re.compile(
            r"不(?:得|能|可以|可|许|准|予|让|会|再|要|行)?|禁止|严禁|没有|没|未|无法|无|勿|莫|非(?=正式|工作|本|会员|在)|别"
        ),
    ),
)

_SAME_CONDITIONS = (
    "周末 休息日 双休日",
    "国外 海外 境外 出国",
    "国内 境内",
    "晚上 夜间 夜里 半夜 深夜",
    "新人 新员工 新入职人员 新入职员工",
    "外包 外包人员",
    "试用期 试用期员工",
    "节假日 法定节假日 假日",
    "平时 平日",
    "小孩 孩子 儿童",
    "应届生 毕业生 校招毕业生",
)
_CONDITION_FORM = {word: group.split()[0] for group in _SAME_CONDITIONS for word in group.split()}
_LOOSE = lang.lexicon(
    "员工 人员 用户 成员 领导 同事 职工 工人 申请人 孩子 儿童 小孩 老师 教师 客户 会员 期末 期中 假期 经理 主管 本地 "
    "今天 明天 早上 上午 中午 下午 凌晨 工作日 月底 月初 本月 年底 年初 年末 老人 老人家 学生"
)
"""Words that name whoever or whenever is meant anyway: a paraphrase may drop them."""
_CONDITIONS = re.compile(
    "(?:"
    + lang.alternatives(
        " ".join(
            sorted(
                (
                    set(f"{lang.TIME_KINDS} {lang.PLACE_KINDS} {lang.PERSON_KINDS}".split())
                    | {word for group in _SAME_CONDITIONS for word in group.split()}
                    | lang.lexicon("正式员工 转正员工 首次 单次 临时 紧急 带薪 无薪 全额 半价 专用 本人 公费 自费")
                    | lang.lexicon("上半年 下半年 孕期 哺乳期 观察期 春季 秋季 地下 户外")
                )
                - _LOOSE
            )
        )
    )
    + ")(?!末)"
)


@lru_cache(maxsize=4096)
def core_terms(text: str) -> tuple[Term, ...]:
    """Read off everything that must survive a rewrite.

    Args:
        text: a question, or a rewrite.

    Returns:
        Terms in the order of :data:`KINDS`, with repetitions. Full-width and half-width, Arabic and Chinese figures,
        「一年」 and 「12 个月」 have one form.
    """
    rest = normalise(_GAP.sub(" ", text))
    found: list[Term] = []
    for reader in (_titles, _dates_and_numbers, _limits, _negations, _names_and_conditions):
        terms, rest = reader(rest)
        found += terms
    return tuple(sorted(found, key=lambda term: KINDS.index(term.kind)))


def _titles(text: str) -> tuple[list[Term], str]:
    found = [Term("title", "".join(match[1].split()), match[1]) for match in _TITLE.finditer(text)]
    text = _TITLE.sub(_MASKED, text)
    found += [Term("name", "".join(match[1].split()), match[1]) for match in _QUOTED.finditer(text)]
    return found, _QUOTED.sub(_MASKED, text)


def _dates_and_numbers(text: str) -> tuple[list[Term], str]:
    found: list[Term] = []
    # A figure leaves a mark behind: 「30 天内」 is still a limit, and 「10 点以后」 still an after.
    for form, read in (
        (_FULL_DATE, _date),
        (_MONTH, _month),
        (_YEAR, lambda match: Term("date", f"{number(match[1]) or match[1]}年", match[0])),
        (_WEEKDAY, lambda match: Term("date", f"周{'日' if match[1] == '天' else match[1]}", match[0])),
        (_CLOCK, _clock),
        (_PERCENT, _percent),
        (_SHARE, _share),
        (_NOT_NUMBERS, lambda match: None),
        (_ORDINAL, _ordinal),
        (_HALF, lambda match: _amount("半", match[1], match[0])),
        (_AMOUNT, lambda match: _amount(match[1], match[2], match[0], bool(match[3]))),
        (_CODE, lambda match: Term("code", match[0], match[0])),
        (_PLAIN, _plain_number),
    ):

        def take(match: re.Match[str], read=read) -> str:
            term = read(match)
            if term is None:
                return match[0]
            found.append(term)
            return {"number": f"{_READ}{_last_unit(match[0])}", "date": _READ}.get(term.kind, _MASKED)

        text = form.sub(take, text) if form is not _NOT_NUMBERS else form.sub(lambda match: _hidden(match[0]), text)
    return found, text.replace("\u0001", "")


def _hidden(word: str) -> str:
    """Keep a word such as 统一 from being read as a figure; its other characters stay readable."""
    return re.sub("[一二三四十百千万]", "\u0001", word)


def _last_unit(text: str) -> str:
    return text[-1] if text[-1] in "天日月年时钟周岁分元" else ""


def _date(match: re.Match[str]) -> Term:
    year, month, day = (match[1], match[2], match[3]) if match[2] else (match[4], match[5], match[6])
    return (
        Term("date", f"{number(month)}-{number(day)}", match[0])
        if year is None
        else Term("date", f"{number(year)}-{number(month)}-{number(day)}", match[0])
    )


def _month(match: re.Match[str]) -> Term:
    year = f"{match[1]}年" if match[1] else ""
    return Term("date", f"{year}{number(match[2])}月", match[0])


def _clock(match: re.Match[str]) -> Term:
    hour = number(match[2] or match[4]) or Decimal(0)
    minutes = match[3] or {None: "00", "钟": "00", "整": "00", "半": "30"}.get(match[5], "")
    minutes = minutes or str(number(match[5][:-1]) or 0).zfill(2)
    late = match[1] in ("下午", "傍晚", "晚上", "夜里", "夜间") or (match[1] == "中午" and hour < 11)
    return Term("date", f"{int(hour) + (12 if late and hour < 12 else 0):02}:{minutes}", match[0])


def _percent(match: re.Match[str]) -> Term:
    value = Decimal(100) if match[1] == "百" else number(match[1] or match[2])
    return Term("number", f"{_figure(value or Decimal(0))}%", match[0])


def _share(match: re.Match[str]) -> Term:
    return Term("number", f"{number(match[2])}/{number(match[1])}", match[0])


def _ordinal(match: re.Match[str]) -> Term:
    value = number(match[1]) if match[1] else Decimal(1)
    return Term("number", f"第{_figure(value or Decimal(0))}", match[0])


def _amount(figure: str, unit: str, text: str, and_half: bool = False) -> Term | None:
    value = number(figure)
    if value is None:
        return None
    if unit == "月" and figure != "半":
        return None
    if figure == "一" and not and_half and unit in _WEAK_AFTER_ONE:
        return None
    name, factor = _UNITS.get(unit, ("月", Decimal(1)))
    value = (value + (Decimal("0.5") if and_half else 0)) * factor * (15 if unit == "刻钟" else 1)
    return Term("number", f"{_figure(value)}{name or unit}", text)


def _plain_number(match: re.Match[str]) -> Term | None:
    value = number(match[0])
    return None if value is None else Term("number", _figure(value), match[0])


def _limits(text: str) -> tuple[list[Term], str]:
    found: list[Term] = []
    for form, pattern in _LIMIT_FORMS:
        for match in pattern.finditer(text):
            if form not in _TIME_LIMITS or _AFTER_FIGURE.search(text[: match.start()]):
                found.append(Term("limit", form, match[0]))
        text = pattern.sub(_MASKED, text)
    return found, text


def _negations(text: str) -> tuple[list[Term], str]:
    text = _NOT_NEGATIONS.sub(_MASKED, _CHOICES.sub(_MASKED, text))
    found: list[Term] = []
    for form, pattern in _NEGATIONS:
        found += [Term("negation", form, match[0]) for match in pattern.finditer(text)]
        text = pattern.sub(_MASKED, text)
    return found, text


def _names_and_conditions(text: str) -> tuple[list[Term], str]:
    found = [
        Term("condition", _CONDITION_FORM.get(match[0], match[0]), match[0]) for match in _CONDITIONS.finditer(text)
    ]
    text = _CONDITIONS.sub(_MASKED, text)
    for word, tag in _tagged(text):
        if tag[:2] == "nr" and 2 <= len(word) <= 4 and word[0] in lang.SURNAMES and word not in _OPENINGS:
            found.append(Term("name", word, word))
    for part in text.split(_MASKED):
        # Places by the dictionary alone: a guess would take many a verb for a place.
        found += [
            Term("name", word, word)
            for word, tag in lang.cut(part)
            if tag in ("ns", "nt") and len(word) > 1 and word != "东西"
        ]
    return found, text


_OPENINGS = lang.lexicon(lang.OPENINGS)


def _tagged(text: str) -> Iterator[tuple[str, str]]:
    import rjieba  # here: loading the dictionary takes longer than importing this module

    for part in text.split(_MASKED):
        yield from rjieba.tag(part)


# ── Comparing ───────────────────────────────────────────────────────────────────────────────────
def lost(question: str, rewrite: str, kinds: Collection[Kind] = KINDS) -> list[Term]:
    """List the core terms of a question that its rewrite no longer has.

    Args:
        question, rewrite: any texts.
        kinds: which kinds must survive.

    Returns:
        Missing terms in order. A figure may lose its unit; a name or title may lose its brackets.
    """
    return _missing(question, rewrite, kinds)


def added(question: str, rewrite: str, known: str = "", kinds: Collection[Kind] = ENTITIES) -> list[Term]:
    """List the core terms of a rewrite that neither the question nor the conversation has.

    Args:
        question, rewrite: any texts.
        known: what was said before; a follow-up takes its names from there.
        kinds: which kinds may not come in.
    """
    return _missing(rewrite, f"{question}\n{known}", kinds)


def foreign(rewrite: str, known: str) -> list[str]:
    """List the content words of a rewrite that do not stand in a text.

    For a follow-up: 「这个人叫什么」 and 「平台组组长叫什么」 are far apart, as they should be. What can be asked is
    whether every word came from the conversation.
    """
    there = normalise(known)
    general = lang.FUNCTION_WORDS | lang.ATTRIBUTES
    return [word for word in dict.fromkeys(tokenise(rewrite)) if word not in there and word not in general]


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
_READ_FIGURE = re.compile(rf"{_READ}[天日月年时钟周岁分元]?|{_MASKED}")


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
    plain = _RULED.sub("什么规定", normalise(text))
    asks = [asking.asked(clause).kind for clause in asking.clauses(plain)]
    if "permission" in asks and _MUST.search(plain):
        asks.append("must")
    _, rest = _dates_and_numbers(plain)
    cut = [word for word, _ in lang.cut(_READ_FIGURE.sub(" ", rest)) if word.isalnum()]
    words = [
        word
        for before, word in zip(["", *cut], cut, strict=False)
        if word not in _JOINTS
        and not _ASKS.fullmatch(word)
        and not (_ASKS.fullmatch(before) and word in lang.QUESTION_TAILS)
    ]
    return (*asks, *words)


def _missing(whole: str, part: str, kinds: Collection[Kind]) -> list[Term]:
    there, plain = core_terms(part), "".join(normalise(part).split())
    forms = Counter((term.kind, term.form) for term in there)
    bare = {_bare(term.form) for term in there if term.kind == "number"}
    missing: list[Term] = []
    for term in core_terms(whole):
        if term.kind not in kinds:
            continue
        if forms[term.kind, term.form]:
            if term.kind == "negation":
                forms[term.kind, term.form] -= 1  # two denials are two: 「没带…不能进」
            continue
        if term.kind in ("title", "name", "code", "condition") and term.form in plain:
            continue
        if term.kind == "number" and _unitless(term, there, bare):
            continue
        missing.append(term)
    return missing


def _bare(form: str) -> str:
    return re.sub(r"[^\d./]+$", "", form)


def _unitless(term: Term, there: Sequence[Term], bare: set[str]) -> bool:
    """Say whether a figure stands there with no unit on one side: 「3天」 and 「3」 are taken for the same."""
    if _bare(term.form) == term.form:
        return term.form in bare
    return any(other.kind == "number" and other.form == _bare(term.form) for other in there)


def swapped(question: str, rewrite: str) -> list[tuple[str, str]]:
    """List things of one kind that were exchanged: 年假 for 病假, 平台组 for 采集组, 财务主管 for 采购主管.

    Limits: only where the last character (or the role) names a kind; 「津贴」 for 「补贴」 is a synonym and not listed.
    """
    here, there = _kind_words(question), _kind_words(rewrite)
    gone = [word for word in here if word not in there]
    new = [word for word in there if word not in here]
    return [(old, other) for old in gone for other in new if old[-1] == other[-1] and old[0] != other[0]]


@lru_cache(maxsize=4096)
def _kind_words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[0] for form in _KIND_WORDS for match in form.finditer(normalise(text))))


_NO_KIND = (
    "的了和与或及个张这那该各每是在到给把被用由找有没不要能可只办补换丢借租退交查领带开关"
    "进出上下几多全内外按从几哪谁么些"
)
_KIND_WORDS = (
    # The last character of these words names a kind; with another one before it, it is another thing.
    re.compile(rf"(?=[\u4e00-\u9fff])[^{_NO_KIND}\d\s][假组部卡证险岗线票库局区课]"),
    re.compile(rf"(?=[\u4e00-\u9fff]{{2}})[^{_NO_KIND}\d\s]{{2}}(?:主管|总监|经理|主任|科长|处长|部长)"),
)


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
