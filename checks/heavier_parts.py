"""Acceptance of notebook 09's sub-questions: the splitting, the filling of gaps, the search of the parts."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from querylab import prompts
from querylab.measure.metrics import complete
from querylab.measure.report import Report
from querylab.models.reply import CallFailed, ModelError
from querylab.pipeline.config import BASELINE, Config
from querylab.pipeline.lab import Lab
from querylab.types import Search

from checks import handed_in
from checks.acceptance import evaluate
from checks.stand_ins import AnsweringClient, BusyRetriever, ScriptedClient, WaitingClient, message
from checks.verdict import Wrong, student_place

SPLIT = Config("sub-questions + multi-hop budget", sub_questions=True, wide_multi_hop=True)
PASSAGES = 3
SECONDS = 2.0
"""Longest wait for a function that was cancelled."""


async def sub_questions(lab: Lab) -> str:
    """Judge ``sub_questions`` and ``search_parts``, alone and then on the compound questions."""
    split = handed_in.function(lab, "sub_questions", "client, question")
    await _splitting(split, handed_in.look(lab, "sub_questions", "sub_questions"))
    search = handed_in.function(lab, "search_parts", "client, retriever, question, parts")
    look = handed_in.look(lab, "sub_questions", "search_parts")
    for case in _CASES:
        await _searching(search, case, look)
    await _failures_come_out(search, look)
    await _can_be_cancelled(search, look)
    return await _on_the_path(lab)


# ── splitting ───────────────────────────────────────────────────────────────────────────────────
_COMPOUND = "泳镜押金多少，储物柜最长能租几小时"
_GOGGLES, _LOCKER = "泳镜押金是多少638", "储物柜最长能租3.5小时吗"
_REPLIES: tuple[tuple[Any, list[str]], ...] = (
    (f"{_GOGGLES}\n{_LOCKER}", [_GOGGLES, _LOCKER]),
    (f"{_LOCKER}\n{_GOGGLES}", [_LOCKER, _GOGGLES]),
    (f"以下是子问题：\n1. {_GOGGLES}\n\n2、 **{_LOCKER}**\r\n", [_GOGGLES, _LOCKER]),
    (message(f"{_GOGGLES}\n{_LOCKER}", thinking="先想想"), [_GOGGLES, _LOCKER]),
    (_COMPOUND, [_COMPOUND]),
    (f"{_GOGGLES}\n〔1〕什么时候退", [_GOGGLES, "〔1〕什么时候退"]),
    ("\n".join(f"{number}) 第几件事{number}" for number in range(1, 6)), [f"第几件事{n}" for n in (1, 2, 3)]),
)
_UNUSABLE: tuple[tuple[str, Any], ...] = (
    ("模型拒绝", message(stop_reason="refusal")),
    ("没有文字", message("")),
    ("答复被截断", message("泳镜押", stop_reason="max_tokens")),
)


async def _splitting(split: Callable[..., Any], look: str) -> None:
    for reply, expected in _REPLIES:
        client = ScriptedClient(reply)
        got = await handed_in.awaited(split, client, _COMPOUND, look=look)
        shown = repr(reply if isinstance(reply, str) else "（带思考块）")
        _asked_to_split(client, look)
        if isinstance(got, tuple):
            raise Wrong("sub_questions 应当返回 list：流水线只认 list", got=got, expected=expected, look=look)
        if got != expected:
            raise Wrong(
                "拆出来的子问题不对：每行一个，照答复里的先后，最多 3 个",
                asked=f"模型的答复 {shown}",
                got=got,
                expected=expected,
                look=look,
            )
    for why, reply in _UNUSABLE:
        client = ScriptedClient(reply)
        try:
            got = await handed_in.awaited(split, client, _COMPOUND, look=look)
        except ModelError:
            got = [_COMPOUND]
        _asked_to_split(client, look)
        if got != [_COMPOUND]:
            raise Wrong(
                f"答复不能用时（{why}），应当只剩原问题，或者让 reply 的错误抛出去",
                got=got,
                expected=[_COMPOUND],
                look=look,
            )


def _asked_to_split(client: ScriptedClient, look: str) -> None:
    if len(client.requests) != 1:
        raise Wrong(
            "一次拆分只调用一次模型，失败了也不重试", got=f"{len(client.requests)} 次", expected="1 次", look=look
        )
    if _COMPOUND not in client.asked:
        raise Wrong("模型没有看到问题", got=client.asked[:200], expected=_COMPOUND, look=look)
    task = prompts.task_of(client.requests[0].get("system"))
    if task is not prompts.SUB_QUESTIONS:
        raise Wrong(
            "拆分要用 prompts.sub_questions 的提示词",
            got=f"prompts.{task.name}" if task else "别的提示词",
            expected="prompts.sub_questions(question)",
            look=look,
        )


# ── filling and searching ───────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class _Case:
    """Parts to be searched.

    Attributes:
        what: in words.
        parts: as the splitting gave them.
        searched: what must be searched besides the question.
        answers: what the model says to which part; an error is raised.
        question: the question as a whole.
    """

    what: str
    parts: tuple[str, ...]
    searched: tuple[str, ...]
    answers: Mapping[str, Any] = field(default_factory=dict)
    question: str = "批准借出展品的人在几楼办公，泳镜怎么收费"


_WHO, _KEEPER, _FEE, _LOCKERS = "谁批准借出展品", "谁保管展品", "泳镜怎么收费", "储物柜怎么收费"
_FLOOR = "〔1〕在几楼办公"
_HEAD = {_WHO: "典藏部主任638"}
_CASES: tuple[_Case, ...] = (
    _Case("互不相干的两件事", (_FEE, _LOCKERS), (_FEE, _LOCKERS)),
    _Case("子问题就是原问题", (_FEE,), (), question=_FEE),
    _Case("子问题里有原问题", (_FEE, _LOCKERS), (_LOCKERS,), question=_FEE),
    _Case("两个子问题相同，只检索一次", (_FEE, _FEE), (_FEE,)),
    _Case("后一件事要等前一件的答案", (_WHO, _FLOOR), (_WHO, "典藏部主任638在几楼办公"), _HEAD),
    _Case("空在句子中间", (_WHO, "去几楼找〔1〕签字"), (_WHO, "去几楼找典藏部主任638签字"), _HEAD),
    _Case(
        "同一个空出现两次",
        (_WHO, "〔1〕不在时谁替〔1〕签字"),
        (_WHO, "典藏部主任638不在时谁替典藏部主任638签字"),
        _HEAD,
    ),
    _Case("空是〔2〕", (_FEE, _WHO, "〔2〕在几楼办公"), (_FEE, _WHO, "典藏部主任638在几楼办公"), _HEAD),
    _Case(
        "一句里有两个空",
        (_WHO, _KEEPER, "〔1〕和〔2〕谁的级别高"),
        (_WHO, _KEEPER, "典藏部主任638和库房组长谁的级别高"),
        {**_HEAD, _KEEPER: "库房组长"},
    ),
    _Case(
        "一环扣一环",
        (_WHO, "〔1〕归谁管", "〔2〕在几楼办公"),
        (_WHO, "典藏部主任638归谁管", "副馆长在几楼办公"),
        {**_HEAD, "典藏部主任638归谁管": "副馆长"},
    ),
    _Case(
        "有空的子问题后面还有一个不用等的",
        (_WHO, _FLOOR, _FEE),
        (_WHO, "典藏部主任638在几楼办公", _FEE),
        _HEAD,
    ),
    _Case(
        "答复带着导语、编号和引号（reply.line 会去掉它们）",
        (_WHO, _FLOOR),
        (_WHO, "典藏部主任在几楼办公"),
        {_WHO: "以下是答案：\n1. 「典藏部主任」\n"},
    ),
    *(
        _Case(f"填不上空（{why}）", (_WHO, _FLOOR, _FEE), (_WHO, _FEE), {_WHO: reply})
        for why, reply in (
            ("段落里没有", "不知道"),
            ("段落里没有", "不知道。"),
            *_UNUSABLE,
            ("这次调用失败", CallFailed("overloaded (stand-in)")),
        )
    ),
    _Case("第一个子问题就有空，前面没有答案可填", (_FLOOR, _FEE), (_FEE,)),
    _Case("空的编号超出了子问题的个数", (_WHO, "〔3〕在几楼办公"), (_WHO,), _HEAD),
    _Case("前一环没填上，后一环跟着丢掉", (_WHO, "〔1〕归谁管", "〔2〕在几楼办公"), (_WHO,)),
    _Case(
        "一句里的两个空，有一个填不上",
        (_WHO, _KEEPER, "〔1〕和〔2〕谁的级别高"),
        (_WHO, _KEEPER),
        _HEAD,
    ),
    _Case(
        "填不上的那一个后面，还有填得上的",
        (_WHO, "〔2〕在几楼办公", "〔1〕归谁管"),
        (_WHO, "典藏部主任638归谁管"),
        _HEAD,
    ),
)


async def _searching(search: Callable[..., Any], case: _Case, look: str) -> None:
    found = _found(case)
    retriever = BusyRetriever(found, {item: f"{item} 的正文" for ids in found.values() for item in ids})
    client = AnsweringClient(case.answers)
    got = await _searches(search, client, retriever, case, look)
    asked = _asked(case)
    _filling(client, retriever, case, look)
    expected = list(dict.fromkeys([case.question, *case.searched]))
    queries = [item.query for item in got]
    if {*queries} != {*expected}:
        raise Wrong(
            f"{case.what}：返回的检索不对。填不上的丢掉，别的都留着",
            asked=asked,
            got=queries,
            expected=expected,
            look=look,
        )
    if sorted(retriever.queries) != sorted(expected):
        raise Wrong(
            f"{case.what}：同一句话只检索一次，填不上空的不检索",
            asked=asked,
            got=retriever.queries,
            expected=expected,
            look=look,
        )
    strange = next((item for item in got if item.ids != found[item.query]), None)
    if strange:
        raise Wrong(
            "返回的应当就是 retriever.retrieve 给的 Search",
            asked=strange.query,
            got=strange.ids,
            expected=found[strange.query],
            look=look,
        )
    at_once = list(dict.fromkeys([case.question, *(part for part in case.parts if "〔" not in part)]))
    if retriever.most < len(at_once):
        raise Wrong(
            f"{case.what}：原问题和没有空的子问题互不相干，应当一起检索",
            asked=asked,
            got=f"最多 {retriever.most} 条同时在查",
            expected=f"{len(at_once)} 条：{at_once}",
            look=look,
        )


def _asked(case: _Case) -> str:
    return f"{case.question!r}，拆成 {list(case.parts)}"


def _found(case: _Case) -> dict[str, list[str]]:
    """Give every text five hits of its own, so that another one's passages, or too many of them, show."""
    texts = dict.fromkeys([case.question, *case.parts, *case.searched])
    return {text: [f"doc{number}#{rank}" for rank in range(1, 6)] for number, text in enumerate(texts, 1)}


