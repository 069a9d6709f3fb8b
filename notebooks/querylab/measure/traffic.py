"""What one's own traffic asks for: shares of each kind of question, and what every technique is worth on that mixture.

In: logged questions. Out: their shares by kind, and for each technique what it gains and costs per 1,000 of them. The
gain on a kind is measured on the labelled questions of that kind, on the recordings where there are any.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Literal, get_args

from querylab.measure.evaluate import evaluate, evaluate_dialogues
from querylab.measure.intervals import Interval, bootstrap
from querylab.measure.metrics import complete
from querylab.measure.recorded import recorded_labs
from querylab.measure.unrecorded import for_dialogues, question_sets, questions_of
from querylab.pipeline.config import BASELINE, Config, named
from querylab.pipeline.lab import Lab
from querylab.pipeline.trace import Trace
from querylab.types import Turn

Kind = Literal["follow-up", "chit-chat", "chain", "fuzzy", "plain"]
KINDS: tuple[Kind, ...] = get_args(Kind)

FUZZY_KINDS = frozenset({"hidden-condition", "hidden", "reversed", "abstract", "spoken"})
"""Kinds of labelled questions that stand for fuzzy ones: asked in other words than the documents use."""

CANDIDATES: tuple[str, ...] = (
    "rewrite (when needed)",
    "HyDE",
    "multi-query",
    "step-back",
    "router + multi-hop budget",
    "sub-questions + multi-hop budget",
)
"""Ledger rows that are weighed."""

WORTH_USD = 0.02
"""Assumed worth of one more answered question, in US dollars: nobody else can know it, so it is an argument."""

_LEADS_TO: dict[str, str] = {
    "CHITCHAT": "chit-chat",
    "META_CONVERSATION": "chit-chat",
    "TASK_EXECUTION": "chit-chat",
}


@dataclass(frozen=True)
class Asked:
    """One logged question, and the conversation before it."""

    question: str
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class Shares:
    """How often each kind was asked.

    Attributes:
        counts: kind → questions.
        unread: questions of which nobody could say a kind: the model's answer failed or was not recorded.
    """

    counts: dict[Kind, int]
    unread: int

    @property
    def total(self) -> int:
        """Questions whose kind is known."""
        return sum(self.counts.values())

    def share(self, kind: Kind) -> float:
        """Share of one kind among those whose kind is known, 0 to 1."""
        return self.counts.get(kind, 0) / self.total if self.total else 0.0


async def shares(lab: Lab, asked: Sequence[Asked]) -> Shares:
    """Say of which kind every logged question is; one call of query understanding each (notebook 08).

    A follow-up is a question that its understanding had to complete from the conversation; a chain one that it sends to
    two searches; a fuzzy one is FUZZY; chit-chat needs no search; everything else is plain. The first that fits counts.
    """
    counts: Counter[Kind] = Counter()
    unread = 0
    reading = Config("traffic", understanding="merged", tier0=True, signals=True)
    for item in asked:
        trace = await lab.ask(item.question, item.history, reading, answer=False)
        if trace.understanding is None or trace.understanding.origin == "fallback":
            unread += 1
        else:
            counts[_kind(trace, bool(item.history))] += 1
    return Shares(dict(counts), unread)


def _kind(trace: Trace, in_conversation: bool) -> Kind:
    read = trace.understanding
    assert read is not None
    if read.scope in _LEADS_TO:
        return "chit-chat"
    if in_conversation and trace.rewritten != trace.question:
        return "follow-up"
    if read.complexity == "COMPLEX":
        return "chain"
    return "fuzzy" if read.specificity == "FUZZY" else "plain"


# ── What a technique is worth on a kind ─────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Effect:
    """What a technique changes on one kind of question, against the baseline.

    Attributes:
        gain: difference of the share of questions whose whole evidence arrived; None without labelled questions.
        calls, searches, usd, seconds: means per question that come on top of the baseline's.
    """

    gain: Interval | None
    calls: float
    searches: float
    usd: float
    seconds: float


@dataclass(frozen=True)
class Worth:
    """One line of the decision: a technique on this traffic, per 1,000 questions.

    Attributes:
        config: the ledger row's name.
        answered, low, high: questions more (or fewer) whose evidence arrives, with the ends of a 95 % interval that
            adds the kinds' intervals; ``shown`` when it leaves zero out.
        calls, usd: on top of the baseline's; ``seconds``: mean per question.
        net: ``answered`` × worth of one question − ``usd``.
        effects: kind → effect.
    """

    config: str
    answered: float
    low: float
    high: float
    calls: float
    usd: float
    seconds: float
    net: float
    effects: dict[Kind, Effect]

    @property
    def shown(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Decision:
    """All techniques, the best net first, and on whose replies the gains rest (``recordings`` or ``rules``)."""

    shares: Shares
    worth_usd: float
    source: str
    lines: tuple[Worth, ...]


Cell = tuple[float, Trace]
"""One labelled question asked under one row: 1.0 when its whole evidence arrived, and its trace."""
Cells = dict[Kind, list[list[Cell]]]
"""Kind → one list a recording (or one, by the rules) → one cell a question, always in the same order."""


async def decide(lab: Lab, found: Shares, worth_usd: float = WORTH_USD) -> Decision:
    """Weigh every candidate on the shares of one's traffic.

    Args:
        lab: its corpus holds the labelled questions and dialogues that the gains are measured on.
        found: shares of the kinds.
        worth_usd: what one more answered question is worth.
    """
    configs = [BASELINE, *(config for name in CANDIDATES if (config := named(name)) is not None)]
    recorded = [await _on_recordings(lab, config) for config in configs]
    if all(cells is not None for cells in recorded):
        source, rows = "recordings", [cells for cells in recorded if cells is not None]
    else:
        source, rows = "rules", [await _by_lab(lab, config) for config in configs]
    lines = [_weigh(config.name, rows[0], cells, found, worth_usd) for config, cells in zip(configs, rows, strict=True)]
    order = sorted(lines[1:], key=lambda line: (-line.net, line.config))
    return Decision(found, worth_usd, source, tuple(order))


async def _by_lab(lab: Lab, config: Config) -> Cells:
    """Ask every labelled question and turn, by whoever answers for this lab."""
    cells: Cells = {kind: [[]] for kind in KINDS}
    for name in question_sets(lab.corpus):
        report = await evaluate(config, questions_of(lab.corpus, name), lab)
        for question, trace in report.of_tier("single", "multi"):
            cells[_kind_of(question.tier, question.kind)][0].append((float(complete(trace, question)), trace))
    if lab.corpus.dialogues and (config == BASELINE or for_dialogues(config)):
        for result in await evaluate_dialogues(config, lab=lab):
            kind: Kind = "chit-chat" if result.tier == "direct" else "follow-up"
            if kind == "chit-chat" or (result.turn and result.tier in ("single", "multi")):
                cells[kind][0].append((float(result.arrived), result.trace))
    return cells


async def _on_recordings(lab: Lab, config: Config) -> Cells | None:
    """The same on every recording of the corpus; None where there is none, or a request is missing."""
    labs = recorded_labs(lab)
    rows = [await _by_lab(one, config) for one in labs]
    if not rows or any(one.client.missing for one in labs):
        return None
    return {kind: [row[kind][0] for row in rows] for kind in KINDS}


def _kind_of(tier: str, kind: str) -> Kind:
    if tier == "multi":
        return "chain"
    return "fuzzy" if kind in FUZZY_KINDS else "plain"


def _weigh(name: str, base: Cells, row: Cells, found: Shares, worth_usd: float) -> Worth:
    effects = {kind: _effect(base[kind], row[kind]) for kind in KINDS if base[kind][0] and row[kind][0]}
    # An expansion is not measured on dialogues: there it costs what it costs elsewhere, and is not said to gain.
    effects |= {kind: replace(effects["plain"], gain=None) for kind in KINDS if kind not in effects}
    parts = [(1000 * found.share(kind), effect) for kind, effect in effects.items()]
    gains = [(many, effect.gain) for many, effect in parts if effect.gain is not None]
    answered = sum(many * gain.mean for many, gain in gains)
    usd = sum(many * effect.usd for many, effect in parts)
    return Worth(
        name,
        answered,
        sum(many * gain.low for many, gain in gains),
        sum(many * gain.high for many, gain in gains),
        sum(many * effect.calls for many, effect in parts),
        usd,
        sum(many * effect.seconds for many, effect in parts) / 1000,
        answered * worth_usd - usd,
        effects,
    )


def _effect(base: Sequence[Sequence[Cell]], row: Sequence[Sequence[Cell]]) -> Effect:
    """Compare two rows on one kind; chit-chat has no evidence, so nothing arrives there and only costs count."""
    pairs = [list(zip(one, other, strict=True)) for one, other in zip(base, row, strict=True)]
    gain = bootstrap([[after[0] - before[0] for before, after in recording] for recording in pairs])
    traces = [(before[1], after[1]) for recording in pairs for before, after in recording]
    return Effect(
        gain,
        mean(after.model_calls - before.model_calls for before, after in traces),
        mean(after.retrievals - before.retrievals for before, after in traces),
        mean(after.cost_usd - before.cost_usd for before, after in traces),
        mean(after.seconds - before.seconds for before, after in traces),
    )
