"""What a difference is worth: a paired interval over questions and recordings, and whether it is shown.

The same questions were asked both ways, so their differences are resampled, not the two means apart. Where there are
several recordings, each draw also picks which of them answered: one lucky recording does not make a finding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from querylab.corpus.model import Question
from querylab.measure.metrics import complete, ndcg, reciprocal_rank
from querylab.measure.recorded import Recorded
from querylab.measure.report import Report
from querylab.pipeline.trace import Trace

DRAWS = 10_000
SEED = 20_261_130
LEVEL = 0.95

Measure = Callable[[Trace, Question], float]


def _ranking(trace: Trace) -> list[str]:
    return [chunk_id for chunk_id, _ in trace.ranking]


MEASURES: dict[str, tuple[tuple[str, ...], Measure]] = {
    "recall_single_hop": (("single",), lambda trace, question: float(complete(trace, question))),
    "recall_multi_hop": (("multi",), lambda trace, question: float(complete(trace, question))),
    "ndcg_at_10": (("single", "multi"), lambda trace, question: ndcg(_ranking(trace), question.grades)),
    "complete": (("single", "multi"), lambda trace, question: float(complete(trace, question))),
    "mrr": (("single", "multi"), lambda trace, question: reciprocal_rank(_ranking(trace), question.grades)),
    "refused_rightly": (("unanswerable",), lambda trace, question: float(trace.refused)),
    "refused_wrongly": (("single", "multi"), lambda trace, question: float(trace.refused)),
}
"""What is a mean over questions: of which tiers, and what one question contributes. ``complete``, all evidence arrived,
is no column of the ledger but single-hop and multi-hop recall together; the others are."""


@dataclass(frozen=True)
class Interval:
    """A mean difference with its interval.

    Attributes:
        mean: second way minus first, in the column's unit.
        low, high: ends of the interval.
        questions: how many questions it rests on.
    """

    mean: float
    low: float
    high: float
    questions: int

    @property
    def shown(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def difference(first: Sequence[Report], second: Sequence[Report], column: str, level: float = LEVEL) -> Interval | None:
    """Estimate how much one configuration differs from another on the same questions.

    Args:
        first, second: reports of the two ways: one each, or one a recording, in the same order.
        column: a key of :data:`MEASURES`.
        level: of the interval, 0 to 1.

    Returns:
        The interval, by the percentile bootstrap over questions and recordings; None without questions of the tier.

    Raises:
        ValueError: when the reports do not belong together.

    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13; paired over topics as in Sakai,
    "Statistical reform in information retrieval?", SIGIR Forum 2014.
    """
    if len(first) != len(second) or not first:
        raise ValueError(f"Reports come in pairs, found {len(first)} and {len(second)}.")
    pairs = [(values(one, column), values(other, column)) for one, other in zip(first, second, strict=True)]
    ids = sorted(pairs[0][0])
    if any(sorted(values) != ids for pair in pairs for values in pair):
        raise ValueError("These reports were made on different questions: their difference is not paired.")
    return bootstrap([[other[name] - one[name] for name in ids] for one, other in pairs], level)


def bootstrap(differences: Sequence[Sequence[float]], level: float = LEVEL) -> Interval | None:
    """Make the interval of a mean of paired differences, by the percentile bootstrap; seeded.

    Args:
        differences: one row a recording, one column a question; every row has the same questions.
        level: of the interval, 0 to 1.

    Returns:
        The interval; None without questions.
    """
    import numpy

    table = numpy.array(differences, dtype=float)
    if not table.size:
        return None
    recordings, questions = table.shape
    random = numpy.random.default_rng(SEED)
    picked = random.integers(recordings, size=DRAWS)
    drawn = random.integers(questions, size=(DRAWS, questions))
    means = table[picked[:, None], drawn].mean(axis=1)
    low, high = numpy.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(table.mean()), float(low), float(high), questions)


def differences(first: Recorded, second: Recorded) -> dict[str, Interval]:
    """Estimate every column's difference between two rows on the recordings; nothing where a request is missing."""
    if not (first.complete and second.complete):
        return {}
    found = {column: difference(first.reports, second.reports, column) for column in MEASURES if column != "complete"}
    return {column: interval for column, interval in found.items() if interval is not None}


def values(report: Report, column: str) -> dict[str, float]:
    """What each question of the column's tiers contributes: id → value."""
    tiers, measure = MEASURES[column]
    return {question.id: measure(trace, question) for question, trace in report.of_tier(*tiers)}
