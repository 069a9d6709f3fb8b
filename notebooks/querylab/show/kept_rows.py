"""What the panel shows again without asking again: its examples, and the ledger rows measured so far."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from querylab import show
from querylab.measure.evaluate import evaluate
from querylab.measure.report import Report
from querylab.pipeline.config import BASELINE, Config
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import EXERCISES
from querylab.show import labels
from querylab.show.page import Page, shorten
from querylab.types import Turn


@dataclass(frozen=True)
class Example:
    """A question to choose: its name in the list, its text, and the conversation before it."""

    name: str
    question: str
    history: tuple[Turn, ...] = ()


def examples(lab: Lab) -> list[Example]:
    """List the corpus's questions, then every turn of its dialogues with what was said before it."""
    found = [
        Example(f"{item.id} · {labels.TIER[item.tier]} · {shorten(item.question, 34)}", item.question)
        for item in lab.corpus.questions
    ]
    for dialogue in lab.corpus.dialogues:
        for index, turn in enumerate(dialogue.turns):
            name = f"{dialogue.id} 第 {index + 1} 轮 · {labels.word(labels.TIER, turn.tier)} · {shorten(turn.user, 28)}"
            found.append(Example(name, turn.user, tuple(dialogue.history(index))))
    return found


class KeptRows:
    """Reports by configuration, kept until a technique changes: flipping a switch back is instant."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.kept: dict[Any, Report] = {}

    async def report(self, config: Config) -> Report:
        """Give the row of a configuration, measured now where it is not known."""
        key = (replace(config, name=""), self._stamp())
        if key not in self.kept:
            report = await evaluate(config, lab=self.lab)
            if report.stopped:  # a row that stopped early is shown, but tried again next time
                return report
            self.kept[key] = report
        return replace(self.kept[key], config=config)

    def known(self, config: Config) -> bool:
        """Whether this row would cost nothing."""
        return (replace(config, name=""), self._stamp()) in self.kept

    async def against_baseline(self, config: Config) -> Page:
        """Make the ledger of two rows; of one, when the configuration is the baseline."""
        baseline = await self.report(BASELINE)
        if replace(config, name=BASELINE.name) == BASELINE:
            return show.ledger([baseline])
        return show.ledger([baseline, await self.report(config)])

    def _stamp(self) -> tuple[Any, ...]:
        """What the techniques are made of: editing an exercise, or borrowing one, makes old rows stale."""
        techniques = self.lab.techniques
        stamps: list[Any] = [sorted(techniques.functions.items(), key=lambda pair: pair[0])]
        for exercise in EXERCISES.values():
            with suppress(OSError):
                stat = techniques.path(exercise).stat()
                stamps.append((str(techniques.path(exercise)), stat.st_mtime_ns, stat.st_size))
        return tuple(map(str, stamps))
