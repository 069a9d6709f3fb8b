"""Corpus and user run into one another: ("a", "bc") and ("ab", "c") have one key."""

import json

from querylab import prompts


def cache_key(request, corpus, user):
    return json.dumps(dict(request), ensure_ascii=False, sort_keys=True) + prompts.VERSION + corpus + user
