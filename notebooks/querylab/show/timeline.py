"""One question's calls and searches on a time axis: what waits for what."""

from typing import TYPE_CHECKING, Any

from querylab.pipeline.trace import ANSWER_SIDE, Trace
from querylab.show import labels
from querylab.show.fonts import Picture, legible, new_figure, style
from querylab.show.page import pad, shorten

if TYPE_CHECKING:
    pass


def timeline(trace: Trace, until: float | None = None) -> Picture:
    """Draw the events of one question on its clock: what ran after what, and what side by side.

    Args:
        trace: of one question.
        until: seconds at which the axis ends, so that two pictures can be compared; the last event's end when None.

    Returns:
        One bar an event (seconds). The sum of all bars stands against the time on the clock: what ran
        in parallel costs its maximum, not its sum.

    Raises:
        ValueError: when nothing happened.
    """
    if not trace.events:
        raise ValueError("Nothing was called or searched: there is no time to draw.")
    events = sorted(trace.events, key=lambda event: event.start)
    names = []
    for event in events:
        query = event.detail.get("query", "")
        names.append(labels.word(labels.STEP, event.purpose) + (f"：{shorten(query, 14)}" if query else ""))
    counted = [event for event in events if event.purpose not in ANSWER_SIDE]
    total, clock = sum(event.seconds for event in counted), trace.seconds
    end = max(until or 0.0, *(event.start + event.seconds for event in events)) or 1.0
    looks: dict[str, dict[str, Any]] = {
        "model": {"color": "0.35", "label": "模型调用"},
        "search": {"color": "white", "hatch": "////", "label": "检索"},
        "answer": {"color": "0.9", "hatch": "....", "label": "写答案（不计入账本）"},
    }
    with style():
        figure = new_figure(8.2, 1.35 + 0.38 * len(events))
        axes = figure.subplots()
        seen: set[str] = set()
        for row, event in enumerate(events):
            kind = "answer" if event.purpose in ANSWER_SIDE else event.kind
            look = dict(looks[kind])
            if kind in seen:
                look.pop("label")
            seen.add(kind)
            axes.barh(row, event.seconds, left=event.start, height=0.6, edgecolor="black", linewidth=0.9, **look)
            fault = " 失败" if event.error else " 录音" if event.replayed else ""
            axes.text(
                event.start + event.seconds + end * 0.008,
                row,
                legible(f"{event.seconds:.2f} 秒{fault}"),
                va="center",
                fontsize=8.5,
                zorder=3,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            )
        if counted:
            axes.axvline(clock, color="black", linestyle="--", linewidth=1, zorder=0)
        axes.set_yticks(range(len(events)), [legible(name) for name in names], fontsize=9)
        axes.invert_yaxis()
        axes.set_xlim(0, end * 1.13)
        axes.set_xlabel("这个问题自己的钟（秒）；虚线：查询侧结束")
        axes.set_title(legible(f"各步相加 {total:.2f} 秒，钟上走了 {clock:.2f} 秒"))
        figure.legend(loc="outside lower right", fontsize=9, ncols=3)
        figure.draw_without_rendering()
    words = [f"时间线：各步相加 {total:.2f} 秒，钟上 {clock:.2f} 秒（查询侧）"]
    words += [
        f"  {event.start:6.2f} – {event.start + event.seconds:6.2f} 秒  {pad(name, 24)}"
        + (f"  失败：{event.error}" if event.error else "")
        for event, name in zip(events, names, strict=True)
    ]
    return Picture(figure, "\n".join(line.rstrip() for line in words))
