"""The ledger as a table: each row by the rules, and under it the same functions on the recorded replies."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from querylab.measure.compare import compare
from querylab.measure.recorded import Range, Recorded
from querylab.measure.report import COLUMNS, Column, Report
from querylab.pipeline.techniques import exercise_of
from querylab.show import labels
from querylab.show.page import Block, Cell, Fold, Note, Page, Row, Table, Words, columns

if TYPE_CHECKING:
    import pandas

FIRST = (
    "recall_single_hop",
    "recall_multi_hop",
    "ndcg_at_10",
    "refused_rightly",
    "refused_wrongly",
    "model_calls",
    "retrievals",
    "latency_p50_s",
)
"""The columns that stand in view; the others are behind a line that opens."""


def ledger(reports: "Sequence[Report] | pandas.DataFrame") -> Page:
    """Show the ledger: each value, and under it the difference to the first row (the baseline).

    Better and worse are said three times: by sign, by mark (▲ better, ▼ worse) and by colour. Where the rows carry
    recorded ones, each stands below its row: lowest to highest of the recordings.

    Args:
        reports: reports made on the same questions, the baseline first (what ``measured_rows`` returned carries the
            recorded rows too); or what ``compare`` returned.

    Raises:
        ValueError: without reports, or when they were made on different questions.
    """
    table = reports if hasattr(reports, "iloc") else compare(reports)
    there = [column for column in COLUMNS if column.key in table.columns]
    first = [column for column in there if column.key in FIRST]
    rest = [column for column in there if column.key not in FIRST]
    blocks: list[Block] = [_table(table, first)]
    blocks.append(Note("小字是与第一行的差：▲ 变好，▼ 变差；召回和拒答的差是百分点。"))
    recorded: Mapping[str, Recorded] = table.attrs.get("recorded", {})
    if recorded:
        blocks.append(Note(_about(recorded)))
    if rest:
        others = "、".join(labels.COLUMN[column.key] for column in rest)
        blocks.append(Fold(f"另外 {len(rest)} 列：{others}", (_table(table, rest),)))
    for name, why in table.attrs.get("stopped", {}).items():
        words = f"⚠ {labels.config(name)} 中途停下（{why}）：这一行只算测过的题，差也只在这些题上取。"
        blocks.append(Note(words, "bad strong"))
    missing: Mapping[str, str] = table.attrs.get("missing", {})
    if missing:
        blocks.append(Note(f"缺：{'；'.join(_missing(name, what) for name, what in missing.items())}。", "strong"))
    modelled = table.attrs.get("modelled")
    if modelled is not None:
        blocks.append(Note(labels.MOCK if modelled else labels.measured(), "strong" if modelled else "muted"))
    return Page(tuple(blocks))


def _table(table: "pandas.DataFrame", shown: Sequence[Column]) -> Table:
    counts, stopped = table.attrs.get("counts", {}), table.attrs.get("stopped", {})
    recorded: Mapping[str, Recorded] = table.attrs.get("recorded", {})
    head: list[Cell] = ["配置"]
    head += [Words(labels.COLUMN[column.key], note=_under(column, counts)) for column in shown]
    body = []
    for index, (name, values) in enumerate(table.iterrows()):
        cells: list[Cell] = [_config(str(name), str(name) in stopped)]
        for column in shown:
            delta = None if index == 0 else difference(table, index, column)
            cells.append(_value(column, values[column.key], delta))
        body.append(Row(tuple(cells), "in" if index == 0 else ""))
        if str(name) in recorded:
            body.append(_recorded(recorded[str(name)], shown))
    return Table(tuple(head), tuple(body), columns(*range(1, len(head))), tight=True)


def _recorded(row: Recorded, shown: Sequence[Column]) -> Row:
    values = row.row()
    note = "" if row.complete else f"{row.missing} 条请求没有录制"
    cells = [Words(spread(column, values[column.key])) for column in shown]
    return Row((Words("↳ 真实模型", note=note), *cells))


def spread(column: Column, found: Range | None) -> str:
    """Write the lowest and the highest of the recordings as one cell: one value where they are written alike."""
    if found is None:
        return "–"
    low, high = (column.format.format(value) for value in found)
    return low if low == high else f"{low.rstrip('%')}–{high}"


def _about(recorded: Mapping[str, Recorded]) -> str:
    count = max(len(row.reports) for row in recorded.values())
    return (
        f"「↳ 真实模型」：同样的函数，用真实模型事先录下的答复来跑，{count} 份录制里最低到最高。"
        "它上面那一行是离线规则，只证明路走得通。一项技术值多少，要看真实模型那一行；没有录下的请求不猜，写「–」。"
    )


def _missing(name: str, what: str) -> str:
    """Name a row that is not in the ledger, and the exercise that it waits for."""
    exercise = exercise_of(what)
    where = f"（练习 {exercise.name}，在 notebooks/{exercise.notebook}）" if exercise else ""
    return f"{labels.config(name)}，{what} 还没有写{where}"


def _config(name: str, stopped: bool = False) -> Cell:
    chinese, mark = labels.CONFIG.get(name), "⚠ " if stopped else ""
    if chinese and chinese != name:
        return Words(mark + chinese, "strong", name)
    return Words(mark + name, "strong")


def _under(column: Column, counts: Mapping[str, int]) -> str:
    """The second line of a heading: n behind a mean, or the unit."""
    unit = labels.UNIT.get(column.key, "")
    if not counts:
        return unit
    single, multi, none = (counts.get(tier, 0) for tier in ("single", "multi", "unanswerable"))
    n = {
        "recall_single_hop": single,
        "recall_multi_hop": multi,
        "ndcg_at_10": single + multi,
        "mrr": single + multi,
        "refused_rightly": none,
        "refused_wrongly": single + multi,
    }.get(column.key, single + multi + none)
    return f"{unit} n={n}".strip()


def _value(column: Column, value: float, delta: float | None) -> Words:
    if value is None or math.isnan(value):
        return Words("—")
    shown = column.format.format(value)
    if delta is None or math.isnan(delta):
        return Words(shown)
    text, sign = _delta(column, delta)
    if sign == 0:
        return Words(shown, note=text, note_kind="muted")
    better = sign == column.better
    return Words(shown, note=f"{text} {'▲' if better else '▼'}", note_kind="good" if better else "bad")


def difference(table: "pandas.DataFrame", row: int, column: Column) -> float:
    """Take a row's difference to the first, so that a reader who subtracts the written values gets the same.

    Percentages keep all their digits (their differences are written finer than they are), and so does a
    row that stopped early, whose difference stands for fewer questions than its value.
    """
    exact = float(table[f"Δ{column.key}"].iloc[row])
    if column.format.endswith("%}") or str(table.index[row]) in table.attrs.get("stopped", {}) or math.isnan(exact):
        return exact
    here, there = (round(float(table[column.key].iloc[place]), _digits(column)) for place in (row, 0))
    return here - there


def _digits(column: Column) -> int:
    return int(column.format.split(".")[1].rstrip("f}"))


def _delta(column: Column, delta: float) -> tuple[str, int]:
    """Write a difference as finely as its value, and say its sign (0 when nothing is left of it)."""
    percent = column.format.endswith("%}")
    digits = 1 if percent else _digits(column)
    rounded = round(float(100 * delta if percent else delta), digits) + 0.0
    sign = (rounded > 0) - (rounded < 0)
    if digits == 0 and sign == 0:
        return "±0", 0
    return f"{rounded:+.{digits}f}", sign
