"""The same call with its arguments in another order is another call."""

from querylab import prompts


def cache_key(request, corpus, user):
    return repr((request, prompts.VERSION, corpus, user))
