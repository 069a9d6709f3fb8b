"""The funnel: how many questions' evidence passes pool, gate and budget, and where the rest is lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from querylab.corpus.model import Question
from querylab.measure.report import Report
from querylab.pipeline.trace import PLACES, Place, Trace, where_lost
from querylab.show import labels
from querylab.show.fonts import Picture, legible, new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAGES = ("标注的证据", "在候选池里", "过了门槛", "装进上下文")


@dataclass(frozen=True)
class _Tier:
    """Evidence documents of one tier: how many survive each stage, and who was lost where."""

    name: str
    questions: int
    complete: int
    survivors: tuple[int, ...]
    lost: Mapping[Place, tuple[str, ...]]


def funnel(found: Report | Sequence[Trace], questions: Sequence[Question] | None = None) -> Picture:
    """Draw how many evidence documents survive pool, gate and budget, by tier, and name the lost ones.

    Args:
        found: a report; or traces, with the questions they came from.
        questions: labelled questions, one a trace; only with traces.

    Raises:
        ValueError: when no question has evidence, or traces come without questions.
    """
    if isinstance(found, Report):
        name, traces, questions = labels.config(found.config.name), found.traces, found.questions
        name += f"（没测完：{found.progress}）" if found.stopped else ""
    elif questions is None:
        raise ValueError("funnel() needs the questions that the traces came from, or a Report.")
    else:
        name, traces = "", tuple(found)
    pairs = list(zip(questions, traces, strict=True))
    tiers = [tier for tier in (_tier(pairs, key) for key in ("single", "multi")) if tier.survivors[0]]
    if not tiers:
        raise ValueError("None of these questions has evidence documents: there is nothing to draw.")
    none = [trace for question, trace in pairs if not question.answerable]
    refused = f"资料里没有答案的 {len(none)} 题：拒答 {sum(trace.refused for trace in none)} 题" if none else ""
    title = "证据漏斗" + (f"：{name}" if name else "")

    with style():
        figure = new_figure(8.2, 0.75 + 1.5 * len(tiers))
        figure.suptitle(legible(title), x=0.01, ha="left", fontsize=12)
        for axes, tier in zip(figure.subplots(len(tiers), 1, squeeze=False)[:, 0], tiers, strict=True):
            _draw_tier(axes, tier)
        if refused:
            figure.supxlabel(legible(refused), x=0.01, ha="left", fontsize=9.5)
        figure.draw_without_rendering()
    words = [title, *(line for tier in tiers for line in _tier_words(tier)), *([refused] if refused else [])]
    return Picture(figure, "\n".join(words))


def _tier(pairs: Sequence[tuple[Question, Trace]], key: str) -> _Tier:
    lost: dict[Place, list[str]] = {place: [] for place in PLACES}
    complete = 0
    mine = [(question, trace) for question, trace in pairs if question.tier == key]
    for question, trace in mine:
        places = where_lost(trace, question)
        complete += all(place == "context" for place in places.values())
        for doc_id, place in places.items():
            lost[place].append(f"{question.id} {doc_id}")
    total = sum(len(names) for names in lost.values())
    survivors = [total]
    for place in PLACES[:-1]:
        survivors.append(survivors[-1] - len(lost[place]))
    return _Tier(
        labels.TIER[key], len(mine), complete, tuple(survivors), {place: tuple(lost[place]) for place in PLACES[:-1]}
    )


def _draw_tier(axes: "Axes", tier: _Tier) -> None:
    total = tier.survivors[0]
    unit = total / 100
    for row, count in enumerate(tier.survivors):
        axes.barh(row, count, height=0.62, color="0.35" if row else "0.85", edgecolor="black", linewidth=0.8)
        axes.text(
            max(count, 0) - unit if count else unit,
            row,
            str(count),
            va="center",
            ha="right" if count else "left",
            color="white" if count and row else "black",
        )
        if row:
            names = tier.lost[PLACES[row - 1]]
            before = tier.survivors[row - 1]
            if names:
                axes.barh(
                    row,
                    len(names),
                    left=count,
                    height=0.62,
                    color="white",
                    edgecolor="black",
                    hatch="////",
                    linewidth=0.8,
                )
                axes.text(before + unit, row, legible(f"−{len(names)}：{_names(names)}"), va="center", fontsize=9)
    axes.set_yticks(range(len(STAGES)), STAGES)
    axes.invert_yaxis()
    axes.set_xlim(0, total * 1.45)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set_title(
        legible(f"{tier.name}：{tier.questions} 题、{total} 份证据文档；证据到齐 {tier.complete} 题"), fontsize=10.5
    )


def _names(names: Sequence[str], most: int = 2) -> str:
    shown = "，".join(names[:most])
    return shown if len(names) <= most else f"{shown} 等"


def _tier_words(tier: _Tier) -> list[str]:
    chain = " → ".join(f"{stage} {count}" for stage, count in zip(STAGES, tier.survivors, strict=True))
    head = f"{tier.name}（{tier.questions} 题，证据到齐 {tier.complete} 题）：{chain}"
    return [head, *(f"  {labels.PLACE[place]}：{'，'.join(names)}" for place, names in tier.lost.items() if names)]
