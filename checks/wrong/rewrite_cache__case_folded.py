"""Capitals do not count: 「MAC」 and 「mac」 have one key, and so have Ann and ann."""

import hashlib
import json

from querylab import prompts


def cache_key(request, corpus, user):
    form = json.dumps([request, prompts.VERSION, corpus, user], sort_keys=True)
    return hashlib.sha256(form.lower().encode()).hexdigest()
