"""Ellipses: questions that leave out what the one before said (「那客梯呢」, 「要押金吗」).

In: a question and the last completed question. Out: the completed question. What the new words replace is the part of
the old question nearest to them in meaning, by the sentence encoder: 儿童 replaces 成人, 白天 replaces 夜间.
"""

import re
from functools import cache

from querylab.retrieval.encoder import SentenceEncoder
from querylab.rules.mentions import mentions
from querylab.rules.words import ASKING, GENERAL, asked, words

_TAIL = re.compile(r"(?:的话)?(?:又)?(?:呢|咧|行吗|也行吗|也一样吗|也是吗|也是这样吗|一样吗)[？?。！!]*$")
_HEAD = re.compile(r"^(?:那么?|还有|如果是?|要是|换成|改成|那要是|只)+(?=[\u4e00-\u9fffA-Za-z0-9])")
_NEAR = 0.35  # cosine from which the new words replace a part of the old question
_LEANING = ("v", "d", "r", "p", "m", "c", "f", "zg", "y", "uj", "t")
_NOUNS = ("n", "nr", "ns", "nt", "nz", "vn", "eng", "j")
_LONGEST = 14


@cache
def encoder() -> SentenceEncoder:
    """The sentence encoder that the rules share."""
    return SentenceEncoder()


def remainder(question: str) -> str:
    """Give the new words of an ellipsis (客梯 in 「那客梯呢」); "" when the question is none."""
    text = question.strip()
    ended = _TAIL.search(text)
    rest = text[: ended.start()] if ended else text.rstrip("？?。！! ")
    rest = _HEAD.sub("", rest).strip("，, ")
    if not ended and "呢" in rest:  # 「猫呢 要不要」: the new words come first
        rest, ended = _HEAD.sub("", text.split("呢")[0]), _TAIL.search("呢")
    if not rest or len(rest) > _LONGEST or "，" in rest:
        return ""
    if ended and asked(rest) == "none":
        return rest
    bare = asked(rest) == "none" and not any(tag in ("v", "r", "p", "y") for _, tag, _ in words(rest))
    return rest if bare and len(rest) <= 8 else ""


def substituted(new: str, before: str) -> str:
    """Ask the question before about something else: 「成人票多少钱」 with 儿童票 → 「儿童票多少钱」."""
    before = before.rstrip("？?。 ")
    plain = new.removesuffix("的")
    if plain in before:
        return before
    named = [mention for mention in mentions(before)]
    parts = [m.text for m in named] + [
        word for word, tag, _ in words(before)
        if len(word) > 1 and tag[:1] in "ntvsbfajlmize" and not any(asking in word for asking in ASKING)
    ]  # fmt: skip
    parts = [part for part in dict.fromkeys(parts) if part not in GENERAL or part[-1] == plain[-1]]
    if parts:
        vectors = encoder().encode([plain, *parts])
        near = [
            float(value) + 0.2 * (part[-1] == plain[-1] or part[0] == plain[0]) + 0.01 * len(part)
            for part, value in zip(parts, vectors[1:] @ vectors[0], strict=True)
        ]
        best = max(range(len(parts)), key=lambda index: (near[index], -index))
        if near[best] >= _NEAR + 0.2 * (plain in GENERAL) and not (
            new.endswith("的") and parts[best] == (named[0].text if named else "")
        ):
            return before.replace(parts[best], plain, 1)
    if plain in GENERAL:
        return f"{named[0].text}的{plain}" if named else f"{before}，{plain}"
    if named and named[0].kind not in ("time", "place") and not new.endswith("的"):
        return before.replace(named[0].text, plain, 1)
    return f"{new}{before}"


def leans(question: str) -> bool:
    """Say whether a question names nothing that it could be about: 「要押金吗」, 「怎么开通」; 「期刊能借吗」 does not."""
    plain = _HEAD.sub("", question)
    cut = words(plain)
    if not cut or len(plain) > _LONGEST + 6:
        return False
    own = [m for m in mentions(plain) if m.kind != "time" and not _property(m.text)]
    opens = cut[0][1] in _LEANING
    if own:
        return opens and len(plain) <= 8 and all(len(mention.text) == 2 for mention in own)
    content = [word for word, tag, _ in cut if tag in _NOUNS and not _property(word)]
    return not content or (opens and len(plain) <= 10)


def _property(word: str) -> bool:
    """Say whether a noun is a property or an amount of something: 手续费, 押金, 期限, 一节课."""
    return word in GENERAL or (len(word) <= 3 and word[-1] in "费金额率龄限") or word[0] in "一每两几"
