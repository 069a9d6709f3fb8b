"""A folder of BEIR's shape, read as it is: ``corpus.jsonl``, ``queries.jsonl``, ``qrels/SPLIT.tsv``.

A document is one chunk, ``<id>#1``. Of its grades a query's highest becomes 2 (holds the answer), a lower one above 0
becomes 1 (helps). A query with one document of grade 2 is single-hop. One with several counts as multi-hop, **all of
which** have to arrive: right for sets of two hops; where the documents are alternatives (most other sets), read nDCG
and MRR instead. The split ``test`` is the corpus's questions (else ``dev``, else the first by name), the others are
question sets. There are no unanswerable questions and no dialogues; gates stand in a ``manifest.toml`` that
``calibrate --write`` makes.

Source: Thakur et al., "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models", 2021.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.corpus.manifest import read_manifest
from querylab.corpus.model import ANSWERING_GRADE, Corpus, CorpusError, Document, Question
from querylab.corpus.reader import Reader
from querylab.text import count_tokens
from querylab.types import Budgets, Chunk

_FIRST = ("test", "dev")


def is_beir(folder: Path) -> bool:
    """Say whether a folder has BEIR's shape."""
    return (folder / "corpus.jsonl").is_file() and not (folder / "docs").is_dir()


def load_beir(folder: Path) -> Corpus:
    """Load a folder of BEIR's shape.

    Raises:
        CorpusError: lists every fault with file and line.
    """
    reader = Reader(folder)
    documents = tuple(_documents(reader))
    known = {document.id for document in documents}
    queries = dict(_queries(reader))
    paths = sorted((folder / "qrels").glob("*.tsv"), key=lambda path: [*_FIRST, path.stem].index(path.stem))
    sets = {path.stem: tuple(_questions(reader, path, queries, known)) for path in paths}
    if not documents and not reader.faults:
        reader.fault(folder / "corpus.jsonl", None, "holds no document")
    manifest = _manifest(reader, documents)
    if reader.faults:
        raise CorpusError(folder, reader.faults)
    main = next(iter(sets), None)
    return Corpus(root=folder, documents=documents, questions=sets.pop(main, ()), sets=sets, **manifest)


def _documents(reader: Reader) -> Iterator[Document]:
    path = reader.folder / "corpus.jsonl"
    seen: dict[str, int] = {}
    for number, value in reader.objects(path):
        if not reader.fields(path, number, value, {"_id": str, "text": str}):
            continue
        doc_id, title = value["_id"], str(value.get("title") or "")
        if doc_id in seen:
            reader.fault(path, number, f"document {doc_id!r} already stands on line {seen[doc_id]}")
        seen.setdefault(doc_id, number)
        tokens = count_tokens(f"{title}\n\n{value['text']}")
        yield Document(doc_id, title, path, (Chunk(f"{doc_id}#1", doc_id, title, "", value["text"], tokens),))


def _queries(reader: Reader) -> Iterator[tuple[str, str]]:
    path = reader.folder / "queries.jsonl"
    if not path.is_file():
        reader.fault(path, None, "missing; a folder of BEIR's shape has corpus.jsonl, queries.jsonl and qrels/*.tsv")
    for number, value in reader.objects(path):
        if reader.fields(path, number, value, {"_id": str, "text": str}):
            yield value["_id"], value["text"]


def _questions(reader: Reader, path: Path, queries: Mapping[str, str], known: set[str]) -> Iterator[Question]:
    grades: dict[str, dict[str, float]] = {}
    for number, line in enumerate((reader.text(path) or "").split("\n"), start=1):
        if not line.strip() or (number == 1 and line.startswith("query-id")):
            continue
        cells = line.split("\t")
        try:
            query, doc_id, grade = cells[0], cells[1], float(cells[2])
        except (IndexError, ValueError):
            reader.fault(path, number, f"expected query-id, corpus-id and score between tabs, found {line!r}")
            continue
        if query not in queries:
            reader.fault(path, number, f"query {query!r} is not in queries.jsonl")
        elif doc_id not in known:
            reader.fault(path, number, f"document {doc_id!r} is not in corpus.jsonl")
        elif grade > 0:
            grades.setdefault(query, {})[doc_id] = grade
    for query, found in grades.items():
        top = max(found.values())
        evidence = tuple(doc_id for doc_id, grade in found.items() if grade == top)
        yield Question(
            id=query,
            tier="single" if len(evidence) == 1 else "multi",
            question=queries[query],
            evidence=evidence,
            grades={f"{doc_id}#1": ANSWERING_GRADE if grade == top else 1 for doc_id, grade in found.items()},
            answer="",
        )


def _manifest(reader: Reader, documents: tuple[Document, ...]) -> dict[str, Any]:
    if (reader.folder / "manifest.toml").is_file():
        return read_manifest(reader)
    return {
        "name": reader.folder.resolve().name,
        "language": language_of("".join(chunk.body for document in documents[:50] for chunk in document.chunks)),
        "budgets": Budgets(settings.DEFAULT_BUDGET, settings.MULTI_HOP_BUDGET),
        "gates": None,
    }


def language_of(text: str) -> str:
    """Tell a text with a tenth of Chinese characters ("zh") from any other ("en")."""
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in text)
    return "zh" if chinese * 10 > len(text) else "en"
