"""The same functions on a real model's recorded replies: what a technique is worth, offline and for nothing.

The rules prove that a path works; a recording tells what it brings. There are three, made independently, so a row has a
range: the lowest and the highest of the three. A row of which one request is not recorded has no figures, and says how
many are missing: nothing is ever mixed or invented.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from querylab import settings
from querylab.corpus.model import Dialogue, Question
from querylab.measure.evaluate import TurnResult, evaluate, evaluate_dialogues
from querylab.measure.report import COLUMNS, Report
from querylab.models import recording
from querylab.models.recording import RecordedClient, Reply
from querylab.pipeline.config import BASELINE, Config
from querylab.pipeline.lab import Lab, default_lab

Range = tuple[float, float]


@dataclass(frozen=True)
class Recorded:
    """One row of the ledger on the recordings.

    Attributes:
        config: which techniques were on.
        reports: one report a recording, in the order of their names; empty where the corpus has none.
        missing: requests that some recording holds no reply to.
    """

    config: Config
    reports: tuple[Report, ...]
    missing: int

    @property
    def complete(self) -> bool:
        """Whether every request was recorded, in every recording."""
        return bool(self.reports) and not self.missing

    def row(self) -> dict[str, Range | None]:
        """Lowest and highest value of each column; None where nothing can be said."""
        rows = [report.row() for report in self.reports] if self.complete else []
        values = {column.key: [row[column.key] for row in rows] for column in COLUMNS}
        return {key: (min(found), max(found)) if found and None not in found else None for key, found in values.items()}


@lru_cache(maxsize=8)
def _replies(path: Path, changed: int) -> dict[str, Reply]:
    return recording.load(path)


def clients(corpus: Path = settings.CORPUS_DIR) -> list[RecordedClient]:
    """Open every recording that a corpus has, in the order of their names; one read a file, until it changes."""
    paths = [recording.path_of(name, corpus) for name in recording.names(corpus)]
    return [RecordedClient(path.stem, _replies(path, path.stat().st_mtime_ns)) for path in paths]


def recorded_labs(lab: Lab) -> list[Lab]:
    """The same lab once with each recording of its corpus as the one who answers."""
    return [replace(lab, client=client, cache=None) for client in clients(lab.corpus.root)]


async def evaluate_recorded(
    config: Config = BASELINE, questions: Sequence[Question] | None = None, lab: Lab | None = None
) -> Recorded:
    """Ask every question under one configuration, once with each recording, by the lab's own techniques.

    Args:
        config: which techniques are on.
        questions: labelled questions; the corpus's own when None.
        lab: whose corpus, retriever and techniques; the default one when None.
    """
    labs = recorded_labs(lab or default_lab())
    reports = [await evaluate(config, questions, one) for one in labs]
    return Recorded(config, tuple(reports), sum(len(one.client.missing) for one in labs))


@dataclass(frozen=True)
class RecordedTurns:
    """Every turn of the dialogues on the recordings: one list a recording, in the order of their names."""

    config: Config
    results: tuple[list[TurnResult], ...]
    missing: int

    @property
    def arrived(self) -> tuple[int, int] | None:
        """Fewest and most answerable turns whose evidence all arrived; None where a request is not recorded."""
        if self.missing or not self.results:
            return None
        asked = ("single", "multi")
        counts = [sum(turn.arrived for turn in turns if turn.tier in asked) for turns in self.results]
        return min(counts), max(counts)


async def evaluate_dialogues_recorded(
    config: Config = BASELINE, dialogues: Sequence[Dialogue] | None = None, lab: Lab | None = None
) -> RecordedTurns:
    """Ask every turn of the dialogues, once with each recording."""
    labs = recorded_labs(lab or default_lab())
    results = [await evaluate_dialogues(config, dialogues, one) for one in labs]
    return RecordedTurns(config, tuple(results), sum(len(one.client.missing) for one in labs))
