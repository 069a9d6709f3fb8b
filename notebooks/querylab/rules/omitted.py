"""Questions that leave out what they are about: 「要提前多久」, 「可以改期吗」, 「没发票行不行」.

In: a follow-up without reference or ellipsis, and the conversation. Out: whether its topic is missing, and the question
with the topic in front.
"""

import re
from itertools import pairwise

from querylab.rules import antecedents, ellipsis, mentions, phrases, references, salience
from querylab.rules import language as lang

_ASKS_CONTACT = re.compile(r"电话|邮箱|叫什么|名字|姓名|联系方式|怎么联系|工位|分机|手机号|微信|办公室在")

_GENERIC_ASK = re.compile(
    r"(?:行不行|可不可以|行吗|ok吗|OK吗|成吗|得行不|可以吗|行么|还行不|能行吗|怎么办|咋办|怎么算|会怎样|会怎么样|"
    r"有影响吗|要紧吗)[？?]?$"
)

_OPENS_WITH_MODAL = re.compile(
    r"(?:那)?(?:还|也|都)?(?:可以|能|会|需要|要|有|可不可以|能不能|要不要|有没有|会不会|"
    r"用不用|需不需要)(?![^，]{0,3}[哪谁])"
)


_EXTRA = re.compile(r"^[\u4e00-\u9fff]{2,4}(?:费用?|钱|金|票)?(?:另外|单独|额外)(?:交|收|付|算|买|出|给)")
# A deed done to something that is not said: 「做完给报告吗」, 「交上去之后几天有结果」.
_UNIT_FIRST = re.compile(
    rf"^(?:每|{lang.NUMBER})(?:一)?(?![楼层级号点期门])(?:"
    rf"{lang.alternatives(lang.UNITS + ' 幅 节 场 堂 趟 回 套 期 学年 人次')})"
)


def nameless(text: str) -> bool:
    """Say whether a follow-up lacks what it is about (「最多几天」, 「没发票行不行」, 「一场多久」)."""
    if not _looks_like_question(text):
        return False
    if not phrases.has_topic(text):
        return True
    if asked := _GENERIC_ASK.search(text):
        own = phrases.units(text[: asked.start()])
        if own and all(
            ellipsis.is_class(unit.text) or unit.kind in ("number", "joint") or len(unit.text) == 1 for unit in own
        ):
            return True
    first = phrases.units(text)[0]
    if (
        len(text) <= 11
        and (first.tag == "v" or first.kind == "verb")
        and re.search(r"行不|行吗|行么|成[不吗]|可以[吗不]|吗$", text)
    ):
        return len(first.text) == 1 or first.text[-1] in "到成完好"
    opening = _UNIT_FIRST.match(text)
    if opening:
        return not phrases.has_topic(text[opening.end() :])
    return False


def hangs_on(text: str, last: antecedents.Exchange) -> bool:
    """Say whether a short follow-up hangs on the topic: it opens with a modal or 有, or with a noun of the last reply.

    Limits: a short new question that opens with a modal (「能带宠物吗」) gets the old topic in front as well.
    Example: after 「球场怎么收费」, 「能开发票吗」.
    """
    plain = text.rstrip("？?").split(" ")[0]
    if _EXTRA.search(plain):
        return _looks_like_question(plain) and len(plain) <= 12
    if len(plain) > 9 or not _looks_like_question(plain):
        return False
    found = phrases.units(plain)
    floor = found[0].kind == "number" or found[0].text[-1] in "楼层馆厅"
    names_itself = (
        phrases.is_owner(found[0]) and found[0].tag[:1] == "n" and found[0].text not in last.question + last.answer
    )
    short = len(plain) <= 6 and not names_itself and not _UNIT_FIRST.match(plain) and not floor
    short = short or (len(plain) <= 10 and bool(_GENERIC_ASK.search(plain)))
    if _OPENS_WITH_MODAL.match(plain) or short:
        return True
    run = next((run for run in phrases.runs(plain)), [])
    opening = phrases.joined(run)
    if not run or run[0].start or len(opening) < 2 or found[0].kind == "mark":
        return False
    return any(word in last.answer and word not in last.question for word in (opening, run[0].text) if len(word) > 1)


def _looks_like_question(text: str) -> bool:
    return bool(re.search(r"[吗么？?不没]$|有[^，]*吗|不[^，]{1,2}|[没有]没有", text)) or any(
        unit.kind == "question" for unit in phrases.units(text)
    )


def _object_of(exchanges: list[antecedents.Exchange], text: str) -> str:
    """Find what a reply had as the object of a verb that has none in the question: 「请护工」, 「能请半天吗」 → 护工."""
    found = phrases.units(text)
    for unit, after in pairwise(found):
        bare = after.kind in ("number", "joint", "mark", "question") or after.tag[:1] in "mrqyu"
        if (unit.kind == "verb" or unit.tag == "v") and bare and unit.text not in ("有", "是", "办", "做", "要", "说"):
            for exchange in reversed(exchanges):
                for phrase in mentions.noun_phrases(exchange.answer):
                    noun = any(each.tag[:1] == "n" for each in phrases.units(phrase.text))
                    if noun and phrase.governor == unit.text and phrase.text not in lang.ATTRIBUTES:
                        return phrase.text
    return ""


def omitted(exchanges: list[antecedents.Exchange], last: antecedents.Exchange, text: str) -> str:
    """Put the topic in front, or the person when a contact is asked after 谁.

    Limits: the topic of the last question only. Example: 「要押金吗」 → 「储物柜要押金吗」.
    """
    if _ASKS_CONTACT.search(text) and re.search(r"谁|哪位|哪个部门|什么人|找|联系", last.question):
        person = antecedents.people_meant(exchanges, "")
        if person:
            return person + text
    subject = antecedents.topic_meant(exchanges)
    opening = phrases.units(text)[0]
    if salience.turns_elsewhere(last) and phrases.is_owner(opening) and opening.text in last.answer:
        return text  # the thing that the reply offers is named: the one it refuses stays behind
    if salience.turns_elsewhere(last):
        verbs = "".join(unit.text for unit in phrases.units(text) if unit.kind == "verb" or unit.tag == "v")
        subject = salience.chosen_thing([last], salience.Cue(verbs=verbs)) or subject
    richer = [each.text for each in mentions.noun_phrases(last.answer) if each.text not in last.question]
    richer = [each for each in richer if len(subject) > 2 and each.endswith(subject[-2:]) and subject not in each]
    subject += richer[0] if richer and "只" in last.answer else ""
    told = _object_of(exchanges, text)
    if told and told not in subject + text:
        return references.put("", subject if subject not in text else "", told + text)
    return text if not subject or subject in text else references.put("", subject, text)
