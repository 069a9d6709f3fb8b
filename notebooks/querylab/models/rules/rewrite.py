"""Rewriting: the last thing a user said, made a search line that needs no conversation.

In: the conversation (oldest first) and the question. Out: one line. References are replaced by what they stand for,
ellipses are filled, spoken padding goes; a complete question comes back to the letter. Figures of an answer never
enter the line: an answer in a query is contamination (dates that 「那天」 points to are the one exception).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from querylab import settings
from querylab.models.rules import ellipsis, english, phrases
from querylab.models.rules import language as lang
from querylab.types import Turn

_SPEECH = ("问", "了解", "知道", "咨询", "请教", "查", "看", "告诉我", "麻烦", "劳驾")
_DIRECT_OPENINGS = " ".join(word for word in lang.OPENINGS.split() if any(part in word for part in _SPEECH))
_OPENING = re.compile(
    rf"^\s*(?:(?:{lang.alternatives(_DIRECT_OPENINGS)})[\s，,、。：:！!]*"
    rf"|(?:{lang.alternatives(lang.OPENINGS + ' 那个 这个')})(?:哈|呀|啊|啦|了|您|你)*[\s，,、。！!~～…]+)"
)
_MEASURE = f"(?:{lang.alternatives(lang.MEASURES + ' 双 副')})"
_MEASURE_LETTERS = tuple(word for word in (lang.MEASURES + " 双 副 顿 趟 回").split() if len(word) == 1)
_PERSON = re.compile(
    rf"(?:(?:新来的|那边的)?(?:这|那|该|此)(?:一)?(?:个|位|名|些|几位)?(?:负责)?"
    rf"(?:人员|人|员工|同事|老师|领导|主管|经理|负责人|师傅|教练|主任|专员|先生|女士|组长|管理员|工作人员)"
    rf"(?!群|口|数|力|均|民|工|才|家|类|体|生)|(?:新来的)?(?:这|那)(?:一)?位|{lang.alternatives(lang.PERSON_PRONOUNS)})"
)
_PLACE = re.compile(
    r"(?:(?:这|那|该|此)(?:个|一)?(?:地方|地点|位置|处)|那里面?|那儿|那边|这里面?|这儿|这边|当地|该地|(?:这|那)(?:一)?家(?:店|分店|门店|公司|馆)"
    r"|^里面(?=有|能|可|的|是|允|让))"
)
_TIME = re.compile(
    r"(?:(?:这|那|该)(?:个|一)?(?:时候|时段|时间点|时间|窗口期?|时期|期间|阶段|日子|时间段)|(?:这|那)(?:一)?段(?:时间|日子|期间)|那时候?|(?:这|那)几(?:天|周|个月)"
    r"|那天|那一天|当天(?=的)|当时|届时|(?:这|那|该|此)期间)"
)
_FORMER = re.compile(r"前者|前面(?:的)?(?:那|这)?(?:一)?(?:个|种|项)|前一(?:个|种|项)")
_LATTER = re.compile(r"后者|后面(?:的)?(?:那|这)?(?:一)?(?:个|种|项)|后一(?:个|种|项)")
_ORDINAL = re.compile(r"第(?P<n>[一二三四五六123456])(?P<m>种|个|条|项|点|类|款|步)(?P<head>方式|办法|方法|情况|条件|规定|选项|方案|途径|渠道)?")
_ABOVE_WORD = re.compile(r"前面|后面|上面|刚才|刚刚|上边|后边|前边|之前|右边|左边")
_ABOVE = re.compile(
    r"(?:你|您)?(?:(?:上面|前面|刚才|刚刚|上边|前边|之前|方才|先前|上文|上一条)(?:所)?(?:您|你)?(?:提到|说到|讲到|提及|讲过|说过|提过|列出|介绍|回答|说|讲|提|列|写)的?"
    rf"|上述的?|前述的?|(?:上面|前面|刚才|刚刚)的?(?=(?:这|那){_MEASURE}))(?:(?:这|那)(?:一)?{_MEASURE}?)?"
)
_THING = re.compile(
    rf"(?:{lang.alternatives(lang.THING_PRONOUNS)}|(?:这|那)(?:玩意儿?|东西|件事情?|事儿?|回事)|(?:这|那|该|此)(?:一)?{_MEASURE}"
    rf"|该(?=[\u4e00-\u9fff])|(?:这|那)一(?=[\u4e00-\u9fff])|此(?=项|类|种|事|举|规|制|文)|这(?=要|能|可|需|是|有|怎|还|算|会|收|多|得|一?规|些)|这(?=[\u4e00-\u9fff]))"
)
_DEMONSTRATIVE = re.compile(rf"(?:这|那)(?:一)?{_MEASURE}")
_DEICTIC = re.compile(r"^(?:这|那|该|此)(?:一|个)*(?:周(?![期转])|月(?!度|报|卡)|星期|礼拜|年(?!限|度|假|报|费|卡)|学期|季度|次(?!数)|里|儿|边|样|么|时(?![间段限长])|会儿|就|也|不|天(?!数))")
_NUMERAL = {letter: index % 6 + 1 for index, letter in enumerate("一二三四五六123456")}


@dataclass(frozen=True)
class Exchange:
    """One question of the conversation, resolved, and the reply to it."""

    question: str
    answer: str


def rewrite(history: Sequence[Turn], question: str) -> str:
    """Rewrite a question so that it stands without its conversation.

    Rule, in order: padding goes; then 「上面说的」, 前者/后者, 第二种, people, places, times and things are replaced; if
    there was nothing to replace, an ellipsis with 呢 repeats the last question, and a question without a topic
    of its own gets the last topic in front. Only the last messages count, as many as the prompt holds.
    Limits: a thing first named in an answer is found only by its head noun (「这张单子」); a word that looks like a
    pronoun inside an unknown name may be taken for one; the topic of a long clause is carried over whole.
    Example: 「门禁卡怎么补办」, then 「要多少钱」 → 「门禁卡要多少钱」.
    """
    text = question.strip()
    recent = list(history)[-settings.HISTORY_TURNS :]
    if not text:
        return question
    exchanges: list[Exchange] = []
    for index, turn in enumerate(recent):
        if turn["role"] != "user" or not turn["content"].strip():
            continue
        answer = "\n".join(_replies(recent, index))
        said = _resolve(exchanges, turn["content"].strip())
        exchanges.append(Exchange(said, answer))
    if recent and recent[0]["role"] == "assistant":
        exchanges.insert(0, Exchange("", recent[0]["content"]))
    result = _resolve(exchanges, text)
    return question if not result.strip() or result == text else result


def _replies(turns: Sequence[Turn], index: int) -> list[str]:
    out = []
    for turn in turns[index + 1 :]:
        if turn["role"] == "user":
            break
        out.append(turn["content"])
    return out


def _resolve(exchanges: list[Exchange], text: str) -> str:
    if lang.is_english(text):
        return english.resolve([(exchange.question, exchange.answer) for exchange in exchanges], text)
    plain = without_padding(text, bool(exchanges))
    if not exchanges:
        return without_particle(plain)
    replaced = plain
    for rule in (_above, _former_latter, _ordinal, _person, _place, _time, _thing):
        replaced = rule(exchanges, replaced)
    if replaced != plain:
        return without_particle(replaced)
    fragment = ellipsis.fragment_of(plain)
    last = _last_topical(exchanges)
    if fragment and last:
        mark = "？" if last.question[-1:] not in "？?" and plain[-1:] in "？?" else ""
        return ellipsis.carry_over(*fragment, last.question) + mark
    plain = without_particle(plain)
    if last and (_nameless(plain) or _same_act(plain, last)):
        return _omitted(exchanges, last, plain)
    return plain


# ── Padding ─────────────────────────────────────────────────────────────────────────────────────
def without_padding(text: str, in_conversation: bool = False) -> str:
    """Drop spoken padding: openings, 大概/到底/一下, and 「那个」 between a topic and its attribute.

    Limits: 「那个」 after a verb (「填那个表」) is kept as a reference when there is a conversation. Example:
    「您好，请问一下停车费大概是多少啊」 → 「停车费是多少啊」 (the particle goes last, see :func:`without_particle`).
    """
    out = text
    while (found := _OPENING.match(out)) and len(out) > found.end():
        out = out[found.end() :]
    if phrases.is_compound_after("那", out) and out[1:2] in _MEASURE_LETTERS:
        out = out[1:]
    words = lang.cut(out)
    if len(words) > 1 and words[0][0] in ("那", "那么", "然后", "所以", "还有") and words[1][1][:1] in "nvrjlt":
        if not any(form.match(out) for form in (_PERSON, _PLACE, _TIME, _DEMONSTRATIVE)) and (
            not out.endswith(("呢", "呢？", "呢?")) or any(unit.kind == "question" for unit in phrases.units(out))
        ):
            out = out[len(words[0][0]) :].lstrip("，, ")
    titles = phrases.titles(out)
    fillers = lang.lexicon(lang.INNER_FILLERS)
    kept: list[str] = []
    for word, _ in lang.cut(out):
        if word in fillers and not any(word in title for title in titles):
            continue
        kept.append(word)
    out = "".join(kept)
    inner = re.search(r"^([\u4e00-\u9fff]{2,6})那个(?=[\u4e00-\u9fff]{2})", out)
    if inner and phrases.topic(inner.group(1)) and not _ABOVE_WORD.match(out) and all(unit.kind in ("content", "verb", "attribute") for unit in phrases.units(inner.group(1))):
        out = out[: inner.end(1)] + out[inner.end() :]
    if not in_conversation:
        out = re.sub(r"^(?:那|这)个(?=[，,、 ])[，,、 ]*", "", out)
    return out.strip() or text


def without_particle(text: str) -> str:
    """Drop sentence-final particles that carry no question (呢 啊 吧 …; 吗 stays). Example: 「几点开门呀？」 → 「几点开门？」."""
    found = re.search(rf"(?:{lang.alternatives(lang.FINAL_PARTICLES)})+([？?！!。~～]*)$", text)
    if not found or found.start() < 2:
        return text
    word = lang.cut(text[: found.end() - len(found.group(1))])[-1][0]
    return text if len(word) > 1 and word not in lang.FINAL_PARTICLES else text[: found.start()] + found.group(1)


# ── References ──────────────────────────────────────────────────────────────────────────────────
def _substitute(text: str, form: re.Pattern[str], new: str) -> str:
    found = form.search(_masked(text))
    return text if not found else text[: found.start()] + new + text[found.end() :]


def _masked(text: str) -> str:
    """Hide titles, so that a pronoun in a title is no pronoun; the length stays."""
    return re.sub(r"《[^》]*》", lambda found: "□" * len(found.group()), text)


def _is_word(text: str, start: int, end: int) -> bool:
    """Say whether a span begins and ends at word boundaries."""
    found = phrases.units(text)
    return any(unit.start == start for unit in found) and any(unit.end == end for unit in found)


def _above(exchanges: list[Exchange], text: str) -> str:
    found = _ABOVE.search(text)
    if not found:
        return text
    if _ORDINAL.match(text, found.end()):
        return text[: found.start()] + text[found.end() :]
    return text[: found.start()] + "这个" + text[found.end() :]


def _former_latter(exchanges: list[Exchange], text: str) -> str:
    for form, index in ((_FORMER, 0), (_LATTER, 1)):
        if not form.search(text):
            continue
        sources = [exchange.question for exchange in reversed(exchanges)] + [exchanges[-1].answer]
        two = next((two for source in sources if (two := phrases.pair(source))), None)
        if two:
            text = _substitute(text, form, phrases.without_figures(two[index]))
    return text


def _ordinal(exchanges: list[Exchange], text: str) -> str:
    found = _ORDINAL.search(_masked(text))
    if not found:
        return text
    listed = phrases.items(exchanges[-1].answer)
    number = _NUMERAL[found["n"]]
    if len(listed) < number or len(listed) < 2 or not listed[number - 1]:
        return text
    return text[: found.start()] + listed[number - 1] + text[found.end() :]


def _person(exchanges: list[Exchange], text: str) -> str:
    found = _PERSON.search(_masked(text))
    if not found:
        return text
    start, end = found.span()
    if text[end : end + 1] == "们":
        end += 1
    units = phrases.units(text)
    if found.group() in lang.PERSON_PRONOUNS.split():
        unit = next((unit for unit in units if unit.start == start), None)
        if unit is None or unit.text.rstrip("们") not in lang.PERSON_PRONOUNS.split():
            return text
        after = next((other for other in units if other.start >= end), None)
        if after and after.kind == "content" and after.tag == "n" and len(after.text) > 1:
            return text
        if found.group() == "本人":
            return text
    if phrases.people(text[:start]):
        return text
    antecedent = _people_meant(exchanges, found.group())
    return _put(text[:start], antecedent, text[end:]) if antecedent else text


def _put(before: str, antecedent: str, after: str) -> str:
    """Put an antecedent into its place without saying its last word twice (「这位架构师」)."""
    size = next((size for size in range(min(len(antecedent), 6), 1, -1) if after.startswith(antecedent[-size:])), 0)
    return before + antecedent + after[size:]


def _people_meant(exchanges: list[Exchange], reference: str) -> str:
    """Choose whom 他 means: people after 由/找/… in the last reply, else any there, else in the questions."""
    for kinds in (False, True):
        for exchange in reversed(exchanges):
            asked = [name for name, _ in phrases.people(exchange.question) if _is_kind(name) is kinds]
            answered = [(name, agent) for name, agent in phrases.people(exchange.answer) if _is_kind(name) is kinds]
            marked = [name for name, is_agent in answered if is_agent]
            named = [name for name, _ in answered if phrases.names(name)]
            others = [name for name, _ in answered if name not in asked]
            wants_person = bool(re.search(r"谁|哪位|什么人|何人|哪个人", exchange.question))
            if named and not any(phrases.names(name) for name in asked):
                choices = [name for name in marked if name in named] or named
            else:
                choices = marked or others if wants_person or not asked else asked
            choices = choices or asked
            if not kinds and reference in ("他们", "她们"):
                choices = list(dict.fromkeys(choices + others + list(phrases.organisations(exchange.answer))))
            if not choices and not kinds and wants_person:
                choices = phrases.agents(exchange.answer) or list(phrases.organisations(exchange.answer))
            if choices:
                return "和".join(_short(choices[:1] if kinds else choices))
    return ""


def _is_kind(name: str) -> bool:
    return name in lang.PERSON_KINDS.split()


def _short(names: list[str]) -> list[str]:
    kept = [name for name in names if not any(name != other and name in other for other in names)]
    return [phrases.without_figures(name) for name in kept][:3]


def _place(exchanges: list[Exchange], text: str) -> str:
    found = _PLACE.search(_masked(text))
    if not found or phrases.places(text[: found.start()]):
        return text
    head = re.search(r"(?:店|公司|馆)$", found.group())
    for exchange in reversed(exchanges):
        spots = phrases.places(exchange.answer)
        if head:
            spots = [spot for spot in spots if spot.endswith(head.group())] or phrases.ending_in(head.group(), exchange.question)
        parallel = phrases.subjects(exchange.answer)
        if phrases.pair(exchange.question) and len(parallel) > 1:
            return text[: found.start()] + "和".join(parallel) + text[found.end() :]
        if spots:
            return text[: found.start()] + phrases.without_figures(spots[0]) + text[found.end() :]
    topic = _topic(exchanges)
    return text[: found.start()] + topic + text[found.end() :] if topic else text


def _time(exchanges: list[Exchange], text: str) -> str:
    found = _TIME.search(_masked(text))
    if not found or phrases.times(text[: found.start()]):
        return text
    head = re.search(r"(?:时段|期间)$", found.group())
    for exchange in reversed(exchanges):
        for source in (exchange.answer, exchange.question):
            moments = phrases.times(source)
            if moments:
                fitting = [moment for moment in moments if head and moment.endswith(head.group())]
                ranges = [moment for moment in moments if re.search("段|几", found.group()) and re.search("[至到—~]", moment)]
                return text[: found.start()] + (fitting or ranges or moments)[0] + text[found.end() :]
    return text


def _thing(exchanges: list[Exchange], text: str) -> str:
    masked = _masked(text)
    for found in _THING.finditer(masked):
        if _DEICTIC.match(text[found.start() :]) or not any(unit.start == found.start() for unit in phrases.units(text)):
            continue
        if found.group()[:1] == "该" and phrases.is_compound_after("该", text[found.start() :]):
            found = re.compile("该").match(text, found.start()) or found
        if _names_a_thing(text[: found.start()]) and found.group() in ("它", "它们", "这"):
            continue
        head = _head_noun(text, found.end())
        phrase = _phrase_meant(exchanges, head) if head else ""
        if phrase:
            return text[: found.start()] + phrase + text[found.end() + len(head) :]
        if found.group() in ("这", "该") and head and head not in lang.ATTRIBUTES:
            continue
        if head and found.group()[0] in "那这" and phrases.has_topic(head) and not _ends_alike(exchanges, head):
            if not _generic(head):
                continue
        meant = _things_meant(exchanges)
        if meant and _process(text[found.end() :]):
            meant = _process_topic(exchanges) or meant
        if meant:
            return _put(text[: found.start()], meant, text[found.end() :])
    return text


def _names_a_thing(before: str) -> bool:
    return any(phrases.is_owner(unit) and unit.tag[:1] == "n" for unit in phrases.units(before))


def _generic(head: str) -> bool:
    return head in lang.ATTRIBUTES or head.endswith(tuple(lang.DOCUMENT_SUFFIXES.split()))


def _ends_alike(exchanges: list[Exchange], head: str) -> bool:
    return any(head[-1] in exchange.question for exchange in exchanges)


def _head_noun(text: str, start: int) -> str:
    """Read the noun that a demonstrative stands before: one to three noun words."""
    out = ""
    for unit in phrases.units(text):
        if unit.start < start:
            if unit.end > start and unit.kind != "joint" and len(unit.text[start - unit.start :]) > 0:
                out += unit.text[start - unit.start :]
            continue
        if unit.kind in ("question", "joint", "mark", "number") or unit.kind == "verb" and not out:
            break
        if unit.kind == "verb" or unit.kind != "attribute" and not re.match(r"n|s|j|l|i|b|a|vn|eng|z$", unit.tag):
            break
        out += unit.text
        if len(out) >= 6:
            break
    return out


def _phrase_meant(exchanges: list[Exchange], head: str) -> str:
    """Find the phrase that 「这张单子」 points back to: a 《title》 for a document, else one that ends in the noun."""
    stem = head[:-1] if head.endswith("子") and len(head) > 1 else head
    documents = stem in lang.DOCUMENT_SUFFIXES.split() or stem in ("单", "表", "书", "函", "证明", "条", "准则", "规程", "细则")
    if documents:
        for exchange in reversed(exchanges):
            found = phrases.titles(exchange.answer) + phrases.titles(exchange.question)
            fitting = [title for title in found if stem in title] or found
            if fitting:
                return "和".join(dict.fromkeys(fitting))
    if stem in ("部门", "团队", "小组", "单位", "机构", "组", "部", "科室", "委员会"):
        for exchange in reversed(exchanges):
            if found := phrases.organisations(exchange.answer) or phrases.organisations(exchange.question):
                return "和".join(found[:2])
    stems = [stem] + [unit.text for unit in phrases.units(stem)][:1]
    for noun in dict.fromkeys(stems):
        for exchange in reversed(exchanges):
            wanted = _asks_which(exchange.question, noun)
            for source in (exchange.answer, exchange.question) if wanted else (exchange.question, exchange.answer):
                longer = [
                    phrase
                    for found in phrases.ending_in(noun, source)
                    if len(phrase := phrases.without_figures(found).strip("“”「」")) > len(noun) and "哪" not in phrase
                ]
                if longer:
                    rest = stem[len(noun) :] if stem.startswith(noun) else ""
                    return "和".join(longer[: 3 if wanted else 1]) + rest
    return ""


def _asks_which(question: str, noun: str) -> bool:
    return bool(re.search(rf"(?:哪|什么|几)[^，,]{{0,3}}{re.escape(noun[-1])}", question)) or "哪几" in question


_PLURAL = re.compile(r"哪些|哪几|有没有什么|有什么|有哪|[两三四几]\s*[个件种台套项款张]|分别|都")


def _things_meant(exchanges: list[Exchange]) -> str:
    """Choose what 它/这个 means: the parallel things of the reply to a question about several, else the topic."""
    last = _last_topical(exchanges) or exchanges[-1]
    if _PLURAL.search(last.question) or phrases.pair(last.question):
        several = phrases.subjects(last.answer)
        if len(several) > 1:
            return "和".join(several)
    return _topic(exchanges)


def _process(rest: str) -> bool:
    """Say whether what follows a reference names a procedure (「这个审核要多久」), so that the verb matters."""
    found = phrases.units(rest)
    return bool(found) and found[0].kind == "verb" and len(found[0].text) >= 2


def _process_topic(exchanges: list[Exchange]) -> str:
    """Give the topic with its procedure: 「会员卡怎么升级」 → 会员卡升级; empty when the last question is no how-to."""
    question = exchanges[-1].question
    found = re.search(r"(?:怎么|如何|怎样)([\u4e00-\u9fff]{2,4})[？?]?$", question)
    subject = phrases.topic(question)
    return subject + found.group(1) if found and subject and found.group(1) not in subject else ""


def _topic(exchanges: list[Exchange]) -> str:
    for exchange in reversed(exchanges):
        subject = phrases.topic(exchange.question) if not lang.is_english(exchange.question) else ""
        if subject and phrases.has_topic(subject):
            return subject
    return next((subject for exchange in reversed(exchanges) if (subject := phrases.topic(exchange.question))), "")


def _last_topical(exchanges: list[Exchange]) -> Exchange | None:
    usable = [exchange for exchange in exchanges if exchange.question and not lang.is_english(exchange.question)]
    return next((exchange for exchange in reversed(usable) if phrases.topic(exchange.question)), None)


# ── A question without a topic ──────────────────────────────────────────────────────────────────
_ASKS_CONTACT = re.compile(r"电话|邮箱|叫什么|名字|姓名|联系方式|怎么联系|工位|分机|手机号|微信|办公室在")
_GENERIC_ASK = re.compile(r"(?:行不行|可不可以|行吗|可以吗|行么|还行不|能行吗|怎么办|咋办|怎么算|会怎样|会怎么样|有影响吗|要紧吗)[？?]?$")
_ACCESSORY = re.compile(
    r"(?:还|另外)?(?:需不需要|要不要|用不用|需要|要|用|得|必须)(?:带|交|出示|提供|附|有|填|写|拿|本人)?(?:原始|纸质|电子|正式)?"
    r"(?:发票|收据|小票|身份证|证件|单据|公章|介绍信|预约|登记|押金|密码|照片|排队|到场|现场|钱|本人)*(?:到场|办理)?(?:吗|么|不)?[？?]?$"
)
_MODALS = lang.lexicon("可以 能 能够 会 要 需要 可 可不可以 能不能 要不要 会不会 必须 应该 不能 不可以 没 不 行")
_WHERE = re.compile(r"(?:在|去|到)(?:哪里|哪儿|哪)")
_STATES = lang.lexicon("离职 入职 转正 退休 休假 请假 毕业 外包 大一 大二 大三 大四")
_CONDITION_FIRST = re.compile(r"^(?:要是|如果|万一|假如|没有?|已经|超过)")
_UNIT_FIRST = re.compile(rf"^(?:每|{lang.NUMBER})(?:一)?(?:{lang.alternatives(lang.UNITS + ' 幅 节 场 堂 趟 回 套 期 学年 人次')})")


def _nameless(text: str) -> bool:
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
    """Say whether a question is a modal and one verb (「可以改期吗」, 「能不能代签」): what stands after a modal is a verb."""
    found = [unit for unit in phrases.units(text.rstrip("？?")) if unit.text not in ("吗", "么", "了", "不", "还", "也", "再", "自动")]
    if not found or found[0].kind != "joint" or found[0].text not in _MODALS and not _WHERE.match(text):
        return False
    rest = [unit for unit in found if unit.text not in _MODALS and unit.kind not in ("attribute", "question") and unit.text != "在"]
    return len(rest) == 1 and len(rest[0].text) == 2 and rest[0].kind in ("content", "verb") and found[-1] is rest[0]


def _same_act(text: str, last: Exchange) -> bool:
    """Say whether a follow-up only names other people, another time or place for the act at hand (「新人也能申请吗」)."""
    found = phrases.units(text.rstrip("？?"))
    content = [unit for unit in found if unit.kind in ("content", "attribute")]
    verbs = [unit for unit in found if unit.kind == "verb"]
    if not content or any(unit.kind == "question" for unit in found) or not _looks_like_question(text):
        return False
    leads = all(not verbs or unit.start < verbs[0].start for unit in content)
    if not leads or not all(ellipsis.is_class(unit.text) or len(unit.text) == 1 or unit.text in _STATES for unit in content):
        return False
    same = any(unit.text in last.question + last.answer for unit in verbs)
    return same or not verbs or any(unit.text in ("也", "还") for unit in found)


def _looks_like_question(text: str) -> bool:
    return bool(re.search(r"[吗么？?不没]$|有[^，]*吗|不[^，]{1,2}|[没有]没有", text)) or any(
        unit.kind == "question" for unit in phrases.units(text)
    )


def _omitted(exchanges: list[Exchange], last: Exchange, text: str) -> str:
    if _ASKS_CONTACT.search(text) and re.search(r"谁|哪位|哪个部门|什么人|找|联系", last.question):
        person = _people_meant(exchanges, "")
        if person:
            return person + text
    subject = _topic(exchanges)
    return text if not subject or subject in text else _put("", subject, text)
