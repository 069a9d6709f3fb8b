"""What kept libraries know of a language: words with their part of speech, simplified characters, figures as digits.

The stand-in and the drift guard read sentences with these four functions; the lists of words that a rule needs stand
beside that rule. Every function is pure and remembers what it was asked.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Any

_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")


def is_english(text: str) -> bool:
    """Say whether a text is to be read as English: Latin letters and not one Chinese character.

    Limits: other languages in Latin script count as English. Example: "Who signs it?" yes, 「API 限流」 no.
    """
    text = unicodedata.normalize("NFKC", text)
    return bool(_LATIN.search(text)) and not _CJK.search(text)


@lru_cache(maxsize=4096)
def tagged(text: str) -> tuple[tuple[str, str], ...]:
    """Cut Chinese into (word, part of speech) by rjieba's dictionary alone; the words joined give the text again.

    Without the hidden Markov model an unknown word falls into single characters instead of swallowing a neighbouring
    function word, which is what the rules need. Tags are ICTCLAS's: n noun, nr person, ns place, v verb, m numeral,
    r pronoun, u particle, x mark.
    """
    import rjieba  # here: loading the dictionary takes longer than importing this package

    return tuple((word, tag) for word, tag in rjieba.tag(text, False))


@lru_cache(maxsize=1)
def _converter() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


@lru_cache(maxsize=8192)
def simplified(text: str) -> str:
    """Fold traditional Chinese characters to simplified ones, by OpenCC's tables; other text stays as it is."""
    return _converter().convert(text) if _CJK.search(text) else text


@lru_cache(maxsize=4096)
def arabic(text: str) -> str:
    """Write Chinese numerals as digits, by cn2an: 「提前十五天」 → 「提前15天」, 「半个月」 → 「0.5个月」.

    Returns:
        The text; as it came where cn2an cannot read a numeral in it.
    """
    import cn2an

    try:
        return cn2an.transform(text, "cn2an")
    except ValueError:
        return text
