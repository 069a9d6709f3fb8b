"""The same rows read twice: what reached the context through gate and budget, and the ranking alone.

A gain that only the first column shows is the gate's: more searches put more passages through it. A gain that the
ranking shows as well is the technique's own.
"""

from collections.abc import Callable, Sequence
from statistics import mean

from querylab.measure.metrics import complete
from querylab.measure.recorded import Recorded
from querylab.measure.report import DEPTHS, Report, ranking_row
from querylab.show import labels
from querylab.show.page import Cell, Page, Row, Table, Words, columns

HEADS = ("证据到齐", "nDCG@10", *(f"前 {depth} 名里到齐" for depth in DEPTHS))
UNDER = ("过门槛、装进预算", *["只看排序"] * (1 + len(DEPTHS)))


def rankings(reports: Sequence[Report]) -> Page:
    """Show reports with and without gate and budget, each with its row on the recordings beneath.

    Args:
        reports: of :func:`~querylab.measure.rows.measured_rows`, or any on the same questions.
    """
    recorded: dict[str, Recorded] = getattr(reports, "recorded", {})
    body = []
    for index, report in enumerate(reports):
        name = report.config.name
        shown = labels.config(name)
        cells: list[Cell] = [Words(shown, "strong", "" if shown == name else name)]
        body.append(Row((*cells, *map(_written, _values(report), WRITE)), "in" if index == 0 else ""))
        if name in recorded:
            body.append(_recorded(recorded[name]))
    head = ("配置", *(Words(text, note=note) for text, note in zip(HEADS, UNDER, strict=True)))
    return Page((Table(head, tuple(body), columns(*range(1, len(head))), tight=True),))


def _percent(value: float) -> str:
    return f"{value:.0%}"


WRITE: tuple[Callable[[float], str], ...] = (_percent, "{:.3f}".format, *[_percent] * len(DEPTHS))


def _values(report: Report) -> list[float | None]:
    answerable = report.of_tier("single", "multi")
    arrived = mean(float(complete(trace, question)) for question, trace in answerable) if answerable else None
    row = ranking_row(report)
    return [arrived, row["ndcg_at_10"], *(row[f"all_evidence_in_{depth}"] for depth in DEPTHS)]


def _written(value: float | None, write: Callable[[float], str]) -> str:
    return "—" if value is None else write(value)


def _recorded(row: Recorded) -> Row:
    note = "" if row.complete else f"{row.missing} 条请求没有录制"
    cells: list[Cell] = []
    for number, write in enumerate(WRITE):
        values = [_values(report)[number] for report in row.reports] if row.complete else []
        known = [value for value in values if value is not None]
        low, high = (write(min(known)), write(max(known))) if known else ("–", "–")
        cells.append(low if low == high else f"{low.rstrip('%')}–{high}")
    return Row((Words("↳ 真实模型", note=note), *cells))
