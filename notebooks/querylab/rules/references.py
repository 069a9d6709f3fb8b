"""References: 他, 这张单子, 那里, 那时候, 前者, 第二种, 上面说的 → what they stand for.

In: the conversation as resolved exchanges, and a question without padding. Out: the question with references replaced.
Each rule takes (exchanges, text) and returns the text, changed or not; the figures of a reply never come along, except
dates that 「那天」 points to.
"""

import re

from querylab.rules import antecedents, mentions, named, phrases, salience
from querylab.rules import language as lang
from querylab.rules.salience import Cue, Exchange, is_kind

_MEASURE = f"(?:{lang.alternatives(lang.MEASURES + ' 双 副')})"

PERSON = re.compile(
    rf"(?:(?:(?:新来的|那边的)?(?:这|那|该|此)(?:一)?(?:个|位|名|些|几位)?(?:负责)?"
    rf"(?:人员|人|员工|同事|领导|师傅|先生|女士|工作人员|阿姨|大夫|{lang.alternatives(lang.ROLE_SUFFIXES)}|"
    rf"[\u4e00-\u9fff]{{1,3}}(?:员|师)(?![\u4e00-\u9fff]?[的证]))"
    rf"(?!群|口|数|力|均|民|工|才|家|类|体|生)|(?:新来的)?(?:这|那)(?:一)?位)(?:[他她](?!们))?|"
    rf"[他她](?:本人|老人家|自己|们?俩)|{lang.alternatives(lang.PERSON_PRONOUNS)}|{lang.alternatives(lang.CALLED)})"
)

PLACE = re.compile(
    r"(?:(?:这|那|该|此)(?:个|一)?(?:地方|地点|位置|处)|(?<=[到去在])那(?=[找能有会几怎要多停坐买吃住吗不换取领办问拿排交登订报])|[那这](?:里[面头]?|儿|边|头(?=[\u4e00-\u9fff])|[上下][面头]|(?=附近|旁边|周围|门口|周边))|"
    r"当地|该地|(?:这|那)(?:一)?家(?:店|分店|门店|公司|馆)"
    r"|^里[面头边](?=有|能|可|的|是|允|让|那|这))"
)

TIME = re.compile(
    r"(?:(?:这|那|该)(?:个|一)?(?:时候|时段|时间点|时间|窗口期|时期|期间|阶段|日子|时间段)|"
    r"(?:这|那)(?:一)?段(?:时间|日子|期间)|那时候?|(?:这[几两]|那[几两三四五]|那一)(?:天|周|个月)半?"
    r"|那会儿?|(?:在)?那(?:之|以)[前后]"
    # 「出发那天」 says itself which day it is
    r"|(?<![\u4e00-\u9fff])那天|(?<=[在从到于是就等我他她你们果那])那天|那一(?:天|周|晚|个?月)|当天(?=的)|(?:^|(?<=[，, ]))当[天晚](?!是|就)|当时|届时|到时候?|那个?点儿?(?=[\u4e00-\u9fff])|[那这]阵子?|(?:这|那|该|此)期间|^那个(?:月|周|学期|季度)(?!份)|(?<=的)(?:那|这)(?:一)?个?(?:月|周|年|学期|季度|晚上?)(?![底初中份])|那晚)"
)

_FORMER = re.compile(
    r"前者|前面的(?=话)|前[面头](?:的)?(?:那|这)?(?:一)?(?:个|种|项|样|款|类|张|卷|条|场|份|组|档|家|位)|前一(?:个|种|项|样|款|类|场|条)"
)

_LATTER = re.compile(
    r"后者|后面的(?=话)|后[面头](?:的)?(?:那|这)?(?:一)?(?:个|种|项|样|款|类|张|卷|条|场|份|组|档|家|位)|后一(?:个|种|项|样|款|类|场|条)"
)

