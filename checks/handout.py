"""``python -m checks.handout``: write ``starter/`` and the notebooks' exercise cells from ``solution/``."""

import json
import sys

from querylab import settings
from querylab.lesson.handout import starter_text
from querylab.pipeline.techniques import EXERCISES

NOTEBOOKS = settings.ROOT / "notebooks"


def main() -> int:
    """Write everything that is handed out; print what changed."""
    for exercise in EXERCISES.values():
        text = starter_text(settings.SOLUTION_DIR / f"{exercise.name}.py")
        path = settings.STARTER_DIR / f"{exercise.name}.py"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(settings.ROOT)}")
        notebook = NOTEBOOKS / exercise.notebook
        if notebook.exists() and _write_cell(notebook, exercise.name, text):
            print(f"wrote the %%exercise {exercise.name} cell of {notebook.name}")
    return 0


def _write_cell(notebook, name: str, text: str) -> bool:
    content = json.loads(notebook.read_text(encoding="utf-8"))
    wanted = f"%%exercise {name}\n{text}".rstrip("\n").splitlines(keepends=True)
    changed = False
    for cell in content["cells"]:
        if "".join(cell["source"]).startswith(f"%%exercise {name}\n") and cell["source"] != wanted:
            cell["source"] = wanted
            changed = True
    if changed:
        notebook.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return changed


if __name__ == "__main__":
    sys.exit(main())
