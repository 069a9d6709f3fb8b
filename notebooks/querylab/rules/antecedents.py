"""Antecedents: what a reference can stand for, found in the conversation.

In: the conversation as resolved exchanges, oldest first. Out: a phrase (the people, the thing, the places, the topic
meant), or nothing. What is meant is read from the last question first: who was asked for, what was left open, what it
was about; the reply then gives the name. Figures of a reply stay behind.
"""

import itertools
import re

from querylab.rules import language as lang
from querylab.rules import mentions, named, phrases, salience
from querylab.rules.salience import Cue, Exchange, is_kind

_ADDRESS = lang.lexicon("老师 师傅 先生 女士 领导 同事 人员 员工 负责人 工作人员 阿姨 大夫")


def people_meant(exchanges: list[Exchange], reference: str) -> str:
    """Choose whom a reference means.

    Rule: who bears the title of the reference (那位教练); else people after 由/找/… in the last reply, else any there,
    else those of the questions; two that are named side by side both count, unless what was said since picks one.
    Limits: who does what is not understood. Example: 「由领队或船长签字」, 他 → 领队和船长.
    """
    head = re.search(r"[\u4e00-\u9fff]{2}$", reference.rstrip("他她"))
    if re.search(r"[俩两]", reference):
        for exchange in reversed(exchanges):
            for phrase in mentions.noun_phrases(exchange.answer):
                if re.search(r"[两二俩][名个位]$", exchange.answer[: phrase.start]):
                    return phrase.text
    if head and head.group() not in _ADDRESS and head.group()[-1] not in "位个们":
        for exchange in reversed(exchanges):
            found = named.people(exchange.answer) + named.people(exchange.question)
            fitting = [name for name, _ in found if head.group() in name]
            if fitting:
                return next((name for name in fitting if _holds_name(name, exchange)), fitting[0])
    for kinds in (False, True):
        for index in range(len(exchanges) - 1, -1, -1):
            exchange = exchanges[index]
            asked = [name for name, _ in named.people(exchange.question) if is_kind(name) is kinds]
            answered = [(name, agent) for name, agent in named.people(exchange.answer) if is_kind(name) is kinds]
            marked = [name for name, is_agent in answered if is_agent]
            by_name = [name for name, _ in answered if _holds_name(name, exchange)]
            others = [name for name, _ in answered if name not in asked]
            wants_person = bool(_ASKS_WHO.search(exchange.question))
            if by_name and not any(named.names(name) for name in asked):
                choices = (marked if any(name in by_name for name in marked) else []) or by_name
            else:
                choices = marked or others if wants_person or not asked else asked
            choices = _agreeing(choices or asked, reference, exchange.answer)
            role = re.search(
                r"(?:哪[个位]|谁是)([\u4e00-\u9fff]{2,4}?)(?=[是在把会给先拍管来去负]|$)", exchange.question
            )
            choices = [name for name in choices if role and role.group(1) in name] or choices
            if not kinds and reference in ("他们", "她们"):
                choices = list(dict.fromkeys(choices + others + list(named.organisations(exchange.answer))))
            if not choices and not kinds and wants_person:
                choices = named.agents(exchange.answer) or list(named.organisations(exchange.answer))
            since = "，".join(other.question for other in exchanges[index + 1 :])
            choices = _picked(choices, exchange.answer, since)
            if choices:
                return "和".join(_short(choices[:1] if kinds else choices))
    return ""


_ASKS_WHO = re.compile(r"谁|哪位|什么人|何人|哪个|叫啥|叫什么|[两几哪]个")


def person_told(exchanges: list[Exchange], described: str) -> str:
    """Find the person in whose clause of a reply a description stands: 「修车那位」; empty when none does."""
    letters = [letter for letter in described if letter not in "的了是在会教做"]
    for exchange in reversed(exchanges):
        for clause in re.split(r"[，,；;。]", exchange.answer):
            people = [name for name, _ in named.people(clause)]
            if people and letters and sum(letter in clause for letter in letters) * 3 > len(letters) * 2:
                return next((name for name in people if _holds_name(name, exchange)), people[0])
    return ""


def _holds_name(person: str, exchange: Exchange) -> bool:
    return any(name in person for name in named.names(exchange.answer))


