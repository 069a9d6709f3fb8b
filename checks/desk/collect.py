"""Find what was handed in: folders of modules, zips of them, folders of notebooks.

In: a folder. Out: an :class:`Entry` for each student, and for each entry a folder of modules that can be judged. What a
notebook's outputs claim is not looked at; a zip is unpacked with limits, and never outside its folder.
"""

import hashlib
import json
import re
import shutil
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from querylab.lesson.exercise import HEADER
from querylab.pipeline.techniques import EXERCISES

MOST_FILES = 2_000
MOST_BYTES = 50_000_000
LARGEST_NOTEBOOK = 20_000_000


@dataclass(frozen=True)
class Entry:
    """One student's hand-in: a name, and the folder or zip it came as."""

    name: str
    path: Path


def entries(folder: Path) -> list[Entry]:
    """List the hand-ins of a folder in the order of their names.

    Raises:
        NotADirectoryError: when there is no such folder.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is no folder.")
    found = [path for path in folder.iterdir() if not path.name.startswith((".", "_"))]
    usable = [path for path in found if path.is_dir() or path.suffix == ".zip"]
    return [Entry(path.stem if path.suffix == ".zip" else path.name, path) for path in sorted(usable)]


def collected(entry: Entry, into: Path) -> list[str]:
    """Write an entry's modules into a folder, under their exercises' names.

    Args:
        entry: what was handed in.
        into: an empty folder.

    Returns:
        Where each module came from, and what could not be read, in words.

    Raises:
        ValueError: for a zip that cannot be unpacked safely, or an entry without a single module.
    """
    source = entry.path
    if source.is_file():
        source = into / "_unpacked"
        _unpack(entry.path, source)
    notes = _modules(source, into) + _cells(source, into)
    if source != entry.path:
        shutil.rmtree(source)
    if not any((into / f"{name}.py").is_file() for name in EXERCISES):
        raise ValueError("没有找到练习：既没有 starter/ 里的模块，也没有带 %%exercise 的笔记本")
    return notes


def fingerprint(folder: Path) -> str:
    """Name the content of a folder of modules."""
    content = {path.name: path.read_bytes().hex() for path in sorted(folder.glob("*.py"))}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _unpack(path: Path, into: Path) -> None:
    into.mkdir()
    try:
        with zipfile.ZipFile(path) as packed:
            members = [member for member in packed.infolist() if not member.is_dir()]
            if len(members) > MOST_FILES or sum(member.file_size for member in members) > MOST_BYTES:
                raise ValueError(f"压缩包太大：{len(members)} 个文件")
            for member in members:
                parts = PurePosixPath(member.filename.replace("\\", "/")).parts
                if ".." in parts or member.filename.startswith(("/", "\\")) or ":" in parts[0]:
                    raise ValueError(f"压缩包里有不安全的路径：{member.filename}")
                if parts[-1].endswith((".py", ".ipynb")) and "__MACOSX" not in parts:
                    target = into.joinpath(*parts)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(packed.read(member))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as error:
        raise ValueError(f"压缩包打不开：{error}") from error


def _modules(source: Path, into: Path) -> list[str]:
    """Take the modules of the folder nearest to the top that has any; ``starter`` before others of the same depth."""
    folders = {path.parent for name in EXERCISES for path in source.rglob(f"{name}.py") if _own(path, source)}
    if not folders:
        return []
    chosen = min(folders, key=lambda folder: (len(folder.parts), folder.name != "starter", folder))
    for path in sorted(chosen.glob("*.py")):
        if path.is_file() and not path.is_symlink():
            shutil.copyfile(path, into / path.name)
    return [f"模块来自 {_relative(chosen, source)}/"]


def _cells(source: Path, into: Path) -> list[str]:
    """Take exercise cells out of notebooks, for exercises that have no module; the last cell of a name counts."""
    notes, found = [], dict[str, tuple[str, str]]()
    for path in _in_order(source.rglob("*.ipynb")):
        if not _own(path, source) or ".ipynb_checkpoints" in path.parts or path.stat().st_size > LARGEST_NOTEBOOK:
            continue
        try:
            cells = json.loads(path.read_text(encoding="utf-8-sig"))["cells"]
            texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        except (ValueError, KeyError, TypeError) as error:
            notes.append(f"{_relative(path, source)} 读不出来：{type(error).__name__}")
            continue
        for text in texts:
            first, _, body = text.partition("\n")
            header = HEADER.match(first)
            name = header["name"].strip() if header else ""
            if name in EXERCISES:
                found[name] = (body, str(_relative(path, source)))
    for name, (body, where) in found.items():
        if not (into / f"{name}.py").is_file():
            (into / f"{name}.py").write_text(body, encoding="utf-8")
            notes.append(f"{name} 来自 {where} 的练习单元格")
    return notes


def _own(path: Path, source: Path) -> bool:
    """Leave out what is the course's own, a virtual environment, and links that lead elsewhere."""
    parts = path.relative_to(source).parts[:-1]
    theirs = {"solution", "checks", "site-packages", ".venv", "node_modules", "querylab"}
    return not path.is_symlink() and not theirs.intersection(parts) and path.resolve().is_relative_to(source.resolve())


def _in_order(paths: Iterable[Path]) -> list[Path]:
    """Sort by name with figures as figures, so that 「10」 comes after 「9」."""
    return sorted(paths, key=lambda path: [int(part) if part.isdigit() else part for part in _PARTS.findall(str(path))])


_PARTS = re.compile(r"\d+|\D+")


def _relative(path: Path, source: Path) -> str:
    return path.relative_to(source).as_posix()
