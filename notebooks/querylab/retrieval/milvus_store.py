"""One index in Milvus: its connection, its two collections, its statistics, and every failure in words.

An index ``NAME`` is two collections. ``NAME`` holds one row a chunk: its text, a digest, a dense and a sparse vector.
``NAME_statistics`` holds what BM25 has to know of all chunks together: how many there are, their mean length, and every
term with its dimension in the sparse vectors and the number of chunks that hold it.

The same code serves Milvus Lite (a folder ``….db``, in this process, one process at a time) and a Milvus server.
"""

import hashlib
import json
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from querylab import settings
from querylab.retrieval.milvus_rows import FIELDS, SCHEMA, TEXT_BYTES, Statistics
from querylab.retrieval.protocol import EngineError, EngineGone

_PAUSE = 0.5  # seconds between two tries
_PIECE = 2_000  # terms in one row of the statistics; a term has at most some 30 bytes
_GONE = ("unavailable", "deadline", "timeout", "fail connecting", "connection refused", "closed channel")
_DENIED = ("unauthenticated", "auth check", "permission", "api key", "not authorized")

P = ParamSpec("P")
T = TypeVar("T")


def _in_words(method: Callable[Concatenate["Store", P], T]) -> Callable[Concatenate["Store", P], T]:
    """Turn what Milvus raises into an :class:`EngineError`; while nothing answers, try again until the time is over.

    Every method can be repeated: rows are replaced by their ids, and what is there already is not made twice.
    """

    @wraps(method)
    def told(self: "Store", *args: P.args, **kwargs: P.kwargs) -> T:
        import grpc
        from pymilvus.exceptions import MilvusException

        until = time.monotonic() + self.seconds
        while True:
            try:
                return method(self, *args, **kwargs)
            except (MilvusException, grpc.RpcError) as error:
                failure = self.failure(error)
                if not isinstance(failure, EngineGone) or time.monotonic() >= until:
                    raise failure from error
                time.sleep(min(_PAUSE, self.seconds / 4))

    return told


