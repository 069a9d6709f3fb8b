"""Elliptical follow-ups: 「那夜班呢」 asks the last question again for something else.

In: the fragment and the last question as resolved. Out: the last question with the fragment in the place of what it
stands against. What it stands against is found by form: the same ending (日报/周报), the same beginning (租一年/
租一月), the same class (person, time, place, amount), else the topic.
"""

import re

from querylab.rules import language as lang
from querylab.rules import phrases
from querylab.rules.phrases import Unit

_LEAD = (
    r"(?:那么|那|然后|还有|至于|对于|关于|另外|换成|改成|换作|若是|如果是|要是|如果|假如|"
    r"假设是|假设|万一)"
)
_CONDITION = re.compile(r"(?:若是|如果|要是|假如|假设|万一)")
_FRAGMENT = re.compile(
    rf"^(?P<lead>{_LEAD}*)(?:只|光|单|就|才)?(?P<body>[^，,。？?！!]+?)"
    r"(?P<end>(?:的话)?[呢咧捏呐嘞]|(?:的话)?(?:也|都)?(?:是不是)?(?:一样|同样|如此|这样|是这样|"
    r"是)吗?(?:呢)?|的话)[？?！!。]*$"
)
_BARE = re.compile(rf"^(?P<lead>{_LEAD}*)(?P<body>[^，,。？?！!]{{1,10}})(?P<end>)[？?]+$")
_LED = re.compile(rf"^(?P<lead>{_LEAD}+)(?P<body>[^，,。？?！!]{{1,8}})(?P<end>)$")
_CLASSES = tuple(
    re.compile(form)
    for form in (
        rf"(?:{lang.alternatives(lang.PERSON_KINDS + ' 人 者 员 生 师 工 友 孩 童 民 散客 外国人 女性 男性 爷爷 奶奶 爸爸 妈妈 爸 妈')}"
        rf")$",
        rf"(?:{lang.alternatives(lang.TIME_KINDS)}|星期[一二三四五六天]|[\u4e00-\u9fff][天夜节季])$",
        rf"(?:{lang.alternatives(lang.PLACE_KINDS + ' 省 市 县 楼 区 店 馆')})$",
        r"^[a-zA-Z]+\d+$",
        rf"{lang.NUMBER}(?:{lang.alternatives(lang.UNITS)})$",
    )
)


def fragment_of(text: str) -> tuple[str, bool] | None:
    """Read an elliptical follow-up as (fragment, is a condition); None when the text has a question of its own.

    Rule: [那] … 呢 / …也一样吗 / …？, with no question word and no modal inside.
    Limits: 「钥匙呢」 in the sense of "where is it" is read as an ellipsis. Example: 「那寄宿生呢」 → 寄宿生.
    """
    found = _FRAGMENT.match(text) or _BARE.match(text) or _LED.match(text)
    if not found and len(text) <= 10:
        return (text, False) if _bare_phrase(text) else None
    if not found or not found["body"].strip():
        return None
    if (
        not found["end"].startswith((*"呢咧捏呐嘞", "的话呢"))
        and not found["lead"]
        and found["end"]
        and found["end"][0] not in "也都一同的"
    ):
        return None
    body = found["body"].strip()
    if found["end"].endswith(("样吗", "样")) and re.search(r"[和跟与]", body):
        return None  # a comparison: 「双人间和单人间一样吗」
    asking = [unit for unit in phrases.units(body) if unit.kind == "question"]
    modal = any(unit.text in ("能", "可以", "要", "需要", "会", "吗", "必须", "应该") for unit in phrases.units(body))
    if asking or (modal and not found["end"].startswith((*"呢咧捏呐嘞", "的话"))) or re.search(r"[不没]$|吗", body):
        return None
    if not found["end"] and not found["lead"] and not phrases.has_topic(body) and len(body) > 6:
        return None
    noun = all(unit.kind == "content" and unit.tag[:1] == "n" for unit in phrases.units(body))
    return body, bool(_CONDITION.search(found["lead"])) or (found["end"].startswith("的话") and not noun)


def asks(text: str) -> bool:
    """Say whether a text asks something by itself."""
    return bool(re.search(r"[吗么？?不没吧]$", text)) or any(unit.kind == "question" for unit in phrases.units(text))


