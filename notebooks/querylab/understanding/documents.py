"""Document titles as data, the document a question points at, and the terms that must match to the letter.

A title is written by whoever uploaded the file. It may be long, hold tags, or give orders; here it is
cut, put on one line, and never more than data between escaped tags.
"""

import re
import unicodedata
from collections.abc import Sequence

from querylab.text import exact_terms

__all__ = ["exact_terms", "named"]

_TITLE = re.compile(r"《([^《》]{1,80})》")
_SAME = re.compile(r"\s+")


def named(text: str, titles: Sequence[str]) -> list[str]:
    """List the documents that a text names in 《》, in its order.

    Args:
        text: a question.
        titles: the titles there are, as they stand in the corpus.

    Returns:
        Titles of the corpus, each once. A name without 《》 does not count: every policy's name is made of
        words that also open plain questions.
    """
    known = {_plain(title): title for title in titles}
    found = [known[name] for name in map(_plain, _TITLE.findall(text)) if name in known]
    return list(dict.fromkeys(found))


def _plain(title: str) -> str:
    return _SAME.sub("", unicodedata.normalize("NFKC", title)).casefold()
