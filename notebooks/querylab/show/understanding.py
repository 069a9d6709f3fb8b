"""The pictures of notebook 08: the cascade that every utterance goes down, and where each question went."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from querylab.measure.metrics import complete
from querylab.measure.report import Report
from querylab.pipeline.trace import Trace
from querylab.prompts.schema import PATHS, SCOPES
from querylab.show import labels
from querylab.show.fonts import Picture, legible, new_figure, style
from querylab.show.page import pad, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHORT = {"answer": "不检索", "read": "直接读", "search": "一次检索", "agent": "循环"}
_PLAIN = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
_WAY = {"search": "一次检索", "agent": "智能体循环", "read": "直接读文档"}


def cascade(traces: Sequence[Trace]) -> Picture:
    """Draw how many utterances each level of the cascade took, and what it cost them.

    Args:
        traces: asked with an understanding.

    Returns:
        Level by level: decided by rule; decided by the one call; and the ways through the documents.

    Raises:
        ValueError: without traces, or when one was asked without an understanding.
    """
    if not traces or any(trace.understanding is None for trace in traces):
        raise ValueError("A cascade needs traces that were asked with an understanding.")
    at_once = [trace for trace in traces if trace.understanding.origin == "tier0"]
    called = [trace for trace in traces if trace.understanding.origin != "tier0"]
    told = [trace for trace in called if trace.path == "answer"]
    rows: list[tuple[str, str, list[Trace]]] = [("说出来的话", "", list(traces))]
    rows.append(("零级：规则", _scopes(at_once), at_once))
    rows.append(("一级：不用检索", _scopes(told), told))
    for path in ("search", "agent", "read"):
        rows.append((f"一级：{_WAY[path]}", "", [trace for trace in called if trace.path == path]))
    rows = [row for row in rows if row[2]]
    title = f"级联：{len(traces)} 句话各在哪一级停下"
    with style():
        figure = new_figure(8.2, 0.9 + 0.5 * len(rows))
        axes = figure.subplots()
        left = 0
        for row, (_, remark, mine) in enumerate(rows):
            start = left if row else 0
            axes.barh(row, len(mine), left=start, height=0.6, color=_grey(row), edgecolor="black", linewidth=0.8)
            spent = f"{len(mine)} 句，{_spent(mine)}" + (f"\n{remark}" if remark else "")
            axes.text(len(traces) * 1.02, row, legible(spent), va="center", fontsize=9, linespacing=1.4, clip_on=False)
            left += len(mine) if row else 0
        axes.set_yticks(range(len(rows)), [legible(name) for name, _, _ in rows])
        axes.invert_yaxis()
        axes.set_xlim(0, len(traces))
        axes.set_xlabel("句（从左到右累计）")
        axes.set_title(legible(title))
        figure.draw_without_rendering()
    words = [title]
    for name, remark, mine in rows[1:]:
        words.append(f"{pad(name, 28)}{len(mine):3} 句  {_spent(mine)}{f'  {remark}' if remark else ''}")
    return Picture(figure, "\n".join(words))


def _grey(row: int) -> str:
    return ("0.25", "0.95", "0.85", "0.7", "0.5", "0.6")[row]


def _scopes(traces: Sequence[Trace]) -> str:
    counts: Mapping[str, int] = Counter(trace.understanding.scope for trace in traces if trace.understanding)
    return "、".join(f"{labels.FIELD[scope]} {counts[scope]}" for scope in SCOPES if scope in counts)


def _spent(traces: Sequence[Trace]) -> str:
    calls = sum(trace.model_calls for trace in traces)
    return f"调用 {calls} 次、检索 {sum(trace.retrievals for trace in traces)} 次"


def where_went(report: Report) -> Picture:
    """Draw for each question of a report the way it took, what that cost, and whether its evidence arrived.

    Args:
        report: measured with an understanding.

    Raises:
        ValueError: when it was measured without one.
    """
    pairs = list(zip(report.questions, report.traces, strict=True))
    if not pairs or any(trace.path is None for _, trace in pairs):
        raise ValueError("This report was measured without an understanding: no question chose a path.")
    taken = [path for path in PATHS if any(trace.path == path for _, trace in pairs)]
    title = f"{len(pairs)} 道题各走了哪条路：{labels.config(report.config.name)}"
    words = [title]
    with style():
        figure = new_figure(8.2, 0.9 + 0.27 * len(pairs))
        axes = figure.subplots()
        for row, (question, trace) in enumerate(pairs):
            column = taken.index(trace.path)
            good = trace.refused if not question.answerable else complete(trace, question)
            _mark(axes, column, row, good)
            spent = f"{trace.model_calls} 调用 {trace.retrievals} 检索"
            axes.text(len(taken) - 0.4, row, legible(spent), va="center", fontsize=8.5, bbox=_PLAIN)
            fields = trace.understanding
            kind = f"{labels.FIELD[fields.complexity]}、{labels.FIELD[fields.specificity]}"
            axes.text(len(taken) + 0.3, row, legible(kind), va="center", fontsize=8.5, bbox=_PLAIN)
            outcome = ("证据到齐" if good else "证据没齐") if question.answerable else "拒答" if good else "没有拒答"
            words.append(f"{pad(question.id, 5)}{pad(_SHORT[trace.path], 10)}{pad(kind, 14)}{pad(spent, 18)}{outcome}")
        names = [f"{question.id} {labels.TIER[question.tier]}" for question, _ in pairs]
        axes.set_yticks(range(len(pairs)), [legible(shorten(name, 30)) for name in names], fontsize=8.5)
        axes.set_xticks(range(len(taken)), [legible(_SHORT[path]) for path in taken])
        axes.xaxis.tick_top()
        axes.text(len(taken) - 0.4, -1.05, "花费", va="center")
        axes.text(len(taken) + 0.3, -1.05, "复杂度、具体程度", va="center")
        axes.set_xlim(-0.5, len(taken) + 0.9)
        axes.set_ylim(len(pairs) - 0.5, -0.6)
        axes.grid(axis="y")
        axes.tick_params(length=0)
        axes.set_title(legible(title), pad=22)
        axes.set_xlabel("● 证据到齐，或者该拒而拒　○ 没有", loc="left")
        figure.draw_without_rendering()
    return Picture(figure, "\n".join(words))


def _mark(axes: "Axes", column: int, row: int, good: bool) -> None:
    axes.plot(column, row, marker="o", markersize=9, color="black", fillstyle="full" if good else "none")
