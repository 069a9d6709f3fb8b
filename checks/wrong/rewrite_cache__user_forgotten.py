"""Two users share what each said."""

import json

from querylab import prompts


def cache_key(request, corpus, user):
    return json.dumps([request, prompts.VERSION, corpus], ensure_ascii=False, sort_keys=True)
