"""Load a corpus folder and check all of it: documents, questions, dialogues, manifest.

In goes a folder of the shape that ``corpus/`` has; out comes a frozen :class:`Corpus`. Everything
that is wrong is collected first and raised at once as a :class:`CorpusError`, each fault with its
file and line, so that one look is enough to mend a folder.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from querylab import settings
from querylab.text import count_tokens
from querylab.types import Budgets, Chunk, Gates, Turn

QuestionTier = Literal["single", "multi", "unanswerable"]
QUESTION_TIERS = ("single", "multi", "unanswerable")
TURN_TIERS = ("single", "multi", "direct", "unanswerable")

ANSWERING_GRADE = 2
"""The grade of a chunk that holds the answer; 1 is helpful context, 0 beside the point."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ID_SHAPE = "lower-case letters, digits and single hyphens, such as 'annual-leave'"


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a corpus folder."""

    path: Path
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.path}{f':{self.line}' if self.line else ''}: {self.message}"


class CorpusError(ValueError):
    """A corpus folder that cannot be used; ``faults`` lists everything wrong with it."""

    def __init__(self, folder: Path, faults: Sequence[Fault]) -> None:
        self.folder = folder
        self.faults = tuple(faults)
        count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
        super().__init__(
            f"The corpus in {folder} cannot be used, {count}:\n" + "\n".join(f"  {fault}" for fault in self.faults)
        )


class MissingGates(CorpusError):
    """A corpus without ``[gates]``: nothing can be admitted before they are calibrated."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            folder,
            [
                Fault(
                    folder / "manifest.toml",
                    None,
                    "no [gates]: run  python -m querylab calibrate --corpus " + f"{str(folder)!r} --write"
                    "  (it fits them on the single-hop questions), or write [gates] bm25 = …, cosine = … by hand",
                )
            ],
        )


@dataclass(frozen=True)
class Document:
    """One file of the corpus, cut into its sections."""

    id: str
    title: str
    path: Path
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True)
class Question:
    """One labelled question; ``grades`` maps chunk ids to 2 (holds the answer) or 1 (helps).

    ``kind`` is what a question set sorts by (``nested``, ``precise`` …); the twenty questions have none.
    """

    id: str
    tier: QuestionTier
    question: str
    evidence: tuple[str, ...]
    grades: Mapping[str, int]
    answer: str
    kind: str = ""

    @property
    def answerable(self) -> bool:
        """True when the corpus holds an answer."""
        return self.tier != "unanswerable"

    def answering(self, doc_id: str) -> set[str]:
        """The chunks of one evidence document that hold the answer (grade 2)."""
        return {
            chunk_id
            for chunk_id, grade in self.grades.items()
            if grade >= ANSWERING_GRADE and chunk_id.rpartition("#")[0] == doc_id
        }


@dataclass(frozen=True)
class DialogueTurn:
    """One user turn: as typed, the reply that was given, and the complete form of what was meant."""

    user: str
    assistant: str
    standalone: str
    tier: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Dialogue:
    """One recorded conversation, turn by turn."""

    id: str
    turns: tuple[DialogueTurn, ...]

    def history(self, turn: int) -> list[Turn]:
        """The conversation before turn number ``turn`` (from 0), oldest first."""
        past: list[Turn] = []
        for done in self.turns[:turn]:
            past += [{"role": "user", "content": done.user}, {"role": "assistant", "content": done.assistant}]
        return past


