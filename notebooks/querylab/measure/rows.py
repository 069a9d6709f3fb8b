"""Rows of the ledger as the lessons show them: by the rules, and with the same functions on the recordings."""

from collections.abc import Iterable, Mapping, Sequence

from querylab.corpus.model import Question
from querylab.measure.evaluate import evaluate
from querylab.measure.recorded import Recorded, evaluate_recorded
from querylab.measure.report import Report
from querylab.pipeline.config import NAMED, Config
from querylab.pipeline.lab import Lab, default_lab
from querylab.pipeline.techniques import Unfinished


class Rows(list[Report]):
    """Reports of some of the ledger's rows.

    Attributes:
        missing: rows that are not there: configuration → the function that is not yet written.
        recorded: configuration → the same row on the recordings; empty where the corpus has none.
    """

    def __init__(
        self,
        reports: Iterable[Report] = (),
        missing: Mapping[str, str] | None = None,
        recorded: Mapping[str, Recorded] | None = None,
    ) -> None:
        """Keep the reports in order, and copies of the rest."""
        super().__init__(reports)
        self.missing = dict(missing or {})
        self.recorded = dict(recorded or {})


async def measured_rows(
    *configs: Config, questions: Sequence[Question] | None = None, lab: Lab | None = None, progress: bool = False
) -> Rows:
    """Evaluate configurations by whoever answers, and each on every recording as well.

    Rows whose exercise is not yet written are left out and named in ``missing``.

    Args:
        configs: the rows, the baseline first.
        questions: labelled questions; the corpus's own when None.
        lab: the lab to ask; the default one when None.
        progress: show a bar over whatever takes longer than a second.
    """
    lab = lab or default_lab()
    rows = Rows()
    for config in configs:
        try:
            rows.append(await evaluate(config, questions, lab, progress))
            recorded = await evaluate_recorded(config, questions, lab)
        except Unfinished as gap:
            rows.missing[config.name] = gap.what
            continue
        if recorded.reports:
            rows.recorded[config.name] = recorded
    return rows


async def rows_so_far(last: Config, lab: Lab | None = None) -> Rows:
    """Evaluate the ledger's rows from the baseline to ``last``, as a notebook shows them.

    Raises:
        Unfinished: when the last row's own exercise is not yet written.
    """
    rows = await measured_rows(*NAMED[: NAMED.index(last) + 1], lab=lab)
    if last.name in rows.missing:
        raise Unfinished(rows.missing[last.name])
    return rows