def somebody_named(exchanges: list[Exchange]) -> bool:
    """Say whether the conversation names a person or a role."""
    return any(not is_kind(name) for exchange in exchanges for name, _ in named.people(exchange.answer))


def _agreeing(names: list[str], reference: str, answer: str) -> list[str]:
    """Keep those whose title agrees with 他 or 她 (女士, 先生, …) when any title says so."""
    women, men = re.compile(r"女士|小姐|太太|阿姨|大姐|[姐婶妈]$"), re.compile(r"先生|大爷|大叔|[哥叔爷伯]$")
    mine, others = (women, men) if "她" in reference else (men, women)
    if reference not in ("他", "她"):
        return names
    full = {}
    for name in names:
        short = next(iter(named.names(name)), name)
        full[name] = name + answer[answer.find(short) + len(short) :][:2] if short in answer else name
    return [name for name in names if mine.search(full[name])] or [
        name for name in names if not others.search(full[name])
    ]


def _picked(names: list[str], answer: str, since: str) -> list[str]:
    """Keep those in whose clause of the reply stands a word that was said since (甲部是某某; 「我是甲部的」)."""
    clauses = re.split(r"[，,；;。\n]", answer)
    said = {unit.text for unit in phrases.units(since) if unit.kind == "content" and len(unit.text) > 1}
    kept = [
        name
        for name in names
        for short in [next(iter(named.names(name)), name)]
        if any(short in clause and any(word in clause.replace(short, "") for word in said) for clause in clauses)
    ]
    return kept or names


def _short(names: list[str]) -> list[str]:
    kept = [name for name in names if not any(name != other and name in other for other in names)]
    return [named.without_figures(name) for name in kept][:3]


_IS_PLACE = re.compile(
    rf"(?:{lang.alternatives(lang.PLACE_SUFFIXES)}|[店处点所房库院场部区台科站棚亭池堂阁殿寺庙塔村镇岛山坡湖湾滩港桥坪园苑城厦舍廊屋馆厅])$"
)


def places_meant(exchanges: list[Exchange], head: str = "") -> str:
    """Choose which place a reference means.

    Rule: in the latest reply that names places, the one that there is (有…) when that was asked, else the first after
    在/到/去, else the first; those that stand parallel to it count as well. A noun in the reference (那家店) filters.
    Limits: floors and numbers of houses are left out. Example: 「甲区在东楼，乙区在西楼」, 那里 → 东楼和西楼.
    """
    spare = ""
    for exchange in reversed(exchanges):
        two = [side for side in named.coordinated(exchange.answer) if _IS_PLACE.search(side)]
        if len(two) == 2 and not head and re.search(r"哪", exchange.question):
            return "和".join(two)
        several = named.subjects(exchange.answer)
        if named.pair(exchange.question) and len(several) > 1:
            return "和".join(several)
        found = mentions.noun_phrases(exchange.answer)
        if called := re.search(r"叫“([^“”]{2,8})”", exchange.answer):
            return called.group(1)
        spots = [
            phrase for phrase in found if _IS_PLACE.search(phrase.text.strip("“”")) and phrase.text not in lang.SCOPES
        ]
        verbs = [
            unit.text
            for unit in phrases.units(exchange.question)
            if unit.kind == "verb" or (unit.tag == "v" and unit.kind != "joint")
        ]
        clauses = re.split(r"[，,；;。]", exchange.answer)
        asked_of = [clause for clause in clauses if any(verb in clause for verb in verbs)]
        named_spots = named.places(exchange.answer)
        named_spots.sort(key=lambda spot: not any(spot in clause for clause in asked_of))
        if head:
            fitting = [spot for spot in named_spots + [spot.text for spot in spots] if spot.endswith(head)]
            fitting = fitting or named.ending_in(head, exchange.question)
            if fitting:
                return named.place_name(fitting[0])
            continue
        there_is = [spot for spot in spots if spot.governor in ("有", "设有", "设") and spot.clause == spots[0].clause]
        if there_is and re.search(r"有[^，,]*(?:地方|吗|没有)|有没有", exchange.question):
            return "和".join(spot.text for spot in mentions.with_parallels(found, there_is[0]))
        sides = [
            named.places(side) for side in re.split(r"[，,；;]", exchange.answer) if re.match(r"[^在]{1,8}在", side)
        ]
        if len(sides) > 1 and sides[0] and sides[1]:
            return f"{sides[0][0]}和{sides[1][0]}"
        chosen = named_spots[0] if named_spots else spots[0].text if spots else ""
        if floor := re.match(rf"在?({lang.NUMBER}[层楼][^，,。；;]{{0,6}})[，,。；;]", exchange.answer):
            return floor.group(1)
        if not chosen:
            given = mentions.objects(exchange.answer, exchange.question) if "哪" in exchange.question else []
            goals = [phrase.text for phrase in found if phrase.is_goal] + [phrase.text for phrase in given]
            spare = spare or next((goal for goal in goals if not named.times(goal) and phrases.has_topic(goal)), "")
            chosen = spare if "哪" in exchange.question else ""
        if not chosen:
            continue
        inner = re.search(rf"{re.escape(chosen)}[\u4e00-\u9fff]{{0,3}}的(?=[\u4e00-\u9fff])", exchange.answer)
        within = next((each for each in found if inner and each.start == inner.end()), None)
        if within and within.text not in chosen:
            return f"{named.place_name(chosen)}{named.place_name(within.text)}"
        phrase = next((spot for spot in spots if spot.text in chosen or chosen in spot.text), None)
        chosen = phrase.text if phrase and chosen in phrase.text else chosen
        mates = [mate for mate in mentions.with_parallels(found, phrase) if mate in spots] if phrase else []
        if len(mates) > 1:
            return "和".join(mate.text for mate in mates)
        there = next((each for each in found if each.after == "在" and each.text not in exchange.question), None)
        what = there.text if there and len(there.text) > 3 and exchange.answer.find(chosen) > there.start else ""
        return what + named.place_name(chosen)
    return spare


