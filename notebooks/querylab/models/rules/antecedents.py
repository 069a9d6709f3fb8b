"""Antecedents: what a reference can stand for, found in the conversation.

In: the conversation as resolved exchanges, oldest first. Out: a phrase (the people, the thing, the places, the topic
meant), or nothing. What is meant is read from the last question first: who was asked for, what was left open, what it
was about; the reply then gives the name. Figures of a reply stay behind.
"""

import re
from dataclasses import dataclass

from querylab.models.rules import language as lang
from querylab.models.rules import named, phrases


@dataclass(frozen=True)
class Exchange:
    """One question of the conversation, resolved, and the reply to it."""

    question: str
    answer: str


def people_meant(exchanges: list[Exchange], reference: str) -> str:
    """Choose whom a reference means.

    Rule: people after 由/找/… in the last reply, else any there, else those of the questions; a title in the reference
    (那位教练) picks among them; two that are named side by side both count.
    Limits: who does what is not understood. Example: 「由领队或船长签字」, 他 → 领队和船长.
    """
    for kinds in (False, True):
        for exchange in reversed(exchanges):
            asked = [name for name, _ in named.people(exchange.question) if _is_kind(name) is kinds]
            answered = [(name, agent) for name, agent in named.people(exchange.answer) if _is_kind(name) is kinds]
            marked = [name for name, is_agent in answered if is_agent]
            by_name = [name for name, _ in answered if named.names(name)]
            others = [name for name, _ in answered if name not in asked]
            wants_person = bool(re.search(r"谁|哪位|什么人|何人|哪个人", exchange.question))
            if by_name and not any(named.names(name) for name in asked):
                choices = (marked if any(name in by_name for name in marked) else []) or by_name
            else:
                choices = marked or others if wants_person or not asked else asked
            choices = choices or asked
            if not kinds and reference in ("他们", "她们"):
                choices = list(dict.fromkeys(choices + others + list(named.organisations(exchange.answer))))
            if not choices and not kinds and wants_person:
                choices = named.agents(exchange.answer) or list(named.organisations(exchange.answer))
            head = re.search(r"[\u4e00-\u9fff]{2}$", reference)
            fitting = [name for name in (marked + others) if head and head.group() in name]
            choices = fitting[:1] if fitting and head and head.group()[-1] in "员师生士傅练" else choices
            choices = [_in_full(name, exchanges) for name in choices]
            if choices:
                return "和".join(_short(choices[:1] if kinds else choices))
    return ""


def _in_full(name: str, exchanges: list[Exchange]) -> str:
    """Give 「安主任」 the full name that a reply gives (主任安岚); any other name stays."""
    if len(name) < 3 or name[0] not in lang.SURNAMES or name[1:] not in lang.ROLE_SUFFIXES.split():
        return name
    full = [
        other
        for exchange in reversed(exchanges)
        for other, _ in named.people(exchange.answer)
        for known in named.names(other)
        if known[0] == name[0] and not known.endswith(name[1:])
    ]
    return next(iter(full), name)


def _is_kind(name: str) -> bool:
    """Say whether a name is a kind of people (读者, 岁以上老人) and no role."""
    kind = name.endswith(tuple(lang.PERSON_KINDS.split())) and not name.endswith(tuple(lang.ROLE_SUFFIXES.split()))
    return name in lang.PERSON_KINDS.split() or (kind and not named.names(name))


def _short(names: list[str]) -> list[str]:
    kept = [name for name in names if not any(name != other and name in other for other in names)]
    return [named.without_figures(name) for name in kept][:3]


_IS_PLACE = re.compile(rf"(?:{lang.alternatives(lang.PLACE_SUFFIXES)}|[店处点所房库院场部区台科站棚亭池])$")


