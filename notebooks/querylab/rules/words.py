"""What the rules know of Chinese and English sentences: clauses, what a clause asks, which of its words carry content.

In: a question or a sentence. Out: pieces of it, never new text. The lists stand in ``words.txt``: closed classes
(question words, courtesy, measure words), the commonest endings of nouns, and nouns for a property of something.
"""

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, get_args

from querylab.language import is_english, simplified, tagged
from querylab.text import tokenise, whole

LONGEST = 400
"""Characters of a text that a rule reads: longer ones are no questions, and a rule answers in milliseconds."""

Asked = Literal["class", "person", "unit", "place", "amount", "time", "count", "procedure", "thing", "yes-no", "none"]
_WIDE = "，。；：？！（）"
_MARKS = "，,。；;！!？?\n"


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    rows = [line.split("\t", 1) for line in text.splitlines() if line and not line.startswith("#")]
    return {name: tuple(words.split()) for name, words in rows}


def lexicon(name: str) -> tuple[str, ...]:
    """Give one list of ``words.txt``, in its order; empty when there is none of that name."""
    return _lists().get(name, ())


def pairs(name: str) -> tuple[tuple[str, str], ...]:
    """Give one list of pairs (word=other) of ``words.txt``, in its order."""
    return tuple((word, other) for word, _, other in (item.partition("=") for item in lexicon(name)))


GENERAL = frozenset(lexicon("general"))
ASKING = tuple(
    sorted({word for kind in get_args(Asked) for word in lexicon(f"ask.{kind}")}, key=lambda word: (-len(word), word))
)
"""All question words, the long ones first."""


def clean(text: str) -> str:
    """Bring what was typed into the form that rules read: NFKC but for Chinese marks, simplified, not too long."""
    plain = (letter if letter in _WIDE else unicodedata.normalize("NFKC", letter) for letter in whole(text)[:LONGEST])
    return simplified("".join(plain)).strip()


def clauses(text: str) -> list[str]:
    """Cut a text at its marks; Chinese also at blanks between Chinese characters."""
    for mark in _MARKS:
        text = text.replace(mark, "，")
    if not is_english(text):
        text = re.sub(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])", "，", text)
    return [part.strip() for part in text.split("，") if part.strip()]


@lru_cache(maxsize=4096)
def asked(clause: str) -> Asked:
    """Say what a clause asks for: 「谁批准」 a person, 「几天」 a time; "none" when it asks nothing."""
    english = is_english(clause)
    own = set(re.findall("[a-z]+", clause.casefold())) if english else set()
    for kind in get_args(Asked):
        if any(
            word in own if english else word in clause for word in lexicon(f"{'english' if english else 'ask'}.{kind}")
        ):
            return kind
    ends = clause.rstrip("啊呀呢的了").endswith(("不", "吗", "么", "没", "没有"))
    either = any(word in clause for word in lexicon("yes-no")) or bool(re.search(r"(\w)[不没]\1", clause))
    return "yes-no" if ends or either else "none"


def asking_clauses(text: str) -> list[str]:
    """List the clauses that ask something."""
    return [clause for clause in clauses(text) if asked(clause) != "none"]


def content_terms(text: str) -> list[str]:
    """List the distinct search terms that carry content: no function words, no question words (几天, 多少, 哪位)."""
    stop = lexicon("stop")
    return [term for term in dict.fromkeys(tokenise(text)) if term not in stop and not _empty(term)]


def _empty(term: str) -> bool:
    """See a single character, or a question word glued to its measure word (几天, 哪级, 多少元)."""
    glued = term[0] in "几哪" and len(term) <= 4 and term not in ("几乎", "几何", "哪怕")
    return glued or (len(term) == 1 and not term.isdigit()) or term.startswith(("多少", "多久", "什么", "怎么", "多长"))


def without_courtesy(text: str) -> str:
    """Take greetings, thanks and 「请问」 off the front: 「谢谢，那客梯呢」 → 「那客梯呢」; pure courtesy stays."""
    rest = text.strip()
    while True:
        head = re.match(r"[^，,。；;！!？?\s]+[，,。；;！!？?\s]+", rest)
        first = head[0].strip("，,。；;！!？? ").casefold() if head else ""
        if head and first in lexicon("courtesy") and head.end() < len(rest):
            rest = rest[head.end() :]
            continue
        polite = next((form for form in lexicon("polite") if rest.startswith(form)), "")
        if not polite or len(rest) <= len(polite) + 1:
            return rest
        rest = rest[len(polite) :].lstrip("，, ")


def words(text: str) -> list[tuple[str, str, int]]:
    """Cut a text into (word, part of speech, place where it begins)."""
    out, place = [], 0
    for word, tag in tagged(text):
        out.append((word, tag, place))
        place += len(word)
    return out
