"""References: 他, 这张单子, 那里, 那时候, 前者, 第二种, 上面说的 → what they stand for.

In: the conversation as resolved exchanges, and a question without padding. Out: the question with references replaced.
Each rule takes (exchanges, text) and returns the text, changed or not; the figures of a reply never come along, except
dates that 「那天」 points to.
"""

import re

from querylab.models.rules import antecedents, named, phrases
from querylab.models.rules import language as lang
from querylab.models.rules.antecedents import Exchange

_MEASURE = f"(?:{lang.alternatives(lang.MEASURES + ' 双 副')})"

PERSON = re.compile(
    rf"(?:(?:新来的|那边的)?(?:这|那|该|此)(?:一)?(?:个|位|名|些|几位)?(?:负责)?"
    rf"(?:人员|人|员工|同事|老师|领导|主管|经理|负责人|师傅|教练|主任|专员|先生|女士|组长|"
    rf"管理员|工作人员|医生|护士|客服|阿姨|[\u4e00-\u9fff]{{1,3}}(?:员|师)(?![\u4e00-\u9fff]?[的证]))"
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
    r"|那会儿?|(?:在)?那(?:之|以)[前后]"
    r"|那天|那一天|当天(?=的)|当时|届时|(?:这|那|该|此)期间)"
)

_FORMER = re.compile(r"前者|前面(?:的)?(?:那|这)?(?:一)?(?:个|种|项|样|款|类)|前一(?:个|种|项|样|款|类)")

_LATTER = re.compile(r"后者|后面(?:的)?(?:那|这)?(?:一)?(?:个|种|项|样|款|类)|后一(?:个|种|项|样|款|类)")

_ORDINAL = re.compile(
    r"(?:第(?P<n>[一二三四五六123456])|(?P<last>最后)(?:的)?(?:那|一))(?P<m>种|个|条|项|点|类|款|步|样|件)(?P<head>方式|办法|方法|情况|"
    r"条件|规定|选项|方案|途径|渠道)?"
)

_ABOVE = re.compile(
    r"(?:你|您)?(?:(?:上面|前面|刚才|刚刚|上边|前边|之前|方才|先前|上文|上一条)(?:所)?(?:您|"
    r"你)?(?:提到|说到|讲到|提及|讲过|说过|提过|列出|介绍|回答|说|讲|提|列|写)的?"
    rf"|上述的?|前述的?|^以上(?=[\u4e00-\u9fff]{{2}})|(?:上面|前面|刚才|刚刚)的?(?=(?:这|那){_MEASURE}))(?:(?:这|"
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
    r"^(?:这|那|该|此)(?:一|个)*(?:[几两三](?:年|天|周|个?月)|周(?![期转])|月(?!度|报|卡)|星期|礼拜|年(?!限|度|假|报|费|"
    r"卡)|学期|季度|次(?!数)|里|儿|边|样|么|时(?![间段限长])|会儿|就|也|不|天(?!数))"
)

_NUMERAL = {letter: index % 6 + 1 for index, letter in enumerate("一二三四五六123456")}


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
    if _DEED.match(text[found.end() :]) and not found.start():
        return text[found.end() :]
    return text[: found.start()] + "这个" + text[found.end() :]


def _former_latter(exchanges: list[Exchange], text: str) -> str:
    for form, index in ((_FORMER, 0), (_LATTER, 1)):
        if not form.search(text):
            continue
        sources = [exchange.question for exchange in reversed(exchanges)] + [exchanges[-1].answer]
        listed = [found for exchange in reversed(exchanges) if len(found := named.items(exchange.answer)) == 2]
        two = next((two for source in sources if (two := named.pair(source))), None) or next(iter(listed), None)
        if two:
            text = _substitute(text, form, _as_replied(exchanges, named.without_figures(two[index])))
    return text


def _as_replied(exchanges: list[Exchange], member: str) -> str:
    """Give a member of a pair as the reply writes it out: 「无糖」 of 「分无糖和全糖」 → 无糖奶茶."""
    for clause in re.split(r"[，,；;。\n]", exchanges[-1].answer):
        if not clause.startswith(member):
            continue
        longer = member
        for unit in phrases.units(clause):
            if unit.start >= len(member):
                if unit.kind != "content" or unit.tag[:1] != "n" or unit.start != len(longer):
                    break
                longer += unit.text
        return longer
    return member


