"""Measures, one a function: a ranking or a trace and its labels in, a number between 0 and 1 out."""

import math
from collections.abc import Iterable, Mapping, Sequence

from querylab import settings
from querylab.corpus.model import Question
from querylab.pipeline.trace import Trace, where_lost


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """1 / rank of the first relevant id (grade above 0), ranks from 1; 0.0 when none is found.

    An id that stands twice counts at its first place.
    """
    for rank, item in enumerate(dict.fromkeys(ranking), start=1):
        if grades.get(item, 0) > 0:
            return 1.0 / rank
    return 0.0


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], k: int = settings.NDCG_AT) -> float:
    """Normalised discounted cumulative gain at depth ``k``, with the grade itself as gain.

    Args:
        ranking: ids, best first; a repeated id counts at its first place.
        grades: id → 0, 1 or 2; what is not named has grade 0.
        k: depth, from 1.

    Returns:
        0.0 to 1.0; 0.0 when nothing is relevant.

    Source: Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002, in
    the form with log2(rank + 1) that trec_eval uses.
    """
    if k < 1:
        raise ValueError(f"The depth k is 1 or more, found {k}.")
    found = [grades.get(item, 0) for item in dict.fromkeys(ranking)]
    ideal = sorted(grades.values(), reverse=True)
    best = _dcg(ideal[:k])
    return _dcg(found[:k]) / best if best > 0 else 0.0


def _dcg(gains: Iterable[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def recall(trace: Trace, question: Question) -> float:
    """Measure what share of a question's evidence documents reached the context; 1.0 when it needs none."""
    places = where_lost(trace, question).values()
    return sum(place == "context" for place in places) / len(places) if places else 1.0


def complete(trace: Trace, question: Question) -> bool:
    """Say whether every evidence document of a question reached the context."""
    return all(place == "context" for place in where_lost(trace, question).values())


def ranked_complete(trace: Trace, question: Question, k: int) -> bool:
    """Say whether every evidence document has an answering chunk among the first ``k``: the ranking, before the gate.

    Args:
        trace: its ``ranking`` is read, not its context.
        question: its labels.
        k: depth, from 1.
    """
    first = {chunk_id for chunk_id, _ in trace.ranking[:k]}
    return all(question.answering(doc_id) & first for doc_id in question.evidence)
