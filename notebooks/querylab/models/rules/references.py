"""References: 他, 这张单子, 那里, 那时候, 前者, 第二种, 上面说的 → what they stand for.

In: the conversation as resolved exchanges, and a question without padding. Out: the question with references replaced.
Each rule takes (exchanges, text) and returns the text, changed or not; the figures of a reply never come along, except
dates that 「那天」 points to.
"""

import re
from dataclasses import dataclass

from querylab.models.rules import language as lang
from querylab.models.rules import named, phrases

_MEASURE = f"(?:{lang.alternatives(lang.MEASURES + ' 双 副')})"

PERSON = re.compile(
    rf"(?:(?:新来的|那边的)?(?:这|那|该|此)(?:一)?(?:个|位|名|些|几位)?(?:负责)?"
    rf"(?:人员|人|员工|同事|老师|领导|主管|经理|负责人|师傅|教练|主任|专员|先生|女士|组长|"
    rf"管理员|工作人员)"
    rf"(?!群|口|数|力|均|民|工|才|家|类|体|生)|(?:新来的)?(?:这|那)(?:一)?位|"
    rf"{lang.alternatives(lang.PERSON_PRONOUNS)})"
)

PLACE = re.compile(
    r"(?:(?:这|那|该|此)(?:个|一)?(?:地方|地点|位置|处)|那里面?|那儿|那边|这里面?|这儿|这边|"
    r"当地|该地|(?:这|那)(?:一)?家(?:店|分店|门店|公司|馆)"
    r"|^里面(?=有|能|可|的|是|允|让))"
)

TIME = re.compile(
    r"(?:(?:这|那|该)(?:个|一)?(?:时候|时段|时间点|时间|窗口期?|时期|期间|阶段|日子|时间段)|"
    r"(?:这|那)(?:一)?段(?:时间|日子|期间)|那时候?|(?:这|那)几(?:天|周|个月)"
    r"|那天|那一天|当天(?=的)|当时|届时|(?:这|那|该|此)期间)"
)

_FORMER = re.compile(r"前者|前面(?:的)?(?:那|这)?(?:一)?(?:个|种|项)|前一(?:个|种|项)")

_LATTER = re.compile(r"后者|后面(?:的)?(?:那|这)?(?:一)?(?:个|种|项)|后一(?:个|种|项)")

_ORDINAL = re.compile(
    r"第(?P<n>[一二三四五六123456])(?P<m>种|个|条|项|点|类|款|步)(?P<head>方式|办法|方法|情况|"
    r"条件|规定|选项|方案|途径|渠道)?"
)

_ABOVE = re.compile(
    r"(?:你|您)?(?:(?:上面|前面|刚才|刚刚|上边|前边|之前|方才|先前|上文|上一条)(?:所)?(?:您|"
    r"你)?(?:提到|说到|讲到|提及|讲过|说过|提过|列出|介绍|回答|说|讲|提|列|写)的?"
    rf"|上述的?|前述的?|(?:上面|前面|刚才|刚刚)的?(?=(?:这|那){_MEASURE}))(?:(?:这|"
    rf"那)(?:一)?{_MEASURE}?)?"
)

_THING = re.compile(
    rf"(?:{lang.alternatives(lang.THING_PRONOUNS)}|(?:这|那)(?:玩意儿?|东西|件事情?|事儿?|"
    rf"回事)|(?:这|那|该|此)(?:一)?{_MEASURE}"
    rf"|该(?=[\u4e00-\u9fff])|(?:这|那)一(?=[\u4e00-\u9fff])|此(?=项|类|种|事|举|规|制|文)|"
    rf"这(?=要|能|可|需|是|有|怎|还|算|会|收|多|得|一?规|些)|这(?=[\u4e00-\u9fff]))"
)

DEMONSTRATIVE = re.compile(rf"(?:这|那)(?:一)?{_MEASURE}")

_DEICTIC = re.compile(
    r"^(?:这|那|该|此)(?:一|个)*(?:周(?![期转])|月(?!度|报|卡)|星期|礼拜|年(?!限|度|假|报|费|"
    r"卡)|学期|季度|次(?!数)|里|儿|边|样|么|时(?![间段限长])|会儿|就|也|不|天(?!数))"
)

_NUMERAL = {letter: index % 6 + 1 for index, letter in enumerate("一二三四五六123456")}


@dataclass(frozen=True)
class Exchange:
    """One question of the conversation, resolved, and the reply to it."""

    question: str
    answer: str


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
        listed = [found for exchange in reversed(exchanges) if len(found := named.items(exchange.answer)) == 2]
        two = next((two for source in sources if (two := named.pair(source))), None) or next(iter(listed), None)
        if two:
            text = _substitute(text, form, named.without_figures(two[index]))
    return text


