"""Core terms of an English text, by a small closed lexicon: names, codes, figures, dates, denials, limits.

In: a text without one Chinese character, as typed (capitals say what is a name). Out: its core terms, in the same forms
as those of a Chinese text. Ordinary words in small letters are none: a paraphrase may choose others.
"""

import re
import unicodedata
from decimal import Decimal

from querylab.guard.figures import Term, code_form, figure, number
from querylab.rules import language as lang

_FLAGS = re.IGNORECASE | re.ASCII
_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_WORDS = {word: value for value, word in enumerate(_ONES)} | {
    "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
}  # fmt: skip
_NUMBER = (
    rf"(?:(?<!\d)\d{{1,3}}(?:,\d{{3}}){{1,8}}(?!\d)|(?<!\d)\d{{1,25}}(?!\d))(?:\.\d{{1,9}})?|\b(?:{'|'.join(_WORDS)})\b"
)
_UNITS = {
    word: (unit, Decimal(factor))
    for words, unit, factor in (
        ("working-day working-days business-day business-days", "工作日", "1"),
        ("day days night nights", "天", "1"),
        ("week weeks", "天", "7"),
        ("month months", "月", "1"),
        ("quarter quarters", "月", "3"),
        ("year years", "月", "12"),
        ("hour hours hrs hr", "分钟", "60"),
        ("minute minutes min mins", "分钟", "1"),
        ("second seconds", "秒", "1"),
        ("yuan rmb", "元", "1"),
        ("dollar dollars usd", "美元", "1"),
        ("euro euros", "欧元", "1"),
        ("% percent", "%", "1"),
        ("people person persons guest guests", "人", "1"),
        ("time times", "次", "1"),
        ("kg kilo kilos kilograms", "克", "1000"),
        ("km", "米", "1000"),
        ("cm", "米", "0.01"),
    )
    for word in words.split()
}
_UNIT = "|".join(re.escape(word).replace(r"\-", "[- ]") for word in sorted(_UNITS, key=lambda word: (-len(word), word)))
_AMOUNT = re.compile(rf"([$€¥])?\s?({_NUMBER})(?:[ -]?({_UNIT})(?![a-z]))?", _FLAGS)
_ORDINALS = {word: place for place, word in enumerate(["first", "second", "third", "fourth", "fifth"], 1)}
_ORDINAL = re.compile(rf"\b(?:({'|'.join(_ORDINALS)})|(\d{{1,3}})(?:st|nd|rd|th))\b", _FLAGS)
_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in _MONTHS)
_DATE = re.compile(  # 「may」 in small letters is a verb
    rf"\b(?!may\b)(?ai:({_MONTH}))\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?|\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+"
    rf"(?!may\b)(?ai:({_MONTH}))\b|(?<!\d)(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})(?!\d)"
)
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WEEKDAY = re.compile(rf"\b({'|'.join(_DAYS)})s?\b", _FLAGS)
_TIME = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?m\b|\b(\d{1,2}):(\d{2})\b", _FLAGS)
_KINDS_OF_DAYS = (("周末", r"week-?ends?"), ("工作日", r"week-?days?"), ("节假日", r"(?:public )?holidays?"))
_AHEAD = rf"(?= [$€¥]?(?:\d|(?:{'|'.join(_WORDS)})\b))"
_LIMITS = tuple(
    (form, re.compile(pattern, _FLAGS))
    for form, pattern in (
        ("最晚", r"\b(?:no later than|at the latest|latest|deadline)\b"),
        ("最早", r"\bearliest\b"),
        ("≤", r"\b(?:at (?:the )?most|(?:no|not) (?:more|longer) than|up to|maximum|max|within|not exceed\w*)\b"),
        ("≥", r"\b(?:at least|(?:no|not) (?:less|fewer) than|minimum|min)\b"),
        ("≤", rf"\b(?:less than|fewer than|shorter than)\b|\b(?:below|under)\b{_AHEAD}"),
        ("≥", rf"\b(?:more than|longer than|exceed(?:s|ing)?)\b|\b(?:above|over)\b{_AHEAD}"),
        ("只", r"\bonly\b"),
        ("除", r"\b(?:except|excluding|apart from|other than|aside from)\b"),
        ("前", r"\b(?:before|prior to)\b"),
        ("后", r"\bafter\b"),
    )
)  # fmt: skip
_EVERY = re.compile(
    r"\b(?:per|each|every|(?:(?<=times )|(?<=once )|(?<=twice ))an?) (day|night|week|month|quarter|year|person|time)\b",
    re.I,
)
_EVERY_FORM = {
    "day": "天", "night": "晚", "week": "周", "month": "月", "quarter": "季", "year": "年", "person": "人", "time": "次"
}  # fmt: skip
_NOT_DENIED = re.compile(r"\b(?:whether )?or not\b|\bnot only\b|\bno problem\b|\bwhy not\b|\bno\.? ?(?=\d)", _FLAGS)
_NO_NEED = re.compile(
    r"\b(?:do(?:es)?(?:n't| not) (?:have|need) to|need(?:n't| not)|no need)\b",
    _FLAGS,
)
_DENIED = re.compile(
    r"\b(?:not|no|never|cannot|without|none|nobody|neither|nor|unable|refuse[sd]?|prohibited|forbidden|banned)\b"
    r"|n't\b|\bnon-?(?=[a-z])",
    _FLAGS,
)
_WORD = re.compile(r"[^\W_](?:[\w+#.&/'-]*[\w+#])?")
_LITTLE = lang.lexicon("of the in on for a an to and or at by with is are from")
_NO_NAMES = re.compile(r"I(?:'\w+)?|OK|FAQ|Mr|Mrs|Ms|Dr|PM|AM")


