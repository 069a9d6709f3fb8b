"""The manifest of a corpus: its name and language, its budgets and gates."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.corpus.reader import Reader, line_of
from querylab.types import Budgets, Gates


def read_manifest(reader: Reader) -> dict[str, Any]:
    """Read ``manifest.toml``: name, language, budgets, gates, calibration; defaults where it says nothing."""
    path = reader.folder / "manifest.toml"
    values: dict[str, Any] = {
        "name": reader.folder.name,
        "language": "zh",
        "budgets": Budgets(settings.DEFAULT_BUDGET, settings.MULTI_HOP_BUDGET),
        "gates": None,
    }
    if not path.exists():
        reader.fault(path, None, 'missing; it needs at least  name = "…"  and  language = "zh"')
        return values
    text = reader.text(path)
    if text is None:
        return values
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"at line (\d+)", str(error))
        reader.fault(path, int(where[1]) if where else None, f"not TOML: {error}")
        return values
    for key in ("name", "language"):
        if not isinstance(data.get(key), str) or not data[key].strip():
            reader.fault(path, line_of(text, key), f'{key} = "…" is missing or not a text')
        else:
            values[key] = data[key]
    budgets = _table(reader, path, text, data, "budgets", ("default", "multi_hop"))
    if budgets is not None:
        numbers = {"default": settings.DEFAULT_BUDGET, "multi_hop": settings.MULTI_HOP_BUDGET} | budgets
        if all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in numbers.values()):
            values["budgets"] = Budgets(**numbers)
        else:
            reader.fault(path, line_of(text, "[budgets]"), f"budgets are whole tokens above 0, found {budgets}")
    gates = _table(reader, path, text, data, "gates", ("bm25", "cosine"))
    if gates is not None:
        if set(gates) == {"bm25", "cosine"} and all(_is_number(n) for n in gates.values()):
            values["gates"] = Gates(float(gates["bm25"]), float(gates["cosine"]))
        else:
            reader.fault(path, line_of(text, "[gates]"), f"[gates] needs two numbers, bm25 and cosine, found {gates}")
    if isinstance(data.get("calibration"), dict):
        values["calibration"] = data["calibration"]
    return values


def _table(
    reader: Reader, path: Path, text: str, data: Mapping[str, Any], name: str, keys: Sequence[str]
) -> dict[str, Any] | None:
    table = data.get(name)
    if table is None:
        return None
    if not isinstance(table, dict):
        reader.fault(path, line_of(text, name), f"[{name}] must be a table with {' and '.join(keys)}")
        return None
    for key in sorted(set(table) - set(keys)):
        reader.fault(path, line_of(text, key), f"[{name}] has no entry {key!r}; it takes {' and '.join(keys)}")
    return {key: table[key] for key in keys if key in table}


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) != float("inf")
    )
