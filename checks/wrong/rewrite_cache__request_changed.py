"""Writes into the request, which is sent to the model afterwards."""

import hashlib
import json

from querylab import prompts


def cache_key(request, corpus, user):
    request.update(version=prompts.VERSION, corpus=corpus, user=user)
    form = json.dumps(request, sort_keys=True)
    return hashlib.sha256(form.encode()).hexdigest()