@dataclass(frozen=True)
class Corpus:
    """A validated corpus. ``gates`` is None until they are calibrated.

    ``sets`` holds further questions by name: ``questions_NAME.jsonl`` → ``sets["NAME"]``.
    """

    root: Path
    name: str
    language: str
    budgets: Budgets
    gates: Gates | None
    documents: tuple[Document, ...]
    questions: tuple[Question, ...] = ()
    dialogues: tuple[Dialogue, ...] = ()
    calibration: Mapping[str, Any] = field(default_factory=dict)
    sets: Mapping[str, tuple[Question, ...]] = field(default_factory=dict)

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """All chunks of all documents, in file-name order."""
        return tuple(chunk for document in self.documents for chunk in document.chunks)

    def document(self, doc_id: str) -> Document:
        """Find a document; KeyError when there is none of that id."""
        for document in self.documents:
            if document.id == doc_id:
                return document
        raise KeyError(f"No document {doc_id!r} in {self.root}.")

    def question(self, question_id: str) -> Question:
        """Find a question; KeyError lists the known ids."""
        for question in self.questions:
            if question.id == question_id:
                return question
        known = ", ".join(question.id for question in self.questions) or "none"
        raise KeyError(f"No question {question_id!r} in {self.root}. Known: {known}.")

    def question_set(self, name: str) -> tuple[Question, ...]:
        """Return the questions of ``questions_NAME.jsonl``; KeyError lists the sets there are."""
        if name not in self.sets:
            raise KeyError(f"No questions_{name}.jsonl in {self.root}. Sets: {', '.join(self.sets) or 'none'}.")
        return self.sets[name]

    def dialogue(self, dialogue_id: str) -> Dialogue:
        """Find a dialogue; KeyError lists the known ids."""
        for dialogue in self.dialogues:
            if dialogue.id == dialogue_id:
                return dialogue
        known = ", ".join(dialogue.id for dialogue in self.dialogues) or "none"
        raise KeyError(f"No dialogue {dialogue_id!r} in {self.root}. Known: {known}.")

    def require_gates(self) -> Gates:
        """Return the gates.

        Raises:
            MissingGates: when they have not been calibrated; names the command that does.
        """
        if self.gates is None:
            raise MissingGates(self.root)
        return self.gates


def load_corpus(folder: Path | str = settings.CORPUS_DIR) -> Corpus:
    """Load and validate a corpus folder.

    Args:
        folder: holds ``manifest.toml`` and ``docs/*.md``; ``questions.jsonl`` and
            ``dialogues.jsonl`` may be absent (a practitioner's own documents have none at first).

    Returns:
        The corpus, documents in file-name order.

    Raises:
        CorpusError: lists every fault with file and line.
    """
    folder = Path(folder)
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "no such folder"
        raise CorpusError(
            folder, [Fault(folder, None, f"{what}; a corpus is a folder with manifest.toml and docs/*.md")]
        )
    loader = _Loader(folder)
    corpus = loader.load()
    if loader.faults:
        raise CorpusError(folder, loader.faults)
    return corpus


