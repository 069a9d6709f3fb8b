"""What a text names: titles, people, units, places, times, pairs, enumerations.

In: a question or a reply. Out: the phrases of one kind, in reading order, each once. A phrase is found by what it ends
in and by the joints around it, never by a list of names.
"""

import re
from functools import lru_cache

from querylab.rules import language as lang
from querylab.rules import mentions, phrases
from querylab.rules.names import names

_ROLE = re.compile(
    rf"(?:{lang.alternatives(lang.ROLE_SUFFIXES)}|师傅|{lang.alternatives(lang.PERSON_KINDS)}|"
    rf"救生员|[\u4e00-\u9fff]员)"
)
_TITLE = re.compile(r"《[^《》]{1,40}》")
_QUOTES = '“”「」『』"《》'


def titles(text: str) -> list[str]:
    """List the 《…》 titles of a text, each once, in order."""
    return list(dict.fromkeys(_TITLE.findall(text)))


def ending_in(head: str, text: str) -> list[str]:
    """List the noun phrases of a text that end in ``head``, longest reading, in order.

    Rule: from each place where a word ends in ``head``, go left over content, attributes and quotation marks until a
    joint, question word, number, mark or verb of procedure (a verb right before the head belongs to it).
    Limits: relative clauses are not followed. Example: head 柜, 「工具放在走廊的储物柜」 → 储物柜.
    """
    found = phrases.units(text)
    out: list[str] = []
    for index, unit in enumerate(found):
        if unit.kind in ("question", "mark", "joint") or not (unit.text.endswith(head) or _spans(found, index, head)):
            continue
        first = index
        while first and _belongs(found[first - 1], first == index):
            first -= 1
        while first < index and found[first].text in "”」』》、":
            first += 1
        phrase = phrases.joined(list(found[first : index + 1]))
        if phrase.count("”") > phrase.count("“"):
            opening = text.rfind("“", 0, unit.start)
            phrase = text[opening : unit.end] if opening >= 0 else phrase.split("”", 1)[1]
        out.append(phrase)
    return list(dict.fromkeys(out))


def _spans(found: tuple[phrases.Unit, ...], index: int, head: str) -> bool:
    return "".join(unit.text for unit in found[max(0, index - 3) : index + 1]).endswith(head)


def _belongs(unit: phrases.Unit, adjacent: bool) -> bool:
    if unit.text in _QUOTES:
        return True
    if unit.kind == "verb":
        return adjacent and len(unit.text) >= 2
    return unit.kind in ("content", "attribute") and unit.tag not in ("d", "c", "p")


_STOP_BEFORE_ROLE = lang.lexicon(
    "联系 通知 提交 找 咨询 告知 请示 征得 取得 得到 负责 报 送 交 问 经 由 请 需 须 先 再 后 "
    "统一 一律 即 以及 现任 当时"
)


