"""What only a notebook understands, found in the text of an exercise cell before it runs as a file.

In goes the text of a module; out come sentences that name the line and what to do.
"""

import ast
import builtins
import symtable
from collections.abc import Collection, Iterator

MOVE = "试一试的代码请写在下面的单元格里"


class CannotStandInAFile(RuntimeError):
    """A cell holds lines that a saved file cannot hold; a notebook shows the sentences alone."""

    def __init__(self, file: str, lines: list[str]) -> None:
        """Keep the sentences."""
        super().__init__("\n".join([f"✗ 已存为 {file}，但它不能当文件运行，所以没有运行：", *lines]))

    def _render_traceback_(self) -> list[str]:
        return [str(self.args[0])]


def cannot_stand(source: str) -> list[str]:
    """Name the lines that a file cannot hold: ``%`` and ``!`` commands, a trailing ``?``, ``await`` outside a function.

    Args:
        source: Python source; what is wrong in it for other reasons is left to Python itself.

    Returns:
        Sentences with line numbers of the file (from 1); none when it can stand.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        line = source.splitlines()[error.lineno - 1] if error.lineno and error.lineno <= source.count("\n") + 1 else ""
        if line.strip().startswith(("%", "!", "?")) or line.rstrip().endswith("?"):
            return [f"  第 {error.lineno} 行「{line.strip()}」是笔记本的命令，Python 文件里没有。{MOVE}。"]
        return []
    return [
        f"  第 {node.lineno} 行在函数外面写了 await，Python 文件里不行。{MOVE}。" for node in _awaited_outside(tree)
    ]


def _awaited_outside(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Walk what runs when the module is loaded, not the bodies of its functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield child
        else:
            yield from _awaited_outside(child)


def borrowed_names(source: str, notebook: Collection[str]) -> list[str]:
    """Name what the text uses without defining it, first use each.

    Args:
        source: Python source that parses.
        notebook: names that the notebook knows from other cells.

    Returns:
        One sentence a name; none where the text imports ``*``, since then nobody can tell.
    """
    tree = ast.parse(source)
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        return []
    table = symtable.symtable(source, "cell", "exec")
    known = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    known |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_namespace()}
    known |= {name for name in _assigned_by_global(table)} | {*dir(builtins), "__file__"}
    used = {symbol.get_name() for scope in _scopes(table) for symbol in scope.get_symbols() if _is_read(scope, symbol)}
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in used - known:
            lines[node.id] = min(node.lineno, lines.get(node.id, node.lineno))
    return [
        f"⚠ 第 {line} 行用到的 {name} "
        + ("是别的单元格里的，文件里没有：把它也写进这个单元格。" if name in notebook else "没有定义。")
        for name, line in sorted(lines.items(), key=lambda item: (item[1], item[0]))
    ]


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _is_read(scope: symtable.SymbolTable, symbol: symtable.Symbol) -> bool:
    return symbol.is_referenced() and (symbol.is_global() or scope.get_type() == "module")


def _assigned_by_global(table: symtable.SymbolTable) -> Iterator[str]:
    for scope in _scopes(table):
        yield from (s.get_name() for s in scope.get_symbols() if s.is_declared_global() and s.is_assigned())
