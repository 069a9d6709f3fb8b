"""Three accounts for every configuration: metric, latency, calls. Traces in, one row of the ledger out."""

import asyncio
import logging
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING, Any

from querylab import settings
from querylab.corpus.load import Dialogue, Question
from querylab.numbers import quantile
from querylab.pipeline.run import BASELINE, NAMED, Config, Lab, default_lab
from querylab.pipeline.techniques import Unfinished
from querylab.pipeline.trace import Trace, where_lost
from querylab.types import Event

if TYPE_CHECKING:
    import pandas

log = logging.getLogger("querylab")

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
            "latency_p50_s": quantile(self.cold_seconds, 0.5),
        }
        return {"config": self.config.name} | values


class Stopped(RuntimeError):
    """An evaluation that ended early was used where a whole one is needed."""


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
        progress: show a bar when it takes over a second; with a live model, also the money spent.

    Returns:
        The report. Answers are not written: the ledger counts the query side, and refusing is the
        gate's work. A failure that every further call would meet (the ceiling on money, a refused key,
        an incomplete recording) ends the evaluation early: ``Report.stopped`` says why, and what was
        measured before is kept.

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

    stops: list[str] = []

    async def one(question: Question) -> Trace | None:
        async with places:
            if stops:
                return None
            trace = await lab.ask(question.question, (), config, answer=False)
        if trace.stopped:
            stops.append(trace.stopped)
            return None
        _advance(bar, lab.client)
        return trace

    failure: BaseException | None = None
    with bar:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(question)) for question in asked]
        except BaseExceptionGroup as failures:
            failure = failures.exceptions[0]
    if failure is not None:  # raised out here, or Jupyter would see the group as its context and print that
        raise failure
    traces = [task.result() for task in tasks]
    measured = [(question, trace) for question, trace in zip(asked, traces, strict=True) if trace is not None]
    return Report(
        config,
        tuple(question for question, _ in measured),
        tuple(trace for _, trace in measured),
        modelled,
        model=None if modelled else settings.model(),
        stopped=stops[0] if stops else None,
        planned=len(asked),
    )


def _advance(bar: Any, client: Any) -> None:
    spent = getattr(client, "spent_usd", None)
    if spent is not None:
        bar.set_postfix_str(f"${spent:.4f}", refresh=False)
    bar.update()


def compare(reports: Sequence[Report]) -> "pandas.DataFrame":
    """Put reports under one another: the ledger, with differences to the first row (the baseline).

    Returns:
        One row a configuration; the columns of :data:`COLUMNS`, then the same with ``Δ`` before
        their keys: value minus the first report's. The difference of a report that stopped early is
        taken on the questions that both have. ``attrs`` holds ``counts`` (n by tier), ``modelled``
        (whether durations were), ``stopped`` (configuration → "7 of 20: why") and ``missing`` (rows
        that are not there: configuration → the function that is not yet written).

    Raises:
        ValueError: without reports, or when they were not made on the same questions.
    """
    import pandas

    if not reports:
        raise ValueError("compare() needs at least one report.")
    asked = {tuple(question.id for question in report.questions) for report in reports if not report.stopped}
    if len(asked) > 1:
        raise ValueError("These reports were made on different questions and cannot stand in one ledger.")
    table = pandas.DataFrame([report.row() for report in reports]).set_index("config")
    keys = [column.key for column in COLUMNS]
    table = table[keys].astype(float)
    deltas = pandas.DataFrame([_difference(report, reports[0]) for report in reports], index=table.index)
    deltas = deltas[keys].astype(float).rename(columns={key: f"Δ{key}" for key in keys})
    ledger = pandas.concat([table, deltas], axis=1)
    stopped = {report.config.name: f"{report.progress}: {report.stopped}" for report in reports if report.stopped}
    ledger.attrs = {
        "counts": reports[0].counts,
        "modelled": all(report.modelled for report in reports),
        "stopped": stopped,
        "missing": dict(getattr(reports, "missing", {})),
    }
    return ledger


def _difference(report: Report, first: Report) -> dict[str, float | None]:
    common = {question.id for question in report.questions} & {question.id for question in first.questions}
    here, there = report.only(common).row(), first.only(common).row()
    return {
        column.key: None if None in (here[column.key], there[column.key]) else here[column.key] - there[column.key]
        for column in COLUMNS
    }


class Rows(list[Report]):
    """Reports of some of the ledger's rows, and what the others wait for: configuration → function not yet written."""

    def __init__(self, reports: Iterable[Report] = (), missing: Mapping[str, str] | None = None) -> None:
        """Keep the reports in order, and a copy of ``missing``."""
        super().__init__(reports)
        self.missing = dict(missing or {})


async def rows_so_far(last: Config, lab: Lab | None = None) -> Rows:
    """Evaluate the ledger's rows from the baseline to ``last``, as a notebook shows them.

    Earlier rows whose exercise is not yet written are left out; the ledger names them, and what they wait for, below
    the table.

    Raises:
        Unfinished: when the last row's own exercise is not yet written.
    """
    lab = lab or default_lab()
    reports = Rows()
    for config in NAMED[: NAMED.index(last) + 1]:
        try:
            reports.append(await evaluate(config, lab=lab))
        except Unfinished as gap:
            if config == last:
                raise
            reports.missing[config.name] = gap.what
    return reports


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
    A failure that every further call would meet ends it early, with the turns measured so far.
    """
    lab = lab or default_lab()
    results = []
    for dialogue in lab.corpus.dialogues if dialogues is None else dialogues:
        for index, turn in enumerate(dialogue.turns):
            trace = await lab.ask(turn.user, dialogue.history(index), config, answer=False)
            if trace.stopped:
                log.warning("the dialogues stopped after %d turns: %s", len(results), trace.stopped)
                return results
            arrived = all(doc_id in trace.documents for doc_id in turn.evidence)
            results.append(TurnResult(dialogue.id, index, turn.tier, trace, arrived))
    return results
