"""Padding: 请问, 大概, 一下, 那个, 啊 and other words of speech that a search does not need.

In: what was said. Out: the same without its padding; a sentence without padding comes back to the letter.
"""

import re

from querylab.rules import language as lang
from querylab.rules import named, phrases, references

_SPEECH = ("问", "了解", "知道", "咨询", "请教", "查", "看", "告诉我", "麻烦", "劳驾")

_DIRECT_OPENINGS = " ".join(word for word in lang.OPENINGS.split() if any(part in word for part in _SPEECH))

_OPENING = re.compile(
    rf"^\s*(?:(?:{lang.alternatives(_DIRECT_OPENINGS)})[\s，,、。：:！!]*"
    rf"|(?:{lang.alternatives(lang.OPENINGS + ' 那个 这个')})(?:哈|呀|啊|啦|了|您|"
    rf"你)*[\s，,、。！!~～…]+)"
)

_MEASURE_LETTERS = tuple(word for word in (lang.MEASURES + " 双 副 顿 趟 回").split() if len(word) == 1)

_ABOVE_WORD = re.compile(r"前面|后面|上面|刚才|刚刚|上边|后边|前边|之前|右边|左边")


_POINTING = (
    re.compile(r"那(?:玩意|东西|上头|上面|下面|[两几俩])"),
    references.PERSON,
    references.PLACE,
    references.TIME,
    references.DEMONSTRATIVE,
)


def without_padding(text: str, in_conversation: bool = False) -> str:
    """Drop spoken padding: openings, 大概/到底/一下, and 「那个」 between a topic and its attribute.

    Limits: 「那个」 after a verb (「填那个表」) is kept as a reference when there is a conversation. Example:
    「您好，请问一下停车费大概是多少啊」 → 「停车费是多少啊」 (the particle goes last, see :func:`without_particle`).
    """
    out = text
    while (found := _OPENING.match(out)) and len(out) > found.end():
        out = out[found.end() :]
    if phrases.is_compound_after("那", out) and out[1:2] in _MEASURE_LETTERS and not references.TIME.match(out):
        out = out[1:]
    words = lang.cut(out)
    links = len(words) > 1 and words[0][0] in ("那", "那么", "然后", "所以", "还有") and words[1][1][:1] in "nvrjlt"
    points = any(form.match(out) for form in _POINTING)
    asks = not out.endswith(("呢", "呢？", "呢?")) or any(unit.kind == "question" for unit in phrases.units(out))
    if links and asks and not points:
        out = out[len(words[0][0]) :].lstrip("，, ")
    titles = named.titles(out)
    fillers = lang.lexicon(lang.INNER_FILLERS)
    kept: list[str] = []
    for word, _ in lang.cut(out):
        if word in fillers and not any(word in title for title in titles):
            continue
        kept.append(word)
    out = "".join(kept)
    inner = re.search(r"^([\u4e00-\u9fff]{2,6})那个(?=[\u4e00-\u9fff]{2})", out)
    if (
        inner
        and phrases.topic(inner.group(1))
        and phrases.units(out)[1:]
        and next((unit.kind for unit in phrases.units(out) if unit.start == inner.end()), "") == "attribute"
        and not _ABOVE_WORD.match(out)
        and all(unit.kind in ("content", "verb", "attribute") for unit in phrases.units(inner.group(1)))
    ):
        out = out[: inner.end(1)] + out[inner.end() :]
    if not in_conversation:
        out = re.sub(r"^(?:那|这)个(?=[，,、 ])[，,、 ]*", "", out)
    return out.strip() or text


def without_particle(text: str) -> str:
    """Drop sentence-final particles that carry no question (呢 啊 吧 …; 吗 stays).

    Limits: a word the dictionary lacks loses its last character when that is a particle.
    Example: 「几点开门呀？」 → 「几点开门？」.
    """
    found = re.search(rf"(?:{lang.alternatives(lang.FINAL_PARTICLES)})+([？?！!。~～]*)$", text)
    if not found or found.start() < 2:
        return text
    word = lang.cut(text[: found.end() - len(found.group(1))])[-1][0]
    return text if len(word) > 1 and word not in lang.FINAL_PARTICLES else text[: found.start()] + found.group(1)
