"""``python -m checks.mutants [EXERCISE ...] [--seed N --share X] [--jobs N]``: is every small fault seen?

Each reference solution is changed in one place by program (another comparison, a constant one off, a dropped, doubled
or unawaited call, arguments swapped, a pattern with one alternative less, a statement gone, …), and each of these
mutants is judged as a hand-in would be. One that passes must stand in ``checks/mutants_equal.jsonl`` with the reason
why it is no fault. Exit code 0 when at least 97 % of the others are seen.

Source: Clegg, Fraser, McMinn, "Diagnosing the quality of mutation-based test suites for programming assessments",
SIGCSE 2021; Perretta, DeOrio, Guha, Bell, "On the use of mutation analysis for evaluating student test suite quality",
ISSTA 2022.
"""

import argparse
import ast
import json
import multiprocessing
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from querylab import settings
from querylab.pipeline.techniques import EXERCISES, source_of

EQUAL = Path(__file__).with_name("mutants_equal.jsonl")
LEAST_KILLED = 0.97


@dataclass(frozen=True)
class Mutant:
    """One reference with one change.

    Attributes:
        exercise: whose.
        name: function, old text and new text; the same for the same change on every machine.
        source: the whole module.
    """

    exercise: str
    name: str
    source: str


# ── the changes ─────────────────────────────────────────────────────────────────────────────────
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_REVERSED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


_SIBLINGS: dict[str, tuple[str, ...]] = {
    "prompts": ("hyde", "step_back", "multi_query", "classify", "sub_questions"),
    "reply": ("line", "text", "lines"),
    "budgets": ("default", "multi_hop"),
    "drift": ("lost", "added", "unasked"),
    "settings": ("DRIFT_OK", "DRIFT_FLOOR"),
    "asyncio": ("gather", "wait"),
    "search": ("ids", "hits", "query"),
}
"""Names that stand in for each other by mistake, each with the next ones of its family."""


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


