"""Personal names: what a text calls somebody.

In: a question or a reply. Out: the names, in reading order. A name is found by its build and by the title beside it,
never by a list of names.
"""

import re
from functools import lru_cache

from querylab.rules import language as lang
from querylab.rules import phrases

_NOT_NAMES = lang.lexicon(lang.ROLE_SUFFIXES + " " + lang.PERSON_KINDS + " 师傅")


@lru_cache(maxsize=1024)
def names(text: str) -> tuple[str, ...]:
    """List personal names: words tagged as names that begin with a family name, and family name + 老师/师傅/….

    Limits: rare family names and names that are also words are missed. Example: 「由郭静接待」 → 郭静.
    """
    import rjieba

    out: list[tuple[int, str]] = _beside_a_title(text)
    here = 0
    words = [(word, tag) for word, tag in rjieba.tag(text)]
    for index, (word, tag) in enumerate(words):
        double = word[:2] in lang.DOUBLE_SURNAMES.split()
        after = words[index + 1][0] if index + 1 < len(words) else ""
        if (
            word in _NOT_NAMES
            or word[-1] in "路街厅馆店楼部处室科局院"
            or after[:1] in tuple("部处科室组厅馆路街区市县省店")
        ):
            pass
        elif tag[:2] == "nr" and 2 <= len(word) <= 3 + double and (word[0] in lang.SURNAMES or double):
            doing = text[here + len(word) :].startswith(("会", "能", "负责", "教", "管", "带", "已", "说", "去"))
            certain = doing or double or len(word) > 2 or text[here - 1 : here] in tuple("由找是叫请和、与跟给让")
            out += [(here, word)] if certain and _unheard_of(text, here, word) else []
        here += len(word)
    for match in re.finditer(
        rf"[{lang.SURNAMES}](?:老师|师傅|经理|主任|医生|教授|教练|副?[馆院校科处局站班队]长|工(?![作程])|先生|女士|警官|老板|大夫)",
        text,
    ):
        begins = any(
            unit.start == match.start() and unit.kind != "joint" and unit.text[1:] in ("", match.group()[1:])
            for unit in phrases.units(text)
        )
        if begins and not any(start <= match.start() < start + len(name) for start, name in out):
            out.append((match.start(), match.group()))
    out += _in_agent_position(text)
    out = [(start, name) for start, name in out if name not in _NO_NAMES and name not in _NOT_NAMES]
    out = [
        (start, name)
        for start, name in out
        if not any(len(other) > len(name) and at <= start < at + len(other) for at, other in out)
    ]
    owners = [
        name
        for start, name in out
        if re.match(rf"的(?:{lang.alternatives(lang.KIN)}|爱人|家长)", text[start + len(name) :])
    ]
    return tuple(dict.fromkeys(name for _, name in sorted(out) if name not in owners))


_TITLE_WORD = re.compile(
    rf"(?:{lang.alternatives(lang.ROLE_SUFFIXES + ' 师傅 大夫 阿姨 先生 女士')}|[\u4e00-\u9fff][员师]|岗)"
)


def _beside_a_title(text: str) -> list[tuple[int, str]]:
    """Find what the dictionary does not know for a name: a family name and one or two characters beside a title.

    Rule: right after a title (队长安岚) or 「…的/由/是」 and right before one (由安岚队长); the cut must fall between words.
    Limits: two words that together look like a name. Example: 「票务主任是安岚」 → 安岚.
    """
    out: list[tuple[int, str]] = []
    for match in _TITLE_WORD.finditer(text):
        after = match.end() + (text[match.end() : match.end() + 1] in ("是", "为", "叫"))
        for size in (3, 2):
            if _like_a_name(text[after : after + size], size):
                out.append((after, text[after : after + size]))
                break
        for size in (3, 2):
            start = match.start() - size
            opens = start == 0 or (start > 0 and (text[start - 1] in "的由是和与、，,。找请跟及部科室处" or not start))
            if opens and _like_a_name(text[start : match.start()], size):
                out.append((start, text[start : match.start()]))
                break
    for match in re.finditer(r"(?:部|科|室|处|组|中心|岗)的", text):
        size = next((n for n in (3, 2) if _like_a_name(text[match.end() : match.end() + n], n)), 0)
        rest = text[match.end() + size :]
        if size and (not rest or phrases.MARK.match(rest[0]) or rest[0] in "和与或"):
            out.append((match.end(), text[match.end() : match.end() + size]))
    return out


def _unheard_of(text: str, start: int, word: str) -> bool:
    """Say whether the dictionary lacks a name and no longer word of it begins there (金卡有 begins with 金卡)."""
    here = 0
    for known, _ in lang.cut(text):
        if here == start and len(known) > 1:
            return False
        here += len(known)
    return not any(letter in _JOINTS for letter in word[1:])


_JOINTS = "的了着过在和与是有不会能可要就都也还吗呢从把被给对由则"
_AGENT = lang.lexicon("由 是 叫 找 请 联系 向 让 归 为 和 与 、 喊 问 给 到")
_NO_NAMES = lang.lexicon(
    "陈列 安排 方便 常见 严格 高效 温馨 和平 金属 马上 高峰 安全 许可 关于 任何 时候 宁静 平时 平台 成本 全部 钱包"
)


