"""Thirty-two bits."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

from querylab import drift, prompts, sharing


def cache_key(request: Mapping[str, Any], corpus: str, user: str) -> str:
    parts = [dict(request), prompts.VERSION, corpus, user]
    form = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"{zlib.crc32(form.encode('utf-8', 'surrogatepass')):08x}"


def may_share(question: str, other: str) -> bool:
    same_terms = not drift.lost(question, other) and (not drift.lost(other, question))
    return same_terms and sharing.wording(question) == sharing.wording(other)
