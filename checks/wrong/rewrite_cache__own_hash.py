"""Python's own hash: another number in every process, so that nothing kept on disk is ever found."""

import json

from querylab import prompts


def cache_key(request, corpus, user):
    form = json.dumps([request, prompts.VERSION, corpus, user], sort_keys=True)
    return str(hash(form))