async def _searches(
    search: Callable[..., Any], client: Any, retriever: Any, case: _Case, look: str
) -> Sequence[Search]:
    try:
        got = await handed_in.awaited(search, client, retriever, case.question, list(case.parts), look=look)
    except ModelError as error:
        raise Wrong(
            f"{case.what}：一个子问题失败，不该让整次检索失败",
            asked=_asked(case),
            got=repr(error),
            expected="丢掉那一个，别的留着",
            look=look,
        ) from error
    except LookupError as error:
        raise Wrong(
            f"{case.what}：出错了，整次检索都没有了",
            asked=_asked(case),
            got=repr(error),
            expected="丢掉填不上的那一个，别的留着",
            look=student_place(error) or look,
        ) from error
    if not isinstance(got, list | tuple) or not all(isinstance(item, Search) for item in got):
        raise Wrong(
            "search_parts 应当返回一列 Search",
            asked=_asked(case),
            got=f"{got!r:.200}",
            expected="[Search, …]",
            look=look,
        )
    queries = [item.query for item in got]
    if queries[:1] != [case.question]:
        raise Wrong(
            "原问题总要检索，而且排在第一个：子问题是加上去的",
            asked=_asked(case),
            got=queries,
            expected=[case.question, "…"],
            look=look,
        )
    return got