def _ordinal(exchanges: list[Exchange], text: str) -> str:
    found = _ORDINAL.search(_masked(text))
    if not found:
        return text
    listed = named.items(exchanges[-1].answer)
    number = len(listed) if found["last"] else _NUMERAL[found["n"]]
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
        after = [other for other in units if other.start >= end][:2]
        if len(after) == 2 and all(other.kind == "content" and other.tag[:1] in "nv" for other in after):
            return text  # a name that begins like a pronoun (她力量主题展)
        if found.group() == "本人":
            return text
    if named.people(text[:start]) or re.search(r"[\u4e00-\u9fff][人者员友客](?:$|[^们])", text[:start]):
        return text
    antecedent = antecedents.people_meant(exchanges, found.group())
    return put(text[:start], antecedent, text[end:]) if antecedent else text


def put(before: str, antecedent: str, after: str) -> str:
    """Put an antecedent into its place without saying its last word twice (「这位架构师」)."""
    size = next((size for size in range(min(len(antecedent), 6), 1, -1) if after.startswith(antecedent[-size:])), 0)
    return before + antecedent + after[size:]


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
        several = antecedents.several_places(exchange) if not head else []
        if several:
            return text[: found.start()] + "和".join(several) + text[found.end() :]
        parallel = named.subjects(exchange.answer)
        if named.pair(exchange.question) and len(parallel) > 1:
            return text[: found.start()] + "和".join(parallel) + text[found.end() :]
        if spots:
            return text[: found.start()] + named.place_name(spots[0]) + text[found.end() :]
    topic = antecedents.topic_meant(exchanges) if found.group()[0] != "这" or len(found.group()) > 2 else ""
    return text[: found.start()] + topic + text[found.end() :] if topic else text


_WHEN = re.compile(r"什么时候|什么时间|何时|哪几?天|几点|几号|几月|多久|多长|怎么安排|开不开")
_EVENT = re.compile(
    r"([\u4e00-\u9fff]{2,8}?)(?:之后|以后|后|之前|以前|前)(?=第|可|才|再|方|就|即|，|,|\d|[一二三四五六七八九十两几]|不|须|要|需)"
)


def _time(exchanges: list[Exchange], text: str) -> str:
    found = TIME.search(_masked(text))
    if not found or named.times(text[: found.start()]):
        return text
    asks_when = bool(exchanges and _WHEN.search(exchanges[-1].question))
    if found.group()[:2] == "这几" and not asks_when:
        return text  # these days, by the calendar
    if side := re.search(r"[之以][前后]$", found.group()):
        event = next(
            (hit.group(1) for exchange in reversed(exchanges) for hit in [_EVENT.search(exchange.answer)] if hit), ""
        )
        event = event or antecedents.topic_meant(exchanges)
        return text[: found.start()] + event + side.group() + text[found.end() :] if event else text
    before = [unit for unit in phrases.units(text) if unit.end == found.start()]
    if (
        before
        and before[0].kind in ("content", "verb")
        and found.group() in ("那会儿", "那会", "那时候", "那时", "那个时候")
    ):
        topic = antecedents.topic_meant(exchanges)
        return text if not topic or topic in text else topic + text
    head = re.search(r"(?:时段|期间)$", found.group())
    for exchange in reversed(exchanges):
        for source in (exchange.answer, exchange.question):
            moments = named.times(source)
            if moments:
                fitting = [moment for moment in moments if head and moment.endswith(head.group())]
                ranges = [
                    moment for moment in moments if re.search("段|几", found.group()) and re.search("[至到—~]", moment)
                ]
                moment = (fitting or ranges or moments)[0]
                topic = antecedents.topic_meant(exchanges)
                if re.search(r"\d[点:：时]|[点时]$", moment) and not re.search(r"月|号", moment) and topic:
                    moment = topic + "期间"  # a clock time is a figure of the reply
                return text[: found.start()] + moment + text[found.end() :]
    topic = antecedents.topic_meant(exchanges) if asks_when else ""
    return text[: found.start()] + topic + "期间" + text[found.end() :] if topic else text


def _thing(exchanges: list[Exchange], text: str) -> str:
    masked = _masked(text)
    for found in _THING.finditer(masked):
        if _DEICTIC.match(text[found.start() :]) or not any(
            unit.start == found.start() for unit in phrases.units(text)
        ):
            continue
        next_one = next((unit for unit in phrases.units(text) if unit.start == found.start() + 1), None)
        if found.group() == "该" and next_one is not None and next_one.kind in ("verb", "joint", "question"):
            continue  # 该 is "should"
        if found.group()[:1] == "该" and phrases.is_compound_after("该", text[found.start() :]):
            found = re.compile("该").match(text, found.start()) or found
        if _names_a_thing(text[: found.start()]) and found.group() in ("它", "它们", "这"):
            continue
        head = _named_before(exchanges, text[found.end() :]) or _head_noun(text, found.end())
        if not head and found.group()[-1] in "条款" and (article := antecedents.phrase_meant(exchanges, "条款")):
            return text[: found.start()] + article + text[found.end() :]
        phrase = antecedents.phrase_meant(exchanges, head) if head else ""
        if phrase:
            return text[: found.start()] + phrase + text[found.end() + len(head) :]
        if found.group() in ("这", "该") and head and head not in lang.ATTRIBUTES:
            continue
        own = head and found.group()[0] in "那这" and phrases.has_topic(head) and not _generic(head)
        if own and not _ends_alike(exchanges, head):
            continue
        meant = antecedents.things_meant(exchanges, head)
        if meant and _process(text[found.end() :]):
            meant = antecedents.process_topic(exchanges) or meant
        if meant:
            return put(text[: found.start()], meant, text[found.end() :])
    return text


