"""Questions and dialogues: JSON lines whose labels point at documents and sections that exist."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from querylab.corpus.model import (
    ANSWERING_GRADE,
    QUESTION_TIERS,
    TURN_TIERS,
    Dialogue,
    DialogueTurn,
    Question,
)
from querylab.corpus.reader import Reader


def read_questions(
    reader: Reader, path: Path, doc_ids: set[str], chunk_ids: set[str], lines: dict[str, tuple[Path, int]]
) -> Iterator[Question]:
    """Read one file of questions; ``lines`` remembers over several files where each id stands."""
    shape = {"id": str, "tier": str, "question": str, "evidence": list, "grades": dict, "answer": str}
    for number, value in reader.objects(path):
        if not reader.fields(path, number, value, shape):
            continue
        question_id, tier = value["id"], value["tier"]
        what = f"question {question_id!r}"
        reader.check_id(path, number, question_id)
        if question_id in lines:
            first, line = lines[question_id]
            elsewhere = "" if first == path else f" of {first.name}"
            reader.fault(path, number, f"{what} already stands on line {line}{elsewhere}")
        lines.setdefault(question_id, (path, number))
        kind = value.get("kind", "")
        if not isinstance(kind, str):
            reader.fault(path, number, f"{what}: the field 'kind' should be str, found {type(kind).__name__}")
        if tier not in QUESTION_TIERS:
            reader.fault(path, number, f"{what}: tier {tier!r} is none of {', '.join(QUESTION_TIERS)}")
        if not value["question"].strip():
            reader.fault(path, number, f"{what}: the question is blank")
        _evidence(reader, path, number, what, tier, value["evidence"], doc_ids)
        for chunk_id, grade in value["grades"].items():
            if chunk_id not in chunk_ids:
                reader.fault(path, number, f"{what}: grades name {chunk_id!r}, which is no section")
            if isinstance(grade, bool) or grade not in (0, 1, 2):
                reader.fault(path, number, f"{what}: the grade of {chunk_id!r} is {grade!r}, not 0, 1 or 2")
        question = Question(
            question_id,
            tier,
            value["question"],
            tuple(map(str, value["evidence"])),
            value["grades"],
            value["answer"],
            kind if isinstance(kind, str) else "",
            value.get("reviewed", True) is True,
        )
        for doc_id in question.evidence:
            grades = question.grades.values()
            if all(isinstance(grade, int) for grade in grades) and not question.answering(doc_id):
                reader.fault(path, number, f"{what}: evidence {doc_id!r} has no section of grade {ANSWERING_GRADE}")
        yield question


def read_dialogues(reader: Reader, doc_ids: set[str]) -> Iterator[Dialogue]:
    """Read ``dialogues.jsonl``."""
    path = reader.folder / "dialogues.jsonl"
    shape = {"user": str, "assistant": str, "standalone": str, "tier": str, "evidence": list}
    seen: dict[str, int] = {}
    for number, value in reader.objects(path):
        if not reader.fields(path, number, value, {"id": str, "turns": list}):
            continue
        dialogue_id = value["id"]
        reader.check_id(path, number, dialogue_id)
        if dialogue_id in seen:
            reader.fault(path, number, f"dialogue {dialogue_id!r} already stands on line {seen[dialogue_id]}")
        seen.setdefault(dialogue_id, number)
        if not value["turns"]:
            reader.fault(path, number, f"dialogue {dialogue_id!r} has no turns")
        turns = []
        for index, turn in enumerate(value["turns"], start=1):
            what = f"dialogue {dialogue_id!r}, turn {index}"
            if not isinstance(turn, dict):
                reader.fault(path, number, f"{what}: expected an object, found {type(turn).__name__}")
                continue
            if not reader.fields(path, number, turn, shape):
                continue
            if turn["tier"] not in TURN_TIERS:
                reader.fault(path, number, f"{what}: tier {turn['tier']!r} is none of {', '.join(TURN_TIERS)}")
            for key in ("user", "standalone"):
                if not turn[key].strip():
                    reader.fault(path, number, f"{what}: {key!r} is blank")
            _evidence(reader, path, number, what, turn["tier"], turn["evidence"], doc_ids)
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


def _evidence(
    reader: Reader, path: Path, number: int, what: str, tier: str, evidence: Sequence[Any], doc_ids: set[str]
) -> None:
    for doc_id in evidence:
        if not isinstance(doc_id, str) or doc_id not in doc_ids:
            reader.fault(path, number, f"{what}: evidence {doc_id!r} is no document's id")
    if len(set(map(str, evidence))) != len(evidence):
        reader.fault(path, number, f"{what}: an evidence document is named twice")
    least = {"single": 1, "multi": 2}.get(tier, 0)
    if len(evidence) < least:
        reader.fault(path, number, f"{what}: tier {tier!r} needs at least {least} evidence document(s)")
    if tier in ("unanswerable", "direct") and evidence:
        reader.fault(path, number, f"{what}: tier {tier!r} can have no evidence")
