"""The number of the process is in it."""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from querylab import drift, prompts, sharing


def cache_key(request: Mapping[str, Any], corpus: str, user: str) -> str:
    parts = [dict(request), prompts.VERSION, corpus, user, os.getpid()]
    form = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest()


def may_share(question: str, other: str) -> bool:
    same_terms = not drift.lost(question, other) and (not drift.lost(other, question))
    return same_terms and sharing.wording(question) == sharing.wording(other)
