"""A Chinese sentence cut into typed units, and what a question is about.

In: a sentence. Out: units (question word, joint, attribute, verb of procedure, content, number, mark), and from
them the topic of a question. Nothing here knows a subject matter.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from querylab.rules import language as lang

_QUESTION = re.compile(rf"(?:第|好)?(?:{lang.alternatives(lang.QUESTION_WORDS)})")
_TAIL = re.compile(rf"(?:{'|'.join(sorted(lang.QUESTION_TAILS, key=lambda word: (-len(word), word)))})")
_NUMBER = re.compile(rf"第?{lang.NUMBER}\s*(?:{lang.alternatives(lang.UNITS)})?$")
MARK = re.compile(r"[\s,，。.;；:：!！?？、…~～—()（）]+$")
_CONDITIONS = lang.lexicon(lang.CONDITIONS)
_SHORT_UNITS = tuple("天日周月年晚夜次人名份页张件台楼层级点")
_KEPT_HEADS = lang.lexicon("账号 表 表格 单子 证明 凭证 申请表 附件 文件 文档 证据 负责人 审批人 材料 资料 号码")
_OPENING = "早晚多少上下前后中内外里"


@dataclass(frozen=True)
class Unit:
    """One unit of a sentence: its text, its kind, its part of speech, and where it starts."""

    text: str
    kind: str  # question | joint | attribute | verb | content | number | mark
    tag: str
    start: int

    @property
    def end(self) -> int:
        """Where the unit ends."""
        return self.start + len(self.text)


@lru_cache(maxsize=4096)
def units(text: str) -> tuple[Unit, ...]:
    """Cut a sentence into units whose texts joined give the sentence again.

    Rule: question words with their tails first (什么时候, 几个), then the dictionary's words, each sorted into
    joint, attribute, verb of procedure, number, mark or content.
    Limits: a word that is both a joint and content is a joint. Example: 「怎么补办钥匙」 → question, verb, content.
    """
    found: list[Unit] = []
    here = 0
    for match in _QUESTION.finditer(text):
        if match.start() < here:
            continue
        found += _plain(text[here : match.start()], here)
        end = match.end()
        if match.group()[-1] in "哪几么啥少长久高大多" and (tail := _TAIL.match(text, end)):
            end = tail.end()
        found.append(Unit(text[match.start() : end], "question", "r", match.start()))
        here = end
    found += _plain(text[here:], here)
    for index, unit in enumerate(found[:-1]):  # 早 in 最早 is a joint, in 早餐券 it begins a phrase
        opens = index == 0 or found[index - 1].kind in ("joint", "mark")
        begins = unit.kind == "joint" and unit.text in _OPENING and found[index + 1].kind == "content"
        if begins and opens and (index == 0 or found[index - 1].text != "最"):
            found[index] = Unit(unit.text, "content", "b", unit.start)
    return tuple(_compounds(found))


def _one_word(last: Unit, unit: Unit) -> bool:
    """Say whether two single characters are one word that the dictionary lacks: a nominal one and a noun."""
    nominal = last.kind in ("content", "attribute") and len(last.text) == 1 and last.tag[:1] in "nmbatjg"
    return nominal and unit.kind == "content" and len(unit.text) == 1 and unit.tag[:1] == "n"


def is_compound_after(stem: str, text: str) -> bool:
    """Say whether the word after a demonstrative swallows its measure word: 「那条件呢」 is 那 + 条件, not 那条 + 件.

    Limits: where both readings exist, the measure word wins for 个. Example: 「该部门」 → True, 「那位老师」 → False.
    """
    if not text.startswith(stem):
        return False
    word, tag = (lang.cut(text[len(stem) :]) or (("", ""),))[0]
    return word[:1] not in "份种些" and len(word) >= (3 if word[:1] == "个" else 2) and tag[:1] not in "rmq"


def _compounds(found: list[Unit]) -> list[Unit]:
    """Join a single character with the direction after it (线上, 馆内), which the dictionary may lack."""
    out: list[Unit] = []
    for unit in found:
        last = out[-1] if out else None
        if last and last.text in tuple("一两二三四五六七八九十每") and unit.text in _SHORT_UNITS:
            out[-1] = Unit(last.text + unit.text, "number", "m", last.start)
            continue
        if last and _one_word(last, unit):
            out[-1] = Unit(last.text + unit.text, "content", "n", last.start)
            continue
        if (
            unit.text in tuple("上下内外里")
            and last
            and last.kind == "content"
            and len(last.text) == 1
            and last.tag[:1] == "n"
        ):
            out[-1] = Unit(last.text + unit.text, "content", "s", last.start)
        else:
            out.append(unit)
    return out


def _plain(text: str, offset: int) -> list[Unit]:
    found: list[Unit] = []
    for word, tag in lang.cut(text):
        found.append(Unit(word, _kind(word, tag), tag, offset))
        offset += len(word)
    return found


def _kind(word: str, tag: str) -> str:
    if MARK.match(word) or word.isspace():
        return "mark"
    if word in lang.FUNCTION_WORDS:
        return "joint"
    if word in lang.ATTRIBUTES:
        return "attribute"
    if word in lang.PROCESS_VERBS or (word[0] == "被" and len(word) == 2 and word[1] not in "子套褥单窝面"):
        return "verb"
    if _NUMBER.match(word) and not (len(word) == 1 and word in "年月周期号点日时分"):
        return "number"
    if len(word) == 2 and word[1] in "在到给往" and word[0] in lang.PROCESS_VERBS:
        return "verb"
    if tag in ("m", "mq", "q") and word[0] in "一二两三四五六七八九十百千万每半0123456789" and len(word) >= 2:
        return "number"
    if tag in ("y", "e", "uj", "ul", "uz", "ug") and len(word) == 1:
        return "joint"
    return "content"


def is_owner(unit: Unit) -> bool:
    """Say whether a unit can be what a sentence is about by itself: a content noun, name or foreign word."""
    if unit.kind != "content":
        return False
    return (unit.tag[:1] in "nijlz" and len(unit.text) >= 2) or unit.tag in ("eng", "vn", "nr", "ns", "nt", "nz")


def runs(text: str) -> list[list[Unit]]:
    """Collect the stretches between joints, question words and marks, in reading order; 「的」 ends one too."""
    out: list[list[Unit]] = [[]]
    for unit in units(text):
        if unit.kind in ("question", "joint", "mark"):
            out.append([])
        else:
            out[-1].append(unit)
    return [run for run in out if run]


def joined(run: list[Unit]) -> str:
    """Join the texts of units."""
    return "".join(unit.text for unit in run)


def has_topic(text: str) -> bool:
    """Say whether a question names what it is about, so that it stands without its conversation.

    Rule: some stretch holds a content noun, or two adjoining single characters (a word the dictionary lacks), or
    a content verb in subject position (「打卡几点截止」).
    Limits: a question about a bare attribute (「押金呢」) counts as nameless even when it opens a conversation.
    """
    found = units(text)
    for run in runs(text):
        content = [unit for unit in run if unit.kind == "content" and unit.text not in _CONDITIONS]
        if any(is_owner(unit) for unit in content):
            return True
        if sum(len(unit.text) for unit in content) >= 2 and any(unit.tag[:1] in "nmjb" for unit in content):
            return True
        after = next((unit for unit in found if unit.start == run[-1].end), None)
        leads = (
            run[0].start == 0 and after is not None and after.kind != "mark" and after.text not in ("的", "吗", "了")
        )
        if leads and ((content and len(joined(run)) >= 2) or re.fullmatch(rf"{lang.NUMBER}[楼层级]", joined(run))):
            return True
    return False


def topic(question: str) -> str:
    """Find what a question is about, as a phrase that can stand before another question.

    Rule: the stretch before the first question word or modal, without a closing attribute when something stays
    (「门禁卡押金｜是多少」 → 门禁卡); when nothing stands there, the content after it (「怎么补办门禁卡」 →
    门禁卡). The object of a yes-no question is kept with its subject (「访客能用班车吗」 → 访客用班车).
    Limits: a long subject clause is kept whole; two topics stay joined.
    """
    clauses = [part for part in re.split(r"[，,。；;？?！!]", question) if part.strip()]
    found_topics = [(_asks(part), _topic(part)) for part in clauses]
    asking = [phrase for asks, phrase in found_topics if asks and phrase]
    return (asking + [phrase for _, phrase in found_topics if phrase] + [""])[0]


def _asks(clause: str) -> bool:
    return bool(re.search(r"吗|么$|[不没]", clause)) or any(unit.kind == "question" for unit in units(clause))


def _topic(question: str) -> str:
    found = units(question)
    stop = _first_cut(found)
    head = [unit for unit in found[:stop] if unit.kind != "mark" or unit.text in "、 "]
    head = _trim(head)
    amount = stop < len(found) and found[stop].kind == "question" and found[stop].text[0] in "多几"
    if amount and len(head) > 1 and head[-1].kind == "verb" and any(is_owner(unit) for unit in head[:-1]):
        head = head[:-1]
    asked = any(unit.kind == "question" for unit in found)
    tail = [
        unit
        for index, unit in enumerate(found[stop:], stop)
        if unit.kind not in ("question", "joint", "mark", "number") or _negates(found, index)
    ]
    if head and any(is_owner(unit) or unit.kind == "content" for unit in head):
        if asked:
            nouns = [unit for unit in tail if is_owner(unit) and unit.tag[:1] == "n" and unit.text not in joined(head)]
            return joined(head) + (joined(nouns) if not nouns or len(joined(head)) < 8 else "")
        while (
            tail and tail[-1].kind == "verb" and len(tail[-1].text) == 1 and not (tail[1:] and len(tail[-2].text) == 1)
        ):
            tail = tail[:-1]
        return joined(head) + "".join(unit.text for unit in tail if unit.text not in joined(head))
    owners = [unit for unit in tail if unit.kind == "content"]
    if not owners:
        return joined(head)
    first, last = tail.index(owners[0]), len(tail) - 1 - tail[::-1].index(owners[-1])
    if first and tail[first - 1].kind == "verb" and not asked:
        first -= 1
    body = tail[first : last + 1]
    verb = "".join(unit.text for unit in head if unit.kind == "verb")
    return verb + joined(body)


def _negates(found: tuple[Unit, ...], index: int) -> bool:
    """Say whether a unit is a negation before a verb or noun, and not half of 有没有/开不开."""
    if found[index].text not in ("没", "没有", "未") or index + 1 >= len(found):
        return False
    repeats = index > 0 and found[index - 1].text == found[index + 1].text
    return found[index + 1].kind in ("verb", "content") and not repeats


def _first_cut(found: tuple[Unit, ...]) -> int:
    """Find where the asking part begins: the first question word, modal or copula that is not inside a phrase."""
    soft = lang.lexicon(
        "的 和 与 及 以及 或 或者 跟 对 了 在 把 向 给 用 从 中 里 内 外 上 下 后 前 时 之后 之前 "
        "一个 个 着 过 其中 为 按 被 等 每 的话 地 一"
    )
    for index, unit in enumerate(found):
        if unit.kind == "question":
            return index
        if unit.kind == "joint" and unit.text not in soft:
            before = [other for other in found[:index] if other.kind not in ("joint", "mark")]
            if before:
                return index
            if unit.text not in lang.lexicon(
                "我 我们 你 你们 咱们 咱 您 公司 我司 单位 如果 要是 关于 对于 请 想 想要 那 那么 这 本公司"
            ):
                return index
    return len(found)


def _trim(head: list[Unit]) -> list[Unit]:
    drop = lang.lexicon(
        "我 我们 你 你们 咱们 咱 您 公司 我司 单位 如果 要是 关于 对于 请 想 想要 那 那么 这 把 "
        "在 对 本公司 用 一个 给 的 向 从 为"
    )
    while head and head[0].kind in ("joint", "mark") and (head[0].text in drop or head[0].kind == "mark"):
        head = head[1:]
    while head and head[-1].kind in ("joint", "mark") and head[-1].text != "一":
        if head[-1].text == "了" and len(head) > 2 and head[-2].text in _CONDITIONS:
            return head
        head = head[:-1]
    if head and head[-1].text in _CONDITIONS and len(head) > 1:
        return head
    while len(head) > 1 and head[-1].kind == "number" and any(is_owner(unit) for unit in head[:-1]):
        head = head[:-1]
    while len(head) > 1 and head[-1].kind == "verb" and len(head[-1].text) == 1:
        head = head[:-1]
    while (
        len(head) > 1
        and head[-1].kind == "attribute"
        and (len(head[-1].text) > 1 or head[-2].text == "的")
        and (head[-1].text not in _KEPT_HEADS or head[-2].text == "的")
        and head[-2].tag != "eng"
        and any(is_owner(unit) or unit.kind == "content" for unit in head[:-1])
    ):
        head = head[:-1]
        while head and head[-1].kind in ("joint", "mark"):
            head = head[:-1]
    return head
