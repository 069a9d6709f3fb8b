"""Rewrites kept for the next time: three levels between the techniques and the model.

    memory    the last 200 replies of this process, for 24 hours, the least recently used out first
    disk      one SQLite file, for every process on this machine and for the next session; cleaned once a week
    meaning   a question near enough to one asked before shares its reply, unless a number, name, negation … differs

In: a request to the model, the corpus and the user. Out: the reply that the same call had before, or nothing. What
makes two calls the same, and two questions near enough, is handed in: the exercise ``rewrite_cache`` writes both. Only
replies that can be used are kept; a failure is asked again. Trouble with the file costs the second level, never the
answer: ``RewriteCache.trouble`` says what was found.
"""

import logging
import sqlite3
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from querylab import prompts, settings
from querylab.guard.disk import CLOCK_SLACK, CacheError, DiskCache, Kept, usable
from querylab.models import requests
from querylab.models.sqlite_file import busy
from querylab.retrieval.encoder import Encoder

log = logging.getLogger("querylab")

Level = Literal["memory", "disk", "meaning"]
LEVELS: tuple[Level, ...] = ("memory", "disk", "meaning")

_MEANING_ENTRIES = 1000


@dataclass(frozen=True)
class Found:
    """A kept reply that answers a call: from which level, and whose (another question's on the level of meaning)."""

    level: Level
    kept: Kept
    message: Any
    cosine: float | None = None


