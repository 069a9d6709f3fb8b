"""HyDE as a picture: questions, passages and a draft in one plane, and the cosines that decide."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from querylab.retrieval.encoder import Encoder
from querylab.retrieval.retriever import Retriever
from querylab.show.fonts import Picture, legible, new_figure, style
from querylab.show.page import shorten
from querylab.types import Chunk

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
