"""Four fields of the request are picked: a changed tool or schema brings the old reply."""

import hashlib
import json

from querylab import prompts


def cache_key(request, corpus, user):
    request = [request[name] for name in ("model", "system", "max_tokens", "messages")]
    form = json.dumps([request, prompts.VERSION, corpus, user], sort_keys=True)
    return hashlib.sha256(form.encode()).hexdigest()
