"""Does a verdict hold elsewhere? The same difference on several sets of questions, and on weaker retrievers.

In: places (a lab and labelled questions) and configurations. Out: one finding for each place and configuration, on the
recordings where the place has them all, by the rules where it has not; and over all places one verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Literal

from querylab.corpus.model import Question
from querylab.measure.evaluate import evaluate
from querylab.measure.intervals import Interval, difference, values
from querylab.measure.recorded import Recorded, evaluate_recorded
from querylab.measure.report import Report
from querylab.pipeline.config import BASELINE, Config
from querylab.pipeline.lab import Lab
from querylab.retrieval.wrappers import OnlyRoutes
from querylab.types import Route

Verdict = Literal["holds", "turns round", "not shown"]
Source = Literal["recordings", "rules"]


@dataclass(frozen=True)
class Place:
    """Where something is measured: a name for people, whose corpus, and which questions."""

    name: str
    lab: Lab
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Finding:
    """One difference to the baseline.

    Attributes:
        config: the ledger row's name.
        place: where it was measured.
        source: whose replies: the recordings', or the rules' where a request is not recorded.
        baseline: the baseline's mean there; None, like the interval, where the place has no question of that tier.
        interval: of the difference.
    """

    config: str
    place: str
    source: Source
    baseline: float | None
    interval: Interval | None


async def findings(places: Sequence[Place], configs: Sequence[Config], column: str) -> list[Finding]:
    """Measure every configuration against the baseline at every place.

    Args:
        places: where.
        configs: which, without the baseline.
        column: a key of :data:`~querylab.measure.intervals.MEASURES`.
    """
    found = []
    for place in places:
        first = await _reports(BASELINE, place)
        ruled = await _by_rules(BASELINE, place)
        for config in configs:
            second = await _reports(config, place)
            source: Source = "recordings" if second.complete else "rules"
            base = first.reports if second.complete else (ruled,)
            other = second.reports if second.complete else (await _by_rules(config, place),)
            levels = values(base[0], column).values()
            level = mean(levels) if levels else None
            found.append(Finding(config.name, place.name, source, level, difference(base, other, column)))
    return found


async def _reports(config: Config, place: Place) -> Recorded:
    return await evaluate_recorded(config, place.questions, place.lab)


async def _by_rules(config: Config, place: Place) -> Report:
    return await evaluate(config, place.questions, place.lab)


def verdict(found: Sequence[Finding]) -> Verdict:
    """Say what several findings about one configuration come to.

    Returns:
        By the recorded findings where there are any, since the rules are no model: ``turns round`` when it is shown
        better at one place and shown worse at another; ``holds`` when it is shown at two places or more, and nowhere
        the other way; else ``not shown``.
    """
    recorded = [finding for finding in found if finding.source == "recordings"]
    shown = [finding.interval.mean for finding in recorded or found if finding.interval and finding.interval.shown]
    if min(shown, default=0) < 0 < max(shown, default=0):
        return "turns round"
    return "holds" if len(shown) > 1 else "not shown"


def on_routes(place: Place, routes: Sequence[Route], name: str) -> Place:
    """The same place with a weaker retriever: only some routes search."""
    return Place(name, replace(place.lab, retriever=OnlyRoutes(place.lab.retriever, routes)), place.questions)