def several_places(exchange: Exchange) -> list[str]:
    """List two places that a reply gives side by side: 「可到甲处或乙处」, 「东区在甲楼，西区在乙楼」."""
    two = [side for side in named.coordinated(exchange.answer) if _IS_PLACE.search(side)]
    if len(two) == 2 and re.search(r"哪", exchange.question):
        return two
    sides = re.split(r"[，,；;]", exchange.answer)
    spots = [named.places(side) if re.match(r"[^在]{1,8}在", side) else [] for side in sides[:2]]
    return [side[0] for side in spots] if len(spots) == 2 and all(spots) else []


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
                longer = [
                    phrase
                    for found in named.ending_in(noun, source)
                    if len(phrase := named.without_figures(found).strip("“”「」")) > len(noun) and "哪" not in phrase
                ]
                if not longer and source == exchange.answer and noun == stem and (owner := _owner_in(source, noun)):
                    return owner + noun
                if longer:
                    rest = stem[len(noun) :] if stem.startswith(noun) else ""
                    return "和".join(longer[: 3 if wanted else 1]) + rest
    return ""


def _owner_in(answer: str, noun: str) -> str:
    """Give the subject of the clause of a reply that says a bare noun: 「雪灾可用补充险投保」, 补充险 → 雪灾."""
    clause = next((part for part in re.split(r"[，,；;。：:\n]", answer) if noun in part[1:]), "")
    subject = named.clause_subject(clause)
    return subject if len(subject) >= 2 and noun not in subject else ""


def _asks_which(question: str, noun: str) -> bool:
    return bool(re.search(rf"(?:哪|什么|几)[^，,]{{0,3}}{re.escape(noun[-1])}", question)) or "哪几" in question


_ASKS_DOCUMENT = re.compile(
    r"(?:什么|哪一?[个份项部条])[^，]{0,3}(?:标准|规定|制度|文件|办法|规范|规程|表|单|函|材料|"
    r"合同|协议|手续)"
)


_OPEN = re.compile(r"哪些|哪几|还是|(?:要|可以|需要|能|得|该)[^，,]{0,4}(?:什么|啥)")


_PLURAL = re.compile(r"哪些|哪几|有没有什么|有什么|有哪|[两三四几]\s*[个件种台套项款张]|分别|都")


def things_meant(exchanges: list[Exchange], head: str = "") -> str:
    """Choose what 它/这个 means.

    Rule: the two things that a reply gives to a question which left them open (要带哪些), the parallel things of a reply
    to a question about several, else the topic. Limits: three or more things fall back to the topic.
    Example: 「上船要带什么」, 「带救生衣和哨子」 → 救生衣和哨子.
    """
    last = last_topical(exchanges) or exchanges[-1]
    if _ASKS_DOCUMENT.search(last.question) and (found := named.titles(last.answer)):
        return "和".join(found)
    if not head and _OPEN.search(last.question) and (found := named.coordinated(last.answer)):
        return "和".join(found)
    if _PLURAL.search(last.question) or named.pair(last.question):
        several = named.subjects(last.answer)
        if len(several) > 1:
            return "和".join(several)
    return topic_meant(exchanges)


def process_topic(exchanges: list[Exchange]) -> str:
    """Give the topic with its procedure: 「会员卡怎么升级」 → 会员卡升级; empty when the last question is no how-to."""
    question = exchanges[-1].question
    found = re.search(r"(?:怎么|如何|怎样)([\u4e00-\u9fff]{2,4})[？?]?$", question)
    subject = phrases.topic(question)
    return subject + found.group(1) if found and subject and found.group(1) not in subject else ""


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
        if subject and phrases.has_topic(subject):
            return subject
    return next((subject for exchange in reversed(exchanges) if (subject := phrases.topic(exchange.question))), "")


def last_topical(exchanges: list[Exchange]) -> Exchange | None:
    """Give the latest exchange whose question is about something."""
    usable = [exchange for exchange in exchanges if exchange.question and not lang.is_english(exchange.question)]
    return next((exchange for exchange in reversed(usable) if phrases.topic(exchange.question)), None)
