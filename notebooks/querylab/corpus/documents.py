"""Documents: Markdown files with front matter, cut into sections at their headings.

A file is ``---``, ``id:`` and ``title:``, ``---``, then sections headed ``## ``. What stands in a code fence or an
HTML comment is text, whatever it begins with. What an editor or a system left behind (``._x.md``, ``~$x.md``) is
passed over.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from querylab.corpus.model import Document
from querylab.corpus.reader import Reader, line_of
from querylab.text import count_tokens
from querylab.types import Chunk

MARKDOWN = (".md", ".markdown")
_LEFT_BEHIND = (".", "~$")


def read_documents(reader: Reader, budget: int) -> list[Document]:
    """Read every Markdown file under ``docs``, in the order of their paths.

    Args:
        reader: of the corpus folder.
        budget: tokens; a section larger than that is warned of, because a context holds it only cut.
    """
    folder, before = reader.folder / "docs", len(reader.faults)
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(_LEFT_BEHIND))
    documents: list[Document] = []
    seen: dict[str, Path] = {}
    for path in paths:
        if path.suffix.lower() not in MARKDOWN:
            reader.warn(path, None, f"left out: only {' and '.join(MARKDOWN)} files are read")
            continue
        document = _document(reader, path)
        if document is None:
            continue
        if document.id in seen:
            text = path.read_text(encoding="utf-8-sig")
            message = f"id {document.id!r} is already that of {seen[document.id].name}"
            reader.fault(path, line_of(text, "id:"), message)
            continue
        seen[document.id] = path
        documents.append(document)
        for chunk in document.chunks:
            if chunk.tokens > budget:
                words = f"section {chunk.id} has {chunk.tokens} tokens, the narrow budget {budget}: it is used only cut"
                reader.warn(path, None, words)
    if not documents and len(reader.faults) == before:
        reader.fault(folder, None, "no documents; put at least one .md file there")
    return documents


def _document(reader: Reader, path: Path) -> Document | None:
    text = reader.text(path)
    if text is None:
        return None
    lines = text.split("\n")
    if lines[0].strip() != "---":
        reader.fault(path, 1, "no front matter; the file begins with a line ---, then id: and title:, then ---")
        return None
    close = next((n for n, line in enumerate(lines[1:], start=1) if line.strip() == "---"), None)
    if close is None:
        reader.fault(path, 1, "the front matter that opens here is never closed by a line ---")
        return None
    before = len(reader.faults)
    head = _front_matter(reader, path, lines[1:close])
    for key in ("id", "title"):
        if not head.get(key):
            reader.fault(path, 1, f"the front matter has no {key}")
    doc_id = head.get("id", "")
    if doc_id:
        reader.check_id(path, line_of(text, "id:"), doc_id)
    chunks = _sections(reader, path, lines, close + 1, doc_id, head.get("title", ""))
    if len(reader.faults) > before:
        return None
    return Document(doc_id, head["title"], path, tuple(chunks))


def _front_matter(reader: Reader, path: Path, lines: Sequence[str]) -> dict[str, str]:
    """Read ``key: value`` lines; comments, lists and what is indented belong to keys that the lab does not use."""
    head: dict[str, str] = {}
    for number, line in enumerate(lines, start=2):
        if not line.strip() or line.startswith(("#", "- ", " ", "\t")):
            continue
        key, colon, value = line.partition(":")
        if not colon:
            reader.fault(path, number, f"expected 'key: value' in the front matter, found {line.strip()!r}")
            continue
        if key.strip() in head:
            reader.fault(path, number, f"{key.strip()!r} stands twice in the front matter")
        head[key.strip()] = value.strip().strip("\"'")
    return head


def _sections(reader: Reader, path: Path, lines: Sequence[str], start: int, doc_id: str, title: str) -> list[Chunk]:
    sections: list[tuple[int, str, list[str]]] = []
    for number, line, heads in _headings(lines, start):
        if heads:
            sections.append((number, line[2:].strip(), []))
        elif sections:
            sections[-1][2].append(line)
        elif line.strip():
            reader.fault(path, number, "text before the first section; every text belongs under a heading '## '")
            break
    if not sections:
        reader.fault(path, None, "no section; a document has at least one heading '## ' with text under it")
    chunks = []
    for index, (number, heading, body_lines) in enumerate(sections, start=1):
        body = "\n".join(body_lines).strip()
        if not heading:
            reader.fault(path, number, "a section without a heading text")
        if not body:
            reader.fault(path, number, f"the section {heading!r} is empty")
        tokens = count_tokens(f"{title}\n{heading}\n{body}")
        chunks.append(Chunk(f"{doc_id}#{index}", doc_id, title, heading, body, tokens))
    return chunks


def _headings(lines: Sequence[str], start: int) -> Iterator[tuple[int, str, bool]]:
    """Go through lines as (number, line, whether it is a heading): none is inside a code fence or an HTML comment."""
    fence, comment = "", False
    for number, line in enumerate(lines[start:], start=start + 1):
        mark = line.strip()[:3]
        quiet = bool(fence) or comment
        if not comment and mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
        if not fence:
            opened, closed = line.rfind("<!--"), line.rfind("-->")
            comment = opened > closed if opened >= 0 or closed >= 0 else comment
        yield number, line, not quiet and (line.startswith("## ") or line.strip() == "##")
