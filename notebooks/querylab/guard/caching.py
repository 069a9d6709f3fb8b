"""A model client that looks into the rewrite cache first, and what a call is named by.

In: a request to the model. Out: the reply that the same call had before, or the model's, which is then kept. It has the
interface of the client it stands before, so whoever asks sees no difference.
"""

import hashlib
from typing import Any

from querylab.corpus.model import Corpus
from querylab.guard.levels import Found, RewriteCache
from querylab.models import requests
from querylab.models.protocol import Client

CACHED_TASKS = ("rewrite", "hyde", "multi_query", "step_back", "sub_questions", "understand")
"""The calls that turn a question into searches. Labels, bridges and answers depend on more, or cost next to nothing."""


class CachingClient:
    """A model client that looks into a cache first."""

    def __init__(self, client: Client, cache: RewriteCache, corpus: str, user: str, answers: str = "") -> None:
        """Put a cache before a client.

        Args:
            client: has ``await client.messages.create(...)``.
            cache: where replies are kept.
            corpus: the corpus's fingerprint.
            user: who asks.
            answers: who answers (the rules, the API, another server): it goes into the key with the request.
        """
        self.messages = self
        self.found: list[tuple[str, Found]] = []
        self._used: list[tuple[str, dict[str, Any]]] = []
        self._client, self._cache, self._corpus, self._user, self._answers = client, cache, corpus, user, answers

    async def create(self, **request: Any) -> Any:
        """Answer from the cache, or ask and keep the reply."""
        task = requests.task_name(request)
        if task not in CACHED_TASKS or requests.canonical(request) is None:
            return await self._client.messages.create(**request)
        saw = {name: value for name, value in request.items() if name not in requests.TRANSPORT}
        saw["answered_by"] = self._answers
        self._used.append((task, saw))
        found = self._cache.find(saw, self._corpus, self._user)
        if found is not None:
            self.found.append((task, found))
            return found.message
        message = await self._client.messages.create(**request)
        self._cache.keep(saw, self._corpus, self._user, message)
        return message

    def forget(self, task: str) -> None:
        """Drop what this client's calls of one task were given: it was rejected, and is to be asked anew."""
        for name, saw in self._used:
            if name == task:
                self._cache.forget(saw, self._corpus, self._user)


def fingerprint(corpus: Corpus) -> str:
    """Name a corpus by its content: SHA-256 over its name and every chunk."""
    whole = "\n\n".join([corpus.name, *(f"{chunk.id}\n{chunk.text}" for chunk in corpus.chunks)])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
