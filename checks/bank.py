"""Hand-ins on file, made whole: a file of ``checks/wrong`` or ``checks/right`` as a folder that can be judged."""

import ast
from pathlib import Path

from querylab import settings
from querylab.pipeline.techniques import EXERCISES, Exercise, source_of

HERE = Path(__file__).parent


def exercise_of(path: Path) -> Exercise:
    """Tell the exercise from a file's name, ``EXERCISE__what.py``."""
    return EXERCISES[path.stem.partition("__")[0]]


def as_folder(path: Path, folder: Path) -> Path:
    """Write a file of the bank as the module of its exercise; what it does not define stands there as in the reference.

    Returns:
        The folder.
    """
    exercise, source = exercise_of(path), source_of(path)
    defined = {getattr(node, "name", "") for node in ast.parse(source).body}
    defined |= {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    if not set(exercise.functions) <= defined:
        source = f"{source_of(settings.SOLUTION_DIR / f'{exercise.name}.py')}\n\n{source}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{exercise.name}.py").write_text(source, encoding="utf-8")
    return folder