_ORDINAL = re.compile(
    r"(?:第(?P<n>[一二三四五六123456])|(?P<first>头一)|(?P<middle>中间)的?[那这]?一?|(?P<last>最后|末)(?:的)?(?:那|一))(?P<m>种|个|条|项|点|类|款|步|样|件|档|家|批|组|张|份|间|门|站|场|班)(?P<head>路|方式|办法|方法|情况|"
    r"条件|规定|选项|方案|途径|渠道)?"
)

_SAYS = "提到|说到|讲到|提及|列出|介绍|回答|说|讲|提|列|写"
_ABOVE = re.compile(
    rf"(?:(?:你|您)?(?:上面|前面|刚才|刚刚|刚|上边|前边|之前|方才|先前|上文|上一条|以上|上头)[所您你]?(?:{_SAYS})[过了]?"
    rf"(?:的|(?=[这那第]))|上述的?|前述的?|^以上(?=[\u4e00-\u9fff]{{2}})|(?:上面|前面|上边|前边|刚才|刚刚)的?(?=第|(?:这|那){_MEASURE}))"
    rf"(?:(?:这|那)(?:一)?{_MEASURE}?)?"
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
    r"卡)|学期|季度|次(?!数)|里|儿|边|样|么|时(?![间段限长])|会儿|天(?!数))|^[这那](?:就|也|不)"
)

_NUMERAL = {letter: index % 6 + 1 for index, letter in enumerate("一二三四五六123456")}


_DONE = re.compile(r"^(?:那)?(?P<verb>[\u4e00-\u9fff]{1,2}?)(?:了|完|好)(?=以后|之后|后|还|就|能|要|会|多|几|怎|不|再)")


def _done_to(exchanges: list[Exchange], text: str) -> str:
    """Say to what a deed was done, when a reply has the verb with an object: 「交了以后退吗」 → 「交了押金条以后退吗」."""
    found = _DONE.match(text)
    for exchange in reversed(exchanges) if found else ():
        for phrase in mentions.noun_phrases(exchange.answer):
            verb = phrase.governor if phrase.is_object else ""
            clause = exchange.answer[max(0, phrase.start - 3) : phrase.start]
            if len(phrase.text) > 1 and (found["verb"] in verb or (verb and found["verb"] in clause)):
                return text[: found.end()] + named.without_figures(phrase.text) + text[found.end() :]
    return text


def _title(exchanges: list[Exchange], text: str) -> str:
    """Give a role its name when the conversation gave one: 「教练本人下水吗」 → 「教练古丽本人下水吗」.

    Limits: one name to a role; a role that a pronoun follows (保管员她) drops the pronoun.
    """
    for each in reversed(exchanges):
        for name in named.names(each.answer):
            called = re.search(
                rf"(?:^|[，,；;。和])([\u4e00-\u9fff]{{2,4}}?)(?:是|为|叫){re.escape(name)}", each.answer
            )
            if called and called.group(1) in text and name not in text:
                return text.replace(called.group(1), called.group(1) + name, 1)
    if short := re.search(
        rf"([{lang.SURNAMES}])({lang.alternatives(lang.ROLE_SUFFIXES)}|[\u4e00-\u9fff]{{1,2}}[师员])", text
    ):
        full = (name for each in reversed(exchanges) for name in named.names(each.answer))
        if (
            (
                name := next(
                    (name for name in full if name[0] == short.group(1) and len(name) < 4 and name not in text), ""
                )
            )
            and not name.endswith(short.group(2))
            and short.group(2) in "".join(each.answer for each in exchanges)
        ):
            return text[: short.start()] + short.group(2) + name + text[short.end() :]
    for role, _ in reversed(named.people(text)):
        known = [name for each in reversed(exchanges) for name, _ in named.people(each.answer)]
        held = [name for name in known if role in name and not name.endswith(role)]
        start = text.find(role)
        if held and not named.names(role) and (not is_kind(role) or role in lang.ROLE_SUFFIXES.split()) and start >= 0:
            rest = text[start + len(role) :]
            return text[:start] + held[0] + (rest[1:] if rest[:1] in ("他", "她") else rest)
    return text


