"""One SQLite file of the lab's own, opened with care: the recording, and the second level of the rewrite cache.

In SQLite's rollback-journal mode it is one file that can be copied at any time; several processes may use it at once
(each waits for the other's commit); a killed process loses nothing that was committed. A file that is damaged, of
another program or of another format is never touched: the error says what was found and what to do.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any, ClassVar, Self
from urllib.parse import quote


class SqliteFile:
    """An open file. May be used from several threads. Close it, or use it as a context manager.

    A subclass says what kind of file it is.

    Attributes:
        path: the file.
        read_only: nothing is ever written.
    """

    application_id: ClassVar[int]
    """Stands in the file's header, so that a database of another program is known."""
    format: ClassVar[int]
    schema: ClassVar[str]
    """``CREATE`` statements for a new file."""
    error: ClassVar[type[Exception]]
    """Raised for everything that goes wrong with the file."""
    name: ClassVar[str]
    """What the file is called in messages, as "recording"."""
    missing: ClassVar[str]
    elsewhere: ClassVar[str]
    """Which other file can be named, and how; said when this one cannot be used."""
    busy_seconds: ClassVar[float] = 10.0
    """Longest wait while another process writes."""
    probe: ClassVar[str] = ""
    """A query that reads every column: a file in which one is missing is damaged."""

    def __init__(self, path: Path | str, read_only: bool = False) -> None:
        """Open a file.

        Args:
            path: the file; made, with its folder, when missing and not ``read_only``.
            read_only: nothing is ever written.

        Raises:
            The class's ``error`` when the file is missing (read-only), damaged, of another program, or cannot be
            opened. Nothing is overwritten.
        """
        self.path = Path(path).expanduser()
        self.read_only = read_only
        self._lock = threading.Lock()
        self._sql = self._open()

    def _open(self) -> sqlite3.Connection:
        if self.read_only and not self.path.is_file():
            raise self.error(self.missing.format(path=self.path))
        with self._understood():
            if not self.read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            sql = sqlite3.connect(
                f"{uri(self.path.absolute())}?mode={'ro' if self.read_only else 'rwc'}",
                uri=True,
                timeout=self.busy_seconds,
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
        if not tables and not owner and not self.read_only:
            sql.executescript(
                f"BEGIN IMMEDIATE; {self.schema} PRAGMA application_id = {self.application_id}; "
                f"PRAGMA user_version = {self.format}; COMMIT;"
            )
        elif owner != self.application_id:
            raise self.error(
                f"{self.path} is no {self.name} of this lab (a database of another program, or empty). It was not "
                f"touched. {self.elsewhere}"
            )
        (version,) = sql.execute("PRAGMA user_version").fetchone()
        if version != self.format:
            raise self.error(
                f"{self.path} has format {version}; this version of the lab reads format {self.format}. It was not "
                f"touched. {self.elsewhere}"
            )
        faults = sql.execute("PRAGMA quick_check(1)").fetchone()[0]
        if faults != "ok":
            raise self.error(self._damaged(faults))
        if self.probe:
            try:
                sql.execute(self.probe).fetchone()
            except sqlite3.OperationalError as error:
                if busy(error):
                    raise
                raise self.error(self._damaged(error)) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._sql.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r}, read_only={self.read_only})"

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Turn SQLite's errors into words."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if busy(error):
                raise self.error(
                    f"The {self.name} {self.path} is held by another process, for over {self.busy_seconds:g} s. "
                    f"Nothing is wrong with it; try again."
                ) from error
            raise self.error(
                f"The {self.name} {self.path} cannot be used: {error}. Is it a file in a folder that you may write to, "
                f"and is the disk not full? {self.elsewhere}"
            ) from error
        except sqlite3.DatabaseError as error:
            raise self.error(self._damaged(error)) from error
        except OSError as error:
            raise self.error(f"The {self.name} {self.path} cannot be used: {error}.") from error

    def _damaged(self, why: object) -> str:
        aside = self.path.with_name(self.path.name + ".damaged")
        return (
            f"The {self.name} {self.path} is damaged ({why}). Nothing was changed. Move it away, and the lab starts a "
            f'new one:  mv "{self.path}" "{aside}"   — or, to save what can be read of it:  sqlite3 "{aside}" .recover'
        )


def uri(path: PurePath) -> str:
    """Write an absolute path as the URI that SQLite takes: never with a host, which SQLite refuses.

    ``Path.as_uri`` makes a host of the server of a network share (``\\\\server\\share``); here it stays in the path.
    """
    text = quote(path.as_posix(), safe="/:")
    return "file://" + (text if text.startswith("/") else f"/{text}")


def busy(error: BaseException | None) -> bool:
    """Say whether SQLite only found the file held by somebody else."""
    held = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return isinstance(error, sqlite3.OperationalError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in held
