"""Gain against cost: every configuration as a point, the baseline as the origin of every gain."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from querylab.measure.compare import compare
from querylab.measure.report import COLUMNS, Report
from querylab.show import labels
from querylab.show.fonts import Picture, legible, new_figure, style
from querylab.show.ledger import difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PER_QUESTION = {"model_calls", "retrievals"}
_MARKERS = "osD^vP*Xhp"


def gain_against_cost(reports: Sequence[Report], gain: str = "recall_multi_hop", cost: str = "retrievals") -> Picture:
    """Draw what each configuration gains over the first one against what it adds to the cost.

    Args:
        reports: the baseline first.
        gain: a column key of the ledger for y, such as ``recall_multi_hop`` or ``ndcg_at_10``.
        cost: a column key for x, such as ``retrievals``, ``model_calls`` (both per question),
            ``latency_p50_s`` or ``cost_per_1000_usd``.

    Raises:
        ValueError: with fewer than two reports, for an unknown column, or one without values.
    """
    columns = {column.key: column for column in COLUMNS}
    if len(reports) < 2:
        raise ValueError("gain_against_cost() needs the baseline and at least one other report.")
    for key in (gain, cost):
        if key not in columns:
            raise ValueError(f"The ledger has no column {key!r}. It has: {', '.join(columns)}.")
    table = compare(reports)
    if table[[f"Δ{gain}", f"Δ{cost}"]].isna().any(axis=None):
        raise ValueError(f"A report has no value for {gain!r} or {cost!r}: there were no questions of that kind.")
    scale = 100 if gain.startswith(("recall", "refused")) else 1
    points: dict[tuple[float, float], list[str]] = {}
    asked = {question.id for question in reports[0].questions}
    for index, report in enumerate(reports):
        n = len(asked & {question.id for question in report.questions}) if cost in _PER_QUESTION else 1
        x = round(difference(table, index, columns[cost]) / n, 4) + 0.0
        y = round(scale * difference(table, index, columns[gain]), 3 if scale == 1 else 1) + 0.0
        mark = "（没测完）" if report.stopped else ""
        points.setdefault((x, y), []).append(labels.config(report.config.name) + mark)
    x_unit = {"model_calls": "次/题", "retrievals": "次/题", "cost_per_1000_usd": "美元/千题", "latency_p50_s": "秒/题"}
    x_label = f"多花的{labels.COLUMN[cost]}（{x_unit.get(cost, 'token/题')}）"
    y_label = f"{labels.COLUMN[gain]}的增益" + ("（百分点）" if scale == 100 else "")

    with style():
        figure = new_figure(8.2, 4.8)
        axes = figure.subplots()
        for marker, (x, y) in zip(_MARKERS * 3, points, strict=False):
            axes.plot(x, y, marker, color="black", markerfacecolor="0.7", markersize=9, clip_on=False, zorder=3)
        axes.axhline(0, color="0.4", linewidth=0.9, linestyle="--", zorder=1)
        axes.axvline(0, color="0.4", linewidth=0.9, linestyle="--", zorder=1)
        axes.grid(True, linewidth=0.6)
        axes.set_xlabel(legible(x_label))
        axes.set_ylabel(legible(y_label))
        axes.set_title(legible(f"增益对成本：与{labels.config(reports[0].config.name)}比，越靠左上越划算"))
        _room(axes, [x for x, _ in points], [y for _, y in points])
        # A group in the left half stacks its names; a long line of names would leave the picture.
        _label_points(figure, axes, [(x, y, legible("\n".join(names))) for (x, y), names in points.items()])
    cost_name, gain_name = labels.COLUMN[cost], labels.COLUMN[gain]
    words = [f"增益对成本（x：{x_label}；y：{y_label}）"]
    words += [
        f"  {'、'.join(names)}：{cost_name} {x:+g}，{gain_name} {y:+.{1 if scale == 100 else 3}f}"
        for (x, y), names in points.items()
    ]
    return Picture(figure, "\n".join(words))


def _room(axes: "Axes", xs: Sequence[float], ys: Sequence[float]) -> None:
    """Leave room around the points for their names, most of it on the right."""
    wide, high = (max(xs) - min(xs)) or 1.0, (max(ys) - min(ys)) or 1.0
    axes.set_xlim(min(xs) - 0.12 * wide, max(xs) + 0.32 * wide)
    axes.set_ylim(min(ys) - 0.22 * high, max(ys) + 0.22 * high)


def _label_points(figure: "Figure", axes: "Axes", points: Sequence[tuple[float, float, str]]) -> None:
    """Write a name beside each point so that no name lies on another, on a point, or outside.

    Greedy: the nearest free place out of a ring of candidates, with a thin line back when it is far.
    """
    figure.draw_without_rendering()  # the layout must stand before pixels mean anything
    canvas = figure.canvas.get_renderer()
    frame = axes.get_window_extent(canvas)
    pixel = figure.dpi / 72
    spots = [axes.transData.transform((x, y)) for x, y, _ in points]
    taken = [(x - 7 * pixel, y - 7 * pixel, x + 7 * pixel, y + 7 * pixel) for x, y in spots]
    order = sorted(range(len(points)), key=lambda index: (-spots[index][0], spots[index][1]))
    for index in order:
        x, y, name = points[index]
        text = axes.annotate(
            name,
            (x, y),
            xytext=(0, 0),
            textcoords="offset points",
            fontsize=9,
            ha="left",
            va="bottom",
            linespacing=1.25,
            zorder=4,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.8},
        )
        extent = text.get_window_extent(canvas)
        width, height = extent.width, extent.height
        best: tuple[float, float, float] | None = None
        for far in (11, 18, 28, 42, 60, 84):
            for right, up in ((1, 0), (1, 1), (1, -1), (0, 1), (0, -1), (-1, 0), (-1, 1), (-1, -1)):
                dx = right * far * pixel - (width if right < 0 else width / 2 if right == 0 else 0)
                dy = up * far * pixel - (height if up < 0 else height / 2 if up == 0 else 0)
                left, low = spots[index][0] + dx, spots[index][1] + dy
                box = (left, low, left + width, low + height)
                outside = box[0] < frame.x0 or box[1] < frame.y0 or box[2] > frame.x1 or box[3] > frame.y1
                overlap = sum(_overlap(box, other) for other in taken)
                penalty = overlap + (1e6 if outside else 0)
                if best is None or penalty < best[0]:
                    best = (penalty, dx, dy)
            if best is not None and best[0] == 0:
                break
        _, dx, dy = best or (0.0, 0.0, 0.0)
        left, low = spots[index][0] + dx, spots[index][1] + dy
        taken.append((left, low, left + width, low + height))
        text.set_position((dx / pixel, dy / pixel))
        if np.hypot(max(dx, -(dx + width), 0), max(dy, -(dy + height), 0)) > 20 * pixel:
            inside = (left + min(max(-dx, 0), width), low + min(max(-dy, 0), height))
            end = axes.transData.inverted().transform(inside)
            axes.plot([x, end[0]], [y, end[1]], color="0.5", linewidth=0.7, zorder=2)


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0
