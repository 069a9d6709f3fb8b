"""Personal names: what a text calls somebody.

In: a question or a reply. Out: the names, in reading order. A name is found by its build and by the title beside it,
never by a list of names.
"""

import re
from functools import lru_cache

from querylab.models.rules import language as lang
from querylab.models.rules import phrases

_NOT_NAMES = lang.lexicon(lang.ROLE_SUFFIXES + " " + lang.PERSON_KINDS + " 师傅")


def _given_name(word: str) -> bool:
    return 1 <= len(word) <= 2 and word not in lang.FUNCTION_WORDS and not phrases.MARK.match(word)


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
            out.append((here, word))
        elif tag == "nr" and len(word) == 1 and word in lang.SURNAMES and _given_name(after):
            out.append((here, word + after))
        here += len(word)
    for match in re.finditer(
        rf"[{lang.SURNAMES}](?:老师|师傅|经理|主任|医生|教授|教练|馆长|院长|校长|工(?![作程]))", text
    ):
        begins = any(
            unit.start == match.start() and unit.kind != "joint" and unit.text[1:] in ("", match.group()[1:])
            for unit in phrases.units(text)
        )
        if begins and not any(start <= match.start() < start + len(name) for start, name in out):
            out.append((match.start(), match.group()))
    out = [
        (start, name)
        for start, name in out
        if not any(len(other) > len(name) and at <= start < at + len(other) for at, other in out)
    ]
    return tuple(dict.fromkeys(name for _, name in sorted(out)))


_TITLE_WORD = re.compile(
    rf"(?:{lang.alternatives(lang.ROLE_SUFFIXES + ' 师傅 大夫 阿姨 先生 女士')}|[\u4e00-\u9fff]员|岗)"
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
            if _like_a_name(text[after : after + size], size) and _cut_falls(text[after:], size):
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
        return (
            pieces[0][1][:1] in ("n", "a", "z", "t") and (pieces[0][1] == "nr" or _unknown(word)) and word not in known
        )
    return all(len(piece) == 1 or tag in ("nr", "nrfg", "ns", "nz", "t") for piece, tag in pieces) and not any(
        piece in known for piece, _ in pieces[1:]
    )


def _unknown(word: str) -> bool:
    import rjieba

    return any(found == word and tag[:2] == "nr" for found, tag in rjieba.tag(f"由{word}负责"))


def _cut_falls(rest: str, size: int) -> bool:
    """Say whether a word ends after so many characters of what follows a title."""
    here = 0
    for word, _ in lang.cut(rest[:12]):
        here += len(word)
        if here >= size:
            break
    return here == size
