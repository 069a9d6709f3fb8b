"""Salience: which thing of a conversation a reference means, by one score over all that was mentioned.

In: the conversation and what the reference says of itself (its noun, a description, the verbs around it). Out: one
phrase, or nothing. Every mention gets the same few points; no rule looks at one sentence form.
"""

import re
from dataclasses import dataclass

from querylab.rules import language as lang
from querylab.rules import mentions, named, phrases
from querylab.rules.mentions import Phrase


@dataclass(frozen=True)
class Exchange:
    """One question of the conversation, resolved, and the reply to it."""

    question: str
    answer: str


@dataclass(frozen=True)
class Cue:
    """What a reference says of what it means: its noun, a description (便宜的那个), the verbs of its sentence."""

    head: str = ""
    described: str = ""
    before: str = ""
    verbs: str = ""
    measure: str = ""
    plural: bool = False


_PROPERTY = re.compile(
    r"多少|几|多久|多长|什么时候|啥时候|怎么收|怎么卖|怎么算|哪|谁|区别|不同|还是|贵|划算|是什么|是啥|什么叫"
)
_REFUSAL = re.compile(
    r"^[^，,。；;]{0,6}(?:不[能可行允准让提支接收去卖修做建推开带]|禁|谢绝|没有|无法|暂停|停了|取消|下架|没了|撤了)"
)
_OFFER = re.compile(r"^(?:但|不过|另|也|只|可|可以|建议|推荐|请|需|如|若|有)")
_NEGATION = re.compile(r"[不没无未非禁断缺]")
# What a measure word counts, by the last letter of the noun.
_COUNTED = {
    "双": "鞋袜套靴筷", "张": "卡票纸单表证图券床桌", "辆": "车", "本": "书册证本", "间": "房室间厅", "艘": "船艇轮", "把": "钥匙伞椅刀",
    "门": "课", "份": "单书表函件同议告", "条": "线路船则定款河巾鱼狗", "台": "机器脑炉仪", "只": "猫狗鸟", "件": "衣服品物", "块": "表牌地板",
}  # fmt: skip
_IDLE = "的了是有在一个我你要能会吗不没那这"


def is_thing(topic: str) -> bool:
    """Say whether a topic holds a thing: a noun that is no kind of people (and not a deed alone: 装修)."""
    nouns = [unit for unit in phrases.units(topic) if unit.tag[:1] in "nijlz" or unit.tag == "eng"]
    return any(not is_kind(unit.text) and unit.kind == "content" for unit in nouns)


def is_kind(name: str) -> bool:
    """Say whether a name is a kind of people (读者, 岁以上老人) and no role."""
    kind = name.endswith(tuple(lang.PERSON_KINDS.split())) and not name.endswith(tuple(lang.ROLE_SUFFIXES.split()))
    return name in lang.PERSON_KINDS.split() or (kind and not named.names(name))


def chosen_thing(exchanges: list[Exchange], cue: Cue) -> str:
    """Choose the thing that a reference means: the mention with the most points.

    Rule: points for ending in the noun of the reference, for words of its description in the mention or beside it, for
    the verb it shares, for being put forward by a reply (more when in quotation marks), for being the topic (more when
    a property was asked, fewer when the reply refuses); each exchange back costs. Equal and parallel ones both count.
    Limits: no synonyms, no knowledge of the world. Example: 「寄养收费吗」, 「收，可办“安心卡”」, 它 → 安心卡.
    """
    best: tuple[float, str] = (0.0, "")
    if cue.described and exchanges and (compared := _compared(exchanges[-1], cue.described)):
        return compared
    for back, exchange in enumerate(reversed(exchanges)):
        told = _share(cue.described, exchange.question + exchange.answer) if cue.described else 0.0
        distance = 2.5 * back * (1.0 - told) + 4.0 * bool(cue.described) * (1.0 - told)
        topic = phrases.topic(exchange.question)
        scored = [(_topic_points(exchange, topic, cue) - distance, topic)] if topic else []
        found = _with_names(exchange, cue, mentions.noun_phrases(exchange.answer))
        people = " ".join(name for name, _ in named.people(exchange.answer))
        points = {
            phrase: _points(exchange, phrase, cue, topic) - distance
            for phrase in found
            if phrase.text not in people
            and (
                not cue.described
                or _is_named(exchange.answer, phrase, cue.described)
                or _share(phrase.text, cue.described) < 0.7
            )
            and phrase.text not in lang.ATTRIBUTES
            and not _is_time(phrase.text)
        }
        for phrase, score in points.items():
            mates = [
                mate
                for mate in mentions.with_parallels(found, phrase)
                if mate in points and (mate.clause == phrase.clause or points[mate] == score)
            ]
            alone = cue.described or len(mates) < 2
            text = _called(phrase.text, cue.head) if alone else "和".join(_called(mate.text, "") for mate in mates)
            scored.append((score + 5.0 * (cue.plural and len(mates) > 1), text))
        top = max(scored, key=lambda each: each[0], default=(0.0, ""))
        best = top if top[0] > best[0] else best
    return best[1] if best[0] >= 4.0 or not (cue.head or cue.described) else ""


