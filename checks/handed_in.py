"""What a student handed in: found, called, loaded again, and named in a message.

The checks of notebook 09 go through here, so that a wrong name, a wrong signature, a forgotten or superfluous ``async``
end in a sentence that says what to do, and never in Python's own words alone.
"""

import ast
import inspect
import linecache
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from querylab import prompts, settings
from querylab.models.reply import BrokenReply
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import EXERCISES, MissingTechnique, exercise_of

from checks import verdict
from checks.verdict import Wrong


def look(lab: Lab, exercise: str, function: str = "") -> str:
    """Name the file that is judged, and the function in it: 「starter/sub_questions.py 的 search_parts」."""
    path = lab.techniques.path(EXERCISES[exercise])
    if not path.resolve().is_relative_to(settings.ROOT) and hasattr(lab.techniques, "sitting"):
        path = Path(path.name)  # a hand-in: the folder in which it was judged tells nobody anything
    elif path.resolve().is_relative_to(settings.ROOT):
        path = path.resolve().relative_to(settings.ROOT)
    return path.as_posix() + (f" 的 {function}" if function else "")


def function(lab: Lab, name: str, parameters: str) -> Callable[..., Any]:
    """Take one function of the student's.

    Args:
        lab: has the student's techniques.
        name: the function's.
        parameters: as the exercise writes them, such as ``question, rewrite, encoder, known=""``.

    Raises:
        Unfinished: when it is not written yet.
        Wrong: when there is no such function, or it cannot be called with these parameters.
    """
    exercise = exercise_of(name)
    where = look(lab, exercise.name) if exercise else name
    try:
        found = lab.techniques.get(name)
    except MissingTechnique as error:
        raise Wrong(
            f"没有找到 {name}：函数名要和练习里的一样",
            got=f"文件里没有 {name}",
            expected=f"def {name}({parameters})",
            look=where,
        ) from error
    if not callable(found):
        raise Wrong(f"{name} 应当是一个函数", got=repr(found)[:100], expected=f"def {name}({parameters})", look=where)
    names = parameters.split(", ")
    wanted = [item.partition("=")[0] for item in names]
    theirs = _names(found)
    if sorted(theirs) == sorted(wanted) and theirs != wanted:
        raise Wrong(
            f"{name} 的参数先后不对：检查和流水线按位置传入这些参数",
            got=f"{name}({', '.join(theirs)})",
            expected=f"{name}({parameters})",
            look=_defined(found) or where,
        )
    for count in {sum("=" not in item for item in names), len(names)}:
        if not _takes(found, count):
            raise Wrong(
                f"{name} 的参数不对：检查和流水线按位置传入这些参数",
                got=f"{name}({_parameters(found)})",
                expected=f"{name}({parameters})",
                look=_defined(found) or where,
            )
    return found


def _names(found: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(found).parameters)
    except (TypeError, ValueError):  # something built in, which tells no signature
        return []


def _takes(found: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(found).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # something built in, which tells no signature
        return True
    return True


def _parameters(found: Callable[..., Any]) -> str:
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(found).parameters.values()
    ]
    return ", ".join(map(str, plain))


def _defined(found: Callable[..., Any]) -> str:
    """Name the line on which a function begins."""
    if hasattr(found, "place"):  # it runs in another process, and brings its place with it
        return found.place
    code = getattr(inspect.unwrap(found), "__code__", None)
    return verdict.place(code.co_filename, code.co_firstlineno, getattr(found, "__name__", "")) if code else ""


async def awaited(found: Callable[..., Any], *arguments: Any, look: str) -> Any:
    """Call a function that must be awaited.

    Raises:
        Wrong: when it is no coroutine function, or forgot to wait for the model.
    """
    where = _defined(found) or look
    try:
        got = found(*arguments)
        if inspect.isasyncgen(got):
            raise Wrong(
                "这个函数应当用 async def 定义，并且 return 一列结果；有 yield 就成了生成器",
                got="异步生成器",
                expected="async def … return",
                look=where,
            )
        if not inspect.isawaitable(got):
            _close(got)
            raise Wrong(
                "这个函数应当用 async def 定义，里面 await 模型和检索",
                got=f"调用以后直接得到 {type(got).__name__}",
                expected="可以 await 的结果",
                look=where,
            )
        got = await got
    except BrokenReply as error:
        raise Wrong(
            "拿到的不是模型的答复：client.messages.create(...) 前面要写 await，函数应当用 async def 定义",
            got=str(error),
            expected="await client.messages.create(...)",
            look=where,
        ) from error
    if _close(got):
        raise Wrong(
            "返回的是还没有等的结果：retriever.retrieve(...) 要 await，几个一起等用 asyncio.gather",
            got="一列 coroutine",
            expected="一列 Search",
            look=where,
        )
    return got


def called(found: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function that must not be awaited.

    Raises:
        Wrong: when it is a coroutine function.
    """
    got = found(*arguments)
    if inspect.isawaitable(got) or inspect.isasyncgen(got):
        _close([got])
        raise Wrong(
            "这个函数不等任何东西：去掉 async，写成普通的 def",
            got=type(got).__name__,
            expected="直接返回结果的 def",
            look=_defined(found),
        )
    return got


def seconds(found: Callable[..., Any], *arguments: Any) -> float:
    """Call a function, and say how long it took where it runs."""
    start = time.perf_counter()
    found(*arguments)
    sitting = getattr(found, "sitting", None)
    return sitting.spent if sitting is not None else time.perf_counter() - start


def _close(got: Any) -> bool:
    """Close coroutines that nobody will await, so that Python does not warn of them; say whether there were any."""
    items = got if isinstance(got, list | tuple) else []
    waiting = [item for item in items if inspect.iscoroutine(item) or getattr(item, "trait", "") == "coroutine"]
    for item in waiting:
        item.close()
    return bool(waiting)


def loaded_again(found: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """Run the module or cell of a function once more, as another session would, and take the function from there.

    Whatever was read when the module was loaded (``from querylab.settings import DRIFT_OK``, a table of thresholds, a
    random salt) is then read again.

    Args:
        found: a function.
        names: global names to put in before, such as another ``hash``.

    Returns:
        The new function; the same one where its text is not to be had.
    """
    if hasattr(found, "again"):  # it runs in another process: it is loaded in a new one
        settings_ = {name: value for name, value in names.items() if name not in ("hash", "id")}
        return found.again(**settings_, **({"another_process": True} if "hash" in names else {}))
    code = getattr(inspect.unwrap(found), "__code__", None)
    if code is None:
        return found
    try:
        linecache.checkcache(code.co_filename)
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
        # Calls on the top level were for their effect (print, await checks.…), which nobody wants twice.
        tree.body = [node for node in tree.body if not isinstance(node, ast.Expr)]
        namespace = {**inspect.unwrap(found).__globals__, "__name__": "loaded_again", **names}
        exec(compile(tree, code.co_filename, "exec"), namespace)
    except Exception:  # magics, files that are gone, names of other cells
        return found
    again = namespace.get(getattr(found, "__name__", ""))
    return again if callable(again) else found


def question_of(request: Mapping[str, Any]) -> str:
    """Read the question out of a request, whoever built it; "" when there is none."""
    messages = request.get("messages")
    content = messages[-1].get("content") if isinstance(messages, list) and messages else ""
    fields = prompts.read_fields(content) if isinstance(content, str) else []
    return next((field.text for field in fields if field.name == "question"), "")