def _quoted(exchanges: list[Exchange], text: str) -> str:
    """Give a noun the name that a reply gave it in quotation marks: after 「“云集”小程序」, 「小程序」 → 云集小程序."""
    for exchange in reversed(exchanges):
        for name, noun in re.findall(r"“([^“”]{2,8})”([\u4e00-\u9fff]{2,4})", exchange.answer):
            word = next((noun[:size] for size in (4, 3, 2) if noun[:size] in text), "")
            if word and name not in text:
                return text.replace(word, name + word, 1)
    return text


def _substitute(text: str, form: re.Pattern[str], new: str) -> str:
    found = form.search(_masked(text))
    return text if not found else text[: found.start()] + new + text[found.end() :]


def _masked(text: str) -> str:
    """Hide titles, so that a pronoun in a title is no pronoun; the length stays."""
    return re.sub(r"《[^》]*》", lambda found: "□" * len(found.group()), text)


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
        two = two or named.cases(exchanges[-1].answer)
        if two:
            text = _substitute(text, form, _as_replied(exchanges, named.without_figures(two[index])))
    return text


def _as_replied(exchanges: list[Exchange], member: str) -> str:
    """Give a member of a pair as the reply writes it out: 「无糖」 of 「分无糖和全糖」 → 无糖奶茶."""
    for clause in re.split(r"[，,；;。\n]", exchanges[-1].answer):
        if not clause.startswith(member):
            continue
        longer = next((unit.text for unit in phrases.units(clause)[:1] if len(unit.text) > len(member)), member)
        for unit in phrases.units(clause):
            if unit.start >= len(longer):
                if unit.kind != "content" or unit.tag[:1] != "n" or unit.start != len(longer):
                    break
                longer += unit.text
        return longer
    return member


def _ordinal(exchanges: list[Exchange], text: str) -> str:
    found = _ORDINAL.search(_masked(text))
    if not found:
        return text
    listed = named.items(exchanges[-1].answer) or list(named.pair(exchanges[-1].answer) or ())
    asked = list(named.pair(exchanges[-1].question) or ())
    if not listed or (asked and "还是" in exchanges[-1].question):
        listed = named.in_a_row(exchanges[-1].answer) or asked or list(named.cases(exchanges[-1].answer) or ())
    number = (
        len(listed)
        if found["last"]
        else (len(listed) + 1) // 2
        if found["middle"]
        else 1
        if found["first"]
        else _NUMERAL[found["n"]]
    )
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
        opens = not start or phrases.MARK.match(text[start - 1])
        if opens and len(after) == 2 and all(other.kind == "content" and other.tag[:1] == "n" for other in after):
            return text  # a name that begins like a pronoun (她力量主题展)
    if found.group() == "本人" and not (
        text[:start].endswith(tuple("请找让由")) and antecedents.somebody_named(exchanges)
    ):
        return text
    if found.group() in lang.CALLED.split() and text[start - 1 : start] in tuple(lang.SURNAMES + "老小大"):
        return text
    if found.group() in lang.CALLED.split() and not antecedents.somebody_named(exchanges):
        return text
    if re.fullmatch(r"(?:那|这)(?:位|个人)", found.group()) and 1 < start < 9:  # 修车那位
        told = antecedents.person_told(exchanges, text[:start].rstrip("的"))
        if told:
            return told + text[end:]
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
    if not found:
        return text
    head = re.search(r"(?:店|公司|馆)$", found.group())
    apposed = next((unit for unit in phrases.units(text) if unit.end == found.start() and phrases.is_owner(unit)), None)
    if apposed and any(apposed.text in exchange.answer for exchange in exchanges):  # 「窗口那边」
        known = [each.text for exchange in exchanges for each in mentions.noun_phrases(exchange.answer)]
        phrase = max((each for each in known if apposed.text in each), key=len, default=apposed.text)
        return text[: apposed.start] + phrase + text[found.end() :]
    if named.places(text[: found.start()]) and text[found.start() - 1] not in "到去在往进":
        return text
    meant = antecedents.places_meant(exchanges, head.group() if head else "")
    if not meant and (found.group()[0] != "这" or len(found.group()) > 2):
        meant = antecedents.things_meant(exchanges, _cue(text, found, ""))
    return put(text[: found.start()], meant, text[found.end() :]) if meant else text


