"""The recording: every valid reply in one SQLite file, found again by the whole request.

So the same sentence becomes the same search string without a temperature, a run that broke off goes
on where it stopped, a second run costs nothing, and an instructor can hand a run to a class: copy the
file, and set ``MOCK=replay LAB_REPLAY=FILE``.

The file holds prompts and replies, never a key. It is in SQLite's rollback-journal mode: one file that
can be copied at any time, several processes at once (each waits for the other's commit), and a
killed process loses nothing that was committed. Replies are added, never changed.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from querylab import prompts, settings
from querylab.models import requests
from querylab.models.reply import LastingFailure
from querylab.numbers import quantile

_APPLICATION_ID = 0x51_4C_41_42  # "QLAB", in the header of a recording
_FORMAT = 1
_BUSY_SECONDS = 10.0
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, task TEXT NOT NULL, model TEXT NOT NULL, prompts TEXT NOT NULL,
    request TEXT NOT NULL, reply TEXT NOT NULL, seconds REAL NOT NULL, attempts INTEGER NOT NULL, recorded TEXT NOT NULL
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_FORMAT};
COMMIT;
"""


class RecordingError(LastingFailure, settings.SettingError):
    """A file of recorded replies that cannot be used; the message says what to do with it."""


@dataclass(frozen=True)
class Recorded:
    """One recorded reply.

    Attributes:
        task, model: what was asked of whom.
        reply: the ``Message`` as JSON.
        seconds: how long the call took when it was made.
        attempts: HTTP requests it took then.
        recorded: when, UTC, ISO 8601.
    """

    task: str
    model: str
    reply: str
    seconds: float
    attempts: int
    recorded: str


class ReplayStore:
    """One file of recorded replies.

    May be used from several threads. Close it, or use it as a context manager.
    """

    def __init__(self, path: Path | str, read_only: bool = False) -> None:
        """Open a recording.

        Args:
            path: the file; made, with its folder, when missing and not ``read_only``.
            read_only: for replaying alone: nothing is ever written.

        Raises:
            RecordingError: when the file is missing (read-only), damaged, of another program, or
                cannot be opened. Nothing is overwritten.
        """
        self.path = Path(path)
        self.read_only = read_only
        self._lock = threading.Lock()
        self._sql = self._open()

    def _open(self) -> sqlite3.Connection:
        if self.read_only and not self.path.is_file():
            raise RecordingError(f"There is no recording at {self.path}. LAB_REPLAY=FILE names the file to replay.")
        with self._understood():
            if not self.read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            sql = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={'ro' if self.read_only else 'rwc'}",
                uri=True,
                timeout=_BUSY_SECONDS,
                isolation_level=None,  # every statement is its own transaction
                check_same_thread=False,
            )
            try:
                self._prepare(sql)
            except BaseException:
                sql.close()
                raise
            return sql

    def _prepare(self, sql: sqlite3.Connection) -> None:
        (tables,) = sql.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (owner,) = sql.execute("PRAGMA application_id").fetchone()
        if not tables and not self.read_only:
            sql.executescript(_SCHEMA)
        elif owner != _APPLICATION_ID:
            raise RecordingError(
                f"{self.path} is no recording of this lab (a database of another program, or empty). It was not "
                "touched. Name another file with LAB_REPLAY=FILE."
            )
        (version,) = sql.execute("PRAGMA user_version").fetchone()
        if version != _FORMAT:
            raise RecordingError(
                f"{self.path} has format {version}; this version of the lab reads format {_FORMAT}. It was not "
                "touched. Name another file with LAB_REPLAY=FILE."
            )
        faults = sql.execute("PRAGMA quick_check(1)").fetchone()[0]
        if faults != "ok":
            raise RecordingError(self._damaged(faults))

    def get(self, form: str) -> Recorded | None:
        """Find the reply to a canonical request; None when there is none.

        Raises:
            RecordingError: when the file cannot be read (any more).
        """
        query = "SELECT task, model, reply, seconds, attempts, recorded FROM replies WHERE key = ?"
        with self._understood(), self._lock:
            row = self._sql.execute(query, (requests.key(form),)).fetchone()
        return Recorded(*row) if row else None

    def put(self, form: str, task: str, model: str, reply: str, seconds: float, attempts: int) -> None:
        """Keep a valid reply. When the request is recorded already, the first reply stays.

        Raises:
            RecordingError: when it cannot be written.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row = (requests.key(form), task, model, prompts.VERSION, form, reply, seconds, attempts, now)
        with self._understood(), self._lock:
            self._sql.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def all(self) -> list[Recorded]:
        """List everything recorded, by time."""
        query = "SELECT task, model, reply, seconds, attempts, recorded FROM replies ORDER BY recorded, key"
        with self._understood(), self._lock:
            return [Recorded(*row) for row in self._sql.execute(query)]

    def summary(self) -> list[dict[str, Any]]:
        """Describe the recording: for each model and task how many replies, how long they took, and from when.

        Returns:
            Dictionaries with ``model``, ``task``, ``replies``, ``p50_s`` and ``p95_s`` (seconds of the calls when
            they were made), ``first`` and ``last`` (UTC).
        """
        groups: dict[tuple[str, str], list[Recorded]] = {}
        for item in self.all():
            groups.setdefault((item.model, item.task), []).append(item)
        return [
            {
                "model": model,
                "task": task,
                "replies": len(items),
                "p50_s": quantile([item.seconds for item in items], 0.5),
                "p95_s": quantile([item.seconds for item in items], 0.95),
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

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._sql.close()

    def __enter__(self) -> "ReplayStore":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ReplayStore({str(self.path)!r}, read_only={self.read_only})"

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Turn SQLite's errors into words."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise RecordingError(
                f"The recording {self.path} cannot be used: {error}. Is it a file in a folder that you may write to, "
                "and is the disk not full? LAB_REPLAY=FILE names another one."
            ) from error
        except sqlite3.DatabaseError as error:
            raise RecordingError(self._damaged(error)) from error
        except OSError as error:
            raise RecordingError(f"The recording {self.path} cannot be used: {error}.") from error

    def _damaged(self, why: object) -> str:
        aside = self.path.with_name(self.path.name + ".damaged")
        return (
            f"The recording {self.path} is damaged ({why}). Nothing was changed. Move it away, and the lab starts a "
            f'new one:  mv "{self.path}" "{aside}"   — or, to save what can be read of it:  sqlite3 "{aside}" .recover'
        )
