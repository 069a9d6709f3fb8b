"""Figures and dates of Chinese, whatever they are written in: 3 天, 三天, ３日; 一万五, 1.5 万; 百分之零点五, 0.5%.

In: a text in normal form. Out: the terms read off it, each with one form for all its spellings, and the text with a
mark in place of each. Ranges and rough figures (三到五天, 二三十人, 十来个) have forms of their own.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from querylab.rules import language as lang
from querylab.text import normalise

Kind = Literal["title", "name", "code", "number", "date", "negation", "limit", "condition"]
KINDS: tuple[Kind, ...] = ("title", "name", "code", "number", "date", "negation", "limit", "condition")
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
class Term:
    """One core term: its kind, its canonical form (``3天`` for 三天, 3 天 and ３日), and how it was written."""

    kind: Kind
    form: str
    text: str

    def __str__(self) -> str:
        return f"{WORDS[self.kind]}「{self.text}」"


ZERO = Decimal(0)
MASKED, READ = "\u0000", "\ue000"
"""What stands in a text in place of a term that has been read off: any, and a figure or date."""

# ── Numbers ─────────────────────────────────────────────────────────────────────────────────────
_DIGITS = {letter: value for value, letter in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SCALES = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
_LONGEST_NUMBER = 40

_D = "[一二两三四五六七八九]"
_NOT_A_TAIL = r"[个天年月周日人次位张件份名号平小分晚辆台条]"
"""After 两万五 or 三百一 these begin a new measure: 「三百一晚」 is 300 a night."""
_TAIL = rf"{_D}(?!{_NOT_A_TAIL}|[十百千万亿]|{_D}(?!{_NOT_A_TAIL}))"
_TENS = rf"{_D}?十{_D}?"
_HUNDREDS = rf"{_D}百(?:[零〇]{_D}|{_TENS}|{_TAIL})?"
_THOUSANDS = rf"{_D}千(?:[零〇](?:{_TENS}|{_D})|{_HUNDREDS}|{_TAIL})?"
_ROUND = rf"{_THOUSANDS}|{_HUNDREDS}|{_TENS}"
_ARABIC = r"(?<!\d)(?:\d{1,3}(?:,\d{3}){1,8}|\d{1,25})(?!\d)(?:\.\d{1,9})?"
NUMBER = (
    rf"(?:(?:{_ARABIC}[千百]?|{_ROUND}|[零〇一二三四五六七八九]{{2,8}}|{_D})"
    rf"(?:[万亿](?:[零〇]?(?:{_ROUND}|[零〇]{_D}|{_TAIL})|\d{{1,4}}千?(?!{_NOT_A_TAIL}|[\d.,]))?){{0,3}})"
)
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百千万亿]")
_SPOKEN = re.compile(r"(.+)点([零〇一二三四五六七八九]{1,9})([万亿]?)")


def number(text: str) -> Decimal | None:
    """Read a number in Arabic or Chinese figures.

    Args:
        text: the number alone. 「1,500」 and 「一千五百」 → 1500, 「1.5万」 and 「一万五」 → 15000, 「零点五」 and
            「半」 → 0.5, 「二〇二五」 → 2025.

    Returns:
        Its value; None when the text is no number.
    """
    text = normalise(text[:_LONGEST_NUMBER]).replace(",", "") if len(text) <= _LONGEST_NUMBER else ""
    if text == "半":
        return Decimal("0.5")
    if spoken := _SPOKEN.fullmatch(text):
        whole = number(spoken[1])
        digits = "".join(str(_DIGITS[letter]) for letter in spoken[2])
        return None if whole is None else (whole + Decimal(f"0.{digits}")) * _BIG.get(spoken[3], 1)
    tokens = _TOKEN.findall(text)
    if not tokens or "".join(tokens) != text:
        return None
    if len(tokens) > 1 and all(token in _DIGITS for token in tokens):
        return Decimal("".join(str(_DIGITS[token]) for token in tokens))
    return _value(tokens)


def _value(tokens: list[str]) -> Decimal:
    """Add up figures and scales. A last digit with no scale is a tenth of the one before it: 三千五, 一万五."""
    total = section = Decimal(0)
    digit: Decimal | None = None
    last, zero = 1, False
    for token in tokens:
        if token in _SCALES:
            section += (1 if digit is None else digit) * _SCALES[token]
            digit, last, zero = None, _SCALES[token], False
        elif token in _BIG:
            section += digit or 0
            total = (total + section) * _BIG[token] if not section else total + section * _BIG[token]
            section, digit, last, zero = Decimal(0), None, _BIG[token], False
        elif token in "零〇":
            zero, digit = True, digit or Decimal(0)
        else:
            digit = Decimal(_DIGITS.get(token, token))
    tail = last // 10 if digit is not None and digit < 10 and last > 1 and not zero else 1
    return total + section + (digit or 0) * tail


def figure(value: Decimal) -> str:
    """Write a value without useless zeros: 1500, 0.5."""
    return f"{value.normalize():f}"


# ── Units ───────────────────────────────────────────────────────────────────────────────────────
UNITS: dict[str, tuple[str, Decimal]] = {
    word: (unit, Decimal(factor))
    for words, unit, factor in (
        ("个工作日 工作日", "工作日", "1"),
        ("个自然日 自然日 天 日", "天", "1"),
        ("个星期 星期 周 个礼拜 礼拜", "天", "7"),
        ("个月", "月", "1"),
        ("周年 年", "月", "12"),
        ("个季度 季度", "月", "3"),
        ("个小时 小时 个钟头 钟头", "分钟", "60"),
        ("刻钟", "分钟", "15"),
        ("分钟", "分钟", "1"),
        ("秒钟 秒", "秒", "1"),
        ("块钱 元钱 块 元 人民币 rmb", "元", "1"),
        ("美元 美金 usd", "美元", "1"),
        ("欧元", "欧元", "1"),
        ("港币 港元", "港元", "1"),
        ("日元", "日元", "1"),
        ("英镑", "英镑", "1"),
        ("个人 人 名 位", "人", "1"),
        ("次 回 趟 遍", "次", "1"),
        ("岁 周岁", "岁", "1"),
        ("公里 千米 km", "米", "1000"),
        ("米", "米", "1"),
        ("厘米 公分 cm", "米", "0.01"),
        ("毫米 mm", "米", "0.001"),
        ("平方米 平米 平方 平 m2", "平方米", "1"),
        ("吨", "克", "1000000"),
        ("公斤 千克 kg", "克", "1000"),
        ("斤", "克", "500"),
        ("克", "克", "1"),
        ("升", "毫升", "1000"),
        ("毫升 ml", "毫升", "1"),
        ("摄氏度 度 °c", "度", "1"),
        ("级 等", "级", "1"),
        ("层 楼", "楼", "1"),
        ("折", "折", "1"),
        ("学分", "学分", "1"),
        (
            "台 份 本 张 件 页 倍 线 档 类 期 号 项 条 个 家 字 分 门 针 双 辆 间 套 种 支 笔 栋 幢 单元 节 箱 瓶 "
            "片 粒 颗 届 章 只 根 晚 gb mb tb",
            "",
            "1",
        ),
    )
    for word in words.split()
}
_BY_LENGTH = sorted(UNITS, key=lambda word: (-len(word), word))
UNIT = "(?:" + "|".join(re.escape(word) + ("(?![a-z])" if word[-1].isascii() else "") for word in _BY_LENGTH) + ")"
_SPOKEN_UNIT = "|".join(  # 「三点五分」 and 「三点五个人」 are times of day
    re.escape(word) for word in _BY_LENGTH if word not in lang.lexicon("个 个人 人 名 位 分 分钟 秒 秒钟 刻钟 号 楼 层")
)
_WEAK_AFTER_ONE = lang.lexicon(
    "个 次 种 位 名 项 份 台 家 笔 张 件 条 本 页 支 套 间 门 针 双 辆 分 等 回 趟 遍 类 期 字 层 人 栋 幢 节 箱 "
    "瓶 片 粒 颗 届 章 只 根 晚 单元 个人"
)
"""After 一 these make an article (一个人), not a number; 一天, 一元, 一级, 一线 are numbers."""
_DAY = 24 * 60
_DOORS = "楼线窗门厅柜库口馆机房店桌位车院桥桩坑棚站"
"""What 「3 号」 may number; elsewhere it is a day."""


def _amount(value: Decimal | None, unit: str) -> str | None:
    """The form of an amount: hours and days, months and years, pounds and kilograms are counted in one unit."""
    if value is None:
        return None
    name, factor = UNITS.get(unit, ("月", Decimal(1)))
    value *= factor
    if name == "分钟" and value and not value % _DAY:
        name, value = "天", value / _DAY
    if name == "折" and value >= 10:
        value /= 10
    return f"{figure(value)}{name}"


# ── Forms, in the order in which they are read off a text ───────────────────────────────────────
_FOLDED = str.maketrans("壹贰叁肆伍陆柒捌玖拾佰仟", "一二三四五六七八九十百千")
_FINANCIAL = re.compile(r"[壹贰叁肆伍陆柒捌玖拾佰仟][壹贰叁肆伍陆柒捌玖拾佰仟零万亿]+|[壹贰叁肆伍陆柒捌玖](?=[元圆整])")
_SPELLED = (
    (re.compile(r"廿"), "二十"),
    (re.compile(r"俩"), "两个"),
    (re.compile(r"仨"), "三个"),
    (re.compile(r"双(?=人[间房床桌票])"), "两"),
    (re.compile(r"(?<=[\d一二三四五六七八九十百千万])圆"), "元"),
    (re.compile("\u2044"), "/"),
)
_SIGN = r"(?:零下|负|(?<![\w-])-|(?<![a-z0-9-])-(?=[\d.]{1,6}\s*(?:度|°c)))"
_RANGE = r"\s*(?:到|至|-|~|—|–)\s*"
_FESTIVALS = {
    "春节": r"春节|过年|大年",
    "国庆": r"国庆节?|(?<![一二三四五六七八九百千万])十一(?=期间|假期|长假|黄金周|放假|前后|节)",
    "劳动节": r"劳动节|(?<![\d一二三四五六七八九十百千万])五一(?!个|路|街|广场|大道|商)",
    "儿童节": r"儿童节|(?<![十百千万])六一(?=期间|放假|节|儿童)",
    "妇女节": r"妇女节|三八(?=节|放假|妇女)",
    "元旦": r"元旦",
    "清明": r"清明节?",
    "端午": r"端午节?",
    "中秋": r"中秋节?",
    "重阳": r"重阳节?",
}
_WEEK = r"(?:周|星期|礼拜)"
_WEEKDAY = re.compile(
    rf"(上上|下下|上|下)?(?:[这本]?个?){_WEEK}([一二三四五六日天])(?![次回趟节篇份个天])"
    rf"(?:(?:到|至|-|~)(?:{_WEEK})?([一二三四五六日天])|([和、]?{_WEEK}?[日天])(?![期记常程]))?"
)
_CLOCK = re.compile(
    r"(凌晨|清晨|早晨|早上|上午|中午|下午|傍晚|晚上|夜里|夜间|半夜|深夜|早|晚)?"
    rf"(?:(\d{{1,2}}):(\d{{2}})|(?<!第)({NUMBER}|零)点"
    rf"(半|钟|整|[一三]刻|{NUMBER}分?)?(?!要求|意见|建议|注意|原因|理由))"
)
_EARLY_LATE = ("下午", "傍晚", "晚上", "夜里", "夜间", "半夜", "深夜", "晚")
_ON_THE_HOUR = re.compile("[前后以之到至开关上下起]")
"""「便宜一点」 and 「早一点」 tell no time; 「一点以后」 does."""
_NOT_NUMBERS = re.compile(
    r"十分(?!钟|之)|千万|万一|一(?:下|起|般|样|直|律|旦|定|致|共|切|些|点|边|面|方面|系列|并|次性|同|带|会儿|向|时)|"
    r"统一|唯一|之一|其一|同一|任一|逐一|不一|单一|一一|进一步|三方|百科|四季|双方|[十百千]几(?![\u4e00-\u9fff])|"
    r"二手|二维码|五险一金|三明治|三轮|五金|一卡通"
)

Reader = Callable[[re.Match[str]], list[Term]]


def _one(kind: Kind, form: str | None, text: str) -> list[Term]:
    return [] if form is None else [Term(kind, form, text)]


def _weekday(match: re.Match[str]) -> list[Term]:
    first, last, text = match[2].replace("天", "日"), (match[3] or "").replace("天", "日"), match[0]
    if last:
        span = f"周{first}~周{last}"
        return [Term("condition", "工作日", text)] if span == "周一~周五" else [Term("date", span, text)]
    if match[4] and first == "六":
        return [Term("condition", "周末", text)]
    return _one("date", f"{match[1] or ''}周{first}", text) + (_one("date", "周日", match[4]) if match[4] else [])


def _date(match: re.Match[str]) -> list[Term]:
    year, month, day = match.group(1, 2, 3) if match[2] else match.group(4, 5, 6)
    parts = [number(part) for part in (year, month, day) if part is not None]
    return _one("date", "-".join(figure(part or Decimal(0)) for part in parts), match[0])


def _month(match: re.Match[str]) -> list[Term]:
    year, month = match[1] or "", number(match[2]) or Decimal(0)
    year = f"{figure(value)}年" if (value := number(year)) is not None else f"{year}年" if year else ""
    part = {"初": "初", "底": "底", "末": "底", "中旬": "中旬", "上旬": "初", "下旬": "底"}.get(match[3] or "", "")
    return _one("date", f"{year}{figure(month)}月{part}", match[0])


def _clock(match: re.Match[str]) -> list[Term]:
    part, spoken = match[1] or "", match[0].removeprefix(match[1] or "")
    if spoken == "一点" and (part in ("早", "晚") or (not part and not _ON_THE_HOUR.match(match.string, match.end()))):
        return []
    hour = number(match[2] or match[4]) or Decimal(0)
    minutes = match[3] or {None: "00", "钟": "00", "整": "00", "半": "30", "一刻": "15", "三刻": "45"}.get(match[5], "")
    minutes = minutes or str(int(number(match[5].rstrip("分")) or 0)).zfill(2)
    late = match[1] in _EARLY_LATE or (match[1] == "中午" and hour < 11)
    midnight = hour == 12 and match[1] in ("晚上", "夜里", "夜间", "半夜", "深夜", "凌晨", "晚")
    hour = 0 if midnight else hour + 12 if late and hour < 12 else hour
    return _one("date", f"{int(hour) % 24:02}:{minutes}", match[0])


def _percent(match: re.Match[str]) -> list[Term]:
    value = Decimal(100) if match[1] in ("百", "") else number(match[1] or match[2])
    return _one("number", f"{figure(value or Decimal(0))}%", match[0])


def _tenths(match: re.Match[str]) -> list[Term]:
    value = (number(match[1]) or Decimal(0)) * 10 + (number(match[2]) or 0 if match[2] else 0)
    return _one("number", f"{figure(value)}%", match[0])


def _share(match: re.Match[str]) -> list[Term]:
    below, above = match.group(1, 2) if match[1] else match.group(4, 3)
    return _one("number", f"{figure(number(above) or Decimal(0))}/{figure(number(below) or Decimal(0))}", match[0])


def _ordinal(match: re.Match[str]) -> list[Term]:
    value = (number(match[1]) or Decimal(0)) if match[1] else Decimal(2 if match[0] == "次" else 1)
    return _one("number", f"第{figure(value)}", match[0])


def _span(match: re.Match[str]) -> list[Term]:
    """三到五天, 3-5天, 3天到5天: one term with both ends."""
    low, high = _amount(number(match[1]), match[4]), _amount(number(match[3]), match[4])
    return _one("number", f"{low}~{high}", match[0]) if low and high and (match[2] or match[4]) == match[4] else []


def _rough_span(match: re.Match[str]) -> list[Term]:
    """三五天, 二三十人: two neighbouring digits are a range (八五折 is not: no unit of price is read here)."""
    low, high = _DIGITS[match[1]], _DIGITS[match[2]]
    if high != low + 1 and (low, high) != (3, 5):
        return []
    scale = Decimal(_SCALES.get(match[3], _BIG.get(match[3], 1)))
    return _one("number", f"{_amount(low * scale, match[4])}~{_amount(high * scale, match[4])}", match[0])


def _half(match: re.Match[str]) -> list[Term]:
    """半小时, 一个半小时."""
    value = Decimal("0.5") + (number(match[1]) or 0 if match[1] else 0)
    unit = match[2]
    return _one("number", _amount(value, "个月" if unit == "月" else unit), match[0])


def _with_tail(match: re.Match[str]) -> list[Term]:
    """一米二, 三块五."""
    value, digits = number(match[1]), "".join(str(_DIGITS.get(letter, letter)) for letter in match[3])
    return [] if value is None else _one("number", _amount(value + Decimal(f"0.{digits}"), match[2]), match[0])


def _counted(match: re.Match[str]) -> list[Term]:
    sign, written, rough, unit, more = match.groups()
    if written == "一" and not (rough or more) and unit in _WEAK_AFTER_ONE:
        return []
    value, after = number(written), match.string[match.end() : match.end() + 1]
    if value is None:
        return []
    if unit == "号" and value <= 31 and value == int(value) and after not in tuple(_DOORS):
        unit = "日"
    if unit == "平" and after in tuple("均时台板"):
        return []
    value = -value if sign else value + (Decimal("0.5") if more == "半" else 0)
    limit = [Term("limit", "≥", match[0])] if rough or more == "多" else []
    return [*_one("number", _amount(value, unit), match[0]), *limit]


def _money(match: re.Match[str]) -> list[Term]:
    value = number(match[2])
    unit = {"$": "美元", "€": "欧元", "£": "英镑"}.get(match[1], "元")
    return [] if value is None else _one("number", f"{figure(value)}{unit}", match[0])


def _quarter(match: re.Match[str]) -> list[Term]:
    return _one("number", f"第{number(match[1])}季", match[0])


def _grade(match: re.Match[str]) -> str:
    """初二, 初中二年级."""
    *school, year = [part for part in match.groups() if part]
    return f"{''.join(school)}{figure(number(year) or ZERO)}年级"


def _plain(match: re.Match[str]) -> list[Term]:
    """A figure without a unit; in Chinese only one with a scale (两万五, 十二): 一 and 二 are in too many words."""
    scaled = len(match[2]) > 1 and any(letter in _SCALES or letter in _BIG for letter in match[2])
    value = number(match[2]) if match[2][0].isdigit() or scaled else None
    return [] if value is None else _one("number", figure(-value if match[1] else value), match[0])


_CODE = re.compile(
    r"[a-z][a-z0-9]*(?:[-_.+/][a-z0-9]+)*(?: ?\d+(?![\d.:,]))?(?:\+\+|#)?|(?<!\d)\d{1,25}[a-z]{1,25}(?![a-z])"
)


def code_form(text: str) -> str:
    """One form of an identifier: Wi-Fi and wifi, iPhone 15 and iPhone15; VPN-2 stays another than VPN-20."""
    return re.sub(r"[-_ ]", "", text)


_FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    *(
        (re.compile(pattern), lambda match, form=form: _one("condition", form, match[0]))
        for form, pattern in _FESTIVALS.items()
    ),
    (re.compile(r"[上下前后]半[年月]"), lambda match: _one("condition", match[0], match[0])),
    (re.compile(r"第?([一二三四1-4])季度"), _quarter),
    (
        re.compile(
            r"(?:(小)学|(初)中|(高)中|(大)学|(研)究生)?([一二三四五六1-6])年级|([初高研])([一二三])(?![个倍十百千天次点米岁公层楼])|"
            r"(大)([一二三四])(?=[上下学新的能可还怎要就])"
        ),
        lambda match: _one("number", _grade(match), match[0]),
    ),
    (
        re.compile(
            rf"(?:({NUMBER})年)?({NUMBER})月({NUMBER})[日号]|(?<!\d)(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})(?!\d)"
        ),
        _date,
    ),
    (re.compile(rf"(?:({NUMBER}|[今去明前后本当])年)?({NUMBER})月(?:份|(底|末|初|中旬|上旬|下旬))?"), _month),
    (
        re.compile(r"((?:19|20)\d{2}|[一二]九?[〇零一二三四五六七八九]{3})年"),
        lambda match: _one("date", f"{number(match[1])}年", match[0]),
    ),
    (_WEEKDAY, _weekday),
    (
        re.compile(
            rf"百分之(百|{NUMBER}点[零〇一二三四五六七八九]+|零点[零〇一二三四五六七八九]+|{NUMBER})|"
            rf"({_ARABIC})\s*(?:%|个百分点)|百分()百"
        ),
        lambda match: _percent(match) if match[1] or match[2] else _one("number", "100%", match[0]),
    ),
    (
        re.compile(
            rf"({_ARABIC}|{_D}|十)成(?![员年为本功立交人绩长果都语熟品分效套色型份像团班群])({_D}(?![个天人]))?"
        ),
        _tenths,
    ),
    (re.compile(rf"({NUMBER})分之({NUMBER})|(?<![\d/])(\d{{1,4}})\s*/\s*(\d{{1,4}})(?![\d/])"), _share),
    (
        re.compile(rf"((?:{NUMBER}|零)点[零〇一二三四五六七八九]{{1,6}}[万亿]?)\s*({_SPOKEN_UNIT})"),
        lambda match: _one("number", _amount(number(match[1]), match[2]), match[0]),
    ),
    (_CLOCK, _clock),
    (_NOT_NUMBERS, lambda match: []),
    (
        re.compile(
            rf"第({NUMBER})(?:{UNIT})?|首次|头一次|头一回|(?<![每一二两三四五六七八九十\d几首单多此本上下])次(?=[年日月周])"
        ),
        _ordinal,
    ),
    (re.compile(rf"({NUMBER})\s*({UNIT})?{_RANGE}({NUMBER})\s*({UNIT})"), _span),
    (re.compile(rf"([一二两三四五六七八])([二三四五六七八九])([十百千万]?)((?!折){UNIT})"), _rough_span),
    (re.compile(rf"(?:({NUMBER})个)?半个?(小时|钟头|天|月|年|星期)"), _half),
    (
        re.compile(rf"({NUMBER})(米|块|元|度)([一二三四五六七八九]{{1,2}}|\d{{1,2}})(?![十百千万零点]|{UNIT})"),
        _with_tail,
    ),
    (re.compile(rf"()({_D}[百千万]{_D})(?=一{_NOT_A_TAIL})"), _plain),  # 「两千五一个月」 tells two figures
    (re.compile(rf"([¥$€£])\s*({NUMBER})"), _money),
    (
        re.compile(rf"几([十百千万])(?:多|来)?({UNIT})?"),
        lambda match: _one(
            "number", f"几{match[1]}{UNITS[match[2]][0] if match[2] in UNITS else match[2] or ''}", match[0]
        ),
    ),
    (
        re.compile(
            rf"({_SIGN})?({NUMBER})(几|余|来|个多|多(?![少久长大远高]))?\s*({UNIT})(半|多(?![少久长大远高]))?(?!之[一二])"
        ),
        _counted,
    ),
    (_CODE, lambda match: _one("code", code_form(match[0]), match[0])),
    (
        re.compile(rf"(?:科目|附件|附表|阶段|窗口|标段|步骤|方案|版本|车间|方式)({_D}|十)(?![年个天月])"),
        lambda match: _one("number", f"第{number(match[1])}", match[0]),
    ),
    (re.compile(rf"({_SIGN})?({NUMBER})"), _plain),
)


def spelled(text: str) -> str:
    """Write figures of other scripts in the ordinary one: 壹贰, 廿, 俩, ½."""
    for half, decimal in (("½", "5"), ("¼", "25"), ("¾", "75")):
        text = re.sub(rf"(?<=\d){half}", f".{decimal}", text).replace(half, f"0.{decimal}")
    text = _FINANCIAL.sub(lambda match: match[0].translate(_FOLDED), normalise(text))
    for form, word in _SPELLED:
        text = form.sub(word, text)
    return text


def read(text: str) -> tuple[list[Term], str]:
    """Read figures, dates, festivals and identifiers off a text.

    Args:
        text: as :func:`spelled` gives it.

    Returns:
        The terms, and the text with a mark for each: 「30 天内」 is still a limit, and 「10 点以后」 still an after.
    """
    found: list[Term] = []
    for form, reader in _FORMS:

        def take(match: re.Match[str], reader: Reader = reader) -> str:
            terms = reader(match)
            if not terms:
                return match[0]
            found.extend(terms)
            unit = match[0][-1] if match[0][-1] in "天日月年时钟周岁分元度" else ""
            return {"number": f"{READ}{unit}", "date": READ}.get(terms[0].kind, MASKED)

        # A word such as 统一 is kept from being read as a figure; its other characters stay readable.
        text = form.sub(take if form is not _NOT_NUMBERS else lambda match: _HIDE.sub("\u0001", match[0]), text)
    return found, text.replace("\u0001", "")


_HIDE = re.compile("[一二三四五十百千万]")
