"""Half an emoji, as a cut text may hold, is an error."""

import hashlib
import json

from querylab import prompts


def cache_key(request, corpus, user):
    form = json.dumps([request, prompts.VERSION, corpus, user], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(form.encode()).hexdigest()