def _named_before(exchanges: list[Exchange], rest: str) -> str:
    """Give the word that follows a demonstrative when a title of the conversation ends in it, or documents are called so."""
    for exchange in reversed(exchanges):
        for title in named.titles(exchange.answer):
            plain = title.strip("《》")
            size = next((size for size in range(min(len(plain), 6), 1, -1) if rest.startswith(plain[-size:])), 0)
            if size:
                return rest[:size]
    return "条款" if rest.startswith("条款") else ""


def _names_a_thing(before: str) -> bool:
    return any(phrases.is_owner(unit) and unit.tag[:1] == "n" for unit in phrases.units(before))


def _generic(head: str) -> bool:
    return head in lang.ATTRIBUTES or head.endswith(tuple(lang.DOCUMENT_SUFFIXES.split()))


def _ends_alike(exchanges: list[Exchange], head: str) -> bool:
    return any(head[-1] in exchange.question for exchange in exchanges)


def _head_noun(text: str, start: int) -> str:
    """Read the noun that a demonstrative stands before: one to three noun words."""
    out = ""
    found = phrases.units(text)
    for index, unit in enumerate(found):
        single = index + 1 < len(found) and found[index + 1].kind == "content" and len(found[index + 1].text) == 1
        if unit.start == start and unit.kind == "content" and unit.tag == "v" and single:
            return unit.text + found[index + 1].text  # 附加 + 险: a verb and one character make a noun
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


def _process(rest: str) -> bool:
    """Say whether what follows a reference names a procedure (「这个审核要多久」), so that the verb matters."""
    found = phrases.units(rest)
    return bool(found) and found[0].kind == "verb" and len(found[0].text) >= 2


_DEED = re.compile(
    r"^(?P<deed>[^，,的这那]{2,10})的(?:那|这)(?:一)?(?:个|种|些|款|类|样|项|份|张)(?!人)(?=[\u4e00-\u9fff])|"
    r"(?:那|这)(?:一)?(?:个|种|些|款)(?P<use>[^，,的]{2,8})的(?P<noun>[\u4e00-\u9fff]{2,4}?)(?=怎么|如何|在|要|能|可以|多少|几|是|叫)"
)


def _by_deed(exchanges: list[Exchange], text: str) -> str:
    """Resolve what is told by what was said of it: after 「急件只能当面交」, 「只能当面交的那种收费吗」 → 急件收费吗."""
    found = _DEED.search(text)
    if not found:
        return text
    deed = found["deed"] or found["use"]
    for exchange in reversed(exchanges):
        clauses = [clause for clause in re.split(r"[，,；;。：:\n]", exchange.answer) if clause.strip()]
        ranked = sorted(clauses, key=lambda clause: -_in_common(deed, clause))
        if not ranked or _in_common(deed, ranked[0]) * 2 < len(deed):
            continue
        if found["use"]:
            tool = re.search(r"(?:通过|使用|用|登录)([\u4e00-\u9fffA-Za-z“”]{2,10})", ranked[0])
            meant = _without_tail_verb(tool.group(1)) + found["noun"] if tool else ""
        else:
            meant = named.clause_subject(ranked[0])
        if len(meant) >= 2:
            return text[: found.start()] + meant + text[found.end() :]
    return text


def _in_common(deed: str, clause: str) -> int:
    return sum(letter in clause for letter in deed)


def _without_tail_verb(phrase: str) -> str:
    found = list(phrases.units(phrase))
    while len(found) > 1 and (found[-1].kind == "verb" or found[-1].tag[:1] == "v"):
        found = found[:-1]
    return phrases.joined(found)


def resolve_references(exchanges: list[Exchange], text: str) -> str:
    """Replace every kind of reference once, in a fixed order.

    Limits: a pronoun after its own antecedent in the same sentence is left alone. Example: after 「由车队队长管」,
    「他几点下班」 → 「车队队长几点下班」.
    """
    for rule in (_former_latter, _above, _ordinal, _by_deed, _person, _place, _time, _thing):
        text = rule(exchanges, text)
    return text