def _filling(client: AnsweringClient, retriever: BusyRetriever, case: _Case, look: str) -> None:
    """Hold every call that filled a gap against what it should have asked, and of what passages."""
    asked = _asked(case)
    gaps = sum(part.count("〔") for part in case.parts)
    if len(client.seen) > gaps:
        raise Wrong(
            f"{case.what}：一个空只问一次模型，失败了也不重试",
            asked=asked,
            got=f"{len(client.seen)} 次",
            expected=f"最多 {gaps} 次",
            look=look,
        )
    for task, question, passages in client.seen:
        if task != prompts.SHORT_ANSWER.name:
            raise Wrong(
                f"{case.what}：填空要用 prompts.short_answer 的提示词",
                asked=asked,
                got=f"prompts.{task}",
                expected="prompts.short_answer(part, passages)",
                look=look,
            )
        if question not in {*case.answers, *case.searched}:
            raise Wrong(
                f"{case.what}：填空时问模型的，是空所指的那个子问题（它自己有空的，用填好的那一句）",
                asked=asked,
                got=question,
                expected=[*case.answers] or "不问",
                look=look,
            )
        expected = [f"{item}\n\n{retriever.texts[item]}" for item in retriever.found[question][:PASSAGES]]
        if passages != expected:
            raise Wrong(
                f"{case.what}：填空时给模型的段落，是那个子问题找到的前 {PASSAGES} 段（hit.chunk.text）",
                asked=question,
                got=passages,
                expected=expected,
                look=look,
            )


