"""A Chinese sentence cut into typed units, and the phrases the rules look for in it.

In: a sentence. Out: units (question word, joint, attribute, verb of procedure, content, number, mark), and from
them the topic of a question, the people, documents, places and times that a text names. Nothing here knows a
subject matter: a phrase is found by what it ends in and by the joints around it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from querylab.models.rules import language as lang

_QUESTION = re.compile(rf"(?:第|好)?(?:{lang.alternatives(lang.QUESTION_WORDS)})")
_TAIL = re.compile(rf"(?:{'|'.join(sorted(lang.QUESTION_TAILS, key=lambda word: (-len(word), word)))})")
_NUMBER = re.compile(rf"第?{lang.NUMBER}\s*(?:{lang.alternatives(lang.UNITS)})?$")
_MARK = re.compile(r"[\s,，。.;；:：!！?？、…~～—()（）]+$")
_ROLE = re.compile(
    rf"(?:{lang.alternatives(lang.ROLE_SUFFIXES)}|师傅|{lang.alternatives(lang.PERSON_KINDS)}|救生员|[\u4e00-\u9fff]员)"
)
_TITLE = re.compile(r"《[^《》]{1,40}》")
_CONDITIONS = lang.lexicon(lang.CONDITIONS)
_NOT_NAMES = lang.lexicon(lang.ROLE_SUFFIXES + " " + lang.PERSON_KINDS + " 师傅")
_SHORT_UNITS = tuple("天日周月年晚夜次人名份页张件台楼层级点")
_KEPT_HEADS = lang.lexicon("账号 表 表格 单子 证明 凭证 申请表 附件 文件 文档 证据 负责人 审批人 材料 资料 号码")
_OPENING = "早晚多少上下前后中内外里"
_QUOTES = '“”「」『』"《》'


@dataclass(frozen=True)
class Unit:
    """One unit of a sentence: its text, its kind, its part of speech, and where it starts."""

    text: str
    kind: str  # question | joint | attribute | verb | content | number | mark
    tag: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@lru_cache(maxsize=4096)
def units(text: str) -> tuple[Unit, ...]:
    """Cut a sentence into units whose texts joined give the sentence again.

    Rule: question words with their tails first (什么时候, 几个), then the dictionary's words, each sorted into
    joint, attribute, verb of procedure, number, mark or content.
    Limits: a word that is both a joint and content is a joint. Example: 「怎么补办钥匙」 → question, verb, content.
    """
    found: list[Unit] = []
    here = 0
    for match in _QUESTION.finditer(text):
        if match.start() < here:
            continue
        found += _plain(text[here : match.start()], here)
        end = match.end()
        if match.group()[-1] in "哪几么啥少长久高大多" and (tail := _TAIL.match(text, end)):
            end = tail.end()
        found.append(Unit(text[match.start() : end], "question", "r", match.start()))
        here = end
    found += _plain(text[here:], here)
    for index, unit in enumerate(found[:-1]):  # 早 in 最早 is a joint, in 早餐券 it begins a phrase
        opens = index == 0 or found[index - 1].kind in ("joint", "mark")
        if unit.kind == "joint" and unit.text in _OPENING and opens and found[index + 1].kind == "content":
            if index == 0 or found[index - 1].text != "最":
                found[index] = Unit(unit.text, "content", "b", unit.start)
    return tuple(_compounds(found))


def _one_word(last: Unit, unit: Unit) -> bool:
    """Say whether two single characters are one word that the dictionary lacks: a nominal one and a noun."""
    nominal = last.kind in ("content", "attribute") and len(last.text) == 1 and last.tag[:1] in "nmbatjg"
    return nominal and unit.kind == "content" and len(unit.text) == 1 and unit.tag[:1] == "n"


def is_compound_after(stem: str, text: str) -> bool:
    """Say whether the word after a demonstrative swallows its measure word: 「那条件呢」 is 那 + 条件, not 那条 + 件.

    Limits: where both readings exist, the measure word wins for 个. Example: 「该部门」 → True, 「那位老师」 → False.
    """
    if not text.startswith(stem):
        return False
    word, tag = (lang.cut(text[len(stem) :]) or (("", ""),))[0]
    return word[:1] not in "份种些" and len(word) >= (3 if word[:1] == "个" else 2) and tag[:1] not in "rmq"


def _compounds(found: list[Unit]) -> list[Unit]:
    """Join a single character with the direction after it (线上, 馆内), which the dictionary may lack."""
    out: list[Unit] = []
    for unit in found:
        last = out[-1] if out else None
        if last and last.text in tuple("一两二三四五六七八九十每") and unit.text in _SHORT_UNITS:
            out[-1] = Unit(last.text + unit.text, "number", "m", last.start)
            continue
        if last and _one_word(last, unit):
            out[-1] = Unit(last.text + unit.text, "content", "n", last.start)
            continue
        if unit.text in tuple("上下内外里") and last and last.kind == "content" and len(last.text) == 1 and last.tag[:1] == "n":
            out[-1] = Unit(last.text + unit.text, "content", "s", last.start)
        else:
            out.append(unit)
    return out


def _plain(text: str, offset: int) -> list[Unit]:
    found: list[Unit] = []
    for word, tag in lang.cut(text):
        found.append(Unit(word, _kind(word, tag), tag, offset))
        offset += len(word)
    return found


def _kind(word: str, tag: str) -> str:
    if _MARK.match(word) or word.isspace():
        return "mark"
    if word in lang.FUNCTION_WORDS:
        return "joint"
    if word in lang.ATTRIBUTES:
        return "attribute"
    if word in lang.PROCESS_VERBS:
        return "verb"
    if _NUMBER.match(word) and not (len(word) == 1 and word in "年月周期号点日时分"):
        return "number"
    if len(word) == 2 and word[1] in "在到给往" and word[0] in lang.PROCESS_VERBS:
        return "verb"
    if tag in ("m", "mq", "q") and word[0] in "一二两三四五六七八九十百千万每半0123456789" and len(word) >= 2:
        return "number"
    if tag in ("y", "e", "uj", "ul", "uz", "ug") and len(word) == 1:
        return "joint"
    return "content"


def is_owner(unit: Unit) -> bool:
    """Say whether a unit can be what a sentence is about by itself: a content noun, name or foreign word."""
    if unit.kind != "content":
        return False
    return (unit.tag[:1] in "nijlz" and len(unit.text) >= 2) or unit.tag in ("eng", "vn", "nr", "ns", "nt", "nz")


def runs(text: str) -> list[list[Unit]]:
    """Collect the stretches between joints, question words and marks, in reading order; 「的」 ends one too."""
    out: list[list[Unit]] = [[]]
    for unit in units(text):
        if unit.kind in ("question", "joint", "mark"):
            out.append([])
        else:
            out[-1].append(unit)
    return [run for run in out if run]


def joined(run: list[Unit]) -> str:
    return "".join(unit.text for unit in run)


def has_topic(text: str) -> bool:
    """Say whether a question names what it is about, so that it stands without its conversation.

    Rule: some stretch holds a content noun, or two adjoining single characters (a word the dictionary lacks), or
    a content verb in subject position (「打卡几点截止」).
    Limits: a question about a bare attribute (「押金呢」) counts as nameless even when it opens a conversation.
    """
    found = units(text)
    for run in runs(text):
        content = [unit for unit in run if unit.kind == "content" and unit.text not in _CONDITIONS]
        if any(is_owner(unit) for unit in content):
            return True
        if sum(len(unit.text) for unit in content) >= 2 and any(unit.tag[:1] in "nmjb" for unit in content):
            return True
        after = next((unit for unit in found if unit.start == run[-1].end), None)
        leads = run[0].start == 0 and after is not None and after.kind != "mark" and after.text not in ("的", "吗", "了")
        if leads and (content and len(joined(run)) >= 2 or re.fullmatch(rf"{lang.NUMBER}[楼层级]", joined(run))):
            return True
    return False


def topic(question: str) -> str:
    """Find what a question is about, as a phrase that can stand before another question.

    Rule: the stretch before the first question word or modal, without a closing attribute when something stays
    (「门禁卡押金｜是多少」 → 门禁卡); when nothing stands there, the content after it (「怎么补办门禁卡」 → 门禁卡). The
    object of a yes-no question is kept with its subject (「访客能用班车吗」 → 访客用班车).
    Limits: a long subject clause is kept whole; two topics stay joined.
    """
    clauses = [part for part in re.split(r"[，,。；;？?！!]", question) if part.strip()]
    found_topics = [(_asks(part), _topic(part)) for part in clauses]
    asking = [phrase for asks, phrase in found_topics if asks and phrase]
    return (asking + [phrase for _, phrase in found_topics if phrase] + [""])[0]


def _asks(clause: str) -> bool:
    return bool(re.search(r"吗|么$|[不没]", clause)) or any(unit.kind == "question" for unit in units(clause))


def _topic(question: str) -> str:
    found = units(question)
    stop = _first_cut(found)
    head = [unit for unit in found[:stop] if unit.kind != "mark" or unit.text in "、 "]
    head = _trim(head)
    amount = stop < len(found) and found[stop].kind == "question" and found[stop].text[0] in "多几"
    while amount and len(head) > 1 and head[-1].kind == "verb" and any(is_owner(unit) for unit in head[:-1]):
        head = head[:-1]
    asked = any(unit.kind == "question" for unit in found)
    tail = [
        unit
        for index, unit in enumerate(found[stop:], stop)
        if unit.kind not in ("question", "joint", "mark", "number") or _negates(found, index)
    ]
    if head and any(is_owner(unit) or unit.kind == "content" for unit in head):
        if asked:
            nouns = [unit for unit in tail if is_owner(unit) and unit.tag[:1] == "n" and unit.text not in joined(head)]
            return joined(head) + (joined(nouns) if not nouns or len(joined(head)) < 8 else "")
        return joined(head) + "".join(unit.text for unit in tail if unit.text not in joined(head))
    owners = [unit for unit in tail if unit.kind == "content"]
    if not owners:
        return joined(head)
    first, last = tail.index(owners[0]), len(tail) - 1 - tail[::-1].index(owners[-1])
    if first and tail[first - 1].kind == "verb" and not asked:
        first -= 1
    body = tail[first : last + 1]
    verb = "".join(unit.text for unit in head if unit.kind == "verb")
    return verb + joined(body)


def _negates(found: tuple[Unit, ...], index: int) -> bool:
    """Say whether a unit is a negation before a verb or noun, and not half of 有没有/开不开."""
    if found[index].text not in ("没", "没有", "未") or index + 1 >= len(found):
        return False
    repeats = index > 0 and found[index - 1].text == found[index + 1].text
    return found[index + 1].kind in ("verb", "content") and not repeats


def _first_cut(found: tuple[Unit, ...]) -> int:
    """Find where the asking part begins: the first question word, modal or copula that is not inside a phrase."""
    soft = lang.lexicon(
        "的 和 与 及 以及 或 或者 跟 对 了 在 把 向 给 用 从 中 里 内 外 上 下 后 前 时 之后 之前 一个 个 着 过 其中 为 按 被 等 每 的话 地 一"
    )
    for index, unit in enumerate(found):
        if unit.kind == "question":
            return index
        if unit.kind == "joint" and unit.text not in soft:
            before = [other for other in found[:index] if other.kind not in ("joint", "mark")]
            if before:
                return index
            if unit.text not in lang.lexicon(
                "我 我们 你 你们 咱们 咱 您 公司 我司 单位 如果 要是 关于 对于 请 想 想要 那 那么 这 本公司"
            ):
                return index
    return len(found)


def _trim(head: list[Unit]) -> list[Unit]:
    drop = lang.lexicon(
        "我 我们 你 你们 咱们 咱 您 公司 我司 单位 如果 要是 关于 对于 请 想 想要 那 那么 这 把 在 对 本公司 用 一个 给 的 向 从 为"
    )
    while head and head[0].kind in ("joint", "mark") and (head[0].text in drop or head[0].kind == "mark"):
        head = head[1:]
    while head and head[-1].kind in ("joint", "mark") and head[-1].text != "一":
        if head[-1].text == "了" and len(head) > 2 and head[-2].text in _CONDITIONS:
            return head
        head = head[:-1]
    if head and head[-1].text in _CONDITIONS and len(head) > 1:
        return head
    while len(head) > 1 and head[-1].kind == "number" and any(is_owner(unit) for unit in head[:-1]):
        head = head[:-1]
    while len(head) > 1 and head[-1].kind == "verb" and len(head[-1].text) == 1:
        head = head[:-1]
    while (
        len(head) > 1
        and head[-1].kind == "attribute"
        and (len(head[-1].text) > 1 or head[-2].text == "的")
        and (head[-1].text not in _KEPT_HEADS or head[-2].text == "的")
        and head[-2].tag != "eng"
        and any(is_owner(unit) or unit.kind == "content" for unit in head[:-1])
    ):
        head = head[:-1]
        while head and head[-1].kind in ("joint", "mark"):
            head = head[:-1]
    return head


# ── What a text names ───────────────────────────────────────────────────────────────────────────
def titles(text: str) -> list[str]:
    """List the 《…》 titles of a text, each once, in order."""
    return list(dict.fromkeys(_TITLE.findall(text)))


def ending_in(head: str, text: str) -> list[str]:
    """List the noun phrases of a text that end in ``head``, longest reading, in order.

    Rule: from each place where a word ends in ``head``, go left over content, attributes and quotation marks until a
    joint, question word, number, mark or verb of procedure (a verb right before the head belongs to it).
    Limits: relative clauses are not followed. Example: head 柜, 「工具放在走廊的储物柜」 → 储物柜.
    """
    found = units(text)
    out: list[str] = []
    for index, unit in enumerate(found):
        if unit.kind in ("question", "mark", "joint") or not (unit.text.endswith(head) or _spans(found, index, head)):
            continue
        first = index
        while first and _belongs(found[first - 1], first == index):
            first -= 1
        while first < index and found[first].text in "”」』》、":
            first += 1
        phrase = joined(list(found[first : index + 1]))
        if phrase.count("”") > phrase.count("“"):
            phrase = phrase.split("”", 1)[1]
        out.append(phrase)
    return list(dict.fromkeys(out))


def _spans(found: tuple[Unit, ...], index: int, head: str) -> bool:
    return "".join(unit.text for unit in found[max(0, index - 3) : index + 1]).endswith(head)


def _belongs(unit: Unit, adjacent: bool) -> bool:
    if unit.text in _QUOTES:
        return True
    if unit.kind == "verb":
        return adjacent and len(unit.text) >= 2
    return unit.kind in ("content", "attribute") and unit.tag not in ("d", "c", "p")


@lru_cache(maxsize=1024)
def names(text: str) -> tuple[str, ...]:
    """List personal names: words tagged as names that begin with a family name, and family name + 老师/师傅/….

    Limits: rare family names and names that are also words are missed. Example: 「由郭静接待」 → 郭静.
    """
    import rjieba

    out: list[tuple[int, str]] = []
    here = 0
    words = [(word, tag) for word, tag in rjieba.tag(text)]
    for index, (word, tag) in enumerate(words):
        double = word[:2] in lang.DOUBLE_SURNAMES.split()
        after = words[index + 1][0] if index + 1 < len(words) else ""
        if word in _NOT_NAMES or word[-1] in "路街厅馆店楼部处室科局院" or after[:1] in tuple("部处科室组厅馆路街区市县省店"):
            pass
        elif tag[:2] == "nr" and 2 <= len(word) <= 3 + double and (word[0] in lang.SURNAMES or double):
            out.append((here, word))
        elif tag == "nr" and len(word) == 1 and word in lang.SURNAMES and index + 1 < len(words):
            if 1 <= len(after) <= 2 and after not in lang.FUNCTION_WORDS and not _MARK.match(after):
                out.append((here, word + after))
        here += len(word)
    for match in re.finditer(
        rf"[{lang.SURNAMES}](?:老师|师傅|经理|主任|医生|教授|教练|馆长|院长|校长|工(?![作程]))", text
    ):
        if not any(start <= match.start() < start + len(name) for start, name in out):
            out.append((match.start(), match.group()))
    return tuple(dict.fromkeys(name for _, name in sorted(out)))


_STOP_BEFORE_ROLE = lang.lexicon(
    "联系 通知 提交 找 咨询 告知 请示 征得 取得 得到 负责 报 送 交 问 经 由 请 需 须 先 再 后 统一 一律 即 以及 现任 当时"
)


@lru_cache(maxsize=1024)
def people(text: str) -> tuple[tuple[str, bool], ...]:
    """List the people of a text as (phrase, stands after 由/经/找/联系/是…), in order.

    Rule: a role title with what stands before it in its stretch, a name, or a title directly followed by a name.
    Limits: a kind of people (读者) counts as people. Example: 「须由设备科科长签字」 → (设备科科长, True).
    """
    found = units(text)
    spans: list[tuple[int, int]] = []
    for match in _ROLE.finditer(text):
        start = match.start()
        unit = next((unit for unit in found if unit.start <= start < unit.end), None)
        if unit is None or unit.kind in ("question", "mark") or text[match.end() : match.end() + 1] in tuple("部处科室局院会"):
            continue
        if match.group() not in lang.ROLE_SUFFIXES.split() and match.end() not in {unit.end for unit in found}:
            continue
        start = unit.start if unit.kind != "joint" else start
        index = found.index(unit)
        while index and _modifies(found[index - 1]):
            index -= 1
            start = found[index].start
        spans.append((start, match.end()))
    for name in names(text):
        start = text.find(name)
        spans.append((start, start + len(name)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and (start <= merged[-1][1] or text[merged[-1][1] : start] in ("的", "（", "(")):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    out = []
    for start, end in merged:
        before = re.sub(r"[\u4e00-\u9fff]{1,8}[部处科室组馆院局店中心]的$", "由", text[:start][-12:]) if text[:start].endswith("的") else text[:start][-2:]
        marked = (before[-1:] in "由经找是向请让报派交" and bool(before)) or before.endswith(("联系", "通知", "咨询"))
        out.append((text[start:end], marked))
    return tuple(dict.fromkeys(out))


_UNIT = re.compile(rf"(?:{lang.alternatives(lang.UNIT_SUFFIXES)})$")


@lru_cache(maxsize=1024)
def organisations(text: str) -> tuple[str, ...]:
    """List the organisational units of a text, those after 由/归/找/向… first choice: 「由保卫处登记」 → 保卫处.

    Limits: a place that ends like a unit (中心) is listed too.
    """
    found = units(text)
    strong: list[str] = []
    weak: list[str] = []
    for index, unit in enumerate(found):
        if unit.kind not in ("content", "attribute") or not _UNIT.search(unit.text) or unit.tag[:1] not in "nbjz":
            continue
        first = index
        while first and _modifies(found[first - 1]):
            if found[first - 1].kind == "verb" and (first < 2 or found[first - 2].kind != "content"):
                break
            first -= 1
        phrase = joined(list(found[first : index + 1]))
        if len(phrase) >= 2 and phrase not in ("部门", "小组", "团队", "办公室", "单位"):
            (strong if text[: found[first].start].endswith(tuple("由归找向是经报交")) else weak).append(phrase)
    chosen = list(dict.fromkeys(strong or weak))
    return tuple(name for name in chosen if not any(name != other and name in other for other in chosen))


def agents(text: str) -> list[str]:
    """List what stands after 由/向/找/经/联系, whatever its title: 「向业务伙伴提出」 → 业务伙伴."""
    out: list[str] = []
    found = units(text)
    for index, unit in enumerate(found):
        if unit.text in ("由", "向", "找", "经", "联系", "归"):
            run = []
            for other in found[index + 1 :]:
                if other.kind not in ("content", "attribute") or other.tag[:1] == "v" and run:
                    break
                run.append(other)
            if run and len(joined(run)) >= 2:
                out.append(joined(run))
    return list(dict.fromkeys(out))


def _modifies(unit: Unit) -> bool:
    if unit.text in _STOP_BEFORE_ROLE or unit.text in _QUOTES:
        return False
    if unit.kind in ("content", "attribute") and unit.tag[:1] not in "dcpr":
        return True
    return unit.kind == "verb" and len(unit.text) >= 2


_PLACE = re.compile(rf"(?:{lang.alternatives(lang.PLACE_SUFFIXES)}|[店处点所房库院场部区台])$")
_TIME_WORD = rf"(?:{lang.alternatives(lang.TIME_KINDS)}|除夕|初[一二三四五六七八九十]|双十[一二]|大促|暑期|寒假期间)"
_DATE = (
    rf"(?:开学|入职|放假|每月|每年|当月|当年)?第{lang.NUMBER}(?:周|个?月|天|季度|学期)|(?:每?(?:年|月|周|季度|天|日))?(?:最后一个|第{lang.NUMBER}个)?(?:\d+年)?{lang.NUMBER}月(?:{lang.NUMBER}[日号]|[初中底])?"
    rf"|每?个?(?:月|季度|年)(?:最后一个|第{lang.NUMBER}个)?(?:周|星期)[一二三四五六日天]|每?(?:周|星期)[一二三四五六日天末]"
    rf"|每月{lang.NUMBER}[日号]|{_TIME_WORD}"
)
_TIME = re.compile(
    rf"[\u4e00-\u9fff]{{1,4}}时段|(?:{_DATE})(?:(?:上午|下午|晚上|中午|早上|凌晨)?(?:\d+[点:：]\d*)?)?"
    rf"(?:(?:至|到|—|~|-)(?:{_DATE}))?(?:期间)?|[\u4e00-\u9fff]{{1,6}}(?:期间|结束后(?:的[\u4e00-\u9fff]{{1,3}}内)?|高峰期?|当天)"
)


def places(text: str) -> list[str]:
    """List the place names of a text: phrases after 在/到/至/去/于 that end like a place, else any that do; no bare numbers.

    Example: 「邮件请送到收发室」 → 收发室.
    """
    strong: list[str] = []
    weak: list[str] = []
    previous = ""
    for run in _place_runs(text):
        before = text[max(0, run[0].start - 1) : run[0].start]
        arrives = before in tuple("在到至去于是投寄往") or (before == "的" and previous == "strong")
        previous = ""
        for last in range(len(run), 0, -1):
            phrase = joined(run[:last])
            if "verb" in [unit.kind for unit in run[:last]] and _verbless_place(run):
                continue
            if _PLACE.search(phrase) and run[last - 1].tag[:1] != "v" and (arrives or run[0].kind != "verb"):
                if not re.fullmatch(rf"负?{lang.NUMBER}[楼层]", phrase):
                    if before == "的" and strong and arrives:
                        strong[-1] = phrase
                    else:
                        (strong if arrives else weak).append(phrase)
                previous = "strong" if arrives else ""
                break
    return list(dict.fromkeys(strong or weak))


def _verbless_place(run: list[Unit]) -> bool:
    stop = next((index for index, unit in enumerate(run) if unit.kind == "verb"), len(run))
    return any(_PLACE.search(joined(run[:last])) for last in range(1, stop + 1))


def _place_runs(text: str) -> list[list[Unit]]:
    out: list[list[Unit]] = [[]]
    for unit in units(text):
        if unit.kind in ("question", "joint", "mark") or unit.text[-1] in "在到至于往" or (unit.kind == "number" and not unit.text.endswith(("层", "楼"))):
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
    found = units(text)
    for index, unit in enumerate(found):
        if not _PAIR.fullmatch(unit.text):
            continue
        left: list[Unit] = []
        for other in reversed(found[:index]):
            if other.kind in ("question", "joint", "mark"):
                break
            left.insert(0, other)
        right: list[Unit] = []
        for other in found[index + 1 :]:
            if other.kind in ("question", "joint", "mark"):
                break
            right.append(other)
        if left and right:
            first, second = joined(left), joined(right)
            return first, second
    return None


_ITEM = re.compile(
    r"(?:[一二三四五六]是|其[一二三四]是?|第[一二三四五六](?:种|个|条|步|项)?(?:是|，|,|、|：|:)|[①②③④⑤⑥]|(?<![\d.])[1-6][.、)）](?!\d)|首先|其次|最后)"
)


def items(text: str) -> list[str]:
    """List what a text enumerates: 一是…二是…, 1. 2., 「可以甲，也可以乙」, 「甲、乙两种」; figures are cut out.

    Example: 「一是排队，二是网上取号」 → 排队, 网上取号.
    """
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
    """List the parallel things of a reply: 「可以坐班车，也可以骑车」, 「有甲厅和乙厅」, 「甲在一层，乙在二层」; else nothing.

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
        found = units(clause)
        lead = 0
        while lead < len(found) and found[lead].kind not in ("joint", "question", "mark", "verb"):
            lead += 1
        if 0 < lead < len(found) and (found[lead].text in _SUBJECT_VERB or found[lead].text[0] in "可也"):
            out.append(without_figures(joined(list(found[:lead]))))
    out = [subject for subject in dict.fromkeys(out) if len(subject) >= 2 and has_topic(subject)]
    return out if len(out) >= 2 else []


def without_figures(text: str) -> str:
    """Cut every amount, duration, rate and date out of a phrase, so that no answer travels in a question."""
    return lang.FIGURE.sub("", text).strip("，,、 ")
