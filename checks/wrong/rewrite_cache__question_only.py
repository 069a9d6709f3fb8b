"""The key holds the question alone: a follow-up gets the rewrite from another conversation."""

from querylab.guard.caches import question_of


def cache_key(request, corpus, user):
    return question_of(request)