def _bare_phrase(text: str) -> bool:
    """Say whether a short text is a phrase and no sentence: 「平时」, 「灵活的」, 「有效期」, 「骑电动车」."""
    own = phrases.units(text)
    if re.fullmatch(r"[\u4e00-\u9fff]{1,5}的", text) and not any(unit.kind in ("question", "verb") for unit in own):
        return True
    modal = any(unit.text in ("能", "可以", "要", "会", "有", "了", "吧", "是") for unit in own)
    if len(text) <= 5 and not asks(text) and not modal:
        return True
    if len(text) <= 7 and re.search(r"[\u4e00-\u9fff]{2}(?:了|当天)$", text) and text[0] not in "我他她你这那":
        return not asks(text)
    if own[0].tag == "v" or own[0].kind == "verb":  # a deed: a verb and its object
        rest = own[1:]
        plain = all((u.tag[:1] in "nqmv" and u.kind in ("content", "number")) or u.text in "个点些" for u in rest)
        return bool(rest) and len(text) <= 7 and plain
    nouns = [unit for unit in own if unit.kind in ("content", "attribute") and unit.tag[:1] in "nmbjlzstvfe"]
    rest = [
        u
        for u in own
        if u not in nouns and u.kind not in ("number", "mark") and u.tag[:1] not in "mq" and u.text != "的"
    ]
    named = (
        phrases.has_topic(text)
        or is_class(text)
        or len(text) < 4
        or own[0].kind == "number"
        or all(unit.kind == "attribute" for unit in own)
    )
    return bool(nouns) and not rest and named


_AFTER_MODAL = re.compile(
    r"(?<=[能会要])(?!不)[^，,能会要吗不没？?]{1,8}?(?=[吗不没？?]*$)|(?<=可以)[^，,吗不没？?]{1,8}?(?=[吗不没？?]*$)"
)


def carry_over(fragment: str, condition: bool, question: str) -> str:
    """Ask ``question`` again for ``fragment``.

    Rule: an attribute asks about the old topic; a condition goes in front and pushes out a modifier of the kind
    「甲的」; anything else takes the place of what it stands against, or goes in front when nothing does.
    Limits: where two things could be meant, the nearest in form is taken.
    Example: 「日报几点交」, 「周报」 → 「周报几点交」.
    """
    question = re.sub(r"^(?:那么|那|然后)(?=\S)", "", question) if question[:2] not in ("那个", "那些") else question
    own = phrases.units(fragment)
    if own and all(unit.kind in ("attribute", "joint") for unit in own) and len(fragment) >= 2:
        subject = phrases.topic(question)
        return subject + fragment.removeprefix("的") if subject else question + fragment
    settled = lang.lexicon(lang.CONDITIONS) - lang.lexicon("紧急 特殊 临时 连续 累计 跨 再次 第二次")
    if (
        own
        and all(unit.kind in ("joint", "verb") or unit.text in settled for unit in own)
        and any(unit.text in settled for unit in own)
    ):
        subject = phrases.topic(question)
        return subject + fragment if subject else f"{fragment}，{question}"
    if _CIRCUMSTANCE.search(fragment):
        return f"{fragment}，{_ELSEWHERE.sub('', question)}"
    if (len(own) > 1 and own[0].text in ("自己", "一个", "只")) or (
        own and own[-1].kind == "verb" and own[0].kind == "joint"
    ):
        return f"{fragment}，{question}"
    deed = (
        len(own) > 1
        and own[0].text not in "有是没"
        and not is_class(fragment)
        and (own[0].kind == "verb" or own[0].text == "用" or (own[0].tag == "v" and own[-1].text not in question))
        and own[-1].tag[:1] in "nvm"
    )
    if deed:
        done = None if re.search(r"[完了过不没错]", fragment) else _AFTER_MODAL.search(question)
        if done and any(unit.kind == "question" for unit in phrases.units(done[0])):
            done = re.search(rf"{re.escape(own[0].text)}[\u4e00-\u9fff]{{1,4}}?(?=要|能|可以|得|会|需)", question)
        return question[: done.start()] + fragment + question[done.end() :] if done else f"{fragment}，{question}"
    headless = re.match(r"[^，,]{2,6}的(?=能|可以|会|要)", question)
    if headless and own and all(unit.kind == "content" and unit.tag[:1] == "n" for unit in own):
        nouns = [unit for unit in phrases.units(question) if unit.tag[:1] == "n" and unit.start >= headless.end()]
        if nouns:  # who is asked about stays (打石膏的), what is done it with changes
            return question[: nouns[-1].start] + fragment + question[nouns[-1].end :]
    modifier = fragment.endswith("的") and not fragment.endswith("付的")
    plain = fragment.removesuffix("的") if modifier else fragment
    span = _counterpart(plain, question, modifier)
    clausal = any(unit.text in ("了", "过") for unit in own) or any(unit.kind == "verb" for unit in own[:-1])
    clausal = clausal and not modifier
    if span and span[2] < 2 and clausal:
        return f"{fragment}，{question}"
    if span and not (condition and span[2] < 2):
        start, end, _ = span
        return question[:start] + plain + question[end:]
    if condition:
        bare = re.sub(r"^[^，,的]{1,8}的(?=[^，,]{2,})", "", question)
        return f"{fragment}{bare}" if fragment.endswith("的") else f"{fragment}，{bare}"
    return plain + question