def read(text: str) -> list[Term]:
    """Read the core terms of an English text.

    Args:
        text: as typed.

    Returns:
        Terms in no order. A name is a capitalised word that opens no sentence; a code has a digit, an inner capital or
        capitals only. In a title (Every Word Capital) no capital says anything.
    """
    text = " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").split())
    text = re.sub(r"\btwice\b", "2 times", text, flags=_FLAGS)
    found: list[Term] = []
    for pattern, reader in (
        (_DATE, _date),
        (_WEEKDAY, lambda match: Term("date", f"周{'一二三四五六日'[_DAYS.index(match[1].lower())]}", match[0])),
        (_TIME, _time),
        *(
            (re.compile(rf"\b{words}\b", _FLAGS), lambda match, form=form: Term("condition", form, match[0]))
            for form, words in _KINDS_OF_DAYS
        ),
        *((pattern, lambda match, form=form: Term("limit", form, match[0])) for form, pattern in _LIMITS),
        (_EVERY, lambda match: Term("limit", f"每{_EVERY_FORM[match[1].lower()]}", match[0])),
        (_NOT_DENIED, lambda match: None),
        (_NO_NEED, lambda match: Term("negation", "免", match[0])),
        (_DENIED, lambda match: Term("negation", "不", match[0])),
    ):

        def take(match: re.Match[str], reader=reader) -> str:
            term = reader(match)
            if term is not None:
                found.append(term)
            return " , "

        text = pattern.sub(take, text)
    names, text = _names(text)
    found += names
    text = _ORDINAL.sub(lambda match: found.append(_ordinal(match)) or " ", text)
    _AMOUNT.sub(lambda match: found.extend(_amount(match)) or " ", text)
    return found


def _date(match: re.Match[str]) -> Term:
    if match[5]:
        return Term("date", "-".join(str(int(part)) for part in match.group(5, 6, 7)), match[0])
    name, day = (match[1], match[2]) if match[1] else (match[4], match[3])
    month = next(place for place, word in enumerate(_MONTHS, 1) if word.startswith(name[:3].lower()))
    return Term("date", f"{month}-{int(day)}" if day else f"{month}月", match[0])


def _time(match: re.Match[str]) -> Term:
    hour = int(match[1] or match[4]) % (12 if match[3] else 24) + (12 if (match[3] or "").lower() == "p" else 0)
    return Term("date", f"{hour:02}:{match[2] or match[5] or '00'}", match[0])


def _ordinal(match: re.Match[str]) -> Term:
    return Term("number", f"第{int(match[2]) if match[2] else _ORDINALS[match[1].lower()]}", match[0])


def _amount(match: re.Match[str]) -> list[Term]:
    written, unit = match[2].lower(), (match[3] or "").lower().replace(" ", "-")
    if written == "one" and not unit:
        return []
    value = Decimal(_WORDS[written]) if written in _WORDS else number(written) or Decimal(0)
    name, factor = _UNITS.get(unit, ({"$": "美元", "€": "欧元", "¥": "元"}.get(match[1] or "", ""), Decimal(1)))
    value *= factor
    if name == "分钟" and value and not value % (24 * 60):
        name, value = "天", value / (24 * 60)
    return [Term("number", f"{figure(value)}{name}", match[0].strip())]


def _names(text: str) -> tuple[list[Term], str]:
    words = list(_WORD.finditer(text))
    shouted = not any(letter.islower() for letter in text)
    small = any(match[0].islower() and match[0] not in _LITTLE for match in words)
    title = not small and sum(match[0][:1].isupper() for match in words) > 2
    found: list[Term] = []

    def take(match: re.Match[str]) -> str:
        word = match[0]
        digits, letters = any(map(str.isdigit, word)), any(map(str.isalpha, word))
        before = text[max(0, match.start() - 6) : match.start()].strip(" ,\"'(")
        opens = not before or before[-1] in ".!?:;…"
        code = digits and letters and not _AMOUNT.fullmatch(word) and not _ORDINAL.fullmatch(word)
        inner = not shouted and any(map(str.isupper, word[1:])) and not _NO_NAMES.fullmatch(word)
        if code or set(word) & set("_+#") or (inner and not (title and "-" in word)):
            form = code_form(word.casefold().removesuffix("'s"))
            found.append(Term("code", form, word))
            return " "
        if word[0].isupper() and not (opens or title or shouted or digits or _NO_NAMES.fullmatch(word)):
            found.append(Term("name", word.casefold().removesuffix("'s"), word))
            return " "
        return word

    return found, _WORD.sub(take, text)
