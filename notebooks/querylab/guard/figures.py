"""Figures with their units in one form: 「三天」 and 「３日」, 「半年」 and 「6 个月」, 「两千元」 and 「2,000 块」.

In: a text. Out: its figures, each as (form, text as written), and the text without them. Chinese numerals are read by
cn2an; what stands here is only which units count the same, and how a time of day is told.
"""

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache


def lexicon(words: str) -> frozenset[str]:
    """Read a blank-separated list of words as a set."""
    return frozenset(words.split())


NUMBER = r"(?:\d[\d,]{0,15}(?:\.\d{1,9})?|[零〇一二两三四五六七八九十百千万亿]{1,15}(?:点[零一二三四五六七八九]{1,9})?)"

_COUNTED_AS = """
    工作日 1 个工作日 工作日
    天 1 个自然日 自然日 天 日 号
    天 7 个星期 星期 个礼拜 礼拜 周
    月 1 个月 月份 月
    月 3 个季度 季度
    月 12 周年 年
    分钟 60 个小时 小时 个钟头
    分钟 1 分钟
    元 1 块钱 元钱 块 元 人民币
    元 10000 万元
    美元 1 美元 美金
    欧元 1 欧元
    % 1 %
    % 10 成
    人 1 个人 人 名 位
    次 1 次 回 趟 遍
    岁 1 周岁 岁
    米 1000 公里 千米 km
    米 1 米
    米 0.01 公分 厘米 cm
    克 1000 公斤 千克 kg
    克 500 斤
    楼 1 层 楼
    级 1 年级 级
    * 1 线 倍 度 折 份 张 台 件 本 页 门 节 种 条 家 个 期 届 栋 套 间 箱 瓶 gb mb tb
"""
"""The name a unit is counted under (* none), how much of that one of it is, and its words."""
UNITS = {
    word: (name.strip("*"), Decimal(factor))
    for name, factor, *words in map(str.split, _COUNTED_AS.strip().splitlines())
    for word in words
}
_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_ARTICLE = lexicon("个 次 回 趟 遍 个人 人 名 位 份 张 台 件 本 页 门 节 种 条 家 套 间 箱 瓶 线 期")
"""After 一 these make an article (一个人, 一次); 一天, 一元 and 一级 are figures."""

_WEEKDAY = re.compile("(?:周|星期|礼拜)([一二三四五六日天])(?![次回])")
_CLOCK = re.compile(
    rf"(凌晨|早上|上午|中午|下午|傍晚|晚上|夜里|半夜)?({NUMBER})(?:点(?![零一二三四五六七八九])(半|一刻|三刻)?|:(\d\d))(?!意见|要求)"
)
_LATE = ("下午", "傍晚", "晚上", "夜里")
_COUNTED = re.compile(
    rf"(第|百分之)?({NUMBER}|半)(?:个?多|几|来)?\s*"
    rf"(个半(?=小时|月)|{_UNIT}(?!儿))?(半(?!年|月|天|价)|小时|月)?"
)


def number(text: str) -> Decimal | None:
    """Read one figure, Arabic or Chinese (三万八千, 两千五, 半); None when it is none."""
    import cn2an  # here: the package is not needed before the first question

    try:
        return Decimal(text.replace(",", "").replace("半", "0.5"))
    except InvalidOperation:
        pass
    try:
        return Decimal(str(cn2an.cn2an(text, "smart")))
    except (ValueError, KeyError, TypeError):
        return None


@lru_cache(maxsize=4096)
def read(text: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """Read the figures off a text.

    Args:
        text: normalised.

    Returns:
        The figures, and the text with a blank in place of each. A bare Chinese digit is none (一般, 统一, 三方).
    """
    found: list[tuple[str, str]] = []

    def keep(form: str, match: re.Match[str]) -> str:
        found.append((form, match[0].strip()))
        return " "

    def clock(match: re.Match[str]) -> str:
        value = number(match[2])
        if value is None or value > 24 or match[0] in ("一点", "两点"):
            return match[0]
        hour = int(value) + (12 if match[1] in _LATE and value < 12 else 0)
        return keep(f"{hour}:{match[4] or {'半': 30, '一刻': 15, '三刻': 45}.get(match[3], '00')}", match)

    def counted(match: re.Match[str]) -> str:
        before, written, unit, after = match.groups()
        value = number(written)
        article = written == "一" and unit in _ARTICLE
        bare = unit is None and not written[0].isdigit() and len(written) == 1
        if value is None or (before is None and (article or bare)):
            return match[0]
        if before == "第":
            return keep(f"第{value.normalize():f}", match)
        if unit == "个半" or after == "半":  # 两个半小时, 两年半
            value += Decimal("0.5")
        name, factor = UNITS.get(f"个{after}" if unit == "个半" else unit or "*", ("", Decimal(1)))
        return keep(f"{(value * factor).normalize():f}{'%' if before else name}", match)

    text = _WEEKDAY.sub(lambda match: keep(f"周{match[1].replace('天', '日')}", match), text)
    text = _COUNTED.sub(counted, _CLOCK.sub(clock, text))
    return tuple(found), text


def same(one: str, other: str) -> bool:
    """Say whether two forms tell one figure: equal, or equal but for a unit that one of them does not have."""
    bare, there = re.match(r"[\d.]*", one)[0], re.match(r"[\d.]*", other)[0]
    return one == other or (bare == there != "" and (one == bare or other == there))
