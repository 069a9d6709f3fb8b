"""The recording: every valid reply in one SQLite file, found again by the whole request.

So the same sentence becomes the same search string without a temperature, a run that broke off goes
on where it stopped, a second run costs nothing, and an instructor can hand a run to a class: copy the
file, and set ``MOCK=replay LAB_REPLAY=FILE``.

The file holds prompts and replies, never a key. It is in SQLite's rollback-journal mode: one file that
can be copied at any time, several processes at once (each waits for the other's commit), and a
killed process loses nothing that was committed. Replies are added, never changed.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from querylab import prompts, settings
from querylab.models import requests
from querylab.models.reply import LastingFailure
from querylab.models.sqlite_file import SqliteFile


class RecordingError(LastingFailure, settings.SettingError):
    """A file of recorded replies that cannot be used; the message says what to do with it."""


@dataclass(frozen=True)
class Recorded:
    """One recorded reply.

    Attributes:
        task, model: what was asked of whom.
        reply: the ``Message`` as JSON.
        seconds: how long the call took when it was made.
        attempts: HTTP requests it took then; 0 where nobody measured, and then ``seconds`` says nothing.
        recorded: when, UTC, ISO 8601.
    """

    task: str
    model: str
    reply: str
    seconds: float
    attempts: int
    recorded: str


class ReplayStore(SqliteFile):
    """One file of recorded replies.

    May be used from several threads. Close it, or use it as a context manager. Opening it raises a
    :class:`RecordingError` when the file is missing (read-only), damaged, of another program, or cannot be opened;
    nothing is overwritten.
    """

    application_id = 0x51_4C_41_42  # "QLAB"
    format = 1
    schema = """CREATE TABLE IF NOT EXISTS replies (
        key TEXT PRIMARY KEY, task TEXT NOT NULL, model TEXT NOT NULL, prompts TEXT NOT NULL, request TEXT NOT NULL,
        reply TEXT NOT NULL, seconds REAL NOT NULL, attempts INTEGER NOT NULL, recorded TEXT NOT NULL
    ) WITHOUT ROWID;"""
    error = RecordingError
    name = "recording"
    missing = "There is no recording at {path}. LAB_REPLAY=FILE names the file to replay."
    elsewhere = "Name another file with LAB_REPLAY=FILE."

    def get(self, form: str) -> Recorded | None:
        """Find the reply to a canonical request; None when there is none.

        Raises:
            RecordingError: when the file cannot be read (any more).
        """
        query = "SELECT task, model, reply, seconds, attempts, recorded FROM replies WHERE key = ?"
        with self._understood(), self._lock:
            row = self._sql.execute(query, (requests.key(form),)).fetchone()
        return Recorded(*row) if row else None

    def put(
        self, form: str, task: str, model: str, reply: str, seconds: float, attempts: int, recorded: str | None = None
    ) -> None:
        """Keep a valid reply, made now or at ``recorded``. When the request is recorded already, the first one stays.

        Raises:
            RecordingError: when it cannot be written.
        """
        when = recorded or datetime.now(UTC).isoformat(timespec="seconds")
        row = (requests.key(form), task, model, prompts.VERSION, form, reply, seconds, attempts, when)
        with self._understood(), self._lock:
            self._sql.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def all(self) -> list[Recorded]:
        """List everything recorded, by time."""
        query = "SELECT task, model, reply, seconds, attempts, recorded FROM replies ORDER BY recorded, key"
        with self._understood(), self._lock:
            return [Recorded(*row) for row in self._sql.execute(query)]

    def asked(self) -> list[tuple[str, Recorded]]:
        """List canonical requests with their replies, by time: those made with this version of the prompts."""
        query = (
            "SELECT request, task, model, reply, seconds, attempts, recorded FROM replies WHERE prompts = ? "
            "ORDER BY recorded, key"
        )
        with self._understood(), self._lock:
            return [(form, Recorded(*row)) for form, *row in self._sql.execute(query, (prompts.VERSION,))]

    def summary(self) -> list[dict[str, Any]]:
        """Describe the recording: for each model and task how many replies, how long they took, and from when.

        Returns:
            Dictionaries with ``model``, ``task``, ``replies``, ``p50_s`` and ``p95_s`` (seconds of the calls when
            they were made; None where none was measured), ``first`` and ``last`` (UTC).
        """
        groups: dict[tuple[str, str], list[Recorded]] = {}
        for item in self.all():
            groups.setdefault((item.model, item.task), []).append(item)

        return [
            {
                "model": model,
                "task": task,
                "replies": len(items),
                "p50_s": _quantile([item.seconds for item in items if item.attempts], 0.5),
                "p95_s": _quantile([item.seconds for item in items if item.attempts], 0.95),
                "first": items[0].recorded,
                "last": items[-1].recorded,
            }
            for (model, task), items in sorted(groups.items())
        ]

    def __len__(self) -> int:
        with self._understood(), self._lock:
            return self._sql.execute("SELECT count(*) FROM replies").fetchone()[0]

    def export(self, target: Path | str) -> Path:
        """Write a compact copy, also while other processes record.

        Raises:
            RecordingError: when the target exists, or cannot be written.
        """
        target = Path(target)
        if target.exists():
            raise RecordingError(f"{target} exists already and is not overwritten. Choose another name.")
        with self._understood(), self._lock:
            target.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(target)) as copy:
                self._sql.backup(copy)
        return target


def _quantile(seconds: list[float], share: float) -> float | None:
    import numpy

    return float(numpy.quantile(seconds, share)) if seconds else None