ASKS_WHEN = re.compile(
    r"[什啥]么?时候|几时|哪会儿|什么时间|何时|哪几?天|几点|几号|几月|多久|多长|怎么安排|开不开|哪[一个]*[周月年]"
)
_EVENT = re.compile(
    r"([\u4e00-\u9fff]{2,8}?)(?:之后|以后|后|之前|以前|前)(?=第|可|才|再|方|就|即|，|,|\d|[一二三四五六七八九十两几]|不|须|要|需)"
)
_CLOCK = re.compile(r"(?:上午|下午|晚上|中午|早上|凌晨)?\d{1,2}[点:：时]\d*分?")


def event_before(exchanges: list[Exchange]) -> str:
    """Give the event from which a reply counts (「拆线后第3天」 → 拆线); empty when there is none."""
    found = (_EVENT.search(exchange.answer) for exchange in reversed(exchanges))
    return next((hit.group(1) for hit in found if hit), "")


def _event_asked(question: str) -> str:
    """Give what a question asks the time of, with its verb: 「泳池几号清洗」 → 泳池清洗; empty when it asks no time."""
    if not ASKS_WHEN.search(question):
        return ""
    clause = next(part for part in re.split(r"[，,。；;？?！!]", question) if ASKS_WHEN.search(part))
    kept = [unit for unit in phrases.units(clause) if unit.kind in ("content", "attribute", "verb") and unit.tag != "d"]
    event = phrases.joined(kept)
    return event if phrases.has_topic(event) else phrases.topic(question)


def has_period(exchanges: list[Exchange]) -> bool:
    """Say whether the last exchange speaks of certain days: a when-question, or a reply with a period."""
    last = exchanges[-1:] and exchanges[-1]
    return bool(last) and bool(ASKS_WHEN.search(last.question) or re.search(r"\d[日号]?[至到—~-]\d", last.answer))


def time_meant(exchanges: list[Exchange], reference: str) -> str:
    """Choose the time that a reference means: what was asked for the time of, with its date.

    Rule: the date or period in the latest reply that has one, else in its question; a period for 段/几天, and the noun
    of the reference (时段) filters. When the question asked when, its topic goes in front (盘点每月5日); a clock time is
    a figure of the reply and stays behind. Limits: two dates in one reply: the first. Example: 「盘点几号」, 「盘点安排在
    每月5日」, 那天 → 盘点每月5日.
    """
    for exchange in reversed(exchanges):
        during = re.search(r"([^，,；;。]{2,})[，,；;]期间", exchange.answer)
        if during and (doing := re.sub(r"^.*[\d点日号时分为是]", "", during.group(1))) and phrases.has_topic(doing):
            return doing + "期间"
        event = _event_asked(exchange.question) or topic_meant([exchange])
        for source in (exchange.answer, exchange.question):
            moments = named.times(source)
            head = re.search(r"(?:时段|期间)$", reference)
            if fitting := [moment for moment in moments if head and moment.endswith(head.group())]:
                return fitting[0]
            if re.search("段|几", reference):
                fitting = [moment for moment in moments if re.search("[至到—~]", moment)]
            for moment in (fitting or moments)[:1]:
                date = _CLOCK.sub("", moment).strip("至到—~-")
                if event and (not date or date in event):
                    return event + ("" if event.endswith("期间") else "期间")
                return date if not event or event in date else event + date
        if event and ASKS_WHEN.search(exchange.question):
            return event + "期间"
    topic = topic_meant(exchanges)
    return topic + "期间" if topic else ""