_CIRCUMSTANCE = re.compile(
    r"(?:情况下?|期间|的时候|之后|之前|以上|以下|以内|以外|时)$|(?:之后|以后|之前|的时候|时|后|前)?(?:才|已经|突然|忽然|还没)[\u4e00-\u9fff]{2,}"
)
_ELSEWHERE = re.compile(r"(?<!现)在[^，,在]{2,6}?(?=怎|如何|能|可以|要|多|几|哪)")


def is_class(text: str) -> bool:
    """Say whether a word names a kind of people, a time, a kind of place or an amount."""
    return _category(text) is not None


def _category(text: str) -> int | None:
    return next((index for index, form in enumerate(_CLASSES) if form.search(text)), None)


def _counterpart(fragment: str, question: str, modifier: bool) -> tuple[int, int, int] | None:
    """Find what in the question the fragment stands against: (start, end, strength 3 form, 2 class, 1 topic)."""
    units = [unit for unit in phrases.units(question)]
    own_nouns = all(unit.kind == "content" and unit.tag[:1] == "n" for unit in phrases.units(fragment))
    best: tuple[tuple[int, ...], int, int] | None = None
    for first in range(len(units)):
        for last in range(first, min(len(units), first + 8)):
            span = units[first : last + 1]
            if any(unit.kind in ("question", "mark") for unit in span):
                break
            if span[0].kind == "joint" or (span[-1].kind == "joint" and span[-1].text != "的"):
                continue
            text = question[span[0].start : span[-1].end]
            if text == fragment:
                continue
            tail, head = _shared(text[::-1], fragment[::-1]), _shared(text, fragment)
            if not tail and not (head and _category(text) == _category(fragment) is not None):
                continue
            if tail == 1 and own_nouns and any(unit.kind == "verb" or unit.tag[:1] in "vpr" for unit in span):
                continue
            head = head if head >= 2 or _category(text) == _category(fragment) is not None else 0
            alike = span[0].kind == phrases.units(fragment)[0].kind
            rank = (tail + head, alike, -abs(len(text) - len(fragment)), -first)
            if best is None or rank > best[0]:
                best = (rank, span[0].start, span[-1].end)
    if best:
        return best[1], best[2], 3
    if inner := _inside_a_word(fragment, units):
        return inner
    if len(fragment) == 1 and (alone := [unit for unit in units if len(unit.text) == 1 and unit.tag == "n"]):
        return alone[-1].start, alone[-1].end, 3  # 带猫, 狗呢
    kind = _category(fragment)
    mine = phrases.units(fragment)
    if kind is None and len(mine) > 1 and all(unit.tag[:1] == "v" or unit.kind == "verb" for unit in mine[1:]):
        kind = _category(mine[0].text)  # 大人学
    if kind is not None:
        for unit in units:
            card = (
                kind == 0 and unit.text.startswith(tuple(lang.PERSON_KINDS.split())) and len(unit.text) == 3
            )  # 学生证
            if unit.kind in ("content", "attribute", "number") and (_category(unit.text) == kind or card):
                return unit.start, unit.end, 2
        return None
    return _topic_span(fragment, units, modifier)


def _inside_a_word(fragment: str, units: list[Unit]) -> tuple[int, int, int] | None:
    """Find a part of a word with the ending and length of the fragment: 初级 in 初级班, against 中级."""
    for unit in units:
        at = unit.text.find(fragment[-1], len(fragment) - 1) + 1
        if unit.kind == "content" and at >= len(fragment) > 1 and len(unit.text) > len(fragment):
            return unit.start + at - len(fragment), unit.start + at, 3
    return None


