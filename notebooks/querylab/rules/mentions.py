"""Mentions: the noun phrases of a text, each with what governs it, and what a reply puts forward.

In: a question or a reply. Out: phrases in reading order. They are found by the joints of a sentence alone: what a
phrase means is not known here; what it ends in, and what stands before and after it, says what it can be.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from querylab.rules import language as lang
from querylab.rules import phrases
from querylab.rules.phrases import Unit

_PREPOSITIONS = lang.lexicon(
    "在 到 至 去 往 从 由 用 凭 通过 向 把 将 被 按 按照 根据 依据 依照 依 给 对 跟 经 于 找 为 以 让 走 和 与 及 以及 或 或者"
)
_LIGHT = lang.lexicon("做 办 办理 申请 走 开 进行 参加 提供 预约 登记 叫 请 约")
_LINKS = lang.lexicon("有 是 叫 为 用 、 需 需要 须 要")
_AND = lang.lexicon("和 与 及 以及 或 或者 跟 、")
_QUOTED = re.compile(r"《[^《》]{1,40}》|“[^“”]{1,20}”|「[^「」]{1,20}」")
_ENDINGS = lang.lexicon(f"{lang.PLACE_SUFFIXES} {lang.UNIT_SUFFIXES} {lang.ROLE_SUFFIXES} {lang.DOCUMENT_SUFFIXES}")
_NOW = lang.lexicon(
    f"{lang.TIME_KINDS} 当天 当日 当场 当晚 目前 现在 每天 每月 每年 每周 以上 以下 以内 以外 期间 免费 自动 全额 半价 单独 重新 统一"
)


@dataclass(frozen=True)
class Phrase:
    """One noun phrase, the word before it (a verb, a preposition, 的, or nothing), the word after it, its clause."""

    text: str
    start: int
    governor: str
    after: str
    clause: int

    @property
    def end(self) -> int:
        """Where the phrase ends."""
        return self.start + len(self.text)

    @property
    def is_object(self) -> bool:
        """Say whether a verb governs the phrase (or 有, 是, 叫, 用)."""
        return self.governor in _LINKS or bool(self.governor and self.governor not in lang.FUNCTION_WORDS)

    @property
    def is_goal(self) -> bool:
        """Say whether the phrase says where: after 在, 到, 存放在, 送到…."""
        return self.governor[-1:] in tuple("在到至去往于从")


def _whole_titles(text: str) -> tuple[Unit, ...]:
    """Cut a text into units with every title and quoted name whole, as a noun."""
    out: list[Unit] = []
    spans = [(found.start(), found.group()) for found in _QUOTED.finditer(text)]
    for unit in phrases.units(text):
        span = next(((start, quoted) for start, quoted in spans if start <= unit.start < start + len(quoted)), None)
        if span is None:
            out.append(unit)
        elif not out or out[-1].start != span[0]:
            out.append(Unit(span[1], "content", "nz", span[0]))
    return tuple(out)


def _governor(found: tuple[Unit, ...], here: int) -> str:
    """Give the word before a phrase, amounts and measure words aside (配｜一本｜练习册); nothing after a mark."""
    for unit in reversed(found[:here]):
        if unit.kind == "number" or unit.tag in ("m", "q", "mq", "zg") or unit.text in lang.MEASURES.split():
            continue
        if unit.text != "、" and (unit.kind == "mark" or unit.tag[:1] in "rtd"):
            return ""
        if unit.text in _PREPOSITIONS:
            return unit.text
        nouns = unit.kind in ("content", "attribute") and not _verbal(unit) and unit.text[-1] not in "在到至往于给"
        return "" if nouns else unit.text
    return ""


def _nominal(unit: Unit) -> bool:
    if unit.text in _ENDINGS:
        return True
    if unit.text in lang.MEASURES.split():
        return False
    if (unit.tag == "m" and unit.text[-1] in "部科室组班厅馆卡" and len(unit.text) > 2) or unit.text in tuple(
        "费表税钱证"
    ):
        return True  # a noun that the dictionary takes for an amount, or a noun of one letter
    return unit.kind in ("content", "attribute") and (unit.tag[:1] in "nbajlisfzt" or unit.tag in ("vn", "an", "eng"))


def _one_letter_noun(unit: Unit) -> bool:
    """Say whether a unit can end a noun although the dictionary takes it for a measure word (防爆｜箱)."""
    return len(unit.text) == 1 and unit.tag in ("q", "zg", "ng", "g", "n") and unit.kind == "content"


def _verbal(unit: Unit) -> bool:
    return unit.kind == "verb" or (unit.kind == "content" and unit.tag in ("v", "vn", "vd"))


@lru_cache(maxsize=1024)
def noun_phrases(text: str) -> tuple[Phrase, ...]:
    """List the noun phrases of a text, titles among them.

    Rule: a run of nominal words. As the object of a verb it holds the verbs inside it (放入｜智能取餐柜), as a subject
    or after a preposition it ends at the first verb (到｜服务台｜登记); after a modal, words of action at its beginning
    are the predicate (会自动投保｜骑手意外险). Limits: a clause that is an object is cut to its nouns.
    Example: 「凭收据到出纳室换押金条」 → 收据, 出纳室, 押金条.
    """
    found = _whole_titles(text)
    out: list[Phrase] = []
    clause = here = 0
    while here < len(found):
        unit = found[here]
        if unit.text in "，,；;。？！!?\n：:":
            clause += 1
        governor = _governor(found, here)
        last = _run_end(found, here, governor)
        run = list(found[here:last])
        if governor in lang.FUNCTION_WORDS - _PREPOSITIONS - {"有", "是", "的", "叫"} or unit.text in ("自动", "免费"):
            while len(run) > 1 and run[0].tag[:1] in "vad" and any(other.tag[:1] == "n" for other in run[1:]):
                governor = run.pop(0).text
        while len(run) > 1 and (run[-1].tag in ("t", "ad") or run[-1].text in _NOW or run[-1].text == "人"):
            run.pop()
        if sum(len(other.text) for other in run) > 1:
            after = next((other.text for other in found if other.start == run[-1].end), "")
            out.append(Phrase(phrases.joined(run), run[0].start, governor, after, clause))
        here = max(last, here + 1)
    return tuple(out)


def _run_end(found: tuple[Unit, ...], here: int, governor: str) -> int:
    """Say where the noun phrase that begins here ends (the same place when none begins)."""
    governed = bool(governor) and governor not in _PREPOSITIONS | lang.FUNCTION_WORDS | {"、"}
    governed = governed and governor[-1] not in "在到至往于"
    last = here
    while last < len(found):
        unit, after = found[last], found[last + 1] if last + 1 < len(found) else None
        first = last == here and governor in _PREPOSITIONS | {"的", "有", "是", "叫"}
        bound = after is not None and len(after.text) == 1 and (after.tag[:1] == "n" or _one_letter_noun(after))
        first = first or (last == here and not governor and bound and len(unit.text) == 2 and unit.kind == "content")
        first = first or (last > here and found[last - 1].text[-1] in "”」")
        inside = (governed or first) and _verbal(unit) and after is not None
        inside = inside and (_nominal(after) or _one_letter_noun(after))
        if unit.kind == "verb" and inside and last == here and governed:  # 填写｜报名表, but 禁止｜使用｜雨具
            inside = len(after.text) == 1 or after.kind == "attribute"
        tail = last > here and _one_letter_noun(unit)
        closed = last > here and found[last - 1].text[-1] == "》"
        light = governor in _LIGHT or (governed and unit.kind == "content")
        named_deed = light and last > here and (unit.tag == "v" or unit.kind == "verb") and len(unit.text) == 2
        if named_deed and _nominal(found[last - 1]) and (after is None or after.kind == "mark"):
            return last + 1  # 登记｜到货提醒
        if closed or (not _nominal(unit) and not inside and not tail):
            break
        last += 1
    while last > here and not (_nominal(found[last - 1]) or _one_letter_noun(found[last - 1])):
        last -= 1
    return last


def subjects(text: str) -> list[Phrase]:
    """List what the clauses of a text begin with, up to the predicate: 「精洗送吸尘，普洗不送」 → 精洗, 普洗."""
    out: list[Phrase] = []
    run: list[Unit] = []
    clause, opens = 0, True
    for unit in (*phrases.units(text), Unit("。", "mark", "x", len(text))):
        size = sum(len(each.text) for each in run)
        stops = unit.kind in ("mark", "joint", "number", "question", "verb") or unit.tag[:1] in "dp"
        if opens and not stops and (size < 2 or unit.tag[:1] in "nbqg") and size < 6:
            run.append(unit)
            continue
        deed = bool(run) and len(run[0].text) > 1 and run[0].tag[:1] in "vad" and unit.tag != "t"
        if run and opens and (size > 1 or run[0].tag == "eng") and not deed:
            out.append(Phrase(phrases.joined(run), run[0].start, "", unit.text, clause))
        run, opens = [], False
        if unit.kind == "mark" and unit.text[-1] in "，,；;。！？":
            clause, opens = clause + 1, True
    return out


def parallel(one: Phrase, other: Phrase) -> bool:
    """Say whether two phrases stand in the same place, so that a reference to one may mean the other.

    Rule: joined by 和/或/、, or in two clauses with the same word before them and the same ending or word after them.
    Example: 「甲楼归王工管，乙楼归李工管」 → 甲楼 and 乙楼.
    """
    if one.clause == other.clause:
        return other.governor in _AND and one.after in _AND and one.end < other.start <= one.end + 2
    alike = one.text[-1] == other.text[-1] or (one.after == other.after and bool(one.after))
    return one.governor == other.governor and alike


def with_parallels(found: tuple[Phrase, ...], chosen: Phrase) -> list[Phrase]:
    """Give a phrase and those that stand parallel to it, in reading order, three at most."""
    kept = [chosen]
    for other in found:
        if other not in kept and any(parallel(*sorted((one, other), key=lambda each: each.start)) for one in kept):
            kept.append(other)
    return sorted(kept, key=lambda each: each.start)[:3]


def objects(text: str, known: str = "") -> list[Phrase]:
    """List the things that a reply puts forward: the objects of its verbs, without bare attributes and what is known.

    Limits: people, times and places are not told from things here. Example: 「先交押金条，再领钥匙」 → 押金条, 钥匙.
    """
    out = []
    for phrase in noun_phrases(text):
        bare = phrase.text in lang.ATTRIBUTES or phrase.text in known or lang.FIGURE.search(phrase.text)
        if phrase.is_object and not bare and any(unit.kind == "content" for unit in phrases.units(phrase.text)):
            out.append(phrase)
    return out
