"""What an index in Milvus holds: one row a chunk, and the statistics of all of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from querylab.retrieval.protocol import EngineError
from querylab.types import Chunk

SCHEMA = 1
"""Raised whenever rows or statistics are laid out or weighed in another way."""

FIELDS = ["id", "doc_id", "title", "heading", "body", "tokens", "dense", "sparse"]
TEXT_BYTES = 65_535
"""What Milvus keeps in one text field."""

State = Literal["building", "updating", "complete"]


@dataclass(frozen=True)
class Statistics:
    """What holds for an index as a whole.

    Attributes:
        corpus, language: whose documents these are, by the manifest.
        encoder, dimensions: what made the dense vectors, and their length.
        size, mean_length: how many chunks; terms a chunk, which the rows were weighed with.
        fingerprint: of all chunks, so that an index of other documents is recognised.
        state: ``building`` until the first complete run, ``updating`` while a later one is under way.
        terms: term → chunks that hold it; a term's place, from 1, is its dimension.
    """

    corpus: str
    encoder: str
    dimensions: int
    size: int
    mean_length: float
    fingerprint: str
    state: State
    terms: Mapping[str, int] = field(default_factory=dict)
    schema: int = SCHEMA


def row_of(chunk: Chunk, digest: str, dense: np.ndarray, sparse: Mapping[int, float]) -> dict[str, Any]:
    """Write a chunk as a row.

    Raises:
        EngineError: for a text longer than Milvus keeps in one field.
    """
    if len(chunk.body.encode()) > TEXT_BYTES:
        raise EngineError(f"The section {chunk.id} is longer than {TEXT_BYTES:,} bytes; cut it with a heading.")
    # A sparse vector may not be empty; no query has dimension 0.
    return asdict(chunk) | {"digest": digest, "dense": dense.tolist(), "sparse": dict(sparse) or {0: 1.0}}


def chunk_of(row: Mapping[str, Any]) -> Chunk:
    """Read a chunk from its row."""
    return Chunk(row["id"], row["doc_id"], row["title"], row["heading"], row["body"], row["tokens"])