_MOMENTS = lang.lexicon("期间 时候 之前 之后 以前 以后 前 后 时")


def _shared(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _topic_span(fragment: str, units: list[Unit], modifier: bool) -> tuple[int, int, int] | None:
    """Find the topic: the first stretch of content up to 「的」, or the verb when the fragment is a verb."""
    verbs = [unit for unit in units if unit.kind == "verb" or (unit.kind == "content" and unit.tag in ("v", "vn"))]
    own = phrases.units(fragment)
    acts = len(own) == 1 and (own[0].kind == "verb" or own[0].tag in ("v", "vn"))
    objects = any(phrases.is_owner(unit) for unit in units if unit not in verbs)
    if acts and verbs and len(verbs[0].text) >= 2 and objects:
        return verbs[0].start, verbs[0].end, 1
    if (
        len(own) > 1 and own[0].tag == "v" and units and units[0].kind in ("content", "verb")
    ):  # a way: 坐船, against 走路
        lead = next((index for index, unit in enumerate(units) if unit.kind in ("joint", "question", "mark")), 0)
        if 0 < lead < len(units) and units[lead].kind == "question" and units[lead].text[0] in "怎如":
            return units[0].start, units[lead - 1].end, 1
    nominal = all(unit.kind == "content" and unit.tag[:1] in "nmbs" for unit in own)
    deed = (
        units and units[0].tag == "v" and (not objects or len(units[0].text) == len(units[1:2] and units[1].text) == 1)
    )
    if nominal and deed:
        return units[0].start, units[0].start, 1  # a deed (立碑) stays: the fragment says of what
    moment = nominal and next((unit.end for unit in units if unit.text in _MOMENTS), 0)
    units = [unit for unit in units if unit.start >= moment] or units
    run: list[Unit] = []
    free = [unit for unit in units if unit.kind == "content" and len(unit.text) > 1 and _category(unit.text) is None]
    free = [unit for unit in free if unit.text not in lang.PLACE_SUFFIXES.split() and unit.tag[:1] != "v"] or free
    for unit in units:
        if (
            free
            and unit.start < free[0].start
            and (_category(unit.text) is not None or unit.text in lang.PLACE_SUFFIXES.split())
        ):
            continue
        if (unit.kind == "content" and (run or unit.tag[:1] not in "v" or len(unit.text) > 1)) or (
            run and unit.kind == "attribute" and len(unit.text) == 1
        ):
            run.append(unit)
        elif any(phrases.is_owner(other) for other in run) or (
            len(run) > 1 and unit.kind == "joint" and run[0].start == 0
        ):
            break
        else:
            run = []
    if not run:
        return None
    left = next((unit for unit in units if unit.end == run[0].start), None)
    if modifier and len(run) == 1 and left is not None and left.kind == "content" and left.tag[:1] in "nsbf":
        return left.start, left.end, 2
    if modifier and len(run) == 1:
        return run[0].start, run[0].start, 1
    if modifier and len(run) > 1 and run[0].tag == "vn" and own[0].tag[:1] not in "vn":
        return run[-1].start, run[-1].start, 1
    where = any(run[-1].text.endswith(place) for place in (*lang.PLACE_SUFFIXES.split(), "房", "馆", "校"))
    if where and run[0].start == 0 and not modifier and not any(unit.text[-1] in "房馆校区厅店" for unit in own):
        done = [unit for unit in units if unit.tag[:1] == "n" and unit.start > run[-1].end]
        nominal = len(own) == 1 or own[-1].tag[:1] == "n"
        return (
            (done[-1].start, done[-1].end, 1) if done and nominal else (0, 0, 1)
        )  # of a place, another thing is asked
    if len(own) == 1 and len(run) > 2 and run[0].tag[:1] == "v":
        return run[-1].start, run[-1].end, 1
    if modifier and own[0].tag[:1] in "va" and run[0].tag[:1] not in "va":
        return units[0].start, units[0].start, 1
    if modifier:
        run = run[:1]
    elif len(own) == 1 and len(run) > 2 and any(unit.tag[:1] == own[0].tag[:1] for unit in run):
        run = [unit for unit in run if unit.tag[:1] == own[0].tag[:1]][:1]
    elif len(run) > 1 and run[-1].tag[:1] in "va" and (own[-1].tag[:1] != "v" or run[-1] is units[-1] or len(own) > 1):
        run = run[:-1]
    return run[0].start, run[-1].end, 1