_ARTICLE = re.compile(
    rf"(?:《[^》]+》|[\u4e00-\u9fff]{{0,6}}(?:{lang.alternatives(lang.DOCUMENT_SUFFIXES + ' 保单')}))第{lang.NUMBER}[条款章]"
)


def phrase_meant(exchanges: list[Exchange], head: str) -> str:
    """Find the phrase that a demonstrative with its noun points back to.

    Rule: a 《title》 or an article of one for a document, a unit for 部门, else the longest phrase that ends in the noun,
    else the bare noun with the subject of its clause. Limits: no synonyms. Example: 这艘船 → 夜钓船.
    """
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
    for exchange in reversed(exchanges):
        if found := [title for title in named.titles(exchange.answer) if title.rstrip("》").endswith(stem)]:
            return found[0]
    if documents or stem in ("一条", "条款", "条"):
        for exchange in reversed(exchanges):
            if article := _ARTICLE.search(exchange.answer):
                return article.group()
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
                longer = [each for each in _in_whole(noun, source) if len(each) > len(noun) and "哪" not in each]
                newer = (
                    []
                    if source == exchange.answer or wanted
                    else [
                        phrase.text
                        for phrase in mentions.noun_phrases(exchange.answer)
                        if (bare := phrase.text.strip("“”《》"))[-1] == noun[-1] and bare not in exchange.question
                    ]
                )
                if longer and newer:
                    return longer[0] + re.sub("[“”「」]", "", named.without_figures(newer[0]))
                if longer:
                    rest = stem[len(noun) :] if stem.startswith(noun) else ""
                    return "和".join(longer[: 3 if wanted else 1]) + rest
    return with_its_topic(exchanges, head) or salience.chosen_thing(exchanges, Cue(head=head))


def _in_whole(noun: str, source: str) -> list[str]:
    """List the phrases that end in a noun; a verb at their beginning goes when it is the predicate (再｜拨打｜热线)."""
    inner = [phrase.text for phrase in mentions.noun_phrases(source) if phrase.text.endswith(noun)]
    out = []
    for phrase in named.ending_in(noun, source):
        before = source[: max(source.find(phrase), 0)]
        shorter = next((each for each in inner if phrase.endswith(each) and len(noun) < len(each) < len(phrase)), "")
        predicate = not before or before[-1] in "，,；;。再先请可需要须会能即\n"
        whole = re.search(rf"“([^“”]*{re.escape(phrase)})”", source)
        fuller = whole.group(1) if whole else next((each for each in inner if each.endswith(phrase)), phrase)
        out.append(shorter if shorter and predicate else fuller)
        numbered = re.search(r"[一二三四五六七八九十]号$", source[: max(source.find(out[-1]), 0)])
        out[-1] = (numbered.group() if numbered else "") + out[-1]
    out = out or inner
    return list(dict.fromkeys(named.place_name(re.sub("[“”「」]", "", phrase)) for phrase in out))


def with_its_topic(exchanges: list[Exchange], head: str) -> str:
    """Say of what a noun is that a reply names without saying: 「工本费」 after 「补卡要什么」 → 补卡工本费."""
    for exchange in reversed(exchanges):
        if head in exchange.answer:
            subject = phrases.topic(exchange.question)
            shared = len(set(subject) & set(head)) > 1
            return "" if not subject or shared else subject + ("的" if subject[-1:] != "的" else "") + head
    return ""


def _asks_which(question: str, noun: str) -> bool:
    return bool(re.search(rf"(?:哪|什么|几)[^，,]{{0,3}}{re.escape(noun[-1])}", question)) or "哪几" in question


