"""The cache's second level: one SQLite file of kept replies, for every process on this machine and the next session.

In: the key of a call and its reply. Out: the reply again, for a week. It holds questions and rewrites in clear, users
only as a hash. What the file is when it is damaged, locked or another program's is said by ``models.sqlite_file``.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from querylab import settings
from querylab.models import reply as replies
from querylab.models.sqlite_file import SqliteFile
from querylab.understanding import parse

if TYPE_CHECKING:
    from anthropic.types import Message

CLOCK_SLACK = 3600.0
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

    def message(self, task: str) -> "Message | None":
        """Return the reply as a ``Message``; None when it cannot be used (any more): the call is then asked anew."""
        from anthropic.types import Message

        try:
            message = Message.model_validate_json(self.reply)
        except ValueError:
            return None
        return message if usable(message, task) else None


def usable(message: object, task: str) -> bool:
    """Say whether a reply may be kept: whole, not refused, and holding what its task asks for."""
    try:
        replies.lines(message)
    except replies.ReplyError:
        return False
    return task != "understand" or "rewritten" in parse.fragment(parse.text_of(message))


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
            aged = (now - days * 86_400, now + CLOCK_SLACK)
            deleted = self._sql.execute("DELETE FROM kept WHERE kept NOT BETWEEN ? AND ?", aged).rowcount
            self._sql.execute("DELETE FROM cleaning")
            self._sql.execute("INSERT INTO cleaning VALUES (?)", (now,))
            self._sql.execute("COMMIT")
        return deleted

    def __len__(self) -> int:
        with self._understood(), self._lock:
            return self._sql.execute("SELECT count(*) FROM kept").fetchone()[0]


def _kept(question: object, reply: object, kept: object) -> Kept | None:
    """Take a row for what it should be; None for one whose fields have been damaged."""
    right = isinstance(question, str) and isinstance(reply, str) and isinstance(kept, int | float)
    return Kept(question, reply, kept) if right else None
