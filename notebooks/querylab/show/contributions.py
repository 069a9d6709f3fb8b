"""Which of several searches brought which passage, as stacked RRF contributions."""

from typing import TYPE_CHECKING

from querylab import settings
from querylab.pipeline.trace import Trace
from querylab.show.fonts import FILLS, HATCHES, Picture, legible, new_figure, style
from querylab.show.page import shorten
from querylab.types import Chunk

if TYPE_CHECKING:
    pass


def contributions(trace: Trace, top: int = 8) -> Picture:
    """Draw which list of a fused search brought each chunk, at which rank, and what that added.

    Args:
        trace: of a question with one search or more.
        top: chunks shown, best first.

    Returns:
        One bar a chunk, stacked from 1/(60 + rank) of each list; the ranks stand in the bars.

    Raises:
        ValueError: when nothing was searched.
    """
    if not trace.searches:
        raise ValueError("This question was not searched: there are no lists to fuse.")
    chunks = {hit.chunk.id: hit.chunk for search in trace.searches for hit in search.hits}
    ranks = [{hit.chunk.id: hit.rank for hit in reversed(search.hits)} for search in trace.searches]
    order = [chunk_id for chunk_id, _ in trace.ranking if chunk_id in chunks][:top]
    packed = {chunk.id for chunk in trace.context.chunks}
    parts = {item: [1 / (settings.RRF_K + rank[item]) if item in rank else 0.0 for rank in ranks] for item in order}
    fused = dict(trace.ranking)
    plain = all(abs(sum(parts[item]) - fused[item]) < 1e-9 for item in order)
    legend = [f"列表 {number}：{shorten(search.query, 26)}" for number, search in enumerate(trace.searches, start=1)]

    with style():
        figure = new_figure(8.6, 1.5 + 0.42 * max(1, len(order)) + 0.24 * len(ranks))
        axes = figure.subplots()
        for number, rank in enumerate(ranks):
            fill, hatch = FILLS[number % len(FILLS)], HATCHES[number % len(HATCHES)]
            for row, item in enumerate(order):
                value, start = parts[item][number], sum(parts[item][:number])
                if not value:
                    continue
                axes.barh(
                    row, value, left=start, height=0.68, color=fill, hatch=hatch, edgecolor="black", linewidth=0.8
                )
                axes.text(
                    start + value / 2,
                    row,
                    f"#{rank[item]}",
                    ha="center",
                    va="center",
                    fontsize=8.5,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
                )
            axes.barh(0, 0, color=fill, hatch=hatch, edgecolor="black", label=legible(legend[number]))
        for row, item in enumerate(order):
            axes.text(sum(parts[item]) + 0.0004, row, f"{sum(parts[item]):.4f}", va="center", fontsize=8.5)
        marked = [("✓ " if item in packed else "") + shorten(_chunk_name(chunks[item]), 24) for item in order]
        axes.set_yticks(range(len(order)), [legible(name) for name in marked], fontsize=9)
        axes.invert_yaxis()
        axes.set_xlim(0, max((sum(values) for values in parts.values()), default=0.02) * 1.12)
        axes.set_xlabel(f"RRF 得分 = Σ 1/({settings.RRF_K} + 名次)；#n 是在那一张列表里的名次，✓ 是进了上下文")
        axes.set_title("每张列表给融合分贡献了多少")
        figure.legend(loc="outside lower left", fontsize=9, ncols=1)
        figure.draw_without_rendering()
    words = ["RRF 贡献：" + "；".join(legend)]
    for item in order:
        found = "  ".join(
            f"列表 {number} #{rank[item]} {part:.4f}" if item in rank else f"列表 {number} —"
            for number, (rank, part) in enumerate(zip(ranks, parts[item], strict=True), start=1)
        )
        words.append(f"  {sum(parts[item]):.4f}  {'✓' if item in packed else ' '} {_chunk_name(chunks[item])}  {found}")
    if not plain:
        words.append("注意：这条轨迹的融合分不是这些贡献之和，它用了别的融合办法。")
    return Picture(figure, "\n".join(words))


def _chunk_name(chunk: Chunk) -> str:
    return f"{chunk.title} / {chunk.heading}"