def _expressions(node: ast.expr) -> Iterator[str]:
    """Texts to stand in an expression's place."""
    match node:
        case ast.Compare(left, [operator], [right]):
            for table in (_OPPOSITE, _REVERSED):
                if type(operator) in table:
                    yield _text(ast.Compare(left, [table[type(operator)]()], [right]))
        case ast.BoolOp(operator, values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield f"({_text(ast.BoolOp(other, values))})"
            for index in range(len(values)):
                rest = [value for number, value in enumerate(values) if number != index]
                yield f"({_text(ast.BoolOp(operator, rest) if len(rest) > 1 else rest[0])})"
        case ast.UnaryOp(ast.Not(), operand):
            yield _text(operand)
        case ast.BinOp(left, ast.Add(), right):
            yield _text(ast.BinOp(left, ast.Sub(), right))
        case ast.Constant(value=bool() as value):
            yield repr(not value)
        case ast.Constant(value=int() as value):
            yield repr(value + 1)
            yield repr(value - 1)
        case ast.Constant(value=str() as value) if value:
            yield repr("")
            yield repr(f"{value}x")
        case ast.Await(value):
            yield _text(value)
        case ast.Call(function, arguments, keywords):
            yield from _calls(node, function, arguments, keywords)
        case ast.Subscript(value, ast.Slice()):
            yield _text(value)
        case ast.List(elements) | ast.Tuple(elements) if len(elements) > 1:
            kind = type(node)
            yield _text(kind([*elements[1:], elements[0]], ast.Load()))
            for index in range(len(elements)):
                yield _text(kind([item for number, item in enumerate(elements) if number != index], ast.Load()))
        case ast.IfExp(test, body, other):
            yield f"({_text(ast.IfExp(test, other, body))})"
        case ast.Attribute(ast.Name(base), name) if name in _SIBLINGS.get(base, ()):
            place = _SIBLINGS[base].index(name)
            others = (_SIBLINGS[base][place + 1 :] + _SIBLINGS[base][:place])[:3]
            yield from (f"{base}.{other}" for other in others)
        case ast.ListComp(element, [loop]) | ast.GeneratorExp(element, [loop]) if loop.ifs:
            bare = ast.comprehension(loop.target, loop.iter, [], loop.is_async)
            yield _text(type(node)(element, [bare]))


def _calls(node: ast.expr, function: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Iterator[str]:
    starred = any(isinstance(argument, ast.Starred) for argument in arguments)
    if len(arguments) == 1 and not keywords and not starred:
        yield _text(arguments[0])
    if isinstance(function, ast.Attribute) and not isinstance(function.value, ast.Name):
        yield _text(function.value)
    if isinstance(function, ast.Attribute) and not arguments and not keywords:
        yield _text(function.value)
    if len(arguments) > 1 and not starred:
        yield _text(ast.Call(function, [arguments[1], arguments[0], *arguments[2:]], keywords))
        yield _text(ast.Call(function, arguments[:-1], keywords))
    for index in range(len(keywords)):
        rest = [keyword for number, keyword in enumerate(keywords) if number != index]
        yield _text(ast.Call(function, arguments, rest))


def _statements(node: ast.stmt) -> Iterator[str]:
    """Texts to stand in a statement's place, indented as it is."""
    indent = "\n" + " " * node.col_offset
    match node:
        case ast.Return(value) if value is not None:
            yield "return None"
            if any(isinstance(part, ast.Await) for part in ast.walk(value)):
                yield f"{_text(value)}{indent}{_text(node)}"
        case ast.Assign() | ast.AugAssign() | ast.Expr():
            yield "pass"
            if any(isinstance(part, ast.Await) for part in ast.walk(node)):
                yield f"{_text(node)}{indent}{_text(node)}"
        case ast.Raise() | ast.Assert():
            yield "pass"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"


def _alternatives(pattern: str) -> Iterator[str]:
    """The pattern with one of its outermost alternatives left out."""
    parts, depth, start, inside, index = [], 0, 0, False, 0
    while index < len(pattern):
        letter = pattern[index]
        if letter == "\\":
            index += 2
            continue
        inside = (inside or letter == "[") and letter != "]"
        depth += (letter == "(") - (letter == ")") if not inside else 0
        if letter == "|" and not depth and not inside:
            parts.append(pattern[start:index])
            start = index + 1
        index += 1
    parts.append(pattern[start:])
    if len(parts) > 1:
        for left_out in range(len(parts)):
            yield "|".join(part for number, part in enumerate(parts) if number != left_out)


# ── from a change to a module ───────────────────────────────────────────────────────────────────
def mutants(exercise: str) -> list[Mutant]:
    """Make every mutant of a reference that Python can read; in the order of the text."""
    source = source_of(settings.SOLUTION_DIR / f"{exercise}.py")
    tree, names, made = ast.parse(source), Counter[str](), dict[str, Mutant]()
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    whole = source.encode()
    parameters = {
        node.name: [argument.arg for argument in node.args.args]
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for node, within in _places(tree):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        old = whole[begin:end].decode()
        for new in dict.fromkeys(_changes(node, within, parameters.get(within, ()))):
            text = (whole[:begin] + new.encode() + whole[end:]).decode()
            try:
                same = ast.dump(ast.parse(text)) == ast.dump(tree)
            except SyntaxError:
                continue
            name = f"{within or 'module'}: {_named(old, new)}"
            names[name] += 1
            name += f" #{names[name]}" if names[name] > 1 else ""
            if not same and text not in made:
                made[text] = Mutant(exercise, name, text)
    return list(made.values())


def _named(old: str, new: str) -> str:
    """Name a change; of long texts only where they part."""
    old, new = " ".join(old.split()), " ".join(new.split())
    if len(old) + len(new) <= 200:
        return f"{old} → {new}"
    begin = _alike(old, new)
    end = _alike(old[begin:][::-1], new[begin:][::-1])
    cut = slice(max(0, begin - 12), None)
    return f"…{old[cut][: len(old[cut]) - end][:120]}… → …{new[cut][: len(new[cut]) - end][:120]}…"


def _alike(one: str, other: str) -> int:
    """Count the characters in which two texts begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def _changes(node: ast.AST, within: str, parameters: Sequence[str]) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in parameters:
        yield from (other for other in parameters if other != node.id)
    if isinstance(node, ast.Return) and isinstance(node.value, ast.List | ast.Subscript | ast.Call):
        yield f"return ({_text(node.value)})[1:]"
        yield f"return ({_text(node.value)})[::-1]"
        yield f"return tuple({_text(node.value)})"
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "|" in node.value and within == "":
        yield from map(repr, _alternatives(node.value))
        return
    if isinstance(node, ast.expr):
        yield from _expressions(node)
    elif isinstance(node, ast.stmt):
        yield from _statements(node)


def _places(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Every expression and statement that may be changed, with the function it stands in; no docstring."""

    def walk(node: ast.AST, within: str) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or name in ("annotation", "returns", "decorator_list"):
                    continue
                if isinstance(child, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.arguments):
                    continue
                if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                    continue
                inside = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else within
                if isinstance(child, ast.expr | ast.stmt):
                    yield child, inside
                yield from walk(child, inside)

    yield from walk(tree, "")


# ── the run ─────────────────────────────────────────────────────────────────────────────────────
def killed(mutant: Mutant) -> str:
    """Judge one mutant; the message that it gets, "" when it passes."""
    from checks.judge import ALL, judge_in_full  # in the worker: the lab is opened there

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{mutant.exercise}.py").write_text(mutant.source, encoding="utf-8")
        for check in ALL:
            if check.exercise == mutant.exercise:
                verdict = judge_in_full(check.id, Path(folder)).verdict
                if verdict.state != "passed":
                    return str(verdict)
    return ""


def equal() -> dict[tuple[str, str], str]:
    """Read the mutants that are known to be no fault: (exercise, name) → why."""
    lines = EQUAL.read_text(encoding="utf-8").splitlines() if EQUAL.is_file() else []
    entries = [json.loads(line) for line in lines if line.strip()]
    return {(entry["exercise"], entry["mutant"]): entry["why"] for entry in entries}


def chosen(exercises: Sequence[str], seed: int = 0, share: float = 1.0) -> list[Mutant]:
    """Make the mutants of some exercises; a seeded share of each one's."""
    found = []
    for exercise in exercises:
        made = mutants(exercise)
        if share < 1:
            made = random.Random(f"{seed} {exercise}").sample(made, max(1, round(share * len(made))))
        found += made
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants, and say which were not seen."""
    parser = argparse.ArgumentParser(prog="python -m checks.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE", help="all eleven when none is named")
    parser.add_argument("--seed", type=int, default=0, help="which share")
    parser.add_argument("--share", type=float, default=1.0, help="part of each exercise's mutants, 0 to 1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="also say how each one was seen")
    options = parser.parse_args(arguments)
    unknown = set(options.exercises) - set(EXERCISES)
    if unknown:
        parser.error(f"no exercise is called {', '.join(sorted(unknown))}; known: {', '.join(EXERCISES)}")
    todo = chosen(options.exercises or list(EXERCISES), options.seed, options.share)
    for exercise in dict.fromkeys(mutant.exercise for mutant in todo):
        said = killed(Mutant(exercise, "unchanged", source_of(settings.SOLUTION_DIR / f"{exercise}.py")))
        if said:  # a judge that turns everything down sees nothing
            print(f"{exercise}: the reference itself is turned down: {said}")
            return 1
    known, seen, passed, strange = equal(), Counter[str](), [], []
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for mutant, said in zip(todo, pool.map(killed, todo), strict=True):
            if said:
                seen[mutant.exercise] += 1
            else:
                passed.append(mutant)
                if (mutant.exercise, mutant.name) not in known:
                    strange.append(mutant)
                    print(f"not seen: {mutant.exercise}: {mutant.name}", flush=True)
            if options.verbose and said:
                print(f"{mutant.exercise}: {mutant.name}\n    {said.splitlines()[0]}", flush=True)
    for exercise, count in Counter(mutant.exercise for mutant in todo).items():
        listed = sum(mutant.exercise == exercise for mutant in passed) - sum(m.exercise == exercise for m in strange)
        print(f"{exercise}: {seen[exercise]} of {count} seen, {listed} known to be no fault")
    faults = len(todo) - len(passed) + len(strange)
    share = (faults - len(strange)) / max(1, faults)
    counted = f"{faults - len(strange)} of {faults} faults seen ({share:.1%})"
    print(f"{len(todo)} mutants: {counted}, {len(passed) - len(strange)} known to be no fault")
    return 0 if share >= LEAST_KILLED else 1


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
