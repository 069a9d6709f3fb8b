"""Pictures of notebooks 10 and 11: where the drift thresholds lie, which technique helps which kind of question."""

from collections.abc import Mapping, Sequence

from querylab import settings
from querylab.show import labels
from querylab.show.fonts import Picture, legible, new_figure, style
from querylab.show.page import pad

KIND = {
    "plain": "普通",
    "hidden-condition": "隐含条件",
    "reversed": "反着问",
    "nested": "嵌套",
    "abstract": "抽象",
    "precise": "精确",
    "multi-hop": "多跳",
    "parallel": "几件事",
    "sequential": "先后",
}


def drift_curve(same: Sequence[float], drifted: Sequence[float], let_through: Sequence[float]) -> Picture:
    """Draw what a cosine threshold would reject, of the good rewrites and of the drifted ones.

    Args:
        same: cosines of question and rewrite, for good rewrites.
        drifted: the same for rewrites that have drifted.
        let_through: those of ``drifted`` that core terms let through.

    Returns:
        Three curves over the threshold (shares rejected), and the thresholds that were fitted and the lesson's.

    Raises:
        ValueError: when one of the lists is empty.
    """
    if not (same and drifted and let_through):
        raise ValueError("A curve needs good rewrites, drifted ones, and some that core terms let through.")
    steps = [step / 100 for step in range(101)]
    lines = (
        ("跑题的改写，全部", drifted, {"color": "black", "linewidth": 2}),
        ("跑题的改写，核心词没拦下的", let_through, {"color": "black", "linestyle": "--"}),
        ("好的改写", same, {"color": "0.55", "linewidth": 2}),
    )
    marks = (
        ("本实验的门槛", (settings.DRIFT_FLOOR, settings.DRIFT_OK), "-"),
        ("讲义的门槛", settings.LESSON_DRIFT[::-1], ":"),
    )
    with style():
        figure = new_figure(8.2, 3.9)
        axes = figure.subplots()
        for name, values, look in lines:
            shares = [sum(value < step for value in values) / len(values) for step in steps]
            axes.plot(steps, shares, label=legible(f"{name}（{len(values)} 对）"), **look)
        for name, (floor, ok), look in marks:
            label = legible(f"{name}：拒 < {floor:.2f}，过 ≥ {ok:.2f}")
            axes.axvline(floor, color="black", linewidth=1, linestyle=look, label=label)
            axes.axvline(ok, color="black", linewidth=1, linestyle=look)
        axes.set_ylim(0, 1.02)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1.0], ["0%", "25%", "50%", "75%", "100%"])
        axes.set_xlim(0.3, 1.0)
        axes.set_xlabel("余弦门槛：低于它就拒")
        axes.set_ylabel("被拒的比例")
        axes.grid(axis="y")
        axes.legend(loc="upper left", fontsize=9, framealpha=1)
        figure.draw_without_rendering()
    words = ["门槛    跑题的被拒  核心词漏掉的被拒  好的被拒"]
    for place in sorted({0.5, 0.6, 0.9, settings.DRIFT_FLOOR, settings.DRIFT_OK, *settings.LESSON_DRIFT}):
        shares = [sum(value < place for value in values) / len(values) for values in (drifted, let_through, same)]
        words.append(f"{place:.2f}    {shares[0]:6.0%}      {shares[1]:6.0%}            {shares[2]:6.0%}")
    return Picture(figure, "\n".join(words))


def kinds(found: Mapping[str, Mapping[str, tuple[int, int]]]) -> Picture:
    """Draw a table of kinds of question against techniques: how many questions got all their evidence.

    Args:
        found: configuration → kind → (questions with all evidence in the context, questions).

    Returns:
        A heat map in grey, the figures in its cells.

    Raises:
        ValueError: without a configuration.
    """
    if not found:
        raise ValueError("A table of kinds needs at least one configuration.")
    names, columns = list(found), list(next(iter(found.values())))
    shares = [[found[name][kind][0] / max(1, found[name][kind][1]) for kind in columns] for name in names]
    heads = [labels.word(KIND, kind) for kind in columns]
    with style():
        figure = new_figure(8.2, 0.9 + 0.4 * len(names))
        axes = figure.subplots()
        axes.imshow(shares, cmap="Greys", vmin=0, vmax=1.35, aspect="auto")
        for row, name in enumerate(names):
            for column, kind in enumerate(columns):
                done, of = found[name][kind]
                color = "white" if shares[row][column] > 0.75 else "black"
                axes.text(column, row, f"{done}/{of}", ha="center", va="center", fontsize=9.5, color=color)
        axes.set_xticks(range(len(columns)), [legible(head) for head in heads])
        axes.set_yticks(range(len(names)), [legible(labels.config(name)) for name in names])
        for row in range(1, len(names)):
            axes.axhline(row - 0.5, color="white", linewidth=2)
        for column in range(1, len(columns)):
            axes.axvline(column - 0.5, color="white", linewidth=2)
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        for side in axes.spines.values():
            side.set_visible(False)
        figure.draw_without_rendering()
    words = [pad("", 26) + "".join(pad(head, 10) for head in heads).rstrip()]
    for name in names:
        cells = "".join(pad(f"{done}/{of}", 10) for done, of in (found[name][kind] for kind in columns))
        words.append((pad(labels.config(name), 26) + cells).rstrip())
    return Picture(figure, "\n".join(words))
