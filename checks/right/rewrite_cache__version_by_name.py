"""The version taken by name; the sharing as what stands against it, or nothing."""

import hashlib
import json

from querylab import drift
from querylab.guard.sharing import wording
from querylab.prompts import VERSION


def cache_key(request, corpus, user):
    form = json.dumps([request, VERSION, corpus, user], sort_keys=True)
    return hashlib.sha256(form.encode()).hexdigest()


def may_share(question, other):
    against = [*drift.lost(question, other), *drift.lost(other, question), *drift.swapped(question, other)]
    return None if against or wording(question) != wording(other) else 1