@lru_cache(maxsize=1024)
def people(text: str) -> tuple[tuple[str, bool], ...]:
    """List the people of a text as (phrase, stands after 由/经/找/联系/是…), in order.

    Rule: a role title with what stands before it in its stretch, a name, or a title directly followed by a name.
    Limits: a kind of people (读者) counts as people. Example: 「须由设备科科长签字」 → (设备科科长, True).
    """
    found = phrases.units(text)
    spans: list[tuple[int, int]] = []
    ends: set[int] = set()
    for match in _ROLE.finditer(text):
        start = match.start()
        unit = next((unit for unit in found if unit.start <= start < unit.end), None)
        if (
            unit is None
            or unit.kind in ("question", "mark")
            or text[match.end() : match.end() + 1] in tuple("部处科室局院")
            or (text[match.end() : match.end() + 1] == "会" and not any(u.start == match.end() for u in found))
        ):
            continue
        if match.group() not in lang.ROLE_SUFFIXES.split() and (
            match.end() not in {unit.end for unit in found} or _names_a_unit(found, match.end())
        ):
            continue
        start = unit.start if unit.kind != "joint" else start
        index = found.index(unit)
        while index and _modifies(found[index - 1]) and found[index - 1].end not in ends:
            index -= 1
            start = found[index].start
        while (found[index].kind == "verb" or found[index].tag == "v") and found[
            index
        ].text != match.group():  # 「队长接待客户」 names two
            if index == 0 or found[index - 1].end not in ends or found[index].end >= match.end():
                break
            index += 1
            start = found[index].start
        start = _whole_unit(found, index, text[start : match.end()], start)
        if (
            text[start - 1 : start] in ("”", "」")
            and (quoted := max(text.rfind("“", 0, start), text.rfind("「", 0, start))) >= 0
        ):
            start = quoted
        ends.add(match.end())
        spans.append((start, _name_after(text, match.end())))
    for name in names(text):
        start = text.find(name)
        end = start + len(name)
        while any(unit.end == start and unit.text == "岗" for unit in found) or (
            start != end - len(name) and any(unit.end == start and _modifies(unit) for unit in found)
        ):
            start = next(unit.start for unit in found if unit.end == start)
        spans.append((start, end))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        link = text[merged[-1][1] : start] if merged else ""
        names_it = link in ("是", "叫", "为") and text[start:end] in names(text)  # 管家是某某
        if merged and (start <= merged[-1][1] or link in ("的", "（", "(") or names_it):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    merged = _with_partners(text, merged)
    out: list[tuple[str, bool]] = []
    last = -1
    for start, end in merged:
        before = (
            re.sub(r"[\u4e00-\u9fff]{1,8}[部处科室组馆院局店中心]的$", "由", text[:start][-12:])
            if text[:start].endswith("的")
            else text[:start][-2:]
        )
        marked = (before[-1:] in "由经找是向请让报派交" and bool(before)) or before.endswith(("联系", "通知", "咨询"))
        marked = marked or (bool(out) and out[-1][1] and bool(_AND_SOME.fullmatch(text[last:start])))
        out.append((re.sub(r"(?<=[\u4e00-\u9fff])[是叫为]", "", text[start:end]), marked or "是" in text[start:end]))
        last = end
    return tuple(dict.fromkeys(out))


_CALLED = re.compile(rf"[\u4e00-\u9fff]{{1,2}}(?:{lang.alternatives(lang.KIN)})")
_ALIAS = re.compile(r"“[^“”]{1,6}”")


def _name_after(text: str, end: int) -> int:
    """Say where a role ends with the name right after it (保管员｜杏花姐, 观测员｜计霖, 选手｜“冷杉”): a word unheard of."""
    if quoted := _ALIAS.match(text, end):
        return quoted.end()
    if (called := _CALLED.match(text, end)) and any(unit.end == called.end() for unit in phrases.units(text)):
        return called.end()
    unit = next((unit for unit in phrases.units(text) if unit.start == end), None)
    if unit is None or not 2 <= len(unit.text) <= 3 or not re.fullmatch(r"[\u4e00-\u9fff]+", unit.text):
        return end
    parts = lang.cut(unit.text)
    unheard = unit.kind == "content" and (all(len(word) == 1 for word, _ in parts) or parts[0][1][:2] == "nr")
    return unit.end if unheard else end


_AND_SOME = re.compile(r"(?:和|与|、|及|以及|跟|或者?)[\u4e00-\u9fff]{0,3}")
_AND = ("和", "与", "、", "及", "以及", "跟", "或", "或者")


