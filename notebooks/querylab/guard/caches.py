"""Rewrites kept for the next time: three levels between the techniques and the model.

    memory    the last 200 replies of this process, for 24 hours, the least recently used out first
    disk      one SQLite file, for every process on this machine and for the next session; cleaned once a week
    meaning   a question near enough to one asked before shares its reply, unless a number, name, negation … differs

In: a request to the model, the corpus and the user. Out: the reply that the same call had before, or nothing. What
makes two calls the same, and two questions near enough, is handed in: the exercise ``rewrite_cache`` writes both. Only
replies that can be used are kept; a failure is asked again. Trouble with the file costs the second level, never the
answer: ``RewriteCache.trouble`` says what was found.
"""

import hashlib
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
from querylab.corpus.load import Corpus
from querylab.models import reply as replies
from querylab.models import requests
from querylab.models.sqlite_file import SqliteFile, busy
from querylab.retrieval.encoder import Encoder
from querylab.understanding import parse

log = logging.getLogger("querylab")

Level = Literal["memory", "disk", "meaning"]
LEVELS: tuple[Level, ...] = ("memory", "disk", "meaning")

CACHED_TASKS = ("rewrite", "hyde", "multi_query", "step_back", "sub_questions", "understand")
"""The calls that turn a question into searches. Labels, bridges and answers depend on more, or cost next to nothing."""

_MEANING_ENTRIES = 1000
_CLOCK_SLACK = 3600.0
"""Seconds by which the clocks of two processes may differ; what is dated later than that is not believed."""


class CacheError(settings.SettingError):
    """A cache file that cannot be used; the message says what to do with it."""


@dataclass(frozen=True)
class Kept:
    """One kept reply.

    Attributes:
        question: what the call asked about.
        reply: the ``Message`` as JSON.
        kept: when, in seconds since 1970.
    """

    question: str
    reply: str
    kept: float

    def message(self, task: str) -> Any:
        """Return the reply as a ``Message``; None when it cannot be used (any more): the call is then asked anew."""
        from anthropic.types import Message

        try:
            message = Message.model_validate_json(self.reply)
        except ValueError:
            return None
        return message if usable(message, task) else None


def usable(message: Any, task: str) -> bool:
    """Say whether a reply may be kept: whole, not refused, and holding what its task asks for."""
    try:
        replies.lines(message)
    except replies.ReplyError:
        return False
    return task != "understand" or "rewritten" in parse.fragment(parse.text_of(message))


@dataclass(frozen=True)
class Found:
    """A kept reply that answers a call: from which level, and whose (another question's on the level of meaning)."""

    level: Level
    kept: Kept
    message: Any
    cosine: float | None = None


class DiskCache(SqliteFile):
    """The second level: one file of kept replies. It holds questions and rewrites in clear, users only as a hash."""

    application_id = 0x51_4C_52_43  # "QLRC"
    format = 1
    schema = """CREATE TABLE IF NOT EXISTS kept (
        key TEXT PRIMARY KEY, scope TEXT NOT NULL, question TEXT NOT NULL, reply TEXT NOT NULL, kept REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS cleaning (done REAL NOT NULL);"""
    error = CacheError
    name = "rewrite cache"
    missing = "There is no rewrite cache at {path}."
    elsewhere = "It may be deleted: the lab only asks the model again."
    busy_seconds = 1.0
    probe = "SELECT key, scope, question, reply, kept FROM kept UNION ALL SELECT '', '', '', '', done FROM cleaning"

    def get(self, key: str) -> Kept | None:
        """Find the reply to a call; None when there is none.

        Raises:
            CacheError: when the file cannot be read (any more).
        """
        with self._understood(), self._lock:
            row = self._sql.execute("SELECT question, reply, kept FROM kept WHERE key = ?", (key,)).fetchone()
        return _kept(*row) if row else None

    def put(self, key: str, scope: str, kept: Kept) -> None:
        """Keep a reply; a newer one takes the place of an older one.

        Raises:
            CacheError: when it cannot be written.
        """
        row = (key, scope, kept.question, kept.reply, kept.kept)
        with self._understood(), self._lock:
            self._sql.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", row)

    def recent(self, since: float, limit: int) -> list[tuple[str, Kept]]:
        """List (scope, reply) kept since a time, the newest ``limit`` of them, oldest first."""
        query = "SELECT scope, question, reply, kept FROM kept WHERE kept >= ? ORDER BY kept DESC, key LIMIT ?"
        with self._understood(), self._lock:
            rows = self._sql.execute(query, (since, limit)).fetchall()
        found = [(scope, _kept(*rest)) for scope, *rest in reversed(rows)]
        return [(scope, kept) for scope, kept in found if kept is not None and isinstance(scope, str)]

    def forget(self, key: str) -> None:
        """Delete the reply to a call, if there is one."""
        with self._understood(), self._lock:
            self._sql.execute("DELETE FROM kept WHERE key = ?", (key,))

    def clean(self, now: float, days: float = settings.DISK_CACHE_DAYS) -> int:
        """Delete what is older than some days, if the last cleaning is that long ago.

        What a clock that was set wrong has dated into the future counts as old.

        Args:
            now: seconds since 1970.

        Returns:
            How many replies were deleted.
        """
        with self._understood(), self._lock:
            (last,) = self._sql.execute("SELECT max(done) FROM cleaning").fetchone()
            if isinstance(last, int | float) and 0 <= now - last < days * 86_400:
                return 0
            self._sql.execute("BEGIN IMMEDIATE")
            aged = (now - days * 86_400, now + _CLOCK_SLACK)
            deleted = self._sql.execute("DELETE FROM kept WHERE kept NOT BETWEEN ? AND ?", aged).rowcount
            self._sql.execute("DELETE FROM cleaning")
            self._sql.execute("INSERT INTO cleaning VALUES (?)", (now,))
            self._sql.execute("COMMIT")
        return deleted

    def __len__(self) -> int:
        with self._understood(), self._lock:
            return self._sql.execute("SELECT count(*) FROM kept").fetchone()[0]


def _kept(question: Any, reply: Any, kept: Any) -> Kept | None:
    """Take a row for what it should be; None for one whose fields have been damaged."""
    right = isinstance(question, str) and isinstance(reply, str) and isinstance(kept, int | float)
    return Kept(question, reply, kept) if right else None


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
        return -_CLOCK_SLACK <= self.now() - kept.kept < seconds

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
        return self.key(_without_question(request), corpus, user)

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


class CachingClient:
    """A model client that looks into a cache first."""

    def __init__(self, client: Any, cache: RewriteCache, corpus: str, user: str, answers: str = "") -> None:
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


def question_of(request: Mapping[str, Any]) -> str:
    """Read the question field of a request; "" when it has none."""
    fields = prompts.read_fields(_content(request))
    return "".join(field.text for field in fields if field.name == "question")


def _content(request: Mapping[str, Any]) -> str:
    messages = request.get("messages") or [{}]
    content = messages[-1].get("content", "")
    return content if isinstance(content, str) else ""


def _without_question(request: Mapping[str, Any]) -> dict[str, Any]:
    content = _content(request).replace(prompts.field("question", question_of(request)), "")
    return {**request, "messages": [*request["messages"][:-1], {**request["messages"][-1], "content": content}]}