_DEFINED = re.compile(r"[^，,]{1,6}(?:[完好后]的?|的)$")


def _time(exchanges: list[Exchange], text: str) -> str:
    found = TIME.search(_masked(text))
    if not found or named.times(text[: found.start()]):
        return text
    if found.group()[:2] in ("这几", "这两") and not antecedents.has_period(exchanges):
        return text  # these days, by the calendar
    before = [unit for unit in phrases.units(text) if unit.end == found.start()]
    defined = _DEFINED.search(text[: found.start()])
    if before and (defined or (before[0].kind in ("content", "verb") and re.search("时|会儿?$", found.group()))):
        topic = antecedents.topic_meant(exchanges)  # 「封楼那会儿」 says itself which time it means, but not of what
        return text if not topic or topic in text else topic + text
    side = re.search(r"[之以][前后]$", found.group())
    if side:
        event = antecedents.event_before(exchanges) or antecedents.topic_meant(exchanges)
        return text[: found.start()] + event + side.group() + text[found.end() :] if event else text
    moment = antecedents.time_meant(exchanges, found.group())
    return put(text[: found.start()], moment, text[found.end() :]) if moment else text


def _thing(exchanges: list[Exchange], text: str) -> str:
    masked = _masked(text)
    if last := re.search(r"[ ，,吗呢不](这个|那个)[？?]?$", text):  # said after the sentence
        topic = antecedents.topic_meant(exchanges)
        return f"{topic}{text[: last.start(1)].rstrip(' ，,')}" if topic else text
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
        head = _named_before(exchanges, text[found.end() :]) or _head_noun(exchanges, text, found.end())
        head = "" if found.group()[0] == "它" else head
        measure = found.group()[-1]
        letters = {phrase.text[-1] for each in exchanges[-1:] for phrase in mentions.noun_phrases(each.answer)}
        if not head and len(found.group()) == 2 and measure in letters and measure not in "个种些样家":
            found, head = re.compile(found.group()[0]).match(text, found.start()) or found, measure  # 那笔, of a 点餐笔
        after = text[found.end() : found.end() + 1]
        if not head and found.group()[-1] in lang.MEASURES.split() and after in letters and after not in "人的":
            head = after  # 那个管, of a 鼻氧管
        if head in ("东西", "玩意", "事", "事情"):
            found, head = re.compile(re.escape(found.group()) + head).match(text, found.start()) or found, ""
        if not head and found.group()[-1] in "条款" and (article := antecedents.phrase_meant(exchanges, "条款")):
            return text[: found.start()] + article + text[found.end() :]
        phrase = antecedents.phrase_meant(exchanges, head) if head else ""
        if head and phrase == head and not _process(text[found.end() :]):
            phrase = antecedents.with_its_topic(exchanges, head)
        if phrase:
            return text[: found.start()] + phrase + text[found.end() + len(head) :]
        if found.group() in ("这", "该") and head and head not in lang.ATTRIBUTES:
            continue
        if head and phrases.has_topic(head) and not any(head[-1] in each.question for each in exchanges):
            continue  # a new thing, in full
        process = _process(text[found.end() :])
        cue = _cue(text, found, head)
        of_deed = process and not cue.before
        meant = antecedents.topic_meant(exchanges) if of_deed else antecedents.things_meant(exchanges, cue)
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