_CALLED_SO = re.compile(
    rf"(?:{lang.alternatives(lang.ROLE_SUFFIXES)}|[他她]|员|师|[\u4e00-\u9fff]长)(?:名?叫|名为)([\u4e00-\u9fff]{{2,4}})(?=[，,。]|$)"
    rf"|^叫([{lang.SURNAMES}][\u4e00-\u9fff]{{1,2}})(?=[，,。]|$)"
)


def _in_agent_position(text: str) -> list[tuple[int, str]]:
    """Find names by where they stand: after 由, 是, 叫, 找 or a role, by way of nouns (由侨商林阿福捐).

    Rule: a family name that is a word of its own and one or two letters after it, or 老/小/阿 and one letter; what
    follows must be a mark, a verb or a joint. Limits: a name between two nouns is missed.
    """
    found = phrases.units(text)
    out: list[tuple[int, str]] = []
    open_to_names = False
    for index, unit in enumerate(found):
        role = bool(_TITLE_WORD.search(unit.text)) and _TITLE_WORD.search(unit.text).end() == len(unit.text)
        if open_to_names or (index == 0 and unit.text in ("老", "小", "阿")):
            for width in (3, 2, 1):
                parts = found[index : index + width]
                word = "".join(part.text for part in parts)
                after = found[index + width].text if index + width < len(found) else "。"
                follows = found[index + width].kind if index + width < len(found) else "mark"
                verbal = index + width < len(found) and found[index + width].tag[:1] in "vpm"
                ends = follows in ("mark", "joint", "verb") or verbal or bool(_TITLE_WORD.match(after))
                if len(parts) == width and ends and _built_like_a_name(parts, word):
                    out.append((unit.start, word))
                    break
        if open_to_names and re.fullmatch(r"[A-Z][a-z]+", unit.text):
            out.append((unit.start, unit.text))
        told = open_to_names and unit.tag[:2] == "nr" and unit.kind == "content" and 2 <= len(unit.text) <= 4
        if told and unit.text not in _NO_NAMES and (index + 1 == len(found) or found[index + 1].kind == "mark"):
            out.append((unit.start, unit.text))  # 教练是内蒙来的巴特
        open_to_names = (
            (open_to_names and unit.text in ("的", "来"))
            or unit.text in _AGENT
            or role
            or (open_to_names and unit.kind == "content" and unit.tag[:1] in "nbvs")
            or (open_to_names and (unit.kind == "number" or unit.text == "后"))
        )
    for deed in re.finditer(r"负责|主讲|带队|执教|主刀|坐诊|值班|掌勺|主持|授课", text):
        for size in (3, 2):
            word = text[max(0, deed.start() - size) : deed.start()]
            cut_there = any(unit.start == deed.start() - size for unit in found)
            if len(word) == size and word[0] in lang.SURNAMES and cut_there and _like_a_name(word, size):
                out.append((deed.start() - size, word))
                break
    for called in _CALLED_SO.finditer(text):
        out.append((called.start(called.lastindex or 1), called.group(called.lastindex or 1)))
    return out


def _built_like_a_name(parts: tuple[phrases.Unit, ...], word: str) -> bool:
    if word in _NO_NAMES or word in _NOT_NAMES or not re.fullmatch(r"[\u4e00-\u9fff]{2,3}", word):
        return False
    if word[-1] in "路街厅馆店楼部处室科局院组长岗员人班级校":
        return False
    if word[:2] in lang.DOUBLE_SURNAMES.split():
        return len(word) > 2
    if word[0] in "老小阿":
        return len(word) == 2 and (word[1] in lang.SURNAMES or all(len(known) == 1 for known, _ in lang.cut(word)))
    if word[0] not in lang.SURNAMES:
        return False
    if len(parts) == 1:
        return parts[0].tag[:2] == "nr" or all(len(known) == 1 for known, _ in lang.cut(word))
    single = all(len(known) == 1 for known, _ in lang.cut(word[:2]))
    return (len(parts[0].text) == 1 or single) and not any(part.text in _JOINTS for part in parts[1:])


def _like_a_name(word: str, size: int) -> bool:
    """Say whether a word has the build of a name: a family name, then no word of the language."""
    if (
        len(word) != size
        or word[-1] in "路街厅馆店楼部处室科局院组长岗员人"
        or word[0] not in lang.SURNAMES
        or not re.fullmatch(r"[\u4e00-\u9fff]+", word)
    ):
        return False
    known = lang.FUNCTION_WORDS | lang.ATTRIBUTES | lang.PROCESS_VERBS
    pieces = lang.cut(word)
    if pieces[0][0] == word:
        return pieces[0][1][:1] in ("n", "a", "z", "t") and pieces[0][1] == "nr" and word not in known
    return all(len(piece) == 1 or tag in ("nr", "nrfg", "ns", "nz", "t") for piece, tag in pieces) and not any(
        piece in known for piece, _ in pieces[1:]
    )
