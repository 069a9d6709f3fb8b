"""Replies to an older version of the prompts go on being used."""

import json


def cache_key(request, corpus, user):
    return json.dumps([dict(request), corpus, user], ensure_ascii=False, sort_keys=True)
