"""Three accounts for every configuration: metric, latency, calls. Traces in, one row of the ledger out."""

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from querylab import settings
from querylab.corpus import Dialogue, Question
from querylab.pipeline import BASELINE, Config, Lab, default_lab
from querylab.trace import Trace, where_lost

if TYPE_CHECKING:
    import pandas

CONCURRENT_QUESTIONS = 4
"""Questions in flight at once against a live model."""


# ── Metrics ─────────────────────────────────────────────────────────────────────────────────────
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


def complete(trace: Trace, question: Question) -> bool:
    """Say whether every evidence document of a question reached the context."""
    return all(place == "context" for place in where_lost(trace, question).values())


# ── Reports ─────────────────────────────────────────────────────────────────────────────────────
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
    """One row of the ledger, and the traces it came from (one a question, in order)."""

    config: Config
    questions: tuple[Question, ...]
    traces: tuple[Trace, ...]
    modelled: bool

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
        latencies = [trace.seconds for trace in total if not any(event.replayed for event in trace.query_side)]
        values: dict[str, float | None] = {
            "recall_single_hop": _mean(complete(trace, question) for question, trace in self.of_tier("single")),
            "recall_multi_hop": _mean(complete(trace, question) for question, trace in self.of_tier("multi")),
            "ndcg_at_10": _mean(ndcg(_ids(trace), question.grades) for question, trace in answerable),
            "mrr": _mean(reciprocal_rank(_ids(trace), question.grades) for question, trace in answerable),
            "refused_rightly": _mean(trace.refused for _, trace in self.of_tier("unanswerable")),
            "refused_wrongly": _mean(trace.refused for _, trace in answerable),
            "model_calls": sum(trace.model_calls for trace in total),
            "retrievals": sum(trace.retrievals for trace in total),
            "context_tokens": _mean(trace.context.tokens for trace in total),
            "output_tokens": _mean(trace.output_tokens for trace in total),
            "cost_per_1000_usd": _mean(1000 * trace.cost_usd for trace in total),
            "latency_p50_s": median(latencies) if latencies else None,
        }
        return {"config": self.config.name} | values


def _ids(trace: Trace) -> list[str]:
    return [chunk_id for chunk_id, _ in trace.ranking]


def _mean(values: Iterable[float]) -> float | None:
    numbers = [float(value) for value in values]
    return mean(numbers) if numbers else None


async def evaluate(
    config: Config = BASELINE,
    questions: Sequence[Question] | None = None,
    lab: Lab | None = None,
    progress: bool = False,
) -> Report:
    """Ask every question under one configuration.

    Args:
        config: which techniques are on.
        questions: labelled questions; the corpus's own when None.
        lab: the lab to ask; the default one when None.
        progress: show a bar when it takes over a second.

    Returns:
        The report. Answers are not written: the ledger counts the query side, and refusing is the
        gate's work.

    Raises:
        ValueError: when there are no questions; and what :meth:`Lab.ask` raises.
    """
    from tqdm.auto import tqdm

    lab = lab or default_lab()
    asked = tuple(lab.corpus.questions if questions is None else questions)
    if not asked:
        raise ValueError(f"No questions to evaluate: {lab.corpus.root / 'questions.jsonl'} is missing or empty.")
    modelled = bool(getattr(lab.client, "modelled", False))
    places = asyncio.Semaphore(1 if modelled else CONCURRENT_QUESTIONS)
    bar = tqdm(total=len(asked), desc=config.name, unit="question", delay=1, disable=not progress, leave=False)

    async def one(question: Question) -> Trace:
        async with places:
            trace = await lab.ask(question.question, (), config, answer=False)
        bar.update()
        return trace

    with bar:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(question)) for question in asked]
    return Report(config, asked, tuple(task.result() for task in tasks), modelled)


def compare(reports: Sequence[Report]) -> "pandas.DataFrame":
    """Put reports under one another: the ledger, with differences to the first row (the baseline).

    Returns:
        One row a configuration; the columns of :data:`COLUMNS`, then the same with ``Δ`` before
        their keys: value minus the first report's. ``attrs`` holds ``counts`` (n by tier) and
        ``modelled`` (whether durations were).

    Raises:
        ValueError: without reports, or when they were not made on the same questions.
    """
    import pandas

    if not reports:
        raise ValueError("compare() needs at least one report.")
    asked = [tuple(question.id for question in report.questions) for report in reports]
    if len(set(asked)) > 1:
        raise ValueError("These reports were made on different questions and cannot stand in one ledger.")
    table = pandas.DataFrame([report.row() for report in reports]).set_index("config")
    keys = [column.key for column in COLUMNS]
    table = table[keys].astype(float)
    deltas = (table - table.iloc[0]).rename(columns={key: f"Δ{key}" for key in keys})
    ledger = pandas.concat([table, deltas], axis=1)
    ledger.attrs = {"counts": reports[0].counts, "modelled": all(report.modelled for report in reports)}
    return ledger


# ── Dialogues ───────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class TurnResult:
    """One dialogue turn that was asked: its trace, and whether all its evidence documents arrived."""

    dialogue: str
    turn: int
    tier: str
    trace: Trace
    arrived: bool


async def evaluate_dialogues(
    config: Config = BASELINE, dialogues: Sequence[Dialogue] | None = None, lab: Lab | None = None
) -> list[TurnResult]:
    """Ask every turn of the dialogues, each with the recorded history before it.

    A turn has no graded chunks, so a document has arrived when any chunk of it stands in the context.
    """
    lab = lab or default_lab()
    results = []
    for dialogue in lab.corpus.dialogues if dialogues is None else dialogues:
        for index, turn in enumerate(dialogue.turns):
            trace = await lab.ask(turn.user, dialogue.history(index), config, answer=False)
            arrived = all(doc_id in trace.documents for doc_id in turn.evidence)
            results.append(TurnResult(dialogue.id, index, turn.tier, trace, arrived))
    return results