class RewriteCache:
    """The three levels together. Every level can be left out, so that each can be measured alone.

    It may be used from several threads. Several processes may share one file; where another one holds it for over a
    second, the second level is passed over this once.
    """

    def __init__(
        self,
        encoder: Encoder,
        key: Callable[[Mapping[str, Any], str, str], str],
        may_share: Callable[[str, str], bool],
        disk: Path | str | None = None,
        levels: tuple[Level, ...] = LEVELS,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Open a cache.

        Args:
            encoder: measures how near two questions are.
            key: names a call by everything it saw: ``cache_key(request, corpus, user)``.
            may_share: says whether two near questions may share a reply.
            disk: the second level's file; None leaves that level out.
            levels: which levels are asked.
            now: the clock, in seconds.
        """
        from cachetools import LRUCache, TTLCache

        self.encoder, self.key, self.may_share, self.levels, self.now = encoder, key, may_share, levels, now
        self.hits: Counter[Level | Literal["asked"]] = Counter()
        self.trouble = ""
        self._lock = threading.RLock()
        self._memory: Any = TTLCache(settings.MEMORY_CACHE_ENTRIES, settings.MEMORY_CACHE_SECONDS, timer=now)
        self._near: OrderedDict[tuple[str, str], Kept] = OrderedDict()
        self._vectors: Any = LRUCache(_MEANING_ENTRIES)
        self._disk: DiskCache | None = None
        self._may_write = True
        if disk is not None and "disk" in levels:
            self._try(self._open, disk)

    def find(self, request: Mapping[str, Any], corpus: str, user: str) -> Found | None:
        """Find a kept reply for a call: the same call's on the first two levels, a near question's on the third.

        A reply serves for a day from when it was written, on disk for a week, whatever the level that gave it last.

        Args:
            request: keyword arguments of ``messages.create``.
            corpus: the corpus's fingerprint.
            user: who asks.
        """
        with self._lock:
            key, task = self.key(request, corpus, user), requests.task_name(request)
            found = self._same(key, task) or self._nearest(request, corpus, user, task)
            self.hits[found.level if found else "asked"] += 1
            if found and found.level != "memory" and "memory" in self.levels and self._fresh(found.kept):
                self._memory[key] = found.kept
            return found

    def keep(self, request: Mapping[str, Any], corpus: str, user: str, message: Any) -> bool:
        """Keep the reply to a call, if it can be used.

        Returns:
            False for a reply that is empty, cut off, refused or no message: failures are never kept.
        """
        if not usable(message, requests.task_name(request)):
            return False
        with self._lock:
            key, scope = self.key(request, corpus, user), self._scope(request, corpus, user)
            kept = Kept(question_of(request), message.model_dump_json(), self.now())
            if "memory" in self.levels:
                self._memory[key] = kept
            if "meaning" in self.levels:
                self._index(scope, kept)
            if self._disk is not None and self._may_write:
                self._try(self._disk.put, key, scope, kept, writing=True)
        return True

    def forget(self, request: Mapping[str, Any], corpus: str, user: str) -> None:
        """Drop the reply to a call: it was usable, but it turned out to be wrong (the guard rejected it).

        Where it was another question's, that one keeps it, but shares it no more.
        """
        with self._lock:
            key = self.key(request, corpus, user)
            kept = self._memory.pop(key, None)
            self._near.pop((self._scope(request, corpus, user), question_of(request)), None)
            for where in [where for where, other in self._near.items() if other is kept]:
                del self._near[where]
            if self._disk is not None and self._may_write:
                self._try(self._disk.forget, key, writing=True)

    def close(self) -> None:
        """Close the file; the other levels go on."""
        with self._lock:
            if self._disk is not None:
                self._disk.close()
                self._disk = None

    # ── The first two levels ────────────────────────────────────────────────────────────────────
    def _same(self, key: str, task: str) -> Found | None:
        kept = self._memory.get(key) if "memory" in self.levels else None
        if kept and self._fresh(kept) and (message := kept.message(task)):
            return Found("memory", kept, message)
        kept = self._try(self._disk.get, key) if self._disk is not None else None
        if kept and self._fresh(kept, settings.DISK_CACHE_DAYS * 86_400) and (message := kept.message(task)):
            return Found("disk", kept, message)
        return None

    def _fresh(self, kept: Kept, seconds: float = settings.MEMORY_CACHE_SECONDS) -> bool:
        return -CLOCK_SLACK <= self.now() - kept.kept < seconds

    def _open(self, path: Path | str) -> None:
        self._disk = DiskCache(path)
        self._disk.clean(self.now())
        for scope, kept in self._disk.recent(self.now() - settings.MEMORY_CACHE_SECONDS, _MEANING_ENTRIES):
            self._index(scope, kept)

    def _try(self, action: Callable[..., Any], *arguments: Any, writing: bool = False) -> Any:
        """Do something with the file. Trouble costs the level, never the answer; ``trouble`` says what it was.

        A file that somebody else holds is passed over this once; one that cannot be written is still read.
        """
        try:
            return action(*arguments)
        except CacheError as error:
            if busy(error.__cause__) and self._disk is not None:
                log.info("the rewrite cache is passed over: %s", error)
                return None
            self.trouble = str(error)
            log.warning("the rewrite cache goes on without its file: %s", error)
            if writing and isinstance(error.__cause__, sqlite3.OperationalError):
                self._may_write = False
            else:
                self._disk = None
            return None

    # ── The level of meaning ────────────────────────────────────────────────────────────────────
    def _scope(self, request: Mapping[str, Any], corpus: str, user: str) -> str:
        """Name everything that a call saw but its question: only within one scope may questions share."""
        return self.key(without_question(request), corpus, user)

    def _index(self, scope: str, kept: Kept) -> None:
        self._near[scope, kept.question] = kept
        self._near.move_to_end((scope, kept.question))
        while len(self._near) > _MEANING_ENTRIES:
            self._near.popitem(last=False)

    def _nearest(self, request: Mapping[str, Any], corpus: str, user: str, task: str) -> Found | None:
        if "meaning" not in self.levels:
            return None
        scope, question = self._scope(request, corpus, user), question_of(request)
        entries = [kept for (where, _), kept in self._near.items() if where == scope and self._fresh(kept)]
        if not entries or not question:
            return None
        near = np.stack([self._vector(kept.question) for kept in entries]) @ self._vector(question)
        for index in np.argsort(-near, kind="stable"):
            if near[index] <= settings.MEANING_CACHE_COSINE:
                return None
            kept = entries[index]
            if self.may_share(question, kept.question) and (message := kept.message(task)):
                return Found("meaning", kept, message, float(near[index]))
        return None

    def _vector(self, question: str) -> np.ndarray:
        if question not in self._vectors:
            self._vectors[question] = self.encoder.encode([question])[0]
        return self._vectors[question]


def question_of(request: Mapping[str, Any]) -> str:
    """Read the question field of a request; "" when it has none."""
    fields = prompts.read_fields(_content(request))
    return "".join(field.text for field in fields if field.name == "question")


def _content(request: Mapping[str, Any]) -> str:
    messages = request.get("messages") or [{}]
    content = messages[-1].get("content", "")
    return content if isinstance(content, str) else ""


def without_question(request: Mapping[str, Any]) -> dict[str, Any]:
    """The request with its question field empty: everything that a call saw but its question."""
    content = _content(request).replace(prompts.field("question", question_of(request)), "")
    return {**request, "messages": [*request["messages"][:-1], {**request["messages"][-1], "content": content}]}
