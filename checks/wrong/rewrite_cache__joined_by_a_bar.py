"""Parts joined by a bar, which may stand in a part, too."""

import hashlib
import json

from querylab import prompts


def cache_key(request, corpus, user):
    form = "|".join([json.dumps(request, sort_keys=True), prompts.VERSION, corpus, user])
    return hashlib.sha256(form.encode()).hexdigest()
