"""The mock knows language, not this lab: its literals against the lab's documents and questions."""

import ast
import json
import re
from pathlib import Path

from querylab.text import normalise

from checks.handout import NOTEBOOKS

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "notebooks/querylab/rules"
RULES = [*sorted(HOME.glob("*.py")), *sorted(HOME.glob("*.txt"))]
LONG = 6
"""Characters from which a phrase shared with one of the lab's own questions is no accident."""


def literals(path: Path) -> set[str]:
    """Every string constant of a module that is no docstring; every line of a list."""
    if path.suffix == ".txt":
        return {normalise(line) for line in path.read_text(encoding="utf-8").splitlines() if line[:1] != "#"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    homes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, homes) and node.body and isinstance(node.body[0], ast.Expr)
    }
    return {
        normalise(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    }


def words_of_rules() -> set[str]:
    return {
        word for path in RULES for text in literals(path) for word in re.findall(r"[\u4e00-\u9fff]+|[a-z]+|\d+", text)
    }


def asked_by_the_lab() -> str:
    texts = []
    for path in sorted((ROOT / "corpus").glob("questions*.jsonl")):
        texts += [
            json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
        ]
    for line in (ROOT / "corpus" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines():
        texts += [turn[key] for turn in json.loads(line)["turns"] for key in ("user", "standalone", "assistant")]
    return normalise("\n".join(texts))


def test_no_rule_holds_a_phrase_of_the_labs_questions():
    asked = asked_by_the_lab()
    assert not sorted(word for word in words_of_rules() if len(word) >= LONG and word in asked)


def test_no_rule_knows_a_name_of_the_corpus(corpus):
    """Persons, systems, regulations: what only this company's handbook can have told."""
    text = "\n".join(chunk.text for chunk in corpus.chunks)
    people = re.findall(r"(?:组长|主管|总经理|总裁|负责人)是([\u4e00-\u9fff]{2,3}?)(?=[，,；。、])", text)
    systems = re.findall(r"「([^」]{2,6})」", text)
    titles = [document.title for document in corpus.documents]
    assert len(people) > 10 and len(systems) > 4 and len(titles) == 30
    known = words_of_rules()
    assert not known & {normalise(name) for name in (*people, *systems, *titles)}


def test_no_rule_holds_a_figure_of_the_corpus(corpus):
    """Numbers of three or more digits in a rule would be somebody's amount; years and codes of talk are few."""
    figures = set(re.findall(r"\d{3,}", "\n".join(chunk.text for chunk in corpus.chunks)))
    mine = {word for word in words_of_rules() if re.fullmatch(r"\d{3,}", word)}
    assert not mine & figures


def test_the_lessons_examples_are_not_in_the_rules():
    """Words that the lesson uses as its examples of a gap must not be bridged by a lexicon."""
    joined = "\n".join(text for path in RULES for text in literals(path))
    for word in ("扩容", "采样率", "主备切换", "平台组", "住宿费", "变更评审"):
        assert word not in joined, word


def test_the_notebooks_call_mock_numbers_mock():
    for path in sorted(NOTEBOOKS.glob("0[1-9]_*.ipynb")):  # 00 calls no model
        assert "规则" in path.read_text(encoding="utf-8"), path.name
