"""Questions for one's own documents: which sections to ask about, and the file that drafts wait in for a person."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from querylab.corpus.model import ANSWERING_GRADE, Corpus
from querylab.types import Chunk

FILE = "questions_draft.jsonl"
"""A question set of its own (``--set questions_draft``), so that nothing unseen mixes with the labelled ones."""


def spread(chunks: Sequence[Chunk], count: int) -> list[Chunk]:
    """Choose sections at even distances, so that every part of the documents is asked about; the same ones always."""
    count = min(count, len(chunks))
    return [chunks[place * len(chunks) // count] for place in range(count)]


def draft(chunk: Chunk, question: str, answer: str, reviewed: bool = False) -> dict[str, Any]:
    """Write a question about one section as the loader reads it."""
    return {
        "id": f"draft-{hashlib.sha256(chunk.id.encode()).hexdigest()[:8]}",
        "tier": "single",
        "question": question,
        "evidence": [chunk.doc_id],
        "grades": {chunk.id: ANSWERING_GRADE},
        "answer": answer,
        "reviewed": reviewed,
    }


def read(corpus: Corpus) -> list[dict[str, Any]]:
    """Read the drafts of a corpus that has been loaded, and so is known to be sound."""
    path = corpus.root / FILE
    lines = path.read_text(encoding="utf-8-sig").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines if line.strip()]


def write(folder: Path, rows: Sequence[Mapping[str, Any]], name: str = FILE) -> Path:
    """Write drafts, whole or not at all."""
    path = folder / name
    new = path.with_name(f"{name}.new")
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    new.write_text(text, encoding="utf-8", newline="\n")
    new.replace(path)
    return path
