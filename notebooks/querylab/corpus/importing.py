"""A folder of documents of many kinds turned into a corpus: Markdown, text, HTML, Word, PDF, PowerPoint, Excel.

Incremental: ``import.json`` remembers each source's digest, so that only what changed is read again. A document's id is
made of its path, so it stays the same whatever changes inside. What somebody edited by hand in the corpus is not
overwritten.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from querylab import settings
from querylab.corpus.beir import language_of
from querylab.corpus.sections import Section, cut

PLAIN = (".md", ".markdown", ".txt")
CONVERTED = (".html", ".htm", ".docx", ".pdf", ".pptx", ".xlsx")
_MEMORY = "import.json"
_VERSION = 1  # of the way sections are cut; another one reads everything again


@dataclass
class Imported:
    """What an import did, by the sources' paths inside the folder.

    Attributes:
        read: source → number of sections.
        unchanged: read at an earlier import.
        removed: documents whose source is gone.
        skipped: source → why.
    """

    read: dict[str, int] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Known:
    """What an earlier import remembers of one source."""

    doc_id: str
    digest: str
    written: str


def import_folder(source: Path, out: Path, name: str = "", progress: bool = False) -> Imported:
    """Turn a folder into a corpus, or bring that corpus up to date.

    Args:
        source: a folder with documents, at any depth; hidden files are passed over.
        out: the corpus folder; made where it is missing. Its manifest, questions and dialogues are left alone.
        name: of the corpus, for a new manifest; the source folder's when empty.
        progress: show a bar when it takes over a second.

    Returns:
        What was read, left, removed and skipped, and why.

    Raises:
        SettingError: when the source is no folder, lies round the corpus, or the packages for other kinds than Markdown
            and text are missing though they are needed.
    """
    from tqdm.auto import tqdm

    if not source.is_dir():
        raise settings.SettingError(f"{source} is no folder. Name the one in which the documents are.")
    if source.resolve() in (out.resolve(), *out.resolve().parents):
        raise settings.SettingError(f"{out} lies inside {source}, and would be imported itself. Choose another place.")
    docs = out / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    memory = _remembered(out)
    done, sample = Imported(), []
    paths = sorted(path for path in source.rglob("*") if path.is_file() and not _hidden(path.relative_to(source)))
    convert = _converter() if any(path.suffix.lower() in CONVERTED for path in paths) else None
    for path in tqdm(paths, desc="importing", unit="file", delay=1, disable=not progress):
        key = path.relative_to(source).as_posix()
        if path.suffix.lower() not in (*PLAIN, *CONVERTED):
            done.skipped[key] = f"{path.suffix or 'a file without ending'} is not read"
            continue
        digest = _digest(path.read_bytes())
        known, target = memory.get(key), docs / f"{doc_id_of(key)}.md"
        if known and target.is_file():
            if known.digest == digest:
                done.unchanged.append(key)
                continue
            if _digest(target.read_bytes()) != known.written:
                done.skipped[key] = f"changed, but {target.name} was edited by hand; delete that file to read it anew"
                continue
        try:
            markdown = _plain(path) if convert is None or path.suffix.lower() in PLAIN else convert(path)
        except Exception as error:  # a converter raises whatever its library does; the others are to be read
            done.skipped[key] = f"cannot be read: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            continue
        title, sections = cut(markdown, path.stem)
        if not sections:
            done.skipped[key] = "no text in it (a scan has none: it needs OCR first)"
            continue
        written = _write(target, doc_id_of(key), title, sections)
        memory[key] = _Known(doc_id_of(key), digest, written)
        done.read[key] = len(sections)
        sample.append(sections[0].body[:500])
    for key in sorted(memory.keys() - {path.relative_to(source).as_posix() for path in paths}):
        (docs / f"{memory.pop(key).doc_id}.md").unlink(missing_ok=True)
        done.removed.append(key)
    manifest = out / "manifest.toml"
    if not manifest.exists():
        head = f"name = {json.dumps(name or source.resolve().name, ensure_ascii=False)}\n"
        manifest.write_text(f'{head}language = "{language_of("".join(sample))}"\n', encoding="utf-8")
    kept = {"version": _VERSION, "sources": {key: asdict(known) for key, known in sorted(memory.items())}}
    (out / _MEMORY).write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return done


def doc_id_of(key: str) -> str:
    """Make a document's id of its path inside the folder: what is legible of its name, and a digest of the path."""
    readable = re.sub(r"[^a-z0-9]+", "-", Path(key).stem.lower()).strip("-")[:40].strip("-")
    return f"{readable or 'doc'}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "~$")) for part in path.parts)


def _remembered(out: Path) -> dict[str, _Known]:
    path = out / _MEMORY
    if not path.is_file():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    if found["version"] != _VERSION:
        # Nothing counts as unchanged, but what was edited by hand is still known.
        return {key: _Known(**known | {"digest": ""}) for key, known in found["sources"].items()}
    return {key: _Known(**known) for key, known in found["sources"].items()}


def _converter() -> Callable[[Path], str]:
    try:
        from markitdown import MarkItDown
    except ImportError as error:
        raise settings.SettingError(
            'HTML, Word, PDF, PowerPoint and Excel need more packages:  pip install -e ".[import]" -c constraints.txt'
        ) from error
    converter = MarkItDown(enable_plugins=False)
    return lambda path: converter.convert_local(path).markdown


def _plain(path: Path) -> str:
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("gb18030")  # what Chinese Windows writes


def _write(target: Path, doc_id: str, title: str, sections: list[Section]) -> str:
    lines = ["---", f"id: {doc_id}", f"title: {title}", "---", ""]
    for section in sections:
        lines += [f"## {section.heading}", "", section.body, ""]
    raw = "\n".join(lines).encode()
    target.write_bytes(raw)
    return _digest(raw)


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