def _head_noun(exchanges: list[Exchange], text: str, start: int) -> str:
    """Read the noun that a demonstrative stands before: one to three noun words."""
    out = ""
    found = phrases.units(text)
    for index, unit in enumerate(found):
        single = index + 1 < len(found) and found[index + 1].kind == "content" and len(found[index + 1].text) == 1
        single = single and found[index + 1].tag[:1] not in "advm"
        if (
            unit.start == start
            and unit.tag in ("v", "vn")
            and len(unit.text) > 1
            and unit.kind == "content"
            and not single
        ):
            return unit.text if any(unit.text in each.question for each in exchanges) else ""
        if unit.start == start and unit.kind == "content" and unit.tag == "v" and single:
            return unit.text + found[index + 1].text  # 附加 + 险: a verb and one character make a noun
        if unit.start < start:
            if unit.end > start and unit.kind != "joint" and len(unit.text[start - unit.start :]) > 0:
                out += unit.text[start - unit.start :]
            continue
        if unit.kind in ("question", "joint", "mark", "number") or (unit.kind == "verb" and not out):
            break
        if unit.kind == "verb" or (
            unit.kind != "attribute" and not re.match(r"n|s|j|l|i|b|a|vn|eng|z|(?:q|g)$", unit.tag)
        ):
            break
        if out and unit.tag[:1] in "sft":
            break
        if unit.tag in ("a", "an") and (index + 1 == len(found) or found[index + 1].tag[:1] not in "nq"):
            break
        out += unit.text
        if len(out) >= 6:
            break
    return out


def _process(rest: str) -> bool:
    """Say whether what follows a reference names a procedure (「这个审核要多久」), so that the verb matters."""
    found = phrases.units(rest)
    return bool(found) and found[0].kind == "verb" and len(found[0].text) >= 2


def _cue(text: str, reference: re.Match[str], head: str) -> Cue:
    """Read what the sentence says of a reference: its noun and measure word, the verb before it, the letters of all."""
    verbs = [unit for unit in phrases.units(text) if unit.kind == "verb" or unit.tag == "v"]
    ahead = text[: reference.start()].rstrip("了过完")
    before = next((unit.text for unit in verbs if unit.end == len(ahead)), ahead if len(ahead) == 1 else "")
    plural = reference.group() == "它们" or reference.group()[-1] == "些" or text[reference.end() :][:1] in ("俩", "两")
    return Cue(head, "", before, "".join(unit.text for unit in verbs), reference.group()[-1], plural)


_POINTER = rf"(?:那|这)(?:一)?(?:几)?(?:{lang.alternatives(lang.MEASURES.replace('位 名 ', '') + ' 双 副 档 瓶 盒 袋 杯 包 罐 桶 箱 颗 根 棵 架 排 组 对 班 站 级')})"
_DEED = re.compile(
    rf"^(?P<deed>[^，,这那]{{1,10}}?)(?:的?{_POINTER}(?![人月周年])|的(?=能|可以|要|会|有|多|几|怎|在|是|还|贵|收|啥|什|谁|哪|到|不|给|让))|"
    rf"{_POINTER}(?P<post>[^，, 的]{{1,8}})的(?P<noun>[\u4e00-\u9fff]{{2,4}}?(?=怎么|如何|在|要|能|可以|多少|几|是|叫))?"
)
_LEAD_IN = re.compile(
    r"^(?:(?:那算了|算了|行吧|好吧|好|行|嗯|哦|噢|喔|明白了?|懂了|对了|ok|OK)[，,。 ]*)*那?"
    r"(?:(?:再?(?:回到|说回|说说)|再说|关于|话说)?(?:刚才|刚刚|最开始|一开始|最早|之前)?(?:说|提到|讲|问)?的?"
    rf"(?={_POINTER})|(?=[^，, ]{{1,6}}的{_POINTER}))"
)
_SAID = re.compile(
    r"^(?:再说回|说回|再说|回到|上面|前面|后面|刚才|刚刚|之前|另外|对了|你说|就是|说到|关于|最开始)+(?:说|提到|讲)?的?"
)