class Store:
    """One index in one Milvus."""

    def __init__(self, uri: str, name: str, token: str = "", seconds: float = settings.ENGINE_SECONDS) -> None:
        """Connect.

        Args:
            uri: a folder ``….db`` for Milvus Lite, or a server's address such as ``http://localhost:19530``.
            name: of the index: letters, digits and underscores.
            token: what the server wants to see; kept out of every message.
            seconds: longest wait for one call, with all tries.

        Raises:
            EngineError: says what is missing, refused or in use.
            EngineGone: when nothing answers there.
        """
        try:
            import pymilvus  # noqa: F401
        except ImportError as error:
            raise EngineError(
                'The engine milvus needs its packages:  pip install -e ".[milvus]" -c constraints.txt'
            ) from error
        for talkative in ("pymilvus", "milvus_lite"):  # a traceback for each failure, which is told in words below
            logging.getLogger(talkative).setLevel(logging.CRITICAL)
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            raise EngineError(f"{name!r} is no name of an index: letters, digits and underscores, a letter first.")
        self.uri, self.name, self.seconds = uri, name, seconds
        self.lite = "://" not in uri
        if self.lite:
            if not uri.endswith(".db"):
                raise EngineError(f"--uri {uri!r}: a folder for Milvus Lite ends in .db, a server begins with http://.")
            Path(uri).parent.mkdir(parents=True, exist_ok=True)
        self._token = token
        self._connect()

    @_in_words
    def _connect(self) -> None:
        from pymilvus import MilvusClient

        self.client = MilvusClient(self.uri, token=self._token, timeout=self.seconds)

    def close(self) -> None:
        """Let go of the connection; with Milvus Lite another process may then open the folder."""
        self.client.close()
        if self.lite:
            from milvus_lite.server_manager import server_manager_instance

            server_manager_instance.release_server(self.uri)

    def failure(self, error: Exception) -> EngineError:
        """Say what an error of Milvus means, and what to do."""
        low = f"{error} {error.__cause__}".lower()  # while connecting, only the cause tells a token from a dead server
        if "open local milvus failed" in low:
            return EngineError(
                f"Milvus Lite cannot open {self.uri}: one process at a time may use it, and another one does (a "
                "notebook, perhaps); close that one. For several at once run a Milvus server and name it by --uri."
            )
        if any(word in low for word in _DENIED):
            return EngineError(
                f"The Milvus server at {self.uri} refuses the token. Set MILVUS_TOKEN to user:password or to its key."
            )
        if any(word in low for word in _GONE):
            return EngineGone(
                f"Milvus at {self.uri} did not answer within {self.seconds:g} s. When it is back, run the same command "
                "again: index goes on where it stopped, and recorded replies of a model are not paid for twice."
            )
        return EngineError(f"Milvus at {self.uri} refuses: {error}")

    # ── Statistics ──────────────────────────────────────────────────────────────────────────────
    @_in_words
    def statistics(self) -> Statistics | None:
        """Read the statistics; None when there is no such index.

        Raises:
            EngineError: for an index of another schema.
        """
        if not self.client.has_collection(self._side, timeout=self.seconds):
            return None
        self.client.load_collection(self._side, timeout=self.seconds)
        head = self._texts(["head"]).get("head")
        if head is None:
            return None
        found = json.loads(head)
        if found["schema"] != SCHEMA:
            raise EngineError(
                f"The index {self.name} at {self.uri} has schema {found['schema']}, and this lab reads {SCHEMA}. "
                "Make it anew:  python -m querylab index --engine milvus --rebuild  (with the same --uri)."
            )
        generation, count = found.pop("generation"), found.pop("pieces")
        pieces = [f"{generation}-{number}" for number in range(count)]
        texts = self._texts(pieces)
        missing = [piece for piece in pieces if piece not in texts]
        if missing:
            raise EngineError(f"The statistics of {self.name} at {self.uri} were just being changed. Try again.")
        terms = dict(pair for piece in pieces for pair in json.loads(texts[piece]))
        return Statistics(**found, terms=terms)

    @_in_words
    def write_statistics(self, statistics: Statistics) -> None:
        """Replace the statistics. The head is written last, so that a reader sees the old ones or the new ones."""
        terms = list(statistics.terms.items())
        texts = [
            json.dumps(terms[start : start + _PIECE], ensure_ascii=False) for start in range(0, len(terms), _PIECE)
        ]
        generation = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
        rows = {f"{generation}-{number}": text for number, text in enumerate(texts)}
        head = asdict(replace(statistics, terms={})) | {"generation": generation, "pieces": len(texts)}
        del head["terms"]
        for key, text in [*rows.items(), ("head", json.dumps(head, ensure_ascii=False))]:
            row = {"id": key, "text": text, "unused": [0.0, 1.0]}
            self.client.upsert(self._side, [row], timeout=self.seconds)
        self.client.delete(self._side, filter=f'id != "head" and not (id like "{generation}-%")', timeout=self.seconds)

    def _texts(self, keys: Sequence[str]) -> dict[str, str]:
        found = {}
        for start in range(0, len(keys), 50):
            rows = self.client.get(
                self._side,
                ids=list(keys[start : start + 50]),
                output_fields=["id", "text"],
                timeout=self.seconds,
                consistency_level="Strong",
            )
            found |= {row["id"]: row["text"] for row in rows}
        return found

    @property
    def _side(self) -> str:
        return f"{self.name}_statistics"

    # ── Rows ────────────────────────────────────────────────────────────────────────────────────
    @_in_words
    def create(self, dimensions: int) -> None:
        """Make both collections where they are missing, for dense vectors of that many numbers."""
        from pymilvus import DataType

        if not self.client.has_collection(self.name, timeout=self.seconds):
            schema = self.client.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=512)
            for name in ("doc_id", "title", "heading", "body", "digest"):
                schema.add_field(name, DataType.VARCHAR, max_length=TEXT_BYTES)
            schema.add_field("tokens", DataType.INT64)
            schema.add_field("dense", DataType.FLOAT_VECTOR, dim=dimensions)
            schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
            index = self.client.prepare_index_params()
            index.add_index("dense", index_type="FLAT", metric_type="COSINE")
            index.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
            self.client.create_collection(self.name, schema=schema, index_params=index, timeout=self.seconds)
        if not self.client.has_collection(self._side, timeout=self.seconds):
            schema = self.client.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=64)
            schema.add_field("text", DataType.VARCHAR, max_length=TEXT_BYTES)
            schema.add_field("unused", DataType.FLOAT_VECTOR, dim=2)  # Milvus wants a vector in every collection
            index = self.client.prepare_index_params()
            index.add_index("unused", index_type="FLAT", metric_type="IP")
            self.client.create_collection(self._side, schema=schema, index_params=index, timeout=self.seconds)
        self.load()
        self.client.load_collection(self._side, timeout=self.seconds)

    @_in_words
    def load(self) -> None:
        """Make the rows searchable."""
        self.client.load_collection(self.name, timeout=self.seconds)

    @_in_words
    def drop(self) -> None:
        """Delete both collections."""
        for name in (self.name, self._side):
            self.client.drop_collection(name, timeout=self.seconds)

    @_in_words
    def digests(self) -> dict[str, str]:
        """Read every row's digest by its id."""
        found: dict[str, str] = {}
        rows = self.client.query_iterator(
            self.name,
            batch_size=1000,
            output_fields=["id", "digest"],
            timeout=self.seconds,
            consistency_level="Strong",
        )
        while batch := rows.next():
            found |= {row["id"]: row["digest"] for row in batch}
        rows.close()
        return found

    @_in_words
    def upsert(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows; those of the same id are replaced."""
        self.client.upsert(self.name, list(rows), timeout=self.seconds)

    @_in_words
    def delete(self, ids: Sequence[str]) -> None:
        """Delete rows."""
        for start in range(0, len(ids), 500):
            self.client.delete(self.name, ids=list(ids[start : start + 500]), timeout=self.seconds)

    @_in_words
    def flush(self) -> None:
        """Have the rows put into the form that is searched quickly; they are safe and found without it."""
        self.client.flush(self.name, timeout=self.seconds)

    @_in_words
    def search(self, field_: str, queries: Sequence[Any], limit: int) -> list[list[dict[str, Any]]]:
        """Find the rows nearest to each query on one vector field, all fields of them, best first."""
        if not queries:
            return []
        found = self.client.search(
            self.name,
            data=list(queries),
            anns_field=field_,
            limit=limit,
            output_fields=FIELDS,
            timeout=self.seconds,
        )
        return [[hit["entity"] | {"id": hit["id"]} for hit in hits] for hits in found]