def _ordinal(exchanges: list[Exchange], text: str) -> str:
    found = _ORDINAL.search(_masked(text))
    if not found:
        return text
    listed = named.items(exchanges[-1].answer)
    number = _NUMERAL[found["n"]]
    if len(listed) < number or len(listed) < 2 or not listed[number - 1]:
        return text
    return text[: found.start()] + listed[number - 1] + text[found.end() :]


def _person(exchanges: list[Exchange], text: str) -> str:
    found = PERSON.search(_masked(text))
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
    if named.people(text[:start]):
        return text
    antecedent = people_meant(exchanges, found.group())
    return put(text[:start], antecedent, text[end:]) if antecedent else text


def put(before: str, antecedent: str, after: str) -> str:
    """Put an antecedent into its place without saying its last word twice (「这位架构师」)."""
    size = next((size for size in range(min(len(antecedent), 6), 1, -1) if after.startswith(antecedent[-size:])), 0)
    return before + antecedent + after[size:]


def people_meant(exchanges: list[Exchange], reference: str) -> str:
    """Choose whom 他 means: people after 由/找/… in the last reply, else any there, else in the questions."""
    for kinds in (False, True):
        for exchange in reversed(exchanges):
            asked = [name for name, _ in named.people(exchange.question) if _is_kind(name) is kinds]
            answered = [(name, agent) for name, agent in named.people(exchange.answer) if _is_kind(name) is kinds]
            marked = [name for name, is_agent in answered if is_agent]
            by_name = [name for name, _ in answered if named.names(name)]
            others = [name for name, _ in answered if name not in asked]
            wants_person = bool(re.search(r"谁|哪位|什么人|何人|哪个人", exchange.question))
            if by_name and not any(named.names(name) for name in asked):
                choices = [name for name in marked if name in by_name] or by_name
            else:
                choices = marked or others if wants_person or not asked else asked
            choices = choices or asked
            if not kinds and reference in ("他们", "她们"):
                choices = list(dict.fromkeys(choices + others + list(named.organisations(exchange.answer))))
            if not choices and not kinds and wants_person:
                choices = named.agents(exchange.answer) or list(named.organisations(exchange.answer))
            if choices:
                return "和".join(_short(choices[:1] if kinds else choices))
    return ""


def _is_kind(name: str) -> bool:
    return name in lang.PERSON_KINDS.split()


def _short(names: list[str]) -> list[str]:
    kept = [name for name in names if not any(name != other and name in other for other in names)]
    return [named.without_figures(name) for name in kept][:3]


def _place(exchanges: list[Exchange], text: str) -> str:
    found = PLACE.search(_masked(text))
    if not found or named.places(text[: found.start()]):
        return text
    head = re.search(r"(?:店|公司|馆)$", found.group())
    for exchange in reversed(exchanges):
        spots = named.places(exchange.answer)
        if head:
            spots = [spot for spot in spots if spot.endswith(head.group())] or named.ending_in(
                head.group(), exchange.question
            )
        parallel = named.subjects(exchange.answer)
        if named.pair(exchange.question) and len(parallel) > 1:
            return text[: found.start()] + "和".join(parallel) + text[found.end() :]
        if spots:
            return text[: found.start()] + named.without_figures(spots[0]) + text[found.end() :]
    topic = topic_meant(exchanges)
    return text[: found.start()] + topic + text[found.end() :] if topic else text


def _time(exchanges: list[Exchange], text: str) -> str:
    found = TIME.search(_masked(text))
    if not found or named.times(text[: found.start()]):
        return text
    head = re.search(r"(?:时段|期间)$", found.group())
    for exchange in reversed(exchanges):
        for source in (exchange.answer, exchange.question):
            moments = named.times(source)
            if moments:
                fitting = [moment for moment in moments if head and moment.endswith(head.group())]
                ranges = [
                    moment for moment in moments if re.search("段|几", found.group()) and re.search("[至到—~]", moment)
                ]
                return text[: found.start()] + (fitting or ranges or moments)[0] + text[found.end() :]
    return text


