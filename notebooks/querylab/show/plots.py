"""The pictures of the lessons. Each is readable in black and white, has units, and says its figures in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from querylab import settings
from querylab.corpus.load import Question
from querylab.measure.compare import compare
from querylab.measure.report import COLUMNS, Report
from querylab.pipeline.trace import ANSWER_SIDE, PLACES, Place, Trace, where_lost
from querylab.retrieval.encoder import Encoder
from querylab.retrieval.retriever import Retriever
from querylab.show import labels
from querylab.show.fonts import FILLS, HATCHES, Picture, legible, new_figure, style
from querylab.show.ledger import difference
from querylab.show.page import pad, shorten
from querylab.types import Chunk

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STAGES = ("标注的证据", "在候选池里", "过了门槛", "装进上下文")


# ── Funnel ──────────────────────────────────────────────────────────────────────────────────────
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


# ── Gain against cost ───────────────────────────────────────────────────────────────────────────
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


# ── HyDE ────────────────────────────────────────────────────────────────────────────────────────
NEAREST = 5


def hyde_picture(
    question: str,
    draft: str,
    passages: Sequence[Chunk | str],
    encoder: Encoder | Retriever,
    questions: Sequence[str] = (),
    wanted: str | None = None,
) -> Picture:
    """Draw how a question and its invented passage lie to the real passages, and measure the cosines.

    Args:
        question: as it is searched.
        draft: the hypothetical document.
        passages: n chunks or texts: the cloud of passages; at least one.
        encoder: turns texts into unit vectors. Given the lab's retriever, its encoder is used, and the
            vectors of its own chunks are not computed again.
        questions: other questions, for the second cloud.
        wanted: chunk id (or the text) of the passage that holds the answer; it is marked.

    Returns:
        Two clouds (principal components of all vectors, signs fixed), with an arrow from question to
        draft; beside them the cosines to the passages nearest to either. All cosines in ``words``.

    Raises:
        ValueError: without passages, or when ``wanted`` is none of them.
    """
    if not passages:
        raise ValueError("hyde_picture() needs at least one passage.")
    texts = [passage.text if isinstance(passage, Chunk) else passage for passage in passages]
    ids = [passage.id if isinstance(passage, Chunk) else passage for passage in passages]
    names = [
        f"{passage.title} / {passage.heading}" if isinstance(passage, Chunk) else shorten(passage, 16)
        for passage in passages
    ]
    if wanted is not None and wanted not in ids:
        raise ValueError(f"The wanted passage {wanted!r} is not among the {len(ids)} passages.")
    goal = ids.index(wanted) if wanted is not None else None
    known: Mapping[str, np.ndarray] = {}
    if isinstance(encoder, Retriever):
        known = {chunk.id: vector for chunk, vector in zip(encoder.chunks, encoder.vectors, strict=True)}
        encoder = encoder.encoder
    others = [text for text in dict.fromkeys(questions) if text != question]
    vectors = np.vstack([encoder.encode([question, draft, *others]), _passage_vectors(encoder, passages, texts, known)])
    vectors = vectors.astype(np.float64)
    ask, drafted, cloud = vectors[0], vectors[1], vectors[2 + len(others) :]
    by_question, by_draft = np.round(cloud @ ask, 4), np.round(cloud @ drafted, 4)
    between = float(np.round(ask @ drafted, 4))
    best = np.argsort(-np.maximum(by_question, by_draft), kind="stable")[:NEAREST]
    shown = list(dict.fromkeys([*([goal] if goal is not None else []), *best.tolist()]))[:NEAREST]
    flat, explained = _plane(vectors, 2 + len(others))

    with style():
        figure = new_figure(10.5, 4.7)
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        _draw_clouds(left, flat, len(others), goal, explained)
        _draw_cosines(
            right,
            [names[i] for i in shown],
            by_question[shown],
            by_draft[shown],
            shown.index(goal) if goal in shown else None,
        )
        figure.draw_without_rendering()
    words = [f"余弦：问题–草稿 {between:.3f}", "问题–片段  草稿–片段  片段"]
    words += [f"{by_question[i]:9.3f}  {by_draft[i]:9.3f}  {'★ ' if i == goal else ''}{names[i]}" for i in shown]
    if goal is not None:
        ranks = [1 + int((scores > scores[goal]).sum()) for scores in (by_question, by_draft)]
        words.append(f"★ 的名次（只按余弦，共 {len(ids)} 个片段）：用问题搜第 {ranks[0]}，用草稿搜第 {ranks[1]}")
    return Picture(figure, "\n".join(words))


def _passage_vectors(
    encoder: Encoder, passages: Sequence[Chunk | str], texts: Sequence[str], known: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Encode passages; those whose vectors are known (by chunk id) are not encoded again."""
    ids = [passage.id if isinstance(passage, Chunk) else "" for passage in passages]
    missing = [index for index, name in enumerate(ids) if name not in known]
    fresh = dict(zip(missing, encoder.encode([texts[index] for index in missing]), strict=True)) if missing else {}
    return np.array([fresh[index] if index in fresh else known[name] for index, name in enumerate(ids)])


