"""The ledger: reports under one another, each with its differences to the first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from querylab.measure.report import COLUMNS, Report

if TYPE_CHECKING:
    import pandas


def compare(reports: Sequence[Report]) -> "pandas.DataFrame":
    """Put reports under one another: the ledger, with differences to the first row (the baseline).

    Returns:
        One row a configuration; the columns of :data:`COLUMNS`, then the same with ``Δ`` before
        their keys: value minus the first report's. The difference of a report that stopped early is
        taken on the questions that both have. ``attrs`` holds ``counts`` (n by tier), ``modelled``
        (whether durations were), ``stopped`` (configuration → "7 of 20: why") and ``missing`` (rows
        that are not there: configuration → the function that is not yet written) and ``recorded`` (configuration →
        its row on the recordings).

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
        "recorded": dict(getattr(reports, "recorded", {})),
    }
    return ledger


def _difference(report: Report, first: Report) -> dict[str, float | None]:
    common = {question.id for question in report.questions} & {question.id for question in first.questions}
    here, there = report.only(common).row(), first.only(common).row()
    return {
        column.key: None if None in (here[column.key], there[column.key]) else here[column.key] - there[column.key]
        for column in COLUMNS
    }
