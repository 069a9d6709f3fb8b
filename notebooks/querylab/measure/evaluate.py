"""Ask questions under a configuration: every question once, or every turn of the dialogues; reports out."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from querylab import settings
from querylab.corpus.model import Dialogue, Question
from querylab.measure.report import Report
from querylab.models.protocol import Client, modelled
from querylab.pipeline.config import BASELINE, Config
from querylab.pipeline.lab import Lab, default_lab
from querylab.pipeline.trace import Trace
from querylab.retrieval.protocol import EngineGone

if TYPE_CHECKING:
    from tqdm import tqdm

log = logging.getLogger("querylab")

CONCURRENT_QUESTIONS = 4
"""Questions in flight at once against a live model."""


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
        an incomplete recording, an engine that went away) ends the evaluation early: ``Report.stopped`` says why,
        and what was measured before is kept.

    Raises:
        ValueError: when there are no questions; and what :meth:`Lab.ask` raises.
    """
    from tqdm.auto import tqdm

    lab = lab or default_lab()
    asked = tuple(lab.corpus.questions if questions is None else questions)
    if not asked:
        raise ValueError(f"No questions to evaluate: {lab.corpus.root / 'questions.jsonl'} is missing or empty.")
    by_rule = modelled(lab.client)
    places = asyncio.Semaphore(1 if by_rule else CONCURRENT_QUESTIONS)
    bar = tqdm(total=len(asked), desc=config.name, unit="question", delay=1, disable=not progress, leave=False)

    stops: list[str] = []

    async def one(question: Question) -> Trace | None:
        async with places:
            if stops:
                return None
            try:
                trace = await lab.ask(question.question, (), config, answer=False)
            except EngineGone as gone:  # what was measured before is kept, as with a model that goes away
                stops.append(str(gone))
                return None
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
        by_rule,
        model=None if by_rule else settings.model(),
        stopped=stops[0] if stops else None,
        planned=len(asked),
    )


def _advance(bar: "tqdm[Question]", client: Client) -> None:
    spent = getattr(client, "spent_usd", None)
    if spent is not None:
        bar.set_postfix_str(f"${spent:.4f}", refresh=False)
    bar.update()


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