def _plane(vectors: np.ndarray, questions: int) -> tuple[np.ndarray, np.ndarray]:
    """Lay vectors into their two principal components; passages lie to the right of questions and above them.

    Returns:
        Array of shape (n, 2), and the shares of variance that the two axes explain.
    """
    centred = vectors - vectors.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    flat = np.zeros((len(vectors), 2))
    kept = min(2, len(sizes))
    flat[:, :kept] = centred @ axes[:kept].T
    # The sign of a singular vector is arbitrary: fix it by the data, not by the library.
    apart = flat[questions:].mean(axis=0) - flat[:questions].mean(axis=0)
    flat *= np.where(apart < 0, -1.0, 1.0)
    power = sizes**2
    shares = np.zeros(2)
    shares[:kept] = power[:kept] / power.sum() if power.sum() > 0 else 0.0
    return flat, shares


def _draw_clouds(axes: "Axes", flat: np.ndarray, others: int, goal: int | None, explained: np.ndarray) -> None:
    cloud = flat[2 + others :]
    axes.scatter(*cloud.T, marker="s", s=26, facecolor="0.82", edgecolor="0.45", linewidth=0.6, label="片段")
    if others:
        axes.scatter(*flat[2 : 2 + others].T, marker="o", s=30, facecolor="white", edgecolor="0.2", label="其他问题")
    if goal is not None:
        axes.scatter(*cloud[goal], marker="*", s=260, color="black", label="有答案的片段", zorder=4)
    axes.annotate(
        "",
        flat[1],
        flat[0],
        arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.6, "shrinkA": 6, "shrinkB": 6},
    )
    axes.scatter(*flat[0], marker="o", s=95, color="black", label="这个问题", zorder=5)
    axes.scatter(
        *flat[1], marker="D", s=80, facecolor="white", edgecolor="black", linewidth=1.8, label="草稿", zorder=5
    )
    axes.set_xlabel(legible(f"主成分 1（占方差 {explained[0]:.0%}）"))
    axes.set_ylabel(legible(f"主成分 2（占方差 {explained[1]:.0%}）"))
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title("两团云：问题与片段，箭头从问题到草稿")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, fontsize=9, handletextpad=0.4)


def _draw_cosines(axes: "Axes", names: Sequence[str], asked: np.ndarray, drafted: np.ndarray, goal: int | None) -> None:
    places = np.arange(len(names))
    for offset, values, label, fill, hatch in (
        (-0.19, asked, "问题–片段", "0.35", ""),
        (0.19, drafted, "草稿–片段", "white", "////"),
    ):
        axes.barh(
            places + offset, values, height=0.36, color=fill, edgecolor="black", hatch=hatch, linewidth=0.8, label=label
        )
        for place, value in zip(places, values, strict=True):
            axes.text(max(value, 0) + 0.012, place + offset, f"{value:.3f}", va="center", fontsize=8.5)
    marked = [
        ("★ " if index == goal else "") + shorten(name, 22).replace(" / ", "\n", 1) for index, name in enumerate(names)
    ]
    axes.set_yticks(places, [legible(name) for name in marked], fontsize=8.5)
    axes.invert_yaxis()
    axes.set_xlim(
        min(0.0, float(asked.min()), float(drafted.min())), max(float(asked.max()), float(drafted.max()), 0.1) * 1.2
    )
    axes.set_xlabel("余弦")
    axes.set_title("量一量：离片段有多近")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.12), ncols=2, fontsize=9)


# ── Multi-query ─────────────────────────────────────────────────────────────────────────────────
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


# ── Time ────────────────────────────────────────────────────────────────────────────────────────
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
