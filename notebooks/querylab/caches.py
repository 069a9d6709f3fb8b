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
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from querylab import prompts, settings
from querylab.corpus import Corpus
from querylab.embed import Encoder
from querylab.models import reply as replies
from querylab.models import requests
from querylab.sqlite_file import SqliteFile
from querylab.understanding import parse

log = logging.getLogger("querylab")

Level = Literal["memory", "disk", "meaning"]
LEVELS: tuple[Level, ...] = ("memory", "disk", "meaning")

CACHED_TASKS = ("rewrite", "hyde", "multi_query", "step_back", "sub_questions", "understand")
"""The calls that turn a question into searches. Labels, bridges and answers depend on more, or cost next to nothing."""

_MEANING_ENTRIES = 1000


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


@dataclass(frozen=True)
class Found:
    """A kept reply that answers a call: from which level, and whose (another question's on the level of meaning)."""

    level: Level
    kept: Kept
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

    def get(self, key: str) -> Kept | None:
        """Find the reply to a call; None when there is none.

        Raises:
            CacheError: when the file cannot be read (any more).
        """
        with self._understood(), self._lock:
            row = self._sql.execute("SELECT question, reply, kept FROM kept WHERE key = ?", (key,)).fetchone()
        return Kept(*row) if row else None

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
        return [(scope, Kept(*rest)) for scope, *rest in reversed(rows)]

    def clean(self, now: float, days: float = settings.DISK_CACHE_DAYS) -> int:
        """Delete what is older than some days, if the last cleaning is that long ago.

        Args:
            now: seconds since 1970.

        Returns:
            How many replies were deleted.
        """
        with self._understood(), self._lock:
            (last,) = self._sql.execute("SELECT max(done) FROM cleaning").fetchone()
            if last is not None and now - last < days * 86_400:
                return 0
            self._sql.execute("BEGIN IMMEDIATE")
            deleted = self._sql.execute("DELETE FROM kept WHERE kept < ?", (now - days * 86_400,)).rowcount
            self._sql.execute("DELETE FROM cleaning")
            self._sql.execute("INSERT INTO cleaning VALUES (?)", (now,))
            self._sql.execute("COMMIT")
        return deleted

    def __len__(self) -> int:
        with self._understood(), self._lock:
            return self._sql.execute("SELECT count(*) FROM kept").fetchone()[0]


class RewriteCache:
    """The three levels together. Every level can be left out, so that each can be measured alone."""

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
        self._memory: Any = TTLCache(settings.MEMORY_CACHE_ENTRIES, settings.MEMORY_CACHE_SECONDS, timer=now)
        self._near: OrderedDict[tuple[str, str], tuple[Kept, np.ndarray]] = OrderedDict()
        self._vectors: Any = LRUCache(_MEANING_ENTRIES)
        self._disk: DiskCache | None = None
        if disk is not None and "disk" in levels:
            try:
                self._disk = DiskCache(disk)
                self._disk.clean(now())
                for scope, kept in self._disk.recent(now() - settings.MEMORY_CACHE_SECONDS, _MEANING_ENTRIES):
                    self._index(scope, kept)
            except CacheError as error:
                self._without_disk(error)

    def find(self, request: Mapping[str, Any], corpus: str, user: str) -> Found | None:
        """Find a kept reply for a call: the same call's on the first two levels, a near question's on the third.

        Args:
            request: keyword arguments of ``messages.create``.
            corpus: the corpus's fingerprint.
            user: who asks.
        """
        key = self.key(request, corpus, user)
        found: Found | None = None
        if "memory" in self.levels and key in self._memory:
            found = Found("memory", self._memory[key])
        if found is None and self._disk is not None:
            try:
                kept = self._disk.get(key)
            except CacheError as error:
                self._without_disk(error)
            else:
                found = Found("disk", kept) if kept else None
        if found is None and "meaning" in self.levels:
            found = self._nearest(request, corpus, user)
        self.hits[found.level if found else "asked"] += 1
        if found and found.level != "memory":
            self._memory[key] = found.kept
        return found

    def keep(self, request: Mapping[str, Any], corpus: str, user: str, message: Any) -> bool:
        """Keep the reply to a call, if it can be used.

        Returns:
            False for a reply that is empty, cut off, refused or no message: failures are never kept.
        """
        try:
            replies.lines(message)
        except replies.ReplyError:
            return False
        if requests.task_name(request) == "understand" and "rewritten" not in parse.fragment(parse.text_of(message)):
            return False  # talk around no object
        key, scope = self.key(request, corpus, user), self._scope(request, corpus, user)
        kept = Kept(question_of(request), message.model_dump_json(), self.now())
        if "memory" in self.levels:
            self._memory[key] = kept
        if "meaning" in self.levels:
            self._index(scope, kept)
        if self._disk is not None:
            try:
                self._disk.put(key, scope, kept)
            except CacheError as error:
                self._without_disk(error)
        return True

    def close(self) -> None:
        """Close the file."""
        if self._disk is not None:
            self._disk.close()

    # ── The level of meaning ────────────────────────────────────────────────────────────────────
    def _scope(self, request: Mapping[str, Any], corpus: str, user: str) -> str:
        """Name everything that a call saw but its question: only within one scope may questions share."""
        return self.key(_without_question(request), corpus, user)

    def _index(self, scope: str, kept: Kept) -> None:
        self._near[scope, kept.question] = (kept, self._vector(kept.question))
        self._near.move_to_end((scope, kept.question))
        while len(self._near) > _MEANING_ENTRIES:
            self._near.popitem(last=False)

    def _nearest(self, request: Mapping[str, Any], corpus: str, user: str) -> Found | None:
        scope, question = self._scope(request, corpus, user), question_of(request)
        oldest = self.now() - settings.MEMORY_CACHE_SECONDS
        entries = [entry for (where, _), entry in self._near.items() if where == scope and entry[0].kept >= oldest]
        if not entries or not question:
            return None
        near = np.stack([vector for _, vector in entries]) @ self._vector(question)
        for index in np.argsort(-near, kind="stable"):
            if near[index] <= settings.MEANING_CACHE_COSINE:
                return None
            if self.may_share(question, entries[index][0].question):
                return Found("meaning", entries[index][0], float(near[index]))
        return None

    def _vector(self, question: str) -> np.ndarray:
        if question not in self._vectors:
            self._vectors[question] = self.encoder.encode([question])[0]
        return self._vectors[question]

    def _without_disk(self, error: CacheError) -> None:
        """Go on without the second level: what is kept there stays as it is."""
        self.trouble = str(error)
        self._disk = None
        log.warning("the rewrite cache goes on in memory only: %s", error)


class CachingClient:
    """A model client that looks into a cache first."""

    def __init__(self, client: Any, cache: RewriteCache, corpus: str, user: str) -> None:
        self.messages = self
        self.found: list[tuple[str, Found]] = []
        self._client, self._cache, self._corpus, self._user = client, cache, corpus, user

    async def create(self, **request: Any) -> Any:
        """Answer from the cache, or ask and keep the reply."""
        from anthropic.types import Message

        task = requests.task_name(request)
        if task not in CACHED_TASKS:
            return await self._client.messages.create(**request)
        found = self._cache.find(request, self._corpus, self._user)
        if found is not None:
            self.found.append((task, found))
            return Message.model_validate_json(found.kept.reply)
        message = await self._client.messages.create(**request)
        self._cache.keep(request, self._corpus, self._user, message)
        return message


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
