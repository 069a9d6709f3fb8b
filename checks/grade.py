"""``python -m checks.grade DIR [--out report/] [--jobs 2]``: judge a whole class, and write a report.

Each entry of DIR is one student's: a folder with the modules of ``starter/``, a zip of it, or a folder of notebooks
(the exercise cells are taken out; stored outputs are not believed). Written are ``results.csv``, ``results.json`` and
``index.html``, the same bytes for the same input. What the same checks have judged already is not judged again.

Exit code 0 when every entry was judged, whatever came out; 1 when one could not be read; 2 when nothing was there.
"""

import argparse
import csv
import hashlib
import io
import json
import multiprocessing
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.pipeline.lab import Lab
from querylab.rules.client import MockClient

from checks.desk import collect, page, similar
from checks.desk.marking import EXERCISE_CHECKS, mark

Result = dict[str, Any]


@lru_cache(maxsize=1)
def _lab() -> Lab:
    """The offline lab, whatever the environment asks for: grades depend on nothing of this machine."""
    return Lab.open(settings.CORPUS_DIR, "solution", MockClient())


@lru_cache(maxsize=1)
def rules() -> str:
    """Name everything that grades depend on besides the hand-in: the lab, the solution, the corpus and the checks."""
    content = hashlib.sha256()
    for folder in ("checks", "notebooks/querylab", "solution", "corpus"):
        for path in sorted((settings.ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".md", ".toml", ".jsonl") and "tests" not in path.parts:
                content.update(path.relative_to(settings.ROOT).as_posix().encode() + path.read_bytes())
    return content.hexdigest()


def graded(entry: collect.Entry, kept: Path) -> Result:
    """Judge one entry; take what is kept where nothing has changed.

    Args:
        entry: what was handed in.
        kept: the file in which its result is kept.

    Returns:
        The result: ``name``, ``error`` ("" when it was judged), ``notes``, and what :func:`mark` says.
    """
    nothing = {"checks": [], "minutes": 0, "row": None, "sources": {}}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        try:
            notes = collect.collected(entry, folder)
        except (ValueError, OSError) as error:
            return {"name": entry.name, "key": "", "error": str(error), "notes": [], **nothing}
        key = f"{collect.fingerprint(folder)} {rules()}"
        if kept.is_file():
            try:
                before = json.loads(kept.read_text(encoding="utf-8"))
            except ValueError:  # broken off while it was written
                before = {}
            if before.get("key") == key:
                return before | {"notes": notes}
        result = {"name": entry.name, "key": key, "error": "", "notes": notes, **mark(folder, _lab())}
    part = kept.with_suffix(".part")
    part.write_text(_json(result), encoding="utf-8")
    part.replace(kept)
    return result


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1, sort_keys=True) + "\n"


def _all(found: list[collect.Entry], out: Path, jobs: int) -> Iterator[Result]:
    """Judge all entries, several at once; each as it is done."""
    kept = {entry.name: out / "judged" / f"{entry.name}.json" for entry in found}
    if jobs == 1 or len(found) == 1:
        yield from (graded(entry, kept[entry.name]) for entry in found)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(graded, entry, kept[entry.name]) for entry in found]
        yield from (done.result() for done in as_completed(waiting))


def _csv(results: list[Result]) -> str:
    written = io.StringIO()
    names = [check.id for check in EXERCISE_CHECKS]
    figures = [key for key, _, _ in page.ROW]
    sheet = csv.writer(written, lineterminator="\n")
    sheet.writerow(["student", *names, "passed", "minutes", *figures, "error"])
    for result in results:
        states = {entry["id"]: entry["state"] for entry in result["checks"]}
        row = result["row"] or {}
        passed = sum(state == "passed" for state in states.values())
        cells = [states.get(name, "") for name in names] + [passed, result["minutes"]]
        sheet.writerow(
            [_plain(result["name"]), *cells, *(row.get(key, "") for key in figures), _plain(result["error"])]
        )
    return written.getvalue()


def _plain(text: str) -> str:
    """Keep a spreadsheet from reading a name as a formula."""
    return f"'{text}" if text[:1] in tuple("=+-@\t\r") else text


def main(arguments: list[str] | None = None) -> int:
    """Judge a class, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m checks.grade", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="one entry a student: a folder or a zip")
    parser.add_argument("--out", type=Path, default=Path("report"), help="where the report goes (default: report/)")
    parser.add_argument("--jobs", type=int, default=2, help="hand-ins judged at once (default: 2)")
    options = parser.parse_args(arguments)
    try:
        found = collect.entries(options.folder)
        (options.out / "judged").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"checks.grade: {error}", file=sys.stderr)
        return 2
    if not found:
        print(f"checks.grade: {options.folder} 里没有可以评的提交（每人一个文件夹或一个 zip）", file=sys.stderr)
        return 2
    results = []
    for result in _all(found, options.out, max(1, options.jobs)):
        results.append(result)
        states = [entry["state"] for entry in result["checks"]]
        told = result["error"] or f"{states.count('passed')} passed, {states.count('wrong')} wrong"
        print(f"[{len(results)}/{len(found)}] {result['name']}: {told}", file=sys.stderr, flush=True)
    results.sort(key=lambda result: result["name"])
    for number, result in enumerate(results, 1):
        result["number"] = number
    alike = similar.pairs({result["name"]: result["sources"] for result in results})
    (options.out / "results.csv").write_text("\ufeff" + _csv(results), encoding="utf-8", newline="")
    (options.out / "results.json").write_text(_json(results), encoding="utf-8", newline="")
    (options.out / "index.html").write_text(page.page(results, alike), encoding="utf-8", newline="")
    print(f"{len(results)} hand-ins: {options.out / 'index.html'}")
    return 1 if any(result["error"] for result in results) else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stderr.reconfigure(encoding="utf-8")
    sys.exit(main())
