"""References: where a question points into the talk (他, 那里, 这份细则, 前者), and which mention it points at.

In: a question and the talk so far, as exchanges of question and reply. Out: the question with the mention in place of
the reference. A mention is chosen by the reasons that :func:`choose` lists, in that order; what has its antecedent
inside the question stays.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from querylab.rules.mentions import Kind, Mention, kind_of, mentions
from querylab.rules.words import GENERAL, clauses, lexicon

_MEASURE = "(?:个|位|名|种|份|张|条|款|类|项|家|次|本|台|间|双|件|辆|部|段|场|门|套|只|所|座|处|道|批|笔|届|样)"
PRONOUNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("person", re.compile(r"(?<![其吉])(?:他|她)(?:们|俩)?(?!人)|(?:这|那|该)(?:个)?人(?!员)|[这那](?:两)?位(?![\u4e00-\u9fff]{1,4}[的是叫有在])")),
    ("place", re.compile(r"[那这](?:里[头面]?|边|儿)|^里面|[那这]个?地方")),
    ("time", re.compile(r"[那这]个?(?:天|时候|时段|会儿|段时间|期间)|届时|到时候?|那天")),
    ("thing", re.compile(r"(?<!其)它们?|[这那](?:个|种|些|东西|玩意儿?|事)(?!月|学期|季度|星期)(?:东西|玩意儿?|事情?)?|(?:上面|上述|刚才|前面)(?:说|提到?|讲)的|"
                         r"(?<=[把对跟和用按从])(?:这|那)")),
)  # fmt: skip
_POINTED = re.compile(rf"(?:这|那|该|此|上述)(?:一|几|两)?{_MEASURE}?(?:的)?")
_PAIR = re.compile(r"([^，,。；;和与跟、？?]{2,12})(?:和|与|跟|、|或|还是)([^，,。；;和与跟、？?]{2,12})")
_ORDER = re.compile(
    rf"(?:上面说的|上述|说的)?(?:第([一二三四])|(最后)(?:那|一)|(前者|前一个?|前面那个?|头一)|(后者|后一个?|后面那个?|另一个?)){_MEASURE}?"
)
_JOINTS = ("和", "与", "跟", "、", "或", "或者", "以及", "还是")


@dataclass(frozen=True)
class Exchange:
    """One question, completed, and the reply it got ("" when none came)."""

    question: str
    reply: str


def resolve(question: str, talk: Sequence[Exchange]) -> str:
    """Put mentions of the talk in place of the references of a question; unchanged when none is found."""
    question = _ordered(question, talk)
    pointed = _pointed(question)
    if pointed:
        start, end, noun = pointed
        chosen = _by_head(noun, talk)
        if chosen and chosen not in question:
            return question[:start] + chosen + question[end:]
    for kind, form in PRONOUNS:
        found = form.search(question)
        if not found or _answered_before(question, found.start(), kind):
            continue
        text, rest = choose(kind, talk), question[found.end() :]
        if text:
            joint = "的" if rest[:2] in GENERAL and kind != "time" else ""
            return question[: found.start()] + text + joint + rest
    return question


def choose(kind: Kind, talk: Sequence[Exchange]) -> str:
    """Choose what a reference of a kind means.

    Reasons, the first that decides: the latest exchange that names such a thing; in it the reply before the question
    (people, places and times are news; things are what was asked about); a personal name before a role; who acts
    (由 X, 找 X). Two in a row (甲和乙) are both named. A time is told with what it is the time of.
    """
    for exchange in reversed(talk):
        if kind == "thing":
            return _meant(exchange)
        for text in (exchange.reply, exchange.question):
            found = [mention for mention in mentions(text) if mention.kind == kind]
            if kind in ("person", "place") and not found:
                found = [m for m in mentions(text) if m.kind == "unit"]
            if not found:
                continue
            if kind == "person":
                found = [m for m in found if m.named] or [m for m in found if m.agent] or found
            if kind == "time":
                about = topic(exchange)
                return found[0].text if about in found[0].text else f"{about}{found[0].text}"
            if kind == "place":
                return _both(found, text) if "和" in _both(found, text) else _whole_place(found, text)
            return _both(found, text)
    return topic(talk[-1]) + "期间" if kind == "time" and topic(talk[-1]) else ""


def _whole_place(found: list[Mention], text: str) -> str:
    """Name a place from its widest to its narrowest part: 「门诊一楼东侧的自助服务区」."""
    start, end = found[0].start, found[0].end
    for mention in mentions(text):
        gap = text[end : mention.start]
        near = mention.start > end and len(gap) <= 5 and not any(letter in "，,。；;、在到至从和或由" for letter in gap)
        if near and mention.kind in ("place", "unit"):
            end = mention.end
    return text[start:end]


def _both(found: list[Mention], text: str) -> str:
    """Name the first mention, with a second one that is joined to it: 「姚医生和段医生」, 「先由 X, 再由 Y」."""
    if len(found) == 2 and (text[found[0].end : found[1].start] in _JOINTS or all(m.agent for m in found)):
        return f"{found[0].text}和{found[1].text}"
    return found[0].text


def topic(exchange: Exchange) -> str:
    """Say what an exchange is about.

    Reasons, the first that decides: two things joined in the question, both; a thing that question and reply both name;
    a mention of the question, a long one before a short one; a thing of the reply, a quoted one before others.
    """
    own, things, quoted = _named(exchange)
    if len(own) == 2 and exchange.question[own[0].end : own[1].start] in _JOINTS:
        return f"{own[0].text}和{own[1].text}"
    shared = [m for m in own if m.text in exchange.reply]
    best = max(shared or own, key=lambda mention: (len(mention.text) > 2, -mention.start), default=None)
    return best.text if best else (quoted or things or [Mention("", "thing", 0)])[0].text


def _meant(exchange: Exchange) -> str:
    """Say which thing 它 or 这个 means: a quoted name of the reply; what the reply offers instead; else the topic."""
    own, things, quoted = _named(exchange)
    new = [m for m in things if m.text not in exchange.question]
    offered = [m for m in new if exchange.reply[: m.start].endswith(lexicon("offers"))]
    if quoted or (offered and not any(m.text in exchange.reply for m in own)):
        return (quoted or offered)[0].text
    return topic(exchange)


def _named(exchange: Exchange) -> tuple[list[Mention], list[Mention], list[Mention]]:
    """List what the question names, the things of the reply, and the quoted ones among them."""
    asked, told = mentions(exchange.question), mentions(exchange.reply)
    own = [m for m in asked if m.kind not in ("time", "person")] or [m for m in asked if m.kind == "person"]
    things = [mention for mention in told if mention.kind in ("thing", "document")]
    return own, things, [mention for mention in told if mention.text[0] in "《「“『"]


def _pointed(question: str) -> tuple[int, int, str] | None:
    """Find 「那份细则」, 「这个班长」: where it begins and ends, and its noun."""
    for found in _POINTED.finditer(question):
        noun = next((m for m in mentions(question[found.end() :]) if m.start == 0), None)
        bare = found[0] in ("这", "那")
        if noun and not (bare and (found[0] == "那" or found.start())):
            return found.start(), found.end() + noun.end, noun.text
        general = next((word for word in lexicon("pointed") if question.startswith(word, found.end())), "")
        if general and not bare:
            return found.start(), found.end() + len(general), general
    return None


def _by_head(noun: str, talk: Sequence[Exchange]) -> str:
    """Find the mention that a pointed noun repeats: one that ends like it, else the latest one of its kind."""
    every = [m for exchange in reversed(talk) for text in (exchange.reply, exchange.question) for m in mentions(text)]
    for length in (len(noun), 2, 1):
        tail = noun.removesuffix("子")[-length:]
        bare = {m.text: m.text.strip("《》「」“”").removesuffix("子") for m in every if len(m.text) > len(noun)}
        found = [text for text, name in bare.items() if name.endswith(tail)]
        if found and (length > 1 or len(noun) <= 2):
            return found[0]
    kind = kind_of(noun)
    return next((m.text for m in every if m.kind == kind != "thing" and m.text != noun), "")


def _answered_before(question: str, place: int, kind: Kind) -> bool:
    """Say whether the reference has its antecedent in the question itself: 「旅客的行李丢了，他该找谁」."""
    before = mentions(question[:place])
    return any(m.kind == kind or (kind == "thing" and m.kind == "document") for m in before) or (
        kind == "person" and any(m.text.endswith(("人", "客", "者", "户", "生", "员")) for m in before)
    )


def _ordered(question: str, talk: Sequence[Exchange]) -> str:
    """Resolve 前者, 后者, 第二种, 最后一样 against the latest two or more things named in a row."""
    found = _ORDER.search(question)
    if not found:
        return question
    rows = [row for told in reversed(talk) for text in (told.question, told.reply) if (row := _row(text))]
    rows = [row for row in rows if len(row) == 2] if found[3] or found[4] else list(reversed(rows[:2])) or rows
    index = -1 if found[2] or found[4] else 0 if found[3] else "一二三四".index(found[1])
    if not rows or index >= len(rows[0]):
        return question
    return question[: found.start()] + rows[0][index] + question[found.end() :]


def _row(text: str) -> list[str]:
    """List things named in a row: 「一是排队，二是网上取号」, 「身份证、手机和印章」, 「月票和次票」."""
    items = re.findall(r"[一二三四]是([^，,。；;]{2,12})", text)
    if len(items) > 1:
        return items
    row: list[str] = []
    for before, after in pairwise(mentions(text)):
        if text[before.end : after.start] in _JOINTS:
            row = [*(row or [before.text]), after.text]
        elif row:
            break
    pair = _PAIR.search(text)
    if row or pair:
        return row or [pair[1], pair[2]]
    heads = [next(iter(mentions(clause)), None) for clause in clauses(text)]  # 「快车停三站，慢车每站停」
    firsts = [head.text for head in heads if head and head.start == 0]
    return firsts if len(firsts) == 2 else []
