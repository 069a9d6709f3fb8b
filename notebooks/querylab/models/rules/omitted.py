"""Questions that leave out what they are about: 「要提前多久」, 「可以改期吗」, 「没发票行不行」.

In: a follow-up without reference or ellipsis, and the conversation. Out: whether its topic is missing, and the question
with the topic in front.
"""

import re

from querylab.models.rules import antecedents, ellipsis, phrases, references
from querylab.models.rules import language as lang

_ASKS_CONTACT = re.compile(r"电话|邮箱|叫什么|名字|姓名|联系方式|怎么联系|工位|分机|手机号|微信|办公室在")

_GENERIC_ASK = re.compile(
    r"(?:行不行|可不可以|行吗|可以吗|行么|还行不|能行吗|怎么办|咋办|怎么算|会怎样|会怎么样|"
    r"有影响吗|要紧吗)[？?]?$"
)

_ACCESSORY = re.compile(
    r"(?:还|另外)?(?:需不需要|要不要|用不用|需要|要|用|得|必须)(?:带|交|出示|提供|附|有|填|写|"
    r"拿|本人)?(?:原始|纸质|电子|正式)?"
    r"(?:发票|收据|小票|身份证|证件|单据|公章|介绍信|预约|登记|押金|密码|照片|排队|到场|现场|"
    r"钱|本人)*(?:到场|办理)?(?:吗|么|不)?[？?]?$"
)

_MODALS = lang.lexicon("可以 能 能够 会 要 需要 可 可不可以 能不能 要不要 会不会 必须 应该 不能 不可以 没 不 行")

_OPENS_WITH_MODAL = re.compile(
    r"(?:那)?(?:还|也|都)?(?:可以|能|会|需要|要|有|可不可以|能不能|要不要|有没有|会不会|"
    r"用不用|需不需要)(?![^，]{0,3}[哪谁])"
)

_WHERE = re.compile(r"(?:在|去|到)(?:哪里|哪儿|哪)")

_EXTRA = re.compile(r"^[\u4e00-\u9fff]{2,4}(?:费用?|钱|金|票)?(?:另外|单独|额外)(?:交|收|付|算|买|出|给)")
# A deed done to something that is not said: 「做完给报告吗」, 「交上去之后几天有结果」.
_DONE_WITH = re.compile(
    r"^(?:那)?(?:都)?[\u4e00-\u9fff](?:完|好|上去|过去|下来)(?:了|之后|以后|后)?(?=给|有|要|能|多|几|怎|会|还|可|在|去|找|再|就)"
)
_PROPER_PLACE = re.compile(
    rf"^(?!(?:{lang.alternatives(lang.PLACE_KINDS)}|[一二三四五六七八九十\d]+[楼区])$).+[市县楼区店馆]$"
)
_STATES = lang.lexicon("离职 入职 转正 退休 休假 请假 毕业 外包 大一 大二 大三 大四")

_CONDITION_FIRST = re.compile(
    r"^(?:[\u4e00-\u9fff]{1,2}不[过了上下到成出着好完](?=[怎咋会行可能])|要是|如果|万一|假如|没有?|已经|超过)"
)

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
    if _ACCESSORY.match(text):
        return True
    if _CONDITION_FIRST.match(text) and _GENERIC_ASK.search(text) and len(text) <= 16:
        return True
    opening = _UNIT_FIRST.match(text)
    if opening:
        return not phrases.has_topic(text[opening.end() :])
    return _modal_and_verb(text)


def _modal_and_verb(text: str) -> bool:
    """Say whether a question is a modal and one verb (「可以改期吗」): what stands after a modal is a verb."""
    found = [
        unit
        for unit in phrases.units(text.rstrip("？?"))
        if unit.text not in ("吗", "么", "了", "不", "还", "也", "再", "自动")
    ]
    if not found or found[0].kind != "joint" or (found[0].text not in _MODALS and not _WHERE.match(text)):
        return False
    rest = [
        unit
        for unit in found
        if unit.text not in _MODALS and unit.kind not in ("attribute", "question") and unit.text != "在"
    ]
    return len(rest) == 1 and len(rest[0].text) == 2 and rest[0].kind in ("content", "verb") and found[-1] is rest[0]


def same_act(text: str, last: antecedents.Exchange) -> bool:
    """Say whether a follow-up only names other people, another time or place for the act (「新人也能申请吗」)."""
    found = phrases.units(text.rstrip("？?"))
    content = [unit for unit in found if unit.kind in ("content", "attribute")]
    verbs = [unit for unit in found if unit.kind == "verb"]
    if not content or not _looks_like_question(text):
        return False
    asked = [unit for unit in found if unit.kind == "question"]
    if asked and (asked[0].text[0] in "怎如为" or content[0].start > asked[0].start):
        return False
    leads = all(not verbs or unit.start < verbs[0].start for unit in content)
    if any(len(unit.text) > 1 and _PROPER_PLACE.search(unit.text) and unit.tag[:2] != "ns" for unit in content):
        return False
    if not leads or not all(
        ellipsis.is_class(unit.text) or len(unit.text) == 1 or unit.text in _STATES for unit in content
    ):
        return False
    same = any(unit.text in last.question + last.answer for unit in verbs)
    return same or not verbs or bool(asked) or any(unit.text in ("也", "还") for unit in found) or len(text) <= 8


def hangs_on(text: str, last: antecedents.Exchange) -> bool:
    """Say whether a short follow-up hangs on the topic: it opens with a modal or 有, or with a noun of the last reply.

    Limits: a short new question that opens with a modal (「能带宠物吗」) gets the old topic in front as well.
    Example: after 「球场怎么收费」, 「能开发票吗」.
    """
    plain = text.rstrip("？?")
    if _EXTRA.search(plain) or _DONE_WITH.match(plain):
        return _looks_like_question(plain) and len(plain) <= 12
    if len(plain) > 9 or not _looks_like_question(plain):
        return False
    found = phrases.units(plain)
    if _OPENS_WITH_MODAL.match(plain):
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


def omitted(exchanges: list[antecedents.Exchange], last: antecedents.Exchange, text: str) -> str:
    """Put the topic in front, or the person when a contact is asked after 谁.

    Limits: the topic of the last question only. Example: 「要押金吗」 → 「储物柜要押金吗」.
    """
    if _ASKS_CONTACT.search(text) and re.search(r"谁|哪位|哪个部门|什么人|找|联系", last.question):
        person = antecedents.people_meant(exchanges, "")
        if person:
            return person + text
    subject = antecedents.topic_meant(exchanges)
    return text if not subject or subject in text else references.put("", subject, text)
