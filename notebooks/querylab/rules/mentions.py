"""Mentions: the people, units, places, times, documents and things that a text names, in its order.

In: a Chinese text. Out: :class:`Mention` values. A mention is a run of nouns as the tagger sees them, or what stands in
quotation marks; its kind is told by how it ends (…员, …部, …室) or by its tags.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from querylab.rules.words import ASKING, GENERAL, lexicon, words

Kind = Literal["person", "unit", "place", "time", "document", "thing"]

_NOUN = ("name", "n", "nr", "ns", "nt", "nz", "nrt", "nrfg", "ng", "vn", "an", "j", "b", "eng", "s")
_TAILS = ("zg", "vg", "ng", "ag", "q", "k", "g")
_NO_NOUN = ("联系", "需要", "申请", "办理", "使用", "负责", "一共", "部分", "以后")
_NO_NAME = frozenset("中上下内外前后须应可不得人时的")
_QUOTED = re.compile(
    r"《[^《》]{1,40}》|第[一二三四五六七八九十百零0-9]+条|「[^「」]{1,20}」|“[^“”]{1,20}”|『[^『』]{1,20}』"
)


@dataclass(frozen=True)
class Mention:
    """A piece of a text that names something; ``agent``: a word like 由 or 找 stands before it; ``named``: a name."""

    text: str
    kind: Kind
    start: int
    agent: bool = False
    named: bool = False

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)


def kind_of(text: str) -> Kind:
    """Tell the kind of a noun by its ending: 「值班经理」 person, 「收发室」 place, 「借阅细则」 document."""
    if text.endswith(lexicon("person")) and not text.endswith(lexicon("no_person")):
        return "person"
    if text.endswith(lexicon("document")) or text.startswith("《"):
        return "document"
    if text.endswith(lexicon("unit")) and len(text) > 1 and text != "排队":
        return "unit"
    return "place" if text.endswith(lexicon("place")) and len(text) > 1 else "thing"


@lru_cache(maxsize=2048)
def mentions(text: str) -> tuple[Mention, ...]:
    """List what a text names, in its order; words for a mere property (费用, 电话) are left out.

    Limits: a name that the dictionary does not know may lose a character at its end.
    Example: 「由营养科副主任蒋婉负责」 → (营养科副主任蒋婉, person, agent).
    """
    quoted = [
        Mention(found[0], "document" if found[0][0] in "《第" else "thing", found.start())
        for found in _QUOTED.finditer(text)
    ]
    covered = {place for mention in quoted for place in range(mention.start, mention.end)}
    cut = [item for item in _with_names(text) if item[2] not in covered]
    found = list(quoted)
    index = 0
    while index < len(cut):
        end, named = _run(cut, index)
        if end == index:
            index += 1
            continue
        start = cut[index][2]
        run = "".join(word for word, _, _ in cut[index:end])
        time = all(tag == "t" for _, tag, _ in cut[index:end])
        before = cut[index - 1][0] if index else ""
        if len(run) > 1 and run not in GENERAL:
            kind: Kind = kind_of(run)
            kind = "time" if time else "person" if named and kind in ("thing", "person") else kind
            found.append(Mention(run, kind, start, before in lexicon("agent"), named))
        index = end
    return tuple(sorted(found, key=lambda mention: mention.start))


def _run(cut: list[tuple[str, str, int]], start: int) -> tuple[int, bool]:
    """Find where the run of nouns that begins at ``start`` ends, and whether a person's name stands in it."""
    end, index, named = start, start, False
    while index < len(cut) and (index == start or cut[index][2] == cut[index - 1][2] + len(cut[index - 1][0])):
        word, tag, _ = cut[index]
        following = cut[index + 1][1] if index + 1 < len(cut) else ""
        if end == index > start and _done_by(cut, start, index):
            break
        if word in _NO_NOUN or any(asking in word for asking in ASKING) or (len(word) == 3 and word[1] in "不没"):
            break
        nominal = tag in _NOUN or (tag == "t" and index == start)
        tail = end == index > start and len(word) == 1 and (tag in _TAILS or word == "点") and word not in "报丢休时"
        leads = (following in _NOUN + _TAILS or _short(cut, index + 1)) and (
            (tag == "v" and len(word) > 1 and (_short(cut, index + 1) if index > start else _opens(cut, index)))
            or (
                tag in ("a", "f", "m", "zg", "g", "h", "k")
                and len(word) <= 2
                and word not in "里内外中上下前后"
                and not _counts(word)
            )
        )
        if not (nominal or tail or leads):
            break
        index += 1
        named = named or tag == "name"
        if (nominal and (tag != "b" or kind_of(word) == "person")) or tail:
            end = index
        if tail:
            break
    return end, named


def _done_by(cut: list[tuple[str, str, int]], start: int, index: int) -> bool:
    """See where, in 「由质检员验货」, who acts ends and what is done begins."""
    word, tag, _ = cut[index]
    actor = kind_of(cut[index - 1][0])
    if tag == "name" or kind_of(word) in ("person", "unit"):
        return False
    governed = start > 0 and cut[start - 1][0] in lexicon("agent")
    return (governed and actor in ("person", "unit")) or (tag == "vn" and actor == "person")


def _opens(cut: list[tuple[str, str, int]], index: int) -> bool:
    """A verb may open a compound (审计日志) at the beginning of a clause or after 的, 和, 由, 那; else it governs."""
    return index == 0 or cut[index - 1][1] in ("x", "uj", "c", "p", "r", "v")


def _short(cut: list[tuple[str, str, int]], index: int) -> bool:
    """Inside a compound a verb stands before a head of one character (自助缴费机); else it governs what follows."""
    return index < len(cut) and len(cut[index][0]) == 1


def _counts(word: str) -> bool:
    return any(letter.isdigit() or letter in "一二三四五六七八九十两几多每半第零百千万" for letter in word)


def _with_names(text: str) -> list[tuple[str, str, int]]:
    """Cut a text, with the personal names that the tagger's hidden Markov model finds kept whole, tagged "name"."""
    import rjieba  # here: loading the dictionary takes longer than importing this package

    spans, place = {}, 0
    for word, tag in rjieba.tag(text, True):
        if tag == "nr" and len(word) in (2, 3) and not set(word) & _NO_NAME and word not in GENERAL:
            spans[place] = place + len(word)
        place += len(word)
    out: list[tuple[str, str, int]] = []
    until = 0
    for word, tag, start in words(text):
        if start < until:
            continue
        if start in spans:
            until = spans[start]
            out.append((text[start:until], "name", start))
        else:
            out.append((word, tag, start))
    return out
