"""Text in one form: normalise, tokenise, count tokens, split into sentences.

Index and query go through the same functions, so that the full-width and half-width forms of a
term, and its upper and lower case, are one term.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import accumulate

from querylab import settings
from querylab.language import simplified, tagged

_SENTENCE_END = re.compile(
    r"(?<=[。！？!?；;])(?![。！？!?；;」』”’）)])\s*|(?<=[。！？!?][」』”’])\s*|\n+|(?<=[a-z0-9)]\.)\s+(?=[A-Z])"
)
_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[，,；;。！!？?、\s]")
LETTERS_PER_TOKEN = 4

EXACT = re.compile(
    r"《[^《》]{2,40}》|[“\"「『][^”\"」』]{2,30}[”\"」』]"  # a title, a quotation
    r"|[A-Za-z][A-Za-z0-9]*(?:[-_./][A-Za-z0-9]+)+|[A-Z]{1,6}-?\d+[A-Za-z0-9-]*|\d+(?:\.\d+){2,}"  # a code, a version
)
"""What is written in exactly one way: titles, quotations, codes, versions."""


def whole(text: str) -> str:
    """Put U+FFFD for every half of a surrogate pair: no such text can be encoded, sent or cut into words."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def normalise(text: str) -> str:
    """Bring text into the one form in which it is compared: NFKC, case folded, simplified, spaces collapsed.

    Args:
        text: any string, full-width or half-width.

    Returns:
        The normalised string, stripped.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair is no text
    return " ".join(simplified(unicodedata.normalize("NFKC", text).casefold()).split())


@lru_cache(maxsize=8192)
def _cut(text: str) -> tuple[str, ...]:
    import rjieba  # here: loading the dictionary takes longer than importing this package

    return tuple(word for word in rjieba.cut_for_search(text) if _WORD.search(word))


def tokenise(text: str) -> list[str]:
    """Cut text into search terms, for index and query alike.

    Chinese is segmented by rjieba in search mode (a long word and the words inside it); Latin words
    and numbers stay whole. Punctuation is dropped.

    Args:
        text: any string.

    Returns:
        Terms in reading order, with repetitions; empty for blank or punctuation-only text.
    """
    return list(_cut(normalise(text)))


def count_tokens(text: str) -> int:
    """Estimate the model tokens of a text: one per CJK character, one per four other letters or digits.

    An estimate by rule, so that budgets come out the same everywhere; a live model's own count is in
    its usage figures.

    Args:
        text: any string.

    Returns:
        Tokens, 0 for blank text.
    """
    text = unicodedata.normalize("NFKC", text)
    cjk = len(_CJK.findall(text))
    rest = _WORD.findall(_CJK.sub(" ", text))
    return cjk + sum(-(-len(word) // LETTERS_PER_TOKEN) for word in rest)


def sentences(text: str) -> list[str]:
    """Split text at sentence ends (Chinese and English) and line ends.

    Args:
        text: any string.

    Returns:
        Non-empty sentences, stripped, in reading order, with their closing mark.
    """
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def shorten(text: str, limit: int = settings.REWRITE_CHARACTERS) -> str:
    """Cut one line to a length, at a sensible place.

    The last mark or space in the second half of what fits is the place; without one, the end of the last whole word.

    Args:
        text: one line.
        limit: characters that may stay, from 1.

    Returns:
        The line itself when it is short enough; else its beginning, never longer than the limit and never blank.
    """
    if limit < 1:
        raise ValueError(f"A length limit is 1 or more characters, found {limit}.")
    text = text.strip()
    if len(text) <= limit:
        return text
    places = [match.start() for match in _BREAK.finditer(text[: limit + 1]) if match.start() >= limit / 2]
    if not places:
        ends = accumulate(len(word) for word, _ in tagged(text))
        places = [end for end in ends if end <= limit] or [limit]
    return text[: places[-1]].rstrip() or text[:limit]


def exact_terms(question: str) -> list[str]:
    """List the terms of a question that are written in exactly one way: titles, quotations, codes, versions."""
    terms = (found.strip('《》“”"「」『』') for found in EXACT.findall(unicodedata.normalize("NFKC", question)))
    return list(dict.fromkeys(term for term in terms if term))
