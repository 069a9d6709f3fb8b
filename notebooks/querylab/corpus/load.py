"""Load a corpus folder and check all of it: documents, questions, dialogues, manifest.

In goes a folder of the shape that ``corpus/`` has; out comes a frozen :class:`Corpus`. Everything
that is wrong is collected first and raised at once as a :class:`CorpusError`, each fault with its
file and line, so that one look is enough to mend a folder.
"""

import logging
from pathlib import Path

from querylab import settings
from querylab.corpus import beir
from querylab.corpus.documents import read_documents
from querylab.corpus.labels import read_dialogues, read_questions
from querylab.corpus.manifest import read_manifest
from querylab.corpus.model import Corpus, CorpusError, Fault
from querylab.corpus.reader import Reader

log = logging.getLogger("querylab.corpus")
log.addHandler(logging.NullHandler())  # a notebook's stderr stays clean; the command line shows it


def load_corpus(folder: Path | str = settings.CORPUS_DIR) -> Corpus:
    """Load and validate a corpus folder.

    Args:
        folder: holds ``manifest.toml`` and Markdown files under ``docs``; ``questions.jsonl`` and
            ``dialogues.jsonl`` may be absent (a practitioner's own documents have none at first). Or a folder of
            BEIR's shape, as it is: see :mod:`querylab.corpus.beir`.

    Returns:
        The corpus, documents in the order of their paths; ``warnings`` says what was left out or is too large.

    Raises:
        CorpusError: lists every fault with file and line.
    """
    folder = Path(folder)
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "no such folder"
        raise CorpusError(
            folder, [Fault(folder, None, f"{what}; a corpus is a folder with manifest.toml and docs/*.md")]
        )
    if beir.is_beir(folder):
        return beir.load_beir(folder)
    reader = Reader(folder)
    manifest = read_manifest(reader)
    documents = read_documents(reader, manifest["budgets"].default)
    doc_ids = {document.id for document in documents}
    chunk_ids = {chunk.id for document in documents for chunk in document.chunks}
    lines: dict[str, tuple[Path, int]] = {}
    questions = tuple(read_questions(reader, folder / "questions.jsonl", doc_ids, chunk_ids, lines))
    sets = {
        path.stem.removeprefix("questions_"): tuple(read_questions(reader, path, doc_ids, chunk_ids, lines))
        for path in sorted(folder.glob("questions_*.jsonl"))
    }
    dialogues = tuple(read_dialogues(reader, doc_ids))
    if reader.faults:
        raise CorpusError(folder, reader.faults)
    for warning in reader.warnings:
        log.warning("%s", warning)
    return Corpus(
        root=folder,
        documents=tuple(documents),
        questions=questions,
        sets=sets,
        dialogues=dialogues,
        warnings=tuple(reader.warnings),
        **manifest,
    )