def _by_deed(exchanges: list[Exchange], text: str) -> str:
    """Resolve what is told by what was said of it: after 「急件只能当面交」, 「只能当面交的那种收费吗」 → 急件收费吗.

    Limits: the words of the description must be in the conversation; a verb before 那个 is no description (填那个).
    """
    found = _DEED.search(text)
    if not found or not exchanges:
        return text
    deed = _SAID.sub("", found["deed"] or found["post"] or "")
    own = phrases.units(found["deed"] or found["post"])
    if (
        any(unit.kind == "question" for unit in own)
        or not deed
        or (found["deed"] and not _describes(exchanges, text, found, own))
    ):
        return text
    said = "".join(exchange.question + exchange.answer for exchange in exchanges)
    if _in_common(deed, said) * 2 < len(deed) and not salience.compares(deed):
        return text
    head = (
        _head_noun(exchanges, text, found.end())
        if found["deed"] and text[found.end() - 1] != "的"
        else found["noun"] or ""
    )
    if found["deed"] and text[found.end() - 1] == "的" and len(found["deed"]) > 4:
        return text
    head = head if head in said or head in lang.ATTRIBUTES else (head if head and head[-1] in said else "")
    measure = text[found.end() - 1] if found["deed"] else ""
    meant = salience.chosen_thing(exchanges, Cue(head, deed, verbs=deed, measure=measure))
    size = len(head) if found["deed"] and head and meant else 0
    if size and own[-1].tag[:1] == "n" and not any(letter in meant for letter in deed):
        meant = deed + head  # 粤语那个班
    return put(text[: found.start()], meant, text[found.end() + size :]) if len(meant) >= 2 else text


def _describes(exchanges: list[Exchange], text: str, found: re.Match[str], own: tuple[phrases.Unit, ...]) -> bool:
    """Say whether what stands before 那个 describes it: it ends in 的, or in no verb (有货那款, but not 填那个)."""
    end = found.end("deed")
    modal = own[0].text in ("能", "可以", "会", "要", "不", "没", "没有", "有")
    modal = modal or (len(found["deed"]) > 1 and found["deed"] in exchanges[-1].question + exchanges[-1].answer)
    return (
        text[end : end + 1] == "的" or modal or (own[-1].tag[:1] in "nafs" and own[-1].kind in ("content", "attribute"))
    )


def _in_common(deed: str, clause: str) -> int:
    return sum(letter in clause for letter in deed)