_ASKS_DOCUMENT = re.compile(
    r"(?:什么|哪一?[个份项部条])[^，]{0,3}(?:标准|规定|制度|文件|办法|规范|规程|表|单|函|材料|"
    r"合同|协议|手续)"
)


_OPEN = re.compile(r"哪些|哪几|还是|(?:要|可以|需要|能|得|该)[^，,]{0,4}(?:什么|啥)")


_PLURAL = re.compile(r"哪些|哪几|有没有什么|有什么|有哪|[两三四几]\s*[个件种台套项款张]|分别|都")


def things_meant(exchanges: list[Exchange], cue: Cue) -> str:
    """Choose what 它/这个 means.

    Rule: the titles or the two things that a reply gives to a question which left them open (要带哪些), the parallel
    things of a reply to a question about several, else the most salient thing, else the topic. Limits: three or more
    fall back to one. Example: 「上船要带什么」, 「带救生衣和哨子」 → 救生衣和哨子.
    """
    last = last_topical(exchanges) or exchanges[-1]
    if _ASKS_DOCUMENT.search(last.question) and (found := named.titles(last.answer)):
        return "和".join(found)
    if answered := _answered(last):
        return answered
    if not cue.head and _OPEN.search(last.question) and (found := named.coordinated(last.answer)):
        return "和".join(found)
    if _PLURAL.search(last.question) or named.pair(last.question):
        several = named.subjects(last.answer)
        given = mentions.objects(last.answer, last.question)
        each = {phrase.clause: phrase.text for phrase in given if phrase.governor not in ("有", "、")}
        several = several if len(several) > 1 else [*each.values()][:2]
        if len(several) > 1:
            return "和".join(several)
        if named.pair(last.question):
            return topic_meant(exchanges)
    return ("" if cue.head else salience.chosen_thing(exchanges, cue)) or topic_meant(exchanges)


def _answered(exchange: Exchange) -> str:
    """Give the one of two that a reply decides for: 「甲和乙用哪个」, 「建议甲」 → 甲; empty when it does not decide."""
    two = named.pair(exchange.question)
    if not two or not re.search(r"哪|还是|该", exchange.question):
        return ""
    first = re.split(r"[，,；;。]", exchange.answer)[0]
    kept = [side for side in two if side[-3:] in first]
    return kept[0] if len(kept) == 1 and re.search(r"建议|推荐|适合|选|更|用|最好", first) else ""


def topic_meant(exchanges: list[Exchange]) -> str:
    """Give what the conversation is about.

    Rule: a quoted name with which a reply says that there is such a thing; else the topic of the latest question that
    names one; empty when none does. Limits: a thing named without quotation marks in a reply is not seen.
    Example: 「有没有夜钓的船」, 「有“星河号”，周五开」 → 星河号.
    """
    quoted = re.match(r"(?:有|有的|可以)[，,：:]?[^，,“]{0,6}“([^”]{2,12})”", exchanges[-1].answer)
    if quoted and re.search(r"有没有|有[^，,]*[吗么]", exchanges[-1].question):
        return quoted.group(1)
    for exchange in reversed(exchanges):
        subject = phrases.topic(exchange.question) if not lang.is_english(exchange.question) else ""
        subject = _EACH.sub("", subject)
        if subject and (phrases.has_topic(subject) or _deed_and_attribute(subject)):
            return subject
    return next((subject for exchange in reversed(exchanges) if (subject := phrases.topic(exchange.question))), "")


_EACH = re.compile(r"(?<=[\u4e00-\u9fff]{3})[一每](?:天|晚|人|次|个?月|年|小时|趟)$")


def _deed_and_attribute(subject: str) -> bool:
    """Say whether a deed and what belongs to it name a thing together: 出差补贴, 租借押金."""
    kinds = [(unit.kind, len(unit.text)) for unit in phrases.units(subject)]
    return any(
        one in (("verb", 2), ("content", 2)) and other[0] == "attribute" for one, other in itertools.pairwise(kinds)
    )


def last_topical(exchanges: list[Exchange]) -> Exchange | None:
    """Give the latest exchange whose question is about something."""
    usable = [exchange for exchange in exchanges if exchange.question and not lang.is_english(exchange.question)]
    return next((exchange for exchange in reversed(usable) if phrases.topic(exchange.question)), None)
