"""The first cell of every notebook: switch ``%%exercise`` on, see whether the environment is in order, open the lab.

It shows one short block that is the same on every machine in good order (no paths, no version numbers,
no times, so that nbval can compare it), and for each fault what mends it. Nothing heavy is imported at
the top: this file must still run where a package is missing.
"""

import html
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from querylab import settings
from querylab.lesson import exercise
from querylab.lesson.environment import PARTS, Fault
from querylab.pipeline.techniques import EXERCISES, Exercise, MissingTechnique, Techniques

if TYPE_CHECKING:
    from querylab.pipeline.lab import Lab

TRACKS = {
    "starter": "starter：运行你自己写的练习（%%exercise 单元格会存进 starter/）",
    "solution": "solution：%%exercise 单元格运行参考答案 solution/，不写任何文件",
}
MODELS = {
    "mock": "MOCK=1，离线规则。它的数字只证明代码走通了，不代表真实模型的好坏",
    "live": "MOCK=0，真实模型。每次调用都要花钱、花时间",
    "replay": "MOCK=replay，重放录下来的模型答复",
}

OTHER_SERVER = "MOCK=0，但地址由 ANTHROPIC_BASE_URL 指定：可能是网关，也可能是测试服务器，不一定是真实模型"


class StartError(RuntimeError):
    """The lab cannot be opened; the block above says why. A notebook shows one line."""

    def _render_traceback_(self) -> list[str]:
        return [f"✗ {self}"]


@dataclass(frozen=True)
class Block:
    """What the first cell shows."""

    title: str
    rows: tuple[tuple[str, str], ...]
    todo: tuple[str, ...]

    def __str__(self) -> str:
        lines = [self.title, *(f"  {name}  {text}" for name, text in self.rows), *self.todo]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<div><span style="opacity:.65;margin-right:1em">{html.escape(name)}</span>{html.escape(text)}</div>'
            for name, text in self.rows
        )
        todo = "".join(f'<div style="margin-top:.3em">{html.escape(text)}</div>' for text in self.todo)
        return (
            '<div style="border-left:3px solid currentColor;padding:.2em 0 .2em 1em;line-height:1.6">'
            f"<b>{html.escape(self.title)}</b>{rows}{todo}</div>"
        )


def start(notebook: str = "", needs: Sequence[str] = ()) -> "Lab":
    """Open the lab for one notebook.

    Args:
        notebook: its name without ``.ipynb``; stands in the block's title.
        needs: earlier exercises that this notebook builds on. On the starter track the block says
            which of them are not finished, where to finish them, and how to borrow the reference.

    Returns:
        The lab with the environment's corpus, track and model.

    Raises:
        MissingTechnique: when ``needs`` names no exercise.
        StartError: when the lab cannot be opened; the block says why.
    """
    for name in needs:
        if name not in EXERCISES:
            raise MissingTechnique(f"No exercise is called {name!r}. Known: {', '.join(EXERCISES)}.")
    shell = _shell()
    if shell is not None:
        exercise.register(shell)
    faults = [fault for look in PARTS.values() for fault in look()]
    lab = None
    if not any(fault.fatal for fault in faults):
        lab, more = _open()
        faults += more
    borrowed = lab.techniques.borrowed if lab else frozenset()
    _show(_block(notebook, faults, needs, borrowed), shell)
    if lab is None:
        raise StartError("实验还不能开始：先照上面写的办法修好，再运行这个单元格。")
    return lab


def _open() -> tuple["Lab | None", list[Fault]]:
    try:
        from querylab.pipeline.lab import default_lab

        lab = default_lab()
        lab.corpus.require_gates()
    except settings.SettingError as error:
        return None, [Fault("环境变量", str(error))]
    except Exception as error:  # whatever it is, the block says it and the cell ends in one line
        return None, [Fault("仓库文件", f"{type(error).__name__}: {error}")]
    return lab, []


# ── What is shown ───────────────────────────────────────────────────────────────────────────────
def _block(notebook: str, faults: Sequence[Fault], needs: Sequence[str], borrowed: Iterable[str] = ()) -> Block:
    rows = []
    if not any(fault.part == "环境变量" for fault in faults):
        rows = [("轨道", TRACKS[settings.track()]), ("模型", _model())]
    bad = {fault.part for fault in faults}
    rows.append(("环境", "　".join(f"{'✗' if part in bad else '✓'} {part}" for part in PARTS)))
    todo = [f"{'✗' if fault.fatal else '⚠'} {fault.text}" for fault in faults]
    names: list[str] = []
    if rows[0][0] == "轨道" and settings.track() == "starter":
        in_force = [name for name in EXERCISES if name in set(borrowed)]
        if in_force:
            todo.append(f"↩ 正在借用参考答案：{'、'.join(in_force)}。运行自己写完的练习单元格，借用就结束。")
        gaps = {name: line for name in needs if name not in in_force and (line := _unfinished(EXERCISES[name]))}
        names = list(gaps)
        for name, line in gaps.items():
            todo.append(f'{line}想先往下走，运行 lab.borrow("{name}") 借用参考答案。')
        if len(names) > 1:
            listed = ", ".join(f'"{name}"' for name in names)
            todo.append(f"一次全借：lab.borrow({listed})。")
    title = f"有 {len(faults)} 处要修" if faults else "一切就绪"
    if names and not faults:
        title = f"环境就绪，前面还有 {len(names)} 个练习没写完"
    return Block(f"{notebook} · {title}" if notebook else title, tuple(rows), tuple(todo))


def _model() -> str:
    elsewhere = settings.mode() == "live" and os.environ.get("ANTHROPIC_BASE_URL", "").strip()
    return OTHER_SERVER if elsewhere else MODELS[settings.mode()]


def _unfinished(needed: Exercise) -> str:
    """Say which notebook to do first when an earlier exercise is not finished; "" when it is."""
    try:
        missing = Techniques(settings.STARTER_DIR).unfinished(needed.name)
    except Exception as error:  # a student's module may raise anything when it is read
        return f"✗ 前面的练习 {needed.name} 读不进来（{type(error).__name__}: {error}）：先回 {needed.notebook} 改好。"
    if not missing:
        return ""
    return f"○ 前面的练习 {needed.name} 还没写完（{'、'.join(missing)}）：先做 {needed.notebook}。"


def _shell() -> Any:
    """The running IPython, or None in plain Python."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    return get_ipython()


def _show(block: Block, shell: Any) -> None:
    if shell is None:
        print(block)
        return
    from IPython.display import display

    display(block)
