"""Fit the gates of a corpus on its labelled single-hop questions, and say what they cost.

In go a corpus and its retriever; out comes the strictest pair of raw scores at which no single-hop
question loses its evidence. On real text the scores of answerable and unanswerable questions
overlap, so no pair refuses everything it should; the report shows by how much.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from querylab.corpus.model import Corpus, Question
from querylab.retrieval import encoder as embed
from querylab.retrieval.admit import passes
from querylab.retrieval.protocol import Engine
from querylab.settings import SettingError
from querylab.types import Gates, Hit

DIGITS = 3
NEIGHBOURS = 2
TOLERATED = 0.05
"""Share of the evidence that gates may cost: one odd question in twenty must not open them for all the others. Of the
lab's own twelve that is none."""
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

    ``chosen`` is the ``fitted`` pair lowered by the margin that was asked for. ``margins`` are best raw scores of the
    evidence minus the chosen gate; one of the two is at least 0.
    """

    chosen: Setting
    fitted: Setting
    neighbours: tuple[Setting, ...]
    margins: tuple[Margin, ...]
    questions: dict[str, int]


@dataclass(frozen=True)
class LeftOut:
    """One single-hop question judged by gates that it had no part in: did all its evidence pass?"""

    question: str
    gates: Gates
    kept: bool


Need = tuple[Question, str, list[Hit]]
"""One evidence document that has to pass: its question, its id, its answering hits in the pool."""


def calibrate(corpus: Corpus, retriever: Engine, margin: float = 0.0) -> Calibration:
    """Find the strictest gates at which single-hop questions keep their evidence.

    Among all pairs (a BM25 gate at the score of some evidence chunk, with the highest cosine gate
    that still admits all evidence but :data:`TOLERATED`), the one that admits the fewest chunks over all questions;
    equal ones: the higher BM25 gate. Evidence that is not in the pool no gate can help; it is not fitted on.

    Args:
        corpus: with labelled questions.
        retriever: indexes that corpus.
        margin: share by which both gates are lowered afterwards, 0 to 1: the fitted ones stand so close to the
            weakest evidence that a question nobody fitted falls behind them more often.

    Returns:
        The calibration; both gates rounded down to three digits.

    Raises:
        ValueError: without single-hop questions, when none has its evidence in the pool, or for another margin.
    """
    if not 0 <= margin < 1:
        raise ValueError(f"The margin is a share from 0 to below 1, found {margin}.")
    needs, pools = _needs(corpus, retriever)
    candidates = _settings(needs, corpus.questions, pools)
    fitted = _strictest(candidates)
    gates = Gates(_down(fitted.gates.bm25 * (1 - margin)), _down(fitted.gates.cosine * (1 - margin)))
    chosen = _at(gates, corpus.questions, pools) if margin else fitted
    place = candidates.index(fitted)
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
        fitted,
        tuple(candidates[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]),
        tuple(sorted(margins, key=lambda margin: (max(margin.bm25, 0) + max(margin.cosine, 0), margin.question))),
        {tier: sum(q.tier == tier for q in corpus.questions) for tier in ("single", "multi", "unanswerable")},
    )


def leave_one_out(corpus: Corpus, retriever: Engine, margin: float = 0.0) -> list[LeftOut]:
    """Judge each single-hop question by gates fitted on the others: what a fitted 100 % is worth.

    Args:
        corpus, retriever, margin: as :func:`calibrate` takes them.

    Returns:
        One verdict a question, in the corpus's order; none when there are fewer than two.

    Raises:
        ValueError: as :func:`calibrate` does.
    """
    needs, pools = _needs(corpus, retriever)
    singles = [question for question in corpus.questions if question.tier == "single"]
    verdicts = []
    for left in singles if len(singles) > 1 else ():
        others = [need for need in needs if need[0].id != left.id]
        if not others:
            continue  # nothing is left to fit on
        rest = [question for question in corpus.questions if question.id != left.id]
        fitted = _strictest(_settings(others, rest, pools)).gates
        gates = Gates(_down(fitted.bm25 * (1 - margin)), _down(fitted.cosine * (1 - margin)))
        own = [hits for question, _, hits in needs if question.id == left.id]
        kept = bool(own) and all(any(passes(hit, gates) for hit in hits) for hits in own)
        verdicts.append(LeftOut(left.id, gates, kept))
    return verdicts


def _needs(corpus: Corpus, retriever: Engine) -> tuple[list[Need], dict[str, tuple[Hit, ...]]]:
    """Search every question as typed; list the evidence that is in its pool, and all pools by question id."""
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
    within = [need for need in needs if need[2]]
    if not within:
        raise ValueError(
            "No gate can help: no single-hop question has its evidence in the pool. Look at the wording of questions "
            "and documents with  python -m querylab lost."
        )
    return within, pools


def _settings(
    needs: Sequence[Need], questions: Sequence[Question], pools: Mapping[str, tuple[Hit, ...]]
) -> list[Setting]:
    """Try a BM25 gate at the score of every evidence hit, from the laxest to the strictest."""
    candidates = sorted({_down(hit.bm25) for _, _, hits in needs for hit in hits})
    return [_at(Gates(bm25, _cosine_gate(needs, bm25)), questions, pools) for bm25 in candidates]


def _strictest(candidates: Sequence[Setting]) -> Setting:
    return min(candidates, key=lambda setting: (setting.admitted, -setting.gates.bm25))


def _cosine_gate(needs: Sequence[Need], bm25: float) -> float:
    """The highest cosine gate that admits the evidence which the BM25 gate leaves out, but for the share tolerated."""
    left = sorted(max(hit.cosine for hit in hits) for _, _, hits in needs if all(hit.bm25 < bm25 for hit in hits))
    spared = left[int(TOLERATED * len(needs)) :]
    return _down(spared[0]) if spared else NEVER


def _at(gates: Gates, questions: Sequence[Question], pools: Mapping[str, tuple[Hit, ...]]) -> Setting:
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
    """Store gates and how they were found in a manifest; everything else in the file stays as it is.

    Raises:
        SettingError: when it cannot be written; the manifest is then as it was.
    """
    text = manifest.read_text(encoding="utf-8-sig").rstrip("\n") + "\n"
    # A table ends where the next begins; comment lines directly above that one belong to it.
    table = r"(?ms)^\[\s*(?:gates|calibration)\s*\][^\n]*$.*?(?=(?:^[ \t]*(?:#[^\n]*)?\n)*(?:^\[|\Z))"
    kept = re.sub(table, "", text).rstrip("\n")
    asked = ", ".join(f"{count} {tier}" for tier, count in found.questions.items())
    written = (
        f"{kept}\n\n[gates]\nbm25 = {found.chosen.gates.bm25}\ncosine = {found.chosen.gates.cosine}\n\n"
        f'[calibration]\ndate = "{date.today().isoformat()}"\nencoder = "{embed.NAME}"\nquestions = "{asked}"\n'
        f"fitted_bm25 = {found.fitted.gates.bm25}\nfitted_cosine = {found.fitted.gates.cosine}\n"
        f"refused_rightly = {found.chosen.refused_rightly}\nrefused_wrongly = {found.chosen.refused_wrongly}\n"
    )
    new = manifest.with_name(f"{manifest.name}.new")
    try:
        new.write_text(written, encoding="utf-8")
        new.replace(manifest)  # whole or not at all
    except OSError as error:
        reason = error.strerror or error
        raise SettingError(f"{manifest} cannot be written ({reason}). Copy the corpus to a place of yours.") from error
