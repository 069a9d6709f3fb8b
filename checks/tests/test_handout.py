"""What is handed out is the solution with parts removed, and nothing else."""

import ast
import asyncio
import inspect
import re

import pytest
from querylab import settings
from querylab.lesson.handout import starter_text
from querylab.pipeline.techniques import EXERCISES, MissingTechnique, Techniques, Unfinished, load_module

NAMES = list(EXERCISES)


def both(name):
    return load_module(settings.STARTER_DIR / f"{name}.py"), load_module(settings.SOLUTION_DIR / f"{name}.py")


def functions_of(exercise):
    return [name for name in exercise.functions if not name.isupper()]


@pytest.mark.parametrize("name", NAMES)
def test_starter_files_are_made_from_the_solution(name):
    handed_out = (settings.STARTER_DIR / f"{name}.py").read_text(encoding="utf-8")
    assert handed_out == starter_text(settings.SOLUTION_DIR / f"{name}.py"), "run  python -m checks.handout"


def test_both_folders_hold_exactly_the_exercises():
    for folder in (settings.STARTER_DIR, settings.SOLUTION_DIR):
        assert sorted(path.stem for path in folder.glob("*.py")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_names_signatures_and_docstrings_are_the_same(name):
    starter, solution = both(name)
    assert starter.__doc__ == solution.__doc__
    for function in functions_of(EXERCISES[name]):
        ours, theirs = getattr(solution, function), getattr(starter, function)
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert inspect.iscoroutinefunction(ours) == inspect.iscoroutinefunction(theirs)
        assert ours.__doc__ == theirs.__doc__
        assert len(theirs.__doc__) > 100


@pytest.mark.parametrize("name", NAMES)
def test_the_starter_gives_nothing_away(name):
    # Only what the exercise asks for and what is imported: no constant, no helper of the solution.
    source = ast.parse((settings.STARTER_DIR / f"{name}.py").read_text(encoding="utf-8"))
    defined = {node.name for node in source.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assigned = {node.target.id for node in source.body if isinstance(node, ast.AnnAssign)}
    assert defined | assigned == set(EXERCISES[name].functions)
    assert not [node for node in source.body if isinstance(node, ast.Assign | ast.ClassDef)]
    for function in (node for node in source.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
        assert len(function.body) == 2  # the docstring, and raise Unfinished


@pytest.mark.parametrize(
    ("exercise", "function"), [(name, function) for name in NAMES for function in functions_of(EXERCISES[name])]
)
def test_every_starter_function_raises_unfinished_with_its_name(exercise, function):
    starter, _ = both(exercise)
    technique = getattr(starter, function)
    arguments = [None] * len(inspect.signature(technique).parameters)

    async def call():
        value = technique(*arguments)
        return await value if inspect.isawaitable(value) else value

    with pytest.raises(Unfinished) as caught:
        asyncio.run(call())
    assert caught.value.what == function
    assert function in str(caught.value)
    assert f"notebooks/{EXERCISES[exercise].notebook}" in str(caught.value)
    assert isinstance(caught.value, NotImplementedError)


@pytest.mark.parametrize("name", ["DEFAULT_CONFIG", "REASONS"])
def test_values_to_be_chosen_are_none_in_the_starter(name):
    starter, solution = both("default_config")
    assert getattr(starter, name) is None
    assert getattr(solution, name)
    with pytest.raises(Unfinished):
        Techniques.of_track("starter").get(name)


@pytest.mark.parametrize("name", NAMES)
def test_no_import_is_left_that_the_student_would_not_need(name):
    solution = (settings.SOLUTION_DIR / f"{name}.py").read_text(encoding="utf-8")
    assert "Unfinished" not in solution
    starter = (settings.STARTER_DIR / f"{name}.py").read_text(encoding="utf-8")
    assert ("raise Unfinished" in starter) == bool(re.search(r"(?m)^from querylab import .*\bUnfinished\b", starter))


# ── starter_text on modules of its own ──────────────────────────────────────────────────────────
def test_an_exercise_without_one_of_its_functions_is_refused(tmp_path):
    path = tmp_path / "hyde.py"
    path.write_text('"""HyDE."""\n\nasync def hyde_queries(client, question):\n    """Doc."""\n', encoding="utf-8")
    with pytest.raises(ValueError, match="hypothetical_document"):
        starter_text(path)


def test_a_function_without_a_docstring_is_refused(tmp_path):
    path = tmp_path / "hyde.py"
    path.write_text('"""HyDE."""\n\nasync def hyde_queries(client, question):\n    return []\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"hyde_queries.*docstring"):
        starter_text(path)


def test_a_module_that_is_no_exercise_is_refused(tmp_path):
    path = tmp_path / "rerank.py"
    path.write_text('"""Rerank."""\n', encoding="utf-8")
    with pytest.raises(KeyError, match="rerank"):
        starter_text(path)


def test_helpers_and_bodies_are_taken_out(tmp_path):
    path = tmp_path / "hyde.py"
    path.write_text(
        '"""HyDE."""\n\nimport re\nfrom typing import Any\n\nSECRET = 5\n\n\ndef helper():\n    return SECRET\n\n\n'
        'async def hypothetical_document(client: Any, question: str) -> str:\n    """Doc one.\n\n    More.\n    """\n'
        "    return helper()\n\n\nasync def hyde_queries(client: Any, question: str) -> list[str]:\n"
        '    """Doc two."""\n    return []\n',
        encoding="utf-8",
    )
    assert starter_text(path) == (
        '"""HyDE."""\n\nimport re\nfrom typing import Any\n\nfrom querylab import Unfinished\n\n\n'
        'async def hypothetical_document(client: Any, question: str) -> str:\n    """Doc one.\n\n    More.\n    """\n'
        '    raise Unfinished("hypothetical_document")\n\n\n'
        'async def hyde_queries(client: Any, question: str) -> list[str]:\n    """Doc two."""\n'
        '    raise Unfinished("hyde_queries")\n'
    )


# ── Tracks ──────────────────────────────────────────────────────────────────────────────────────
def test_a_changed_file_counts_from_the_next_look_on(tmp_path):
    path = tmp_path / "hyde.py"
    path.write_text("hyde_queries = 1\n", encoding="utf-8")
    techniques = Techniques.of_track(tmp_path)
    assert techniques.get("hyde_queries") == 1
    path.write_text("hyde_queries = 22\n", encoding="utf-8")
    assert techniques.get("hyde_queries") == 22


def test_a_missing_module_is_not_yet_written_and_a_missing_name_is_a_mistake(tmp_path):
    techniques = Techniques.of_track(tmp_path)
    with pytest.raises(Unfinished):
        techniques.get("hyde_queries")
    (tmp_path / "hyde.py").write_text("hyde_querys = 1\n", encoding="utf-8")
    with pytest.raises(MissingTechnique, match=r"hyde\.py does not define hyde_queries"):
        techniques.get("hyde_queries")
    with pytest.raises(MissingTechnique, match="'nothing'"):
        techniques.get("nothing")


def test_borrowing_takes_one_exercise_from_the_solution():
    techniques = Techniques.of_track("starter").borrow("hyde")
    assert techniques.get("hyde_queries") is Techniques.of_track("solution").get("hyde_queries")
    assert techniques.get("step_back_query") is not Techniques.of_track("solution").get("step_back_query")
    with pytest.raises(MissingTechnique, match=r"'rerank'.*rewrite"):
        techniques.borrow("rerank")


def test_a_function_put_in_comes_first():
    mark = object()
    assert Techniques.of_track("solution").using(classify=mark).get("classify") is mark


@pytest.mark.parametrize("track", ["student", "/nowhere", ""])
def test_an_unknown_track_is_named(track, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(settings.SettingError, match="starter"):
        Techniques.of_track(track or "nothing-here")
