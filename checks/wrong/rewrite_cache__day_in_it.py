"""The date is part of the key: tomorrow everything is asked again."""

import hashlib
import json
from datetime import date

from querylab import prompts


def cache_key(request, corpus, user):
    form = json.dumps([request, prompts.VERSION, corpus, user, str(date.today())], sort_keys=True)
    return hashlib.sha256(form.encode()).hexdigest()