# ── what must not be swallowed ──────────────────────────────────────────────────────────────────
_CHAIN = next(case for case in _CASES if case.parts == (_WHO, _FLOOR))


async def _failures_come_out(search: Callable[..., Any], look: str) -> None:
    """A broken index is no question without an answer: it must be seen."""
    for broken in (_CHAIN.question, *_CHAIN.searched):
        retriever = BusyRetriever(_found(_CHAIN))
        retriever.broken = broken
        try:
            got = await search(AnsweringClient(_CHAIN.answers), retriever, _CHAIN.question, list(_CHAIN.parts))
        except (RuntimeError, BaseExceptionGroup):
            continue
        raise Wrong(
            "检索本身出错（索引坏了）要抛出去：只接住 reply.ModelError",
            asked=f"检索「{broken}」时 RuntimeError",
            got=[getattr(item, "query", item) for item in got],
            expected="RuntimeError",
            look=look,
        )


async def _can_be_cancelled(search: Callable[..., Any], look: str) -> None:
    client = WaitingClient()
    running = asyncio.ensure_future(search(client, BusyRetriever(_found(_CHAIN)), _CHAIN.question, list(_CHAIN.parts)))
    asked = asyncio.ensure_future(client.asked.wait())
    await asyncio.wait([running, asked], timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()
    running.cancel()
    await asyncio.wait([running], timeout=SECONDS)
    if not running.cancelled():
        raise Wrong(
            "超过时限时，流水线会取消这次调用：取消不能被接住（不要写 except BaseException 或光秃秃的 except）",
            asked="模型迟迟不答，取消",
            got="继续往下走",
            expected="asyncio.CancelledError",
            look=look,
        )


# ── on the path ─────────────────────────────────────────────────────────────────────────────────
async def _on_the_path(lab: Lab) -> str:
    look = handed_in.look(lab, "sub_questions")
    compound = lab.corpus.sets.get("compound") or lab.corpus.questions
    before, now = await evaluate(BASELINE, lab, compound), await evaluate(SPLIT, lab, compound)
    for question, trace in zip(now.questions, now.traces, strict=True):
        queries = [search.query for search in trace.searches]
        if question.question not in queries:
            raise Wrong(
                "原问题总要检索：子问题是加上去的",
                asked=question.question,
                got=queries,
                expected=question.question,
                look=look,
            )
    found, better = _complete(before), _complete(now)
    if better <= found:
        raise Wrong("拆开以后，复合问题应当多凑齐几道", got=better, expected=f"多于 {found}", look=look)
    plain = (await evaluate(SPLIT, lab)).row()
    if plain["recall_single_hop"] != 1.0:
        raise Wrong("20 道题上的单跳召回不对", got=plain["recall_single_hop"], expected=1.0, look=look)
    return (
        f"{len(compound)} 道复合问题，证据凑齐 {found} → {better} 道；"
        f"20 道题单跳召回不变，多跳召回 {plain['recall_multi_hop']:.0%}"
    )


def _complete(report: Report) -> int:
    return sum(complete(trace, question) for question, trace in zip(report.questions, report.traces, strict=True))