def _is_named(answer: str, phrase: Phrase, described: str) -> bool:
    """Say whether a description is the very name of a mention that begins a clause (路边的)."""
    opens = not phrase.start or answer[phrase.start - 1] in "，,；;。"
    return phrase.text == described and opens and phrases.units(described)[-1].tag[:1] in "nsf"


def _with_names(exchange: Exchange, cue: Cue, found: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    """Add what the question or a quotation mark gave a name, wherever the reply says it again (二春每盒…)."""
    given = [*(named.pair(exchange.question) or ()), *re.findall(r"“([^“”]{2,10})”", exchange.answer)]
    first = [each for each in mentions.subjects(exchange.answer) if cue.described]
    out = [
        phrase for phrase in found if not any(each.start == phrase.start and each.end >= phrase.end for each in first)
    ]
    out += [each for each in first if each.text not in lang.ATTRIBUTES]
    for name in given:
        for hit in re.finditer(re.escape(name), exchange.answer):
            if len(name) > 1 and exchange.answer[hit.start() - 1 : hit.start()] != "“":
                overlap = [phrase for phrase in out if phrase.start < hit.end() and hit.start() < phrase.end]
                kept = overlap[0] if overlap else Phrase("", 0, "", "", -1)
                out = [phrase for phrase in out if phrase not in overlap]
                out.append(
                    Phrase(name, hit.start(), kept.governor, exchange.answer[hit.end() : hit.end() + 1], kept.clause)
                )
    return tuple(sorted(out, key=lambda phrase: phrase.start))


def _called(text: str, head: str) -> str:
    """Give a mention as a search line says it: from its quotation mark on, up to the noun of the reference, no figures."""
    quoted = text[text.index("“") :] if "“" in text else text
    cut = quoted[: quoted.index(head) + len(head)] if head and head in quoted else quoted
    return re.sub("[“”「」]", "", cut if quoted[:1] == "“" else named.without_figures(cut))


def _is_time(text: str) -> bool:
    return any(len(moment) * 2 > len(text) for moment in named.times(text))


def turns_elsewhere(exchange: Exchange) -> bool:
    """Say whether a reply turns to another thing: it refuses what was asked, or answers what was no question."""
    return _refuses(exchange) or _tells(exchange.question)


def _tells(question: str) -> bool:
    """Say whether a question only tells what is wrong (灯老闪), so that the reply names what helps."""
    wrong = re.search(
        r"[了着丢坏闪浑漏响断灾标][。！!]?$|老是|总是|一直|忽|打不开|[\u4e00-\u9fff]老[\u4e00-\u9fff]|不到[^吗么]*$|不退|不肯|不来",
        question,
    )
    return not _asks(question) and bool(wrong) and not re.search(r"想|要", question)


def _refuses(exchange: Exchange) -> bool:
    answer = re.sub(r"[（(][^）)]*[）)]", "", exchange.answer)
    return bool(_REFUSAL.match(answer)) and not _PROPERTY.search(exchange.question)


def _asks(question: str) -> bool:
    asked = re.search(r"[吗么？?不没吧]$", question) or re.search(r"能|可以|要不要|有没有|干嘛|干啥", question)
    return bool(asked) or any(unit.kind == "question" for unit in phrases.units(question))


def _topic_points(exchange: Exchange, topic: str, cue: Cue) -> float:
    score = 4.0 if is_thing(topic) else 1.5
    score += 2.0 * bool(_PROPERTY.search(exchange.question))
    score -= 4.0 * _refuses(exchange)
    score -= 0.0 if _asks(exchange.question) else 3.0 if _tells(exchange.question) else 2.0
    score += 2.0 * bool(re.search(r"有没有|有[^，,]*[吗么没]", exchange.question))
    if cue.described and named.pair(exchange.question):
        score -= 6.0
    if cue.described:
        score += 4.0 * _share(cue.described, topic) - (6.0 if _NEGATION.search(cue.described) else 4.0)
    if cue.head and re.search(rf"(?:什么|哪些|哪几?[种个类]|啥){re.escape(cue.head)}", exchange.question):
        score -= 8.0  # what was asked for is in the reply
    counted = any(letter in _COUNTED.get(cue.measure, "") for letter in topic)
    return score + _head_points(topic, cue.head) + 3.0 * counted


def _points(exchange: Exchange, phrase: Phrase, cue: Cue, topic: str) -> float:
    text, clause = phrase.text, _clause(exchange.answer, phrase.start)
    known = text.strip("“”《》") in exchange.question
    governed = phrase.is_object or (phrase.governor == "的" and not known)
    score = -1.0 if known else 3.0 if governed else 1.0 if phrase.governor == "" else 0.5
    score = score if not cue.described else 2.5 if phrase.governor == "" else 1.5
    score += 3.5 * (text[0] in "“「《" or "“" in text)
    score += 1.0 * bool(governed and (_OFFER.match(clause) or re.search("可|能", clause[: clause.find(text)])))
    score += 4.0 * (
        phrase.governor in ("是", "叫", "为") and bool(re.search(r"是[什啥哪]|叫[什啥]|是个?啥", exchange.question))
    )
    score += 1.0 * (text[-1] in exchange.answer[phrase.end :])
    score -= 2.0 * (phrase.is_goal and not cue.described)
    if not known and len(topic) > 1 and text.endswith(topic[-2:]):
        score += 4.0
    verb = phrase.governor if phrase.is_object or phrase.governor == cue.before else ""
    score -= 2.0 * bool(
        verb and re.search(r"[不没禁拒]|谢绝", exchange.answer[max(0, phrase.start - 4) : phrase.start])
    )
    if verb and verb not in _IDLE:
        score += 4.0 * bool(cue.before and (cue.before in verb or verb in cue.before))
        score += 2.0 * any(letter in verb for letter in cue.verbs) + 2.0 * (verb in exchange.question)
    score += 2.0 * bool(cue.before and cue.before not in verb and cue.before in clause)
    if cue.described:
        segment = _segment(exchange.answer, phrase.start)
        score += 8.0 * _share(cue.described, text) + 5.0 * _share(cue.described, clause.replace(text, ""))
        score += 2.0 * _share(cue.described, segment) + (phrase.governor == "") - 2.0
        score += 6.0 * (bool(phrase.governor) and phrase.governor == cue.described)
        score += 4.0 * ("用" in cue.described and phrase.governor in ("通过", "用", "使用", "登录"))
        where = clause if _share(cue.described, clause) else segment
        alike = bool(_NEGATION.search(cue.described)) == bool(_NEGATION.search(where))
        score -= 8.0 * bool(phrase.governor and phrase.governor in cue.described and _share(cue.described, text))
        score += 2.0 if alike else -6.0 if _NEGATION.search(cue.described) else -2.0
    return score + _head_points(text, cue.head) + 3.0 * (text[-1] in _COUNTED.get(cue.measure, ""))


def _head_points(text: str, head: str) -> float:
    """Give points for the noun of the reference: its ending, a part, one letter; none when it has no noun."""
    bare = text.strip("“”《》「」")
    stem = head[:-1] if head.endswith("子") and len(head) > 1 else head
    if not head:
        return 0.0
    if bare.endswith(stem):
        return 8.0 if len(bare) > len(stem) else 3.0
    if stem in bare:
        return 6.0
    return 4.0 - 1.5 * (len(bare) == 2) if bare[-1:] in head or stem[-1] == bare[-1:] else -3.0


_MOST, _LEAST = "贵大长多高远晚慢重厚深难", "便小短少低近早快轻薄浅易"


_OPPOSITE = dict(
    zip("快慢贵便大小长短多少远近高低早晚冷热新旧难易", "慢快便贵小大短长少多近远低高晚早热冷旧新易难", strict=True)
)


def compares(described: str) -> bool:
    """Say whether a description compares by size (贵的, 便宜的)."""
    return described[:1] in _MOST + _LEAST and len(described) < 3


def _compared(exchange: Exchange, described: str) -> str:
    """Find what a comparison means by the figures beside it: 「甲99元；乙399元」, 贵的那个 → 乙; empty when none."""
    other = _OPPOSITE.get(described[:1], "") or _OPPOSITE.get(described[-1:], "")
    spoken = [(part, mentions.subjects(part)[:1]) for part in re.split(r"[；;。，,]", exchange.answer)]
    held = [(other in part, subject[0].text) for part, subject in spoken if subject]
    if other and len(held) == 2 and held[0][0] != held[1][0]:
        return next(text for has, text in held if not has)  # 「甲快，乙要半年」, 慢的 → 乙
    sides = [part for part in re.split(r"[；;。，,、]", exchange.answer) if re.search(r"\d", part)]
    known = [(float(re.search(r"\d+(?:\.\d+)?", part).group()), mentions.noun_phrases(part)[:1]) for part in sides]
    known = [(figure, found[0].text) for figure, found in known if found and found[0].start == 0 and figure]
    if len(known) < 2 or described[:1] not in _MOST + _LEAST or described[:2] in exchange.answer:
        return ""
    return (max if described[0] in _MOST else min)(known, key=lambda each: each[0])[1]


def _share(described: str, text: str) -> float:
    letters = [letter for letter in described if letter not in _IDLE] or list(described)
    return sum(letter in text for letter in letters) / len(letters) if letters else 0.0


def _clause(text: str, start: int) -> str:
    return _around(text, start, "，,；;。！!？?\n")


def _segment(text: str, start: int) -> str:
    return _around(text, start, "；;。！!？?\n")


def _around(text: str, start: int, marks: str) -> str:
    before = max((text.rfind(mark, 0, start) for mark in marks), default=-1)
    after = min((at for mark in marks if (at := text.find(mark, start)) >= 0), default=len(text))
    return text[before + 1 : after]