def _with_partners(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Add what stands before 和 when a person stands after it (甲岗某某和乙岗安岚): both are persons."""
    out = list(spans)
    found = phrases.units(text)
    for start, _ in spans:
        joint = next((unit for unit in found if unit.end == start and unit.text in _AND), None)
        if joint is None or any(end == joint.start for _, end in spans):
            continue
        index = found.index(joint)
        first = index
        while first and found[first - 1].kind == "content":
            first -= 1
        if first < index and found[first - 1].text in ("由", "是", "找", "经", "请", "向") and first:
            out.append((found[first].start, joint.start))
    return sorted(out)


_UNIT = re.compile(rf"(?:{lang.alternatives(lang.UNIT_SUFFIXES)})$")


@lru_cache(maxsize=1024)
def organisations(text: str) -> tuple[str, ...]:
    """List the organisational units of a text, those after 由/归/找/向… first choice: 「由保卫处登记」 → 保卫处.

    Limits: a place that ends like a unit (中心) is listed too.
    """
    found = phrases.units(text)
    strong: list[str] = []
    weak: list[str] = []
    for index, unit in enumerate(found):
        if unit.kind not in ("content", "attribute") or not _UNIT.search(unit.text) or unit.tag[:1] not in "nbjzm":
            continue
        first = index
        while first and _modifies(found[first - 1]):
            if found[first - 1].kind == "verb" and (first < 2 or found[first - 2].kind != "content"):
                break
            first -= 1
        phrase = phrases.joined(list(found[first : index + 1]))
        if _whole_unit(found, first, phrase, found[first].start) < found[first].start:
            phrase = phrases.joined(list(found[first - 2 : index + 1]))
        if len(phrase) >= 2 and phrase not in ("部门", "小组", "团队", "办公室", "单位"):
            (strong if text[: found[first].start].endswith(tuple("由归找向是经报交")) else weak).append(phrase)
    chosen = list(dict.fromkeys(strong or weak))
    return tuple(name for name in chosen if not any(name != other and name in other for other in chosen))


_UNIT_AHEAD = re.compile(rf"[\u4e00-\u9fff]{{0,4}}(?:部|处|科|室|组|中心)(?:{lang.alternatives(lang.ROLE_SUFFIXES)}|$)")


def _names_a_unit(found: tuple[phrases.Unit, ...], end: int) -> bool:
    """Say whether a kind of people only names the unit that follows: 客户 in 客户支持部主管, 学生 in 学生处."""
    run = ""
    for unit in found:
        if unit.start >= end:
            if unit.kind in ("joint", "mark", "question", "number"):
                break
            run += unit.text
    return bool(_UNIT_AHEAD.match(run))


_FIELD_UNIT = re.compile(rf"[\u4e00-\u9fff]{{2}}(?:部|处|科|室|局|中心)(?:{lang.alternatives(lang.ROLE_SUFFIXES)})?$")


def _whole_unit(found: tuple[phrases.Unit, ...], index: int, phrase: str, start: int) -> int:
    """Say where a unit begins that is called by two fields of work: 安全与合规部, not 安全 and 合规部.

    Rule: 与/和/及 between two bare nouns of two characters, the first no unit and no person, right after a mark, a
    joint or 由/经/归…. Limits: 「由法务和采购部签字」, which means two, is read as one.
    """
    if index < 2 or not _FIELD_UNIT.fullmatch(phrase) or found[index].start != start:
        return start
    before, joint, other = found[index - 3] if index > 2 else None, found[index - 1], found[index - 2]
    if joint.text not in ("与", "和", "及") or other.kind != "content" or len(other.text) != 2:
        return start
    if other.tag[:2] not in ("n", "vn", "an", "b", "j") or _UNIT.search(other.text) or _ROLE.search(other.text):
        return start
    free = before is None or before.kind in ("mark", "joint", "verb") or before.text in _STOP_BEFORE_ROLE
    return other.start if free else start


def agents(text: str) -> list[str]:
    """List what stands after 由/向/找/经/联系, whatever its title: 「向业务伙伴提出」 → 业务伙伴."""
    out: list[str] = []
    found = phrases.units(text)
    for index, unit in enumerate(found):
        if unit.text in ("由", "向", "找", "经", "联系", "归"):
            run = []
            for other in found[index + 1 :]:
                if other.kind not in ("content", "attribute") or (other.tag[:1] == "v" and run):
                    break
                run.append(other)
            if run and len(phrases.joined(run)) >= 2:
                firm = "公司" if text.startswith("公司", run[-1].end) else ""
                out.append(phrases.joined(run) + firm)
    return list(dict.fromkeys(out))


def _modifies(unit: phrases.Unit) -> bool:
    if (
        unit.text in _STOP_BEFORE_ROLE
        or unit.text in _QUOTES
        or (unit.tag == "zg" and unit.text in lang.MEASURES.split())
    ):
        return False
    if unit.kind in ("content", "attribute") and unit.tag[:1] not in "dcpr":
        return True
    return unit.kind == "verb" and len(unit.text) >= 2


_PLACE = re.compile(
    rf"(?:{lang.alternatives(lang.PLACE_SUFFIXES)}|[店处点所房库院场部区台科站棚亭池堂阁殿寺庙塔村镇岛山坡湖湾滩港桥坪园苑城厦舍廊屋馆厅])$"
)
_PLACE_OF_PLACE = re.compile(
    r"[在到至去]([^，,。；;的]{2,14}的[^，,。；;的]{1,8}?[房室处台厅馆店所点部区心口站])(?=[，,。；;]|[\u4e00-\u9fff]{2})"
)
_TIME_WORD = (
    rf"(?:{lang.alternatives(lang.TIME_KINDS)}|除夕|初[一二三四五六七八九十]|双十[一二]|大促|"
    rf"暑期|寒假期间)"
)
_DATE = (
    rf"(?:开学|入职|放假|每月|每年|当月|当年)?第{lang.NUMBER}(?:周|个?月|天|季度|学期)|"
    rf"(?:每?(?:年|月|周|季度|天|日))?(?:最后一个|第{lang.NUMBER}个)?(?:\d+年)?{lang.NUMBER}"
    rf"月(?:{lang.NUMBER}[日号]|[初中底])?"
    rf"|每?个?(?:月|季度|年)(?:最后一个|第{lang.NUMBER}个)?(?:周|星期)[一二三四五六日天]|"
    rf"每?(?:周|星期)[一二三四五六日天末]"
    rf"|每月{lang.NUMBER}[日号]|{_TIME_WORD}"
)
_TIME = re.compile(
    rf"[\u4e00-\u9fff]{{1,4}}时段|(?:{_DATE})(?:(?:上午|下午|晚上|中午|早上|"
    rf"凌晨)?(?:\d+[点:：]\d*)?)?"
    rf"(?:(?:至|到|—|~|-)(?:{_DATE}|{lang.NUMBER}[日号]))?(?:期间)?|[\u4e00-\u9fff]{{1,6}}(?:期间|"
    rf"结束后(?:的[\u4e00-\u9fff]{{1,3}}内)?|高峰期?|当天)"
)


def places(text: str) -> list[str]:
    """List the place names of a text: phrases after 在/到/至/去/于 that end like a place, else any that do.

    Limits: bare floor numbers are left out. Example: 「邮件请送到收发室」 → 收发室.
    """
    strong: list[str] = [found.group(1) for found in _PLACE_OF_PLACE.finditer(text)]
    weak: list[str] = []
    previous = ""
    for run in _place_runs(text):
        before = text[max(0, run[0].start - 1) : run[0].start]
        arrives = before in tuple("在到至去于是投寄往") or (before == "的" and previous == "strong")
        previous = ""
        for last in range(len(run), 0, -1):
            phrase = phrases.joined(run[:last])
            if _PLACE.search(phrase) and _no_deed(run[last - 1]) and (arrives or run[0].kind != "verb"):
                if len(phrase) > 1 and not re.fullmatch(rf"负?{lang.NUMBER}[楼层]", phrase):
                    if before == "的" and strong and arrives:
                        strong[-1] = phrase
                    else:
                        (strong if arrives else weak).append(phrase)
                previous = "strong" if arrives else ""
                break
    return list(dict.fromkeys(strong or weak))


def _no_deed(unit: phrases.Unit) -> bool:
    """Say whether a unit is no verb; the dictionary calls an unknown compound (旗舰店) a verb."""
    return unit.tag[:1] != "v" or (len(unit.text) > 2 and unit.kind == "content")


def _place_runs(text: str) -> list[list[phrases.Unit]]:
    out: list[list[phrases.Unit]] = [[]]
    found = phrases.units(text)
    for index, unit in enumerate(found):
        numbered = re.fullmatch(r"[一二三四五六七八九十]+号", unit.text) and found[index + 1 : index + 2]
        if numbered and found[index + 1].kind == "content":  # 三号大棚: the number is part of a name
            out[-1].append(unit)
        elif (
            unit.kind in ("question", "joint", "mark")
            or unit.text[-1] in "在到至于往"
            or (unit.kind == "number" and not unit.text.endswith(("层", "楼")))
            or (
                unit.text in lang.SCOPES
                or unit.tag == "d"
                or (unit.kind == "verb" and not out[-1] and found[index - 1].text != "的")
            )
            or (unit.text in lang.MEASURES.split() and index and found[index - 1].kind == "number")
        ):
            out.append([])
        else:
            out[-1].append(unit)
    return [run for run in out if run]


def times(text: str) -> list[str]:
    """List the time expressions of a text, in order: dates, weekdays, seasons, 「…期间」, 「…时段」.

    Limits: clock times alone are not listed. Example: 「盘点安排在每月5日」 → 每月5日.
    """
    return list(dict.fromkeys(match.group() for match in _TIME.finditer(text)))


_PAIR = re.compile(r"(?:和|跟|与|还是|或者|或|及|以及)")


def pair(text: str) -> tuple[str, str] | None:
    """Find two coordinated phrases (「月票和次票哪个划算」 → 月票, 次票); None when there are none.

    Rule: the stretch right before the conjunction and the one right after it; when the first is shorter than a shared
    frame (「坐班车还是坐地铁」) both keep their own words.
    """
    found = phrases.units(text)
    for index, unit in enumerate(found):
        if not _PAIR.fullmatch(unit.text):
            continue
        left: list[phrases.Unit] = []
        for other in reversed(found[:index]):
            if other.kind in ("question", "joint", "mark"):
                break
            left.insert(0, other)
        right: list[phrases.Unit] = []
        for place, other in enumerate(found[index + 1 :], index + 1):
            after = found[place + 1] if place + 1 < len(found) else None
            if not right and other.text in ("找", "用", "在", "去", "到", "走", "自己"):
                continue  # 打前台还是找班长
            word = (
                other.kind == "joint"
                and after
                and after.kind == "content"
                and (not right or other.text in "时后前上下")
            )
            if other.kind in ("question", "joint", "mark") and not (
                word and len(other.text) == len(after.text) == 1  # 过 + 道, 跟 + 团: a word the dictionary lacks
            ):
                break
            right.append(other)
        cut = max((at for at, other in enumerate(left) if other.text in ("分", "分为", "分成", "包括")), default=-1)
        left = left[cut + 1 :] or left
        verb = max((at for at, other in enumerate(left) if other.kind == "verb"), default=-1)
        if 0 < verb < len(left) - 1 and all(other.kind != "verb" and other.tag[:1] == "n" for other in right):
            left = left[verb + 1 :]  # 投诉 | 打 | 前台 or 班长
        if left and right:
            first, second = phrases.joined(left), phrases.joined(right)
            return first, second
    return None


_CASE = re.compile(r"([^，,；;。]{2,12}?)(?:则|就|会|可以?|需要?|要|须|由|按|能|只|不|用|是|归)[^，,；;。]+")


def cases(text: str) -> tuple[str, str] | None:
    """Find the two cases that a reply tells apart, one a clause: 「自己取消的会扣分，商家取消则不扣」 → 自己取消的, 商家取消."""
    sides = [side for side in re.split(r"[；;。]", text) if side.strip()]
    if len(sides) == 2:  # 甲用锅炒，…；乙用热风烘，…
        for first in range(2, min(7, len(sides[0]))):
            second = sides[1].find(sides[0][first], 2, 8)
            if second >= 2 and sides[0][first] in "用是按在由走从需要可能会有没不每":
                return sides[0][:first], sides[1][:second]
    hits = [hit for clause in re.split(r"[，,；;。\n]", text) if (hit := _CASE.match(clause))]
    found = [
        hit.group() if len(hit.group()) < 7 and not lang.FIGURE.search(hit.group()) else hit.group(1) for hit in hits
    ]
    return (without_figures(found[0]), without_figures(found[1])) if len(found) == 2 else None


def in_a_row(text: str) -> list[str]:
    """List what the clauses of a reply begin with, when they end alike: 「上午场26度，晚场27度」 → 上午场, 晚场."""
    first = [mentions.noun_phrases(clause)[:1] for clause in re.split(r"[，,；;。]", text) if clause]
    heads = [phrase[0].text for phrase in first if phrase and phrase[0].start == 0]
    return heads if len(heads) > 1 and len({head[-1] for head in heads}) == 1 else []


def coordinated(text: str) -> list[str]:
    """List the two nouns that the first clause with 和/或 joins, without the verbs around them.

    Limits: a verb that opens a compound noun goes too. Example: 「须携带雨衣和手电筒」 → 雨衣, 手电筒.
    """
    for clause in re.split(r"[，,；;。\n]", text):
        two = pair(clause)
        if two is None:
            continue
        sides = []
        for first, side in enumerate(two):
            found = list(phrases.units(side))
            for opening in ("t", "d", "v") if not first else ():  # 早上 | 再 | 填写 | 登记表
                if len(found) > 1 and _holds_noun(found[1:]):
                    leads = found[0].tag[:1] == opening or (opening == "v" and found[0].kind == "verb")
                    found = found[1:] if leads else found
            while (
                len(found) > 1 and (found[-1].kind == "verb" or found[-1].tag[:1] in "vd") and _holds_noun(found[:-1])
            ):
                found = found[:-1]
            sides.append(without_figures(phrases.joined(found)))
        return sides if all(len(side) >= 2 for side in sides) else []
    codes = list(dict.fromkeys(re.findall(r"[A-Z]+\d+(?![\d.])[次号]?", text)))
    return codes[:2] if len(codes) >= 2 else []


def _holds_noun(found: list[phrases.Unit]) -> bool:
    return sum(len(unit.text) for unit in found if unit.kind in ("content", "attribute") and unit.tag[:1] != "v") >= 2


_ITEM = re.compile(
    r"(?:[一二三四五六]是|其[一二三四]是?|第[一二三四五六](?:种|个|条|步|项)?(?:是|，|,|、|：|"
    r":)|[①②③④⑤⑥]|(?<![\d.])[1-6][.、)）](?!\d)|首先|其次|最后)"
)


def items(text: str) -> list[str]:
    """List what a text enumerates: 一是…二是…, 1. 2., 「可以甲，也可以乙」, 「甲、乙两种」; figures are cut out.

    Example: 「一是排队，二是网上取号」 → 排队, 网上取号.
    """
    if more := re.search(r"[，,；;]([^，,；;。]{0,6}(?:另需|还需|另要|还要|另外需要|外加)([^，,；;。]{2,12}))", text):
        listed = items(text[: more.start()])
        if len(listed) >= 2:
            return [*listed, without_figures(more.group(2))]
    ordered = re.split(r"(?:^|[，,、；;：:])(?:先|再|然后|接着|最后|之后)", "，" + text)
    if len(ordered) >= 4:
        return [without_figures(re.split(r"[，,；;。\n]", part)[0]) for part in ordered[1:]]
    parts = _ITEM.split(text)
    if len(parts) >= 3:
        return [
            without_figures(re.split(r"[，,；;。\n]", part.strip("，,；;。：: \n"))[0])
            for part in parts[1:]
            if part.strip()
        ]
    options = re.findall(r"(?:也可以?|或者?|还可以?|可以?)([^，,；;。]{2,20})", text)
    if len(options) >= 2:
        return [without_figures(option.removeprefix("选择")) for option in options]
    steps = re.search(r"先(?:由)?([^，,；;。]{2,16})[，,]?(?:再|然后|之?后|接着)(?:由)?([^，,；;。]{2,16})", text)
    if steps:
        return [without_figures(step) for step in steps.groups()]
    listed = re.search(r"([^，,。；;：:]*(?:、[^，,。；;、]+)+)", text)
    if listed:
        body = re.sub(r"^.*?(?:分为?|有|包括|含)", "", listed.group(1))
        body = re.sub(rf"(?:等)?{lang.NUMBER}(?:种|类|级|档|个|项|条).*$", "", body)
        return [without_figures(part) for part in re.split(r"、|和|与|及", body) if part]
    return []


_SUBJECT_VERB = lang.lexicon("在 从 可 由 是 有 能 可以 须 要 需 不能 不可 则 归 按")


def subjects(text: str) -> list[str]:
    """List the parallel things of a reply: 「可以坐甲，也可以坐乙」, 「有甲厅和乙厅」, 「甲在东门，乙在西门」.

    Example: 「大巴从东门发车，中巴从西门发车」 → 大巴, 中巴.
    """
    options = re.findall(r"(?:也可以?|还可以|可以)(?:[租借用选坐乘买领走看])?([^，,；;。]{2,14})", text)
    if len(options) >= 2:
        return [without_figures(option) for option in options]
    listed = re.search(r"(?:有|包括|分为?|设有?)([^，,。；;]+?)(?:[，,。；;]|$)", text)
    if listed and (two := pair(listed.group(1))):
        return [without_figures(part) for part in two]
    out: list[str] = []
    for clause in re.split(r"[，,；;。\n]", text):
        found = phrases.units(clause)
        lead = 0
        while lead < len(found) and found[lead].kind not in ("joint", "question", "mark", "verb"):
            lead += 1
        if 0 < lead < len(found) and (found[lead].text in _SUBJECT_VERB or found[lead].text[0] in "可也"):
            out.append(without_figures(phrases.joined(list(found[:lead]))))
    out = [subject for subject in dict.fromkeys(out) if len(subject) >= 2 and phrases.has_topic(subject)]
    return out if len(out) >= 2 else []


def place_name(text: str) -> str:
    """Give a place without figures of an answer; a number in words stays where it names the place (三号大棚).

    Limits: a place numbered in digits loses the number. Example: 「三号码头」 stays, 「12号码头」 → 码头.
    """
    return (
        text if re.match(r"[^\d]*[一二三四五六七八九十]+号[^\d]+$", text) else without_figures(text).removeprefix("号")
    )


def without_figures(text: str) -> str:
    """Cut every amount, duration, rate and date out of a phrase, so that no answer travels in a question."""
    return lang.FIGURE.sub("", text).strip("，,、 ")
