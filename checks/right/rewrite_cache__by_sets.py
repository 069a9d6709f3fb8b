"""The key by the lab's own canonical form; the rule by comparing sets of terms."""

from querylab import drift
from querylab.guard.sharing import wording
from querylab.models import requests


def cache_key(request, corpus, user):
    return f"{requests.key(requests.canonical(dict(request)))}|{corpus!r}|{user!r}"


def may_share(question, other):
    def terms(text):
        return sorted((term.kind, term.form) for term in drift.core_terms(text))

    return terms(question) == terms(other) and wording(question) == wording(other)
