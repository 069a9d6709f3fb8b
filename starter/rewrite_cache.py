"""The rewrite cache: what makes two calls the same call, and two questions the same question."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from querylab import Unfinished, drift, prompts, sharing


def cache_key(request: Mapping[str, Any], corpus: str, user: str) -> str:
    """Name a call by everything that it saw.

    Args:
        request: the keyword arguments of ``messages.create``: model, system prompt, history and question are in it.
        corpus: the fingerprint of the corpus that is asked.
        user: who asks; what one user said must never come back to another.

    Returns:
        64 hexadecimal digits: SHA-256 over the request in one canonical form, the version of the prompts, the corpus
        and the user. Equal calls have equal keys, whatever the order of the request's keys; any difference, down to
        one character of the history, gives another key.
    """
    raise Unfinished("cache_key")


def may_share(question: str, other: str) -> bool:
    """Say whether two questions, near in meaning, may share one rewrite.

    Args:
        question, other: complete questions whose cosine is above the cache's threshold.

    Returns:
        True when they have the same core terms (``drift.lost`` finds nothing in either direction) and are worded the
        same but for padding and the choice of question word (``sharing.wording``): 「泳镜怎么借」, 「请问泳镜如何借」.
        False otherwise: nearness does not see another number, a dropped 不, or who does what to whom
        (「我投诉公司」, 「公司投诉我」), and a shared rewrite would answer the other question. The order of the two
        does not matter. When in doubt False: one call more costs a moment.
    """
    raise Unfinished("may_share")
