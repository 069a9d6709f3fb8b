"""One row of the ledger: what a configuration did on some questions, and what that comes to.

In: questions and their traces. Out: the three accounts (quality, calls, latency) in the ledger's columns.
"""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from statistics import mean, median
from typing import Any

from querylab.corpus.model import Question
from querylab.measure.metrics import complete, ndcg, ranked_complete, reciprocal_rank
from querylab.pipeline.config import Config
from querylab.pipeline.trace import Trace
from querylab.types import Event


@dataclass(frozen=True)
class Column:
    """One column of the ledger: its key, how it is headed, how a value is written, which way is better."""

    key: str
    label: str
    format: str
    better: int  # +1 more is better, -1 less is better


COLUMNS: tuple[Column, ...] = (
    Column("recall_single_hop", "recall single-hop", "{:.0%}", +1),
    Column("recall_multi_hop", "recall multi-hop", "{:.0%}", +1),
    Column("ndcg_at_10", "nDCG@10", "{:.3f}", +1),
    Column("mrr", "MRR", "{:.3f}", +1),
    Column("refused_rightly", "refused rightly", "{:.0%}", +1),
    Column("refused_wrongly", "refused wrongly", "{:.0%}", -1),
    Column("model_calls", "model calls", "{:.0f}", -1),
    Column("retrievals", "retrievals", "{:.0f}", -1),
    Column("context_tokens", "context tokens", "{:.0f}", -1),
    Column("output_tokens", "output tokens", "{:.1f}", -1),
    Column("cost_per_1000_usd", "cost per 1,000 (US$)", "{:.4f}", -1),
    Column("latency_p50_s", "latency p50 (s)", "{:.2f}", -1),
)
"""The ledger's columns in order. Calls and retrievals are totals over the questions; tokens are means per
question; recall, nDCG and MRR are means over answerable questions only."""


@dataclass(frozen=True)
class Report:
    """One row of the ledger, and the traces it came from (one a question, in order).

    Attributes:
        config: which techniques were on.
        questions, traces: the questions that were measured, and what happened to each.
        modelled: whether durations were modelled (offline rules) instead of measured.
        model: the live model's name; None for the offline rules.
        stopped: why the evaluation ended early (ceiling on money, key, recording); None when it did not.
            The measured questions are kept, the one that met the stop is not among them.
        planned: how many questions were to be measured.
    """

    config: Config
    questions: tuple[Question, ...]
    traces: tuple[Trace, ...]
    modelled: bool
    model: str | None = None
    stopped: str | None = None
    planned: int = 0

    def whole(self) -> "Report":
        """Return this report when every question was measured.

        Raises:
            Stopped: when the evaluation ended early.
        """
        if self.stopped:
            raise Stopped(f"{self.config.name} stopped after {self.progress} questions: {self.stopped}")
        return self

    @property
    def progress(self) -> str:
        """How many of the planned questions were measured, as "7 of 20"."""
        return f"{len(self.traces)} of {self.planned}"

    def only(self, question_ids: Collection[str]) -> "Report":
        """Return the same report on some of its questions."""
        kept = [pair for pair in zip(self.questions, self.traces, strict=True) if pair[0].id in question_ids]
        return replace(
            self, questions=tuple(question for question, _ in kept), traces=tuple(trace for _, trace in kept)
        )

    @property
    def calls(self) -> list[Event]:
        """Every model call on the query side, in the order of the questions."""
        return [event for trace in self.traces for event in trace.query_side if event.kind == "model"]

    @property
    def paid_usd(self) -> float:
        """US dollars that this run really paid: replayed calls and offline rules cost nothing."""
        return math.fsum(event.paid_usd for event in self.calls)

    @property
    def cold_seconds(self) -> list[float]:
        """Latency of every question that was answered without a recording, in seconds."""
        return [trace.seconds for trace in self.traces if not any(event.replayed for event in trace.query_side)]

    def of_tier(self, *tiers: str) -> list[tuple[Question, Trace]]:
        """The questions of some tiers with their traces."""
        pairs = zip(self.questions, self.traces, strict=True)
        return [(question, trace) for question, trace in pairs if question.tier in tiers]

    @property
    def counts(self) -> dict[str, int]:
        """n behind the means: questions by tier."""
        return {tier: len(self.of_tier(tier)) for tier in ("single", "multi", "unanswerable")}

    def row(self) -> dict[str, Any]:
        """The row with the columns of :data:`COLUMNS`; None where there is no question to average over."""
        answerable = self.of_tier("single", "multi")
        total = self.traces
        values: dict[str, float | None] = {
            "recall_single_hop": _mean(complete(trace, question) for question, trace in self.of_tier("single")),
            "recall_multi_hop": _mean(complete(trace, question) for question, trace in self.of_tier("multi")),
            "ndcg_at_10": _mean(ndcg(_ids(trace), question.grades) for question, trace in answerable),
            "mrr": _mean(reciprocal_rank(_ids(trace), question.grades) for question, trace in answerable),
            "refused_rightly": _mean(trace.refused for _, trace in self.of_tier("unanswerable")),
            "refused_wrongly": _mean(trace.refused for _, trace in answerable),
            "model_calls": sum(trace.model_calls for trace in total) if total else None,
            "retrievals": sum(trace.retrievals for trace in total) if total else None,
            "context_tokens": _mean(trace.context.tokens for trace in total),
            "output_tokens": _mean(trace.output_tokens for trace in total),
            "cost_per_1000_usd": _mean(1000 * trace.cost_usd for trace in total),
            "latency_p50_s": median(self.cold_seconds) if self.cold_seconds else None,
        }
        return {"config": self.config.name} | values


DEPTHS = (3, 5, 10)
"""How far down a ranking is read for its evidence."""


def ranking_row(report: Report) -> dict[str, Any]:
    """Read the same ranking without gate and budget: what is gained here is the ranking's own.

    Returns:
        ``config``, ``ndcg_at_10``, and for each of :data:`DEPTHS` the share of answerable questions whose whole
        evidence stands among so many chunks (``all_evidence_in_3``); None without such questions.
    """
    answerable = report.of_tier("single", "multi")
    shares = {
        f"all_evidence_in_{depth}": _mean(ranked_complete(trace, question, depth) for question, trace in answerable)
        for depth in DEPTHS
    }
    found = _mean(ndcg(_ids(trace), question.grades) for question, trace in answerable)
    return {"config": report.config.name, "ndcg_at_10": found} | shares


class Stopped(RuntimeError):
    """An evaluation that ended early was used where a whole one is needed."""


def _ids(trace: Trace) -> list[str]:
    return [chunk_id for chunk_id, _ in trace.ranking]


def _mean(values: Iterable[float]) -> float | None:
    numbers = [float(value) for value in values]
    return mean(numbers) if numbers else None
