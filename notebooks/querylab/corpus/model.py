"""What a corpus is: documents cut into sections, labelled questions, dialogues; and a folder's faults."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from querylab.types import Budgets, Chunk, Gates, Turn

QuestionTier = Literal["single", "multi", "unanswerable"]
QUESTION_TIERS = ("single", "multi", "unanswerable")
TURN_TIERS = ("single", "multi", "direct", "unanswerable")

ANSWERING_GRADE = 2
"""The grade of a chunk that holds the answer; 1 is helpful context, 0 beside the point."""


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

    ``kind`` is what a question set sorts by (``nested``, ``precise`` …); the twenty questions have none. ``reviewed``
    is False for a question that a model drafted and nobody has looked at.
    """

    id: str
    tier: QuestionTier
    question: str
    evidence: tuple[str, ...]
    grades: Mapping[str, int]
    answer: str
    kind: str = ""
    reviewed: bool = True

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

    ``sets`` holds further questions by name: ``questions_NAME.jsonl`` → ``sets["NAME"]``. ``warnings`` names files that
    were left out and sections that no narrow context can hold whole.
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
    warnings: tuple[Fault, ...] = ()

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