def _thing(exchanges: list[Exchange], text: str) -> str:
    masked = _masked(text)
    for found in _THING.finditer(masked):
        if _DEICTIC.match(text[found.start() :]) or not any(
            unit.start == found.start() for unit in phrases.units(text)
        ):
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
        own = head and found.group()[0] in "那这" and phrases.has_topic(head) and not _generic(head)
        if own and not _ends_alike(exchanges, head):
            continue
        meant = _things_meant(exchanges)
        if meant and _process(text[found.end() :]):
            meant = _process_topic(exchanges) or meant
        if meant:
            return put(text[: found.start()], meant, text[found.end() :])
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
        if unit.kind in ("question", "joint", "mark", "number") or (unit.kind == "verb" and not out):
            break
        if unit.kind == "verb" or (unit.kind != "attribute" and not re.match(r"n|s|j|l|i|b|a|vn|eng|z$", unit.tag)):
            break
        out += unit.text
        if len(out) >= 6:
            break
    return out


def _phrase_meant(exchanges: list[Exchange], head: str) -> str:
    """Find the phrase that 「这张单子」 points back to: a 《title》 for a document, else one that ends in the noun."""
    stem = head[:-1] if head.endswith("子") and len(head) > 1 else head
    documents = stem in lang.DOCUMENT_SUFFIXES.split() or stem in (
        "单",
        "表",
        "书",
        "函",
        "证明",
        "条",
        "准则",
        "规程",
        "细则",
    )
    if documents:
        for exchange in reversed(exchanges):
            found = named.titles(exchange.answer) + named.titles(exchange.question)
            fitting = [title for title in found if stem in title] or found
            if fitting:
                return "和".join(dict.fromkeys(fitting))
    if stem in ("部门", "团队", "小组", "单位", "机构", "组", "部", "科室", "委员会"):
        for exchange in reversed(exchanges):
            if found := named.organisations(exchange.answer) or named.organisations(exchange.question):
                return "和".join(found[:2])
    stems = [stem, *(unit.text for unit in phrases.units(stem)[:1])]
    for noun in dict.fromkeys(stems):
        for exchange in reversed(exchanges):
            wanted = _asks_which(exchange.question, noun)
            for source in (exchange.answer, exchange.question) if wanted else (exchange.question, exchange.answer):
                longer = [
                    phrase
                    for found in named.ending_in(noun, source)
                    if len(phrase := named.without_figures(found).strip("“”「」")) > len(noun) and "哪" not in phrase
                ]
                if longer:
                    rest = stem[len(noun) :] if stem.startswith(noun) else ""
                    return "和".join(longer[: 3 if wanted else 1]) + rest
    return ""


def _asks_which(question: str, noun: str) -> bool:
    return bool(re.search(rf"(?:哪|什么|几)[^，,]{{0,3}}{re.escape(noun[-1])}", question)) or "哪几" in question


_ASKS_DOCUMENT = re.compile(
    r"(?:什么|哪一?[个份项部条])[^，]{0,3}(?:标准|规定|制度|文件|办法|规范|规程|表|单|函|材料|"
    r"合同|协议|手续)"
)
_PLURAL = re.compile(r"哪些|哪几|有没有什么|有什么|有哪|[两三四几]\s*[个件种台套项款张]|分别|都")


def _things_meant(exchanges: list[Exchange]) -> str:
    """Choose what 它/这个 means: the parallel things of the reply to a question about several, else the topic."""
    last = last_topical(exchanges) or exchanges[-1]
    if _ASKS_DOCUMENT.search(last.question) and (found := named.titles(last.answer)):
        return "和".join(found)
    if _PLURAL.search(last.question) or named.pair(last.question):
        several = named.subjects(last.answer)
        if len(several) > 1:
            return "和".join(several)
    return topic_meant(exchanges)


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


def topic_meant(exchanges: list[Exchange]) -> str:
    """Give the topic of the latest question that names one; empty when none does."""
    for exchange in reversed(exchanges):
        subject = phrases.topic(exchange.question) if not lang.is_english(exchange.question) else ""
        if subject and phrases.has_topic(subject):
            return subject
    return next((subject for exchange in reversed(exchanges) if (subject := phrases.topic(exchange.question))), "")


def last_topical(exchanges: list[Exchange]) -> Exchange | None:
    """Give the latest exchange whose question is about something."""
    usable = [exchange for exchange in exchanges if exchange.question and not lang.is_english(exchange.question)]
    return next((exchange for exchange in reversed(usable) if phrases.topic(exchange.question)), None)


def resolve_references(exchanges: list[Exchange], text: str) -> str:
    """Replace every kind of reference once, in a fixed order.

    Limits: a pronoun after its own antecedent in the same sentence is left alone. Example: after 「由车队队长管」,
    「他几点下班」 → 「车队队长几点下班」.
    """
    for rule in (_above, _former_latter, _ordinal, _person, _place, _time, _thing):
        text = rule(exchanges, text)
    return text