def pointing(exchanges: list[Exchange], text: str) -> str:
    """Write 那证明, 刚才那茶 as 那个证明, 那个茶 when the conversation has a longer name that ends so; a lead-in goes.

    Limits: 「那年卡能退吗」 is read as pointing when a card was named in full. Example: after 「交押金条」, 「那条子丢了」.
    """
    if bare := re.match(
        rf"(?P<lead>.{{0,12}}?(?P<when>最开始|一开始|最早|刚才|刚刚|之前|前面))(?:说|提到|讲|问)?的?{_POINTER}(?=[ ，,])",
        text,
    ):
        pool = exchanges[:1] if bare["when"] in ("最开始", "一开始", "最早") else exchanges[:-1] or exchanges
        meant = antecedents.topic_meant(pool) if pool else ""
        return meant + text[bare.end() :].lstrip(" ，,") if meant else text
    if back := re.match(
        r"(?:再?(?:回到|说回|问回|说|问))(?P<what>[\u4e00-\u9fff]{2,5}?)(?:那事|的事|那块|这块)?[ ，,]", text
    ):
        said = next((each for each in exchanges if back["what"] in each.question + each.answer), None)
        if said:
            topic = antecedents.topic_meant([said])
            return (topic if back["what"] in topic else topic + back["what"]) + text[back.end() :]
    text = _LEAD_IN.sub("", text)
    if text.rstrip("？?").endswith("呢"):
        return (
            in_full(exchanges, re.sub(r"^那(?=[\u4e00-\u9fff]{3})", "", text))
            if text[:1] == "那" and len(text) > 4
            else text
        )
    if (amount := re.search(r"[那这](\d+(?:\.\d+)?)(?:块钱?|元)?", text)) and not text[amount.end() :].startswith(
        tuple("个天月年")
    ):
        for each in reversed(exchanges):
            paid = next(
                (p for p in mentions.noun_phrases(each.answer) if each.answer[p.end :].startswith(amount.group(1))),
                None,
            )
            priced = paid or next(
                (p for p in mentions.noun_phrases(each.answer) if amount.group(1) in each.answer[p.end :][:6]), None
            )
            if priced:
                return text[: amount.start()] + priced.text + text[amount.end() :]
    text = re.sub(r"^对了(?=[\u4e00-\u9fff])(?![吗没几多])", "", text)
    for found in re.finditer(
        r"(?:^|(?<=刚才)|(?<=刚刚)|(?<=之前)|(?<=前面)|(?<=[，, 从到在去往]))[那这](?=[\u4e00-\u9fff])", text
    ):
        word = next((unit for unit in phrases.units(text[found.end() :])), None)
        if word is None or (word.kind not in ("content", "attribute") and len(word.text) > 1):
            continue
        if word.tag[:1] not in "nzgqjvs" and len(word.text) > 1:
            continue
        stem = word.text[:-1] if word.text[-1] in "子上里内边旁头" and len(word.text) > 1 else word.text
        names = (
            phrase.text for each in exchanges for phrase in mentions.noun_phrases(f"{each.answer}\n{each.question}")
        )
        names = [*names, *(name for each in exchanges for name in re.findall("“([^“”]{2,8})”", each.answer))]
        ends = (stem, word.text, word.text[0]) if len(word.text) == 2 else (stem,)
        if any(len(name) > len(stem) and name.strip("“”《》").endswith(ends) for name in names):
            return text[: found.end()] + "个" + text[found.end() :]
    return text


def in_full(exchanges: list[Exchange], text: str) -> str:
    """Give a short noun at the beginning its full name in the last reply: 「桶自己倒吗」 → 「暖脚桶自己倒吗」."""
    first = phrases.units(text)[0]
    stem = first.text[:-1] if len(first.text) > 1 and first.text[-1] in "子上里内边旁" else first.text
    if not exchanges or len(first.text) > 2 or first.kind not in ("content", "attribute") or len(text) > 12:
        return text
    if first.tag[:1] not in "nsqzgva":
        return text
    for phrase in mentions.noun_phrases(exchanges[-1].answer):
        if first.text in lang.ATTRIBUTES and phrase.text[0] != "《":
            continue
        bare = phrase.text.strip("“”《》")
        if bare.endswith(stem) and len(bare) > len(stem) and (first.tag[:1] != "v" or len(stem) == 1):
            return named.without_figures(bare) + text[len(stem) :]
    return text


def points_back(text: str) -> bool:
    """Say whether a text still points at something with a measure word (那份, 这种), or at a noun in mid-sentence."""
    found = re.search(rf"(?:[那这](?:一)?{_MEASURE}|(?<=[的，, ])那)(?=[\u4e00-\u9fff])", text)
    return bool(found) and len(text) < 16 and not _DEICTIC.match(text[found.start() :])


def resolve_references(exchanges: list[Exchange], text: str) -> str:
    """Replace every kind of reference once, in a fixed order.

    Limits: a pronoun after its own antecedent in the same sentence is left alone. Example: after 「由车队队长管」,
    「他几点下班」 → 「车队队长几点下班」.
    """
    for rule in (_former_latter, _above, _ordinal, _by_deed, _done_to, _title, _person, _place, _time, _thing, _quoted):
        text = rule(exchanges, text)
    return text