class _Loader:
    """Reads one folder and remembers every fault it meets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: list[Fault] = []
        self.question_lines: dict[str, tuple[Path, int]] = {}

    def fault(self, path: Path, line: int | None, message: str) -> None:
        self.faults.append(Fault(path, line, message))

    def load(self) -> Corpus:
        manifest = self._manifest()
        documents = self._documents()
        doc_ids = {document.id for document in documents}
        chunk_ids = {chunk.id for document in documents for chunk in document.chunks}
        return Corpus(
            root=self.folder,
            documents=tuple(documents),
            questions=tuple(self._questions(self.folder / "questions.jsonl", doc_ids, chunk_ids)),
            sets={
                path.stem.removeprefix("questions_"): tuple(self._questions(path, doc_ids, chunk_ids))
                for path in sorted(self.folder.glob("questions_*.jsonl"))
            },
            dialogues=tuple(self._dialogues(doc_ids)),
            **manifest,
        )

    # ── files ───────────────────────────────────────────────────────────────────────────────────
    def _text(self, path: Path) -> str | None:
        try:
            raw = path.read_bytes()
        except OSError as error:
            self.fault(path, None, f"cannot be read: {error.strerror or error}")
            return None
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw[: error.start].count(b"\n") + 1
            self.fault(path, line, f"not UTF-8 (byte 0x{raw[error.start]:02x}); save the file as UTF-8")
            return None
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not text.strip():
            self.fault(path, None, "the file is empty")
            return None
        return text

    def _objects(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        if not path.exists():
            return
        text = self._text(path)
        for number, line in enumerate((text or "").split("\n"), start=1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except json.JSONDecodeError as error:
                self.fault(path, number, f"not JSON: {error.msg} at column {error.colno}")
                continue
            if not isinstance(value, dict):
                self.fault(path, number, f"expected one JSON object a line, found {type(value).__name__}")
                continue
            yield number, value

    # ── manifest ────────────────────────────────────────────────────────────────────────────────
    def _manifest(self) -> dict[str, Any]:
        path = self.folder / "manifest.toml"
        values: dict[str, Any] = {
            "name": self.folder.name,
            "language": "zh",
            "budgets": Budgets(settings.DEFAULT_BUDGET, settings.MULTI_HOP_BUDGET),
            "gates": None,
        }
        if not path.exists():
            self.fault(path, None, 'missing; it needs at least  name = "…"  and  language = "zh"')
            return values
        text = self._text(path)
        if text is None:
            return values
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            where = re.search(r"at line (\d+)", str(error))
            self.fault(path, int(where[1]) if where else None, f"not TOML: {error}")
            return values
        for key in ("name", "language"):
            if not isinstance(data.get(key), str) or not data[key].strip():
                self.fault(path, _line_of(text, key), f'{key} = "…" is missing or not a text')
            else:
                values[key] = data[key]
        budgets = self._table(path, text, data, "budgets", ("default", "multi_hop"))
        if budgets is not None:
            numbers = {"default": settings.DEFAULT_BUDGET, "multi_hop": settings.MULTI_HOP_BUDGET} | budgets
            if all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in numbers.values()):
                values["budgets"] = Budgets(**numbers)
            else:
                self.fault(path, _line_of(text, "[budgets]"), f"budgets are whole tokens above 0, found {budgets}")
        gates = self._table(path, text, data, "gates", ("bm25", "cosine"))
        if gates is not None:
            if set(gates) == {"bm25", "cosine"} and all(_is_number(n) for n in gates.values()):
                values["gates"] = Gates(float(gates["bm25"]), float(gates["cosine"]))
            else:
                self.fault(
                    path, _line_of(text, "[gates]"), f"[gates] needs two numbers, bm25 and cosine, found {gates}"
                )
        if isinstance(data.get("calibration"), dict):
            values["calibration"] = data["calibration"]
        return values

    def _table(
        self, path: Path, text: str, data: Mapping[str, Any], name: str, keys: Sequence[str]
    ) -> dict[str, Any] | None:
        table = data.get(name)
        if table is None:
            return None
        if not isinstance(table, dict):
            self.fault(path, _line_of(text, name), f"[{name}] must be a table with {' and '.join(keys)}")
            return None
        for key in sorted(set(table) - set(keys)):
            self.fault(path, _line_of(text, key), f"[{name}] has no entry {key!r}; it takes {' and '.join(keys)}")
        return {key: table[key] for key in keys if key in table}

    # ── documents ───────────────────────────────────────────────────────────────────────────────
    def _documents(self) -> list[Document]:
        folder = self.folder / "docs"
        paths = sorted(folder.glob("*.md"))
        if not paths:
            self.fault(folder, None, "no documents; put at least one .md file there")
        documents: list[Document] = []
        seen: dict[str, Path] = {}
        for path in paths:
            document = self._document(path)
            if document is None:
                continue
            if document.id in seen:
                self.fault(
                    path, _line_of_path(path, "id:"), f"id {document.id!r} is already that of {seen[document.id].name}"
                )
                continue
            seen[document.id] = path
            documents.append(document)
        return documents

    def _document(self, path: Path) -> Document | None:
        text = self._text(path)
        if text is None:
            return None
        lines = text.split("\n")
        if lines[0].strip() != "---":
            self.fault(path, 1, "no front matter; the file begins with a line ---, then id: and title:, then ---")
            return None
        close = next((n for n, line in enumerate(lines[1:], start=1) if line.strip() == "---"), None)
        if close is None:
            self.fault(path, 1, "the front matter that opens here is never closed by a line ---")
            return None
        before = len(self.faults)
        head: dict[str, str] = {}
        for number, line in enumerate(lines[1:close], start=2):
            key, colon, value = line.partition(":")
            if not line.strip():
                continue
            if not colon:
                self.fault(path, number, f"expected 'key: value' in the front matter, found {line.strip()!r}")
                continue
            if key.strip() in head:
                self.fault(path, number, f"{key.strip()!r} stands twice in the front matter")
            head[key.strip()] = value.strip().strip("\"'")
        for key in ("id", "title"):
            if not head.get(key):
                self.fault(path, 1, f"the front matter has no {key}")
        doc_id = head.get("id", "")
        if doc_id and not _ID.fullmatch(doc_id):
            self.fault(path, _line_of(text, "id:"), f"bad id {doc_id!r}; an id is {_ID_SHAPE}")
        chunks = self._sections(path, lines, close + 1, doc_id, head.get("title", ""))
        if len(self.faults) > before:
            return None
        return Document(doc_id, head["title"], path, tuple(chunks))

    def _sections(self, path: Path, lines: Sequence[str], start: int, doc_id: str, title: str) -> list[Chunk]:
        sections: list[tuple[int, str, list[str]]] = []
        for number, line in enumerate(lines[start:], start=start + 1):
            if line.startswith("## ") or line.strip() == "##":
                sections.append((number, line[2:].strip(), []))
            elif sections:
                sections[-1][2].append(line)
            elif line.strip():
                self.fault(path, number, "text before the first section; every text belongs under a heading '## '")
                break
        if not sections:
            self.fault(path, None, "no section; a document has at least one heading '## ' with text under it")
        chunks = []
        for index, (number, heading, body_lines) in enumerate(sections, start=1):
            body = "\n".join(body_lines).strip()
            if not heading:
                self.fault(path, number, "a section without a heading text")
            if not body:
                self.fault(path, number, f"the section {heading!r} is empty")
            tokens = count_tokens(f"{title}\n{heading}\n{body}")
            chunks.append(Chunk(f"{doc_id}#{index}", doc_id, title, heading, body, tokens))
        return chunks

    # ── questions and dialogues ─────────────────────────────────────────────────────────────────
    def _fields(self, path: Path, number: int, value: Mapping[str, Any], shape: Mapping[str, type]) -> bool:
        """Report fields that are missing, of the wrong type, or blank where a text is needed."""
        before = len(self.faults)
        for key, kind in shape.items():
            if key not in value:
                self.fault(path, number, f"the field {key!r} is missing")
            elif not isinstance(value[key], kind):
                found = type(value[key]).__name__
                self.fault(path, number, f"the field {key!r} should be {kind.__name__}, found {found}")
        return len(self.faults) == before

    def _evidence(
        self, path: Path, number: int, what: str, tier: str, evidence: Sequence[Any], doc_ids: set[str]
    ) -> None:
        for doc_id in evidence:
            if not isinstance(doc_id, str) or doc_id not in doc_ids:
                self.fault(path, number, f"{what}: evidence {doc_id!r} is no document's id")
        if len(set(map(str, evidence))) != len(evidence):
            self.fault(path, number, f"{what}: an evidence document is named twice")
        least = {"single": 1, "multi": 2}.get(tier, 0)
        if len(evidence) < least:
            self.fault(path, number, f"{what}: tier {tier!r} needs at least {least} evidence document(s)")
        if tier in ("unanswerable", "direct") and evidence:
            self.fault(path, number, f"{what}: tier {tier!r} can have no evidence")

    def _questions(self, path: Path, doc_ids: set[str], chunk_ids: set[str]) -> Iterator[Question]:
        shape = {"id": str, "tier": str, "question": str, "evidence": list, "grades": dict, "answer": str}
        for number, value in self._objects(path):
            if not self._fields(path, number, value, shape):
                continue
            question_id, tier = value["id"], value["tier"]
            what = f"question {question_id!r}"
            if not _ID.fullmatch(question_id):
                self.fault(path, number, f"bad id {question_id!r}; an id is {_ID_SHAPE}")
            if question_id in self.question_lines:
                first, line = self.question_lines[question_id]
                elsewhere = "" if first == path else f" of {first.name}"
                self.fault(path, number, f"{what} already stands on line {line}{elsewhere}")
            self.question_lines.setdefault(question_id, (path, number))
            kind = value.get("kind", "")
            if not isinstance(kind, str):
                self.fault(path, number, f"{what}: the field 'kind' should be str, found {type(kind).__name__}")
            if tier not in QUESTION_TIERS:
                self.fault(path, number, f"{what}: tier {tier!r} is none of {', '.join(QUESTION_TIERS)}")
            if not value["question"].strip():
                self.fault(path, number, f"{what}: the question is blank")
            self._evidence(path, number, what, tier, value["evidence"], doc_ids)
            for chunk_id, grade in value["grades"].items():
                if chunk_id not in chunk_ids:
                    self.fault(path, number, f"{what}: grades name {chunk_id!r}, which is no section")
                if isinstance(grade, bool) or grade not in (0, 1, 2):
                    self.fault(path, number, f"{what}: the grade of {chunk_id!r} is {grade!r}, not 0, 1 or 2")
            question = Question(
                question_id,
                tier,
                value["question"],
                tuple(map(str, value["evidence"])),
                value["grades"],
                value["answer"],
                kind if isinstance(kind, str) else "",
            )
            for doc_id in question.evidence:
                grades = question.grades.values()
                if all(isinstance(grade, int) for grade in grades) and not question.answering(doc_id):
                    self.fault(path, number, f"{what}: evidence {doc_id!r} has no section of grade {ANSWERING_GRADE}")
            yield question

    def _dialogues(self, doc_ids: set[str]) -> Iterator[Dialogue]:
        path = self.folder / "dialogues.jsonl"
        shape = {"user": str, "assistant": str, "standalone": str, "tier": str, "evidence": list}
        seen: dict[str, int] = {}
        for number, value in self._objects(path):
            if not self._fields(path, number, value, {"id": str, "turns": list}):
                continue
            dialogue_id = value["id"]
            if not _ID.fullmatch(dialogue_id):
                self.fault(path, number, f"bad id {dialogue_id!r}; an id is {_ID_SHAPE}")
            if dialogue_id in seen:
                self.fault(path, number, f"dialogue {dialogue_id!r} already stands on line {seen[dialogue_id]}")
            seen.setdefault(dialogue_id, number)
            if not value["turns"]:
                self.fault(path, number, f"dialogue {dialogue_id!r} has no turns")
            turns = []
            for index, turn in enumerate(value["turns"], start=1):
                what = f"dialogue {dialogue_id!r}, turn {index}"
                if not isinstance(turn, dict):
                    self.fault(path, number, f"{what}: expected an object, found {type(turn).__name__}")
                    continue
                if not self._fields(path, number, turn, shape):
                    continue
                if turn["tier"] not in TURN_TIERS:
                    self.fault(path, number, f"{what}: tier {turn['tier']!r} is none of {', '.join(TURN_TIERS)}")
                for key in ("user", "standalone"):
                    if not turn[key].strip():
                        self.fault(path, number, f"{what}: {key!r} is blank")
                self._evidence(path, number, what, turn["tier"], turn["evidence"], doc_ids)
                turns.append(
                    DialogueTurn(
                        turn["user"],
                        turn["assistant"],
                        turn["standalone"],
                        turn["tier"],
                        tuple(map(str, turn["evidence"])),
                    )
                )
            yield Dialogue(dialogue_id, tuple(turns))


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) != float("inf")
    )


def _line_of(text: str, beginning: str) -> int | None:
    """Find the first line that begins with a text, for a fault's line number."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip().startswith(beginning):
            return number
    return None


def _line_of_path(path: Path, beginning: str) -> int | None:
    return _line_of(path.read_text(encoding="utf-8-sig"), beginning)
