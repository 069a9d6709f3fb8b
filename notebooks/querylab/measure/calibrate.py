"""Fit the gates of a corpus on its labelled single-hop questions, and say what they cost.

In go a corpus and its retriever; out comes the strictest pair of raw scores at which no single-hop
question loses its evidence. On real text the scores of answerable and unanswerable questions
overlap, so no pair refuses everything it should; the report shows by how much.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from querylab.corpus.load import Corpus, Question
from querylab.retrieval import encoder as embed
from querylab.retrieval.admit import passes
from querylab.retrieval.retriever import Retriever
from querylab.types import Gates, Hit

DIGITS = 3
NEIGHBOURS = 2
NEVER = 1.01
"""A cosine gate that nothing reaches: the BM25 gate alone admits all evidence."""


@dataclass(frozen=True)
class Setting:
    """One pair of gates and what happens there, questions searched as typed."""

    gates: Gates
    admitted: int
    refused_rightly: int
    refused_wrongly: int


@dataclass(frozen=True)
class Margin:
    """How far one single-hop question is from losing one evidence document."""

    question: str
    document: str
    bm25: float
    cosine: float


@dataclass(frozen=True)
class Calibration:
    """The chosen pair, its neighbours from laxer to stricter on BM25, and every question's margin.

    ``margins`` are best raw scores of the evidence minus the gate; one of the two is at least 0.
    """

    chosen: Setting
    neighbours: tuple[Setting, ...]
    margins: tuple[Margin, ...]
    questions: dict[str, int]


def calibrate(corpus: Corpus, retriever: Retriever) -> Calibration:
    """Find the strictest gates at which no single-hop question loses its evidence.

    Among all pairs (a BM25 gate at the score of some evidence chunk, with the highest cosine gate
    that still admits all evidence), the one that admits the fewest chunks over all questions; equal
    ones: the higher BM25 gate.

    Args:
        corpus: with labelled questions.
        retriever: indexes that corpus.

    Returns:
        The calibration; both gates rounded down to three digits.

    Raises:
        ValueError: without single-hop questions, or when evidence of one is not even in the pool.
    """
    single = [question for question in corpus.questions if question.tier == "single"]
    if not single:
        raise ValueError(
            f"Gates are fitted on labelled single-hop questions, and {corpus.root / 'questions.jsonl'} has none. "
            "Write at least a few, or set [gates] in the manifest by hand."
        )
    searches = retriever.search_all([question.question for question in corpus.questions])
    pools = {question.id: search.hits for question, search in zip(corpus.questions, searches, strict=True)}
    needs = [
        (question, doc_id, [hit for hit in pools[question.id] if hit.chunk.id in question.answering(doc_id)])
        for question in single
        for doc_id in question.evidence
    ]
    missing = [f"{question.id} ({doc_id})" for question, doc_id, hits in needs if not hits]
    if missing:
        raise ValueError(
            f"No gate can help: the evidence is not in the pool for {', '.join(missing)}. Look at the wording of these "
            "questions or documents with  python -m querylab lost."
        )
    candidates = sorted({_down(hit.bm25) for _, _, hits in needs for hit in hits})
    settings = [_at(Gates(bm25, _cosine_gate(needs, bm25)), corpus.questions, pools) for bm25 in candidates]
    chosen = min(settings, key=lambda setting: (setting.admitted, -setting.gates.bm25))
    place = settings.index(chosen)
    margins = [
        Margin(
            question.id,
            doc_id,
            max(hit.bm25 for hit in hits) - chosen.gates.bm25,
            max(hit.cosine for hit in hits) - chosen.gates.cosine,
        )
        for question, doc_id, hits in needs
    ]
    return Calibration(
        chosen,
        tuple(settings[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]),
        tuple(sorted(margins, key=lambda margin: (max(margin.bm25, 0) + max(margin.cosine, 0), margin.question))),
        {tier: sum(q.tier == tier for q in corpus.questions) for tier in ("single", "multi", "unanswerable")},
    )


def _cosine_gate(needs: Sequence[tuple[Question, str, list[Hit]]], bm25: float) -> float:
    """The highest cosine gate that admits all evidence which the BM25 gate leaves out."""
    left = [max(hit.cosine for hit in hits) for _, _, hits in needs if all(hit.bm25 < bm25 for hit in hits)]
    return _down(min(left)) if left else NEVER


def _at(gates: Gates, questions: Sequence[Question], pools: dict[str, tuple[Hit, ...]]) -> Setting:
    admitted = {question.id: sum(passes(hit, gates) for hit in pools[question.id]) for question in questions}
    return Setting(
        gates,
        sum(admitted.values()),
        sum(not admitted[question.id] for question in questions if not question.answerable),
        sum(not admitted[question.id] for question in questions if question.answerable),
    )


def _down(value: float) -> float:
    return math.floor(value * 10**DIGITS) / 10**DIGITS


def write_gates(manifest: Path, found: Calibration) -> None:
    """Store gates and how they were found in a manifest; everything else in the file stays as it is."""
    text = manifest.read_text(encoding="utf-8-sig").rstrip("\n") + "\n"
    # A table ends where the next begins; comment lines directly above that one belong to it.
    table = r"(?ms)^\[\s*(?:gates|calibration)\s*\][^\n]*$.*?(?=(?:^[ \t]*(?:#[^\n]*)?\n)*(?:^\[|\Z))"
    kept = re.sub(table, "", text).rstrip("\n")
    asked = ", ".join(f"{count} {tier}" for tier, count in found.questions.items())
    written = (
        f"{kept}\n\n[gates]\nbm25 = {found.chosen.gates.bm25}\ncosine = {found.chosen.gates.cosine}\n\n"
        f'[calibration]\ndate = "{date.today().isoformat()}"\nencoder = "{embed.NAME}"\nquestions = "{asked}"\n'
        f"refused_rightly = {found.chosen.refused_rightly}\nrefused_wrongly = {found.chosen.refused_wrongly}\n"
    )
    manifest.write_text(written, encoding="utf-8")
