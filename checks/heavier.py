"""Acceptance of notebook 09: sub-questions, the drift guard, the rewrite cache.

As in :mod:`checks.acceptance`, a check takes a lab whose techniques are the student's, and returns a sentence or
raises :class:`Wrong` with the first case that differs. Sentences are of domains that the corpus does not have.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
from querylab import drifting, prompts, settings
from querylab.corpus import Question
from querylab.drift import DRIFTS, DriftVerdict
from querylab.evaluate import Report, complete
from querylab.evaluate import evaluate as evaluate_so_far
from querylab.models.reply import ModelError
from querylab.pipeline import BASELINE, Config, Lab
from querylab.types import ROUTES, Route, Search, Turn

from checks.acceptance import Check
from checks.stand_ins import ListRetriever, ScriptedClient, message
from checks.verdict import Wrong

SPLIT = Config("sub-questions + multi-hop budget", sub_questions=True, wide_multi_hop=True)
STREAM_LENGTH = 200


async def _evaluate(config: Config, lab: Lab, questions: Sequence[Question] | None = None) -> Report:
    return (await evaluate_so_far(config, questions, lab)).whole()


def _equal(what: str, got: Any, expected: Any, look: str, asked: Any = None) -> None:
    if got != expected:
        raise Wrong(f"{what}不对", asked=asked, got=got, expected=expected, look=look)


# ── sub-questions ───────────────────────────────────────────────────────────────────────────────
async def _sub_questions(lab: Lab) -> str:
    await _splitting(lab.techniques.get("sub_questions"), "starter/sub_questions.py 的 sub_questions")
    await _searching(lab.techniques.get("search_parts"), "starter/sub_questions.py 的 search_parts")
    look = "starter/sub_questions.py"
    compound = lab.corpus.sets.get("compound") or lab.corpus.questions
    before, now = await _evaluate(BASELINE, lab, compound), await _evaluate(SPLIT, lab, compound)
    for question, trace in zip(now.questions, now.traces, strict=True):
        queries = [search.query for search in trace.searches]
        if question.question not in queries:
            raise Wrong("原问题总要检索：子问题是加上去的", asked=question.question, got=queries, look=look)
    found, better = _complete(before), _complete(now)
    if better <= found:
        raise Wrong("拆开以后，复合问题应当多凑齐几道", got=better, expected=f"多于 {found}", look=look)
    plain = (await _evaluate(SPLIT, lab)).row()
    _equal("20 道题上的单跳召回", plain["recall_single_hop"], 1.0, look)
    return (
        f"{len(compound)} 道复合问题，证据凑齐 {found} → {better} 道；"
        f"20 道题单跳召回不变，多跳召回 {plain['recall_multi_hop']:.0%}"
    )


def _complete(report: Report) -> int:
    return sum(complete(trace, question) for question, trace in zip(report.questions, report.traces, strict=True))


async def _splitting(split: Callable[..., Any], look: str) -> None:
    question = "泳镜押金多少，储物柜最长能租几小时"
    one, two = "泳镜押金是多少638", "储物柜最长能租3.5小时吗"
    cases: tuple[tuple[Any, list[str]], ...] = (
        (f"{one}\n{two}", [one, two]),
        (f"以下是子问题：\n1. {one}\n\n2、 **{two}**\r\n", [one, two]),
        (message(f"{one}\n{two}", thinking="先想想"), [one, two]),
        (question, [question]),
        (f"{one}\n〔1〕什么时候退", [one, "〔1〕什么时候退"]),
        ("\n".join(f"{number}) 第几件事{number}" for number in range(1, 6)), [f"第几件事{n}" for n in (1, 2, 3)]),
    )
    for reply, expected in cases:
        client = ScriptedClient(reply)
        got = await split(client, question)
        shown = repr(reply if isinstance(reply, str) else "（带思考块）")
        if got != expected:
            raise Wrong("拆出来的子问题不对：每行一个，最多 3 个", asked=shown, got=got, expected=expected, look=look)
        _equal("一次拆分的模型调用次数", len(client.requests), 1, look)
        if question not in client.asked:
            raise Wrong("模型没有看到问题", got=client.asked[:200], expected=question, look=look)
    for reply in (message(stop_reason="refusal"), message(""), message("泳镜押", stop_reason="max_tokens")):
        try:
            got = await split(ScriptedClient(reply), question)
        except ModelError:
            continue
        if got != [question]:
            raise Wrong(
                "答复不能用时，应当只剩原问题，或者让 reply 的错误抛出去", got=got, expected=[question], look=look
            )


class _BusyRetriever(ListRetriever):
    """Also counts how many searches run at once."""

    most = 0
    running = 0

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Find, after letting everybody else begin."""
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(3):
            await asyncio.sleep(0)
        self.running -= 1
        return await super().retrieve(query, routes)


async def _searching(search: Callable[..., Any], look: str) -> None:
    question, one, two = "泳镜和储物柜怎么收费", "泳镜怎么收费", "储物柜怎么收费"
    found = {question: ["fee#1"], one: ["goggles#1"], two: ["locker#1"]}
    retriever = _BusyRetriever(found)
    got = await _queries(search, ScriptedClient("不该问"), retriever, question, [one, two], look)
    _equal("互不相干的子问题，检索", sorted(retriever.queries), sorted([question, one, two]), look, [one, two])
    _equal("search_parts 返回的检索", sorted(got), sorted([question, one, two]), look)
    if retriever.most < 3:
        raise Wrong("互不相干的子问题应当一起检索", got=f"最多 {retriever.most} 条同时在查", expected="3 条", look=look)

    retriever = _BusyRetriever(found)
    got = await _queries(search, ScriptedClient("不该问"), retriever, question, [question], look)
    _equal("子问题就是原问题时，检索", retriever.queries, [question], look)

    question, first, second = "批准借出展品的人在几楼办公", "谁批准借出展品", "〔1〕在几楼办公"
    filled = "典藏部主任638在几楼办公"
    found = {question: ["map#3"], first: ["loan#1"], filled: ["office#2"], two: ["locker#1"]}
    texts = {"loan#1": "借出展品由典藏部主任批准"}
    retriever, client = _BusyRetriever(found, texts), ScriptedClient("典藏部主任638")
    got = await _queries(search, client, retriever, question, [first, second], look)
    _equal("先后两个子问题，检索", sorted(retriever.queries), sorted([question, first, filled]), look, [first, second])
    _equal("填一个空的模型调用次数", len(client.requests), 1, look)
    if "典藏部主任批准" not in client.asked or first not in client.asked:
        raise Wrong("填空时，模型要看到第一个子问题，和它找到的段落", got=client.asked[-300:], look=look)
    for reply in (message(stop_reason="refusal"), message(""), "不知道", "不知道。"):
        retriever = _BusyRetriever(found, texts)
        got = await _queries(search, ScriptedClient(reply), retriever, question, [first, second, two], look)
        if sorted(got) != sorted([question, first, two]):
            raise Wrong(
                "填不上空的那一个丢掉，别的都留着",
                asked=[first, second, two],
                got=got,
                expected=[question, first, two],
                look=look,
            )


async def _queries(
    search: Callable[..., Any], client: Any, retriever: Any, question: str, parts: list[str], look: str
) -> list[str]:
    try:
        got = await search(client, retriever, question, list(parts))
    except ModelError as error:
        raise Wrong("一个子问题失败，不该让整次检索失败", asked=parts, got=repr(error), look=look) from error
    if not isinstance(got, list | tuple) or not all(isinstance(item, Search) for item in got):
        raise Wrong("search_parts 应当返回一列 Search", asked=parts, got=repr(got)[:200], look=look)
    if question not in [item.query for item in got]:
        raise Wrong("原问题总要检索", asked=question, got=[item.query for item in got], look=look)
    return [item.query for item in got]


# ── drift guard ─────────────────────────────────────────────────────────────────────────────────
_PAST = "借展要谁签字\n借展由典藏部主任签字，每件收费500元。"
_CASES: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    ("泳镜三天没还罚多少", "泳镜3天未还的罚款是多少", "", ("ok", "slight"), ""),
    ("泳镜三天没还罚多少", "泳镜5天未还罚多少", "", ("rejected",), "三天"),
    ("哪些人不能进深水区", "哪些人能进深水区", "", ("rejected",), "不能"),
    ("《泳池守则》里带饮料怎么规定", "《食堂守则》里带饮料怎么规定", "", ("rejected",), "泳池守则"),
    ("「海豚」系统打不开找谁", "打不开系统找谁", "", ("rejected",), "海豚"),
    ("最晚几点离场", "最早几点离场", "", ("rejected",), "最晚"),
    ("储物柜每小时收多少钱", "储物柜每小时收5元", "", ("rejected",), "5元"),
    ("月卡丢了怎么补", "年卡丢了怎么补", "", ("rejected",), "年卡"),
    ("他在几楼办公", "典藏部主任在几楼办公", _PAST, ("ok",), ""),
    ("那收费呢", "借展每件收费500元", "", ("rejected",), "500元"),
)


async def _drift_guard(lab: Lab) -> str:
    check, look = lab.techniques.get("check_drift"), "starter/drift_guard.py 的 check_drift"
    encoder = lab.retriever.encoder
    for question, rewrite, known, expected, word in _CASES:
        verdict = _verdict(
            check(question, rewrite, encoder, known) if known else check(question, rewrite, encoder), look
        )
        asked = f"「{question}」→「{rewrite}」" + ("（前面有对话）" if known else "")
        if verdict.state not in expected:
            raise Wrong(
                "判断不对",
                asked=asked,
                got=f"{verdict.state}（{verdict.reason}）",
                expected=" 或 ".join(expected),
                look=look,
            )
        if word and word not in verdict.reason:
            raise Wrong("理由要说出是哪个词", asked=asked, got=verdict.reason, expected=f"提到「{word}」", look=look)
    for near, expected in _by_nearness():
        verdict = _verdict(check("泳池怎么清洗", "池水如何净化", _FixedEncoder(near)), look)
        if verdict.state != expected:
            raise Wrong(
                "核心词都在时，按余弦判：门槛是 settings.DRIFT_OK 与 settings.DRIFT_FLOOR",
                asked=f"余弦 {near}",
                got=verdict.state,
                expected=expected,
                look=look,
            )
    # The rewriting itself comes from the reference, so that this check needs only this exercise.
    reference = replace(lab, techniques=lab.techniques.borrow("rewrite"))
    free, guarded = (report.whole() for report in await drifting.rows(reference))
    before = await _evaluate(BASELINE, lab)
    for key in ("recall_single_hop", "recall_multi_hop"):
        if guarded.row()[key] < before.row()[key]:
            raise Wrong(
                f"有了守卫，跑题的改写不该再拉低 {key}", got=guarded.row()[key], expected=before.row()[key], look=look
            )
    honest = await _evaluate(replace(drifting.DRIFTING_GUARDED, name="rewrite + guard"), reference)
    rejected = sum(fallback.step == "guard" for trace in honest.traces for fallback in trace.fallbacks)
    _equal("老实的改写被守卫拒掉的次数", rejected, 0, look)
    recalls = " / ".join(f"{report.row()['recall_single_hop']:.0%}" for report in (before, free, guarded))
    return f"单跳召回 基线 / 跑题的改写 / 加守卫：{recalls}；老实的改写一次也没有错拒"


def _by_nearness() -> tuple[tuple[float, str], ...]:
    ok, floor = settings.DRIFT_OK, settings.DRIFT_FLOOR
    return ((1.0, "ok"), (ok + 0.01, "ok"), (ok - 0.01, "slight"), (floor + 0.01, "slight"), (floor - 0.01, "rejected"))


class _FixedEncoder:
    """Puts every two texts at one cosine."""

    def __init__(self, near: float) -> None:
        self.near = near

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """The first text along one axis, every other one at the angle."""
        rows = [[1.0, 0.0] if index == 0 else [self.near, (1 - self.near**2) ** 0.5] for index, _ in enumerate(texts)]
        return np.array(rows)


def _verdict(got: Any, look: str) -> DriftVerdict:
    if not isinstance(got, DriftVerdict) or got.state not in DRIFTS:
        raise Wrong(
            "check_drift 应当返回 DriftVerdict",
            got=repr(got)[:200],
            expected=f"state 是 {'、'.join(DRIFTS)} 之一",
            look=look,
        )
    if not got.reason:
        raise Wrong("每个判断都要有理由", got=got, look=look)
    return got


# ── rewrite cache ───────────────────────────────────────────────────────────────────────────────
_SHARES: tuple[tuple[str, str, bool], ...] = (
    ("泳镜怎么借", "请问泳镜如何借", True),
    ("泳镜押金是多少", "泳镜押金多少", True),
    ("借三天要多少押金", "借3天要多少押金", True),
    ("借3天要多少押金", "借5天要多少押金", False),
    ("哪些人能进深水区", "哪些人不能进深水区", False),
    ("不能带饮料进场吗", "能带饮料进场吗", False),
    ("3月5日开门吗", "3月8日开门吗", False),
    ("上海馆几点开门", "北京馆几点开门", False),
    ("月卡能退吗", "年卡能退吗", False),
    ("最晚几点离场", "最早几点离场", False),
    ("《泳池守则》谁发布", "《食堂守则》谁发布", False),
    ("周一闭馆吗", "周三闭馆吗", False),
    ("泳镜押金是多少", "泳帽押金是多少", False),
)


async def _rewrite_cache(lab: Lab) -> str:
    _keys(lab.techniques.get("cache_key"), "starter/rewrite_cache.py 的 cache_key")
    may_share, look = lab.techniques.get("may_share"), "starter/rewrite_cache.py 的 may_share"
    for one, other, expected in _SHARES:
        for left, right in ((one, other), (other, one)):
            got = may_share(left, right)
            if got is not expected and got != expected:
                raise Wrong(
                    "能不能共用一条改写，判断不对",
                    asked=f"「{left}」与「{right}」",
                    got=got,
                    expected=expected,
                    look=look,
                )
    from checks import stream as streams  # here: it is a command of its own, too

    items = streams.stream(lab.corpus, STREAM_LENGTH)
    memory = await streams.measure("L1", lab, items, ("memory",))
    meaning = await streams.measure("L1 + L3", lab, items, ("memory", "meaning"))
    if meaning.false_joins:
        asked, given = meaning.false_joins[0]
        raise Wrong("两个意思不同的问题共用了一条改写", asked=asked, got=f"「{given}」的改写", look=look)
    if meaning.asked >= memory.asked:
        raise Wrong("按意思查找应当再省下一些调用", got=meaning.asked, expected=f"少于 {memory.asked} 次", look=look)
    return f"{len(items)} 问的流水：L1 省下 {memory.saved:.0%} 的调用，加上 L3 省下 {meaning.saved:.0%}，张冠李戴 0 次"


def _keys(key: Callable[..., str], look: str) -> None:
    past: list[Turn] = [{"role": "user", "content": "泳镜怎么借"}, {"role": "assistant", "content": "押金50元。"}]
    other: list[Turn] = [{"role": "user", "content": "泳帽怎么借"}, {"role": "assistant", "content": "押金50元。"}]
    request = prompts.rewrite(past, "能续借吗")
    name = key(request, "corpus-a", "ann")
    if not isinstance(name, str) or not name:
        raise Wrong("cache_key 应当返回一个字符串", got=repr(name)[:100], look=look)
    same = {item: request[item] for item in reversed(list(request))}
    if key(same, "corpus-a", "ann") != name or key(request, "corpus-a", "ann") != name:
        raise Wrong("同一次调用，键要一样（字典里的先后不算）", look=look)
    differences: tuple[tuple[str, tuple[Any, str, str]], ...] = (
        ("问题不同", (prompts.rewrite(past, "能退吗"), "corpus-a", "ann")),
        ("对话历史不同", (prompts.rewrite(other, "能续借吗"), "corpus-a", "ann")),
        ("没有历史", (prompts.rewrite([], "能续借吗"), "corpus-a", "ann")),
        ("任务不同（提示词不同）", (prompts.hyde("能续借吗"), "corpus-a", "ann")),
        ("提示词改了一个字", (request | {"system": f"{request['system']}。"}, "corpus-a", "ann")),
        ("模型不同", (request | {"model": "claude-haiku-4-5"}, "corpus-a", "ann")),
        ("输出上限不同", (request | {"max_tokens": 7}, "corpus-a", "ann")),
        ("语料不同", (request, "corpus-b", "ann")),
        ("用户不同", (request, "corpus-a", "bob")),
        ("语料与用户的分界不同", (request, "corpus-", "aann")),
    )
    for what, call in differences:
        if key(*call) == name:
            raise Wrong(f"{what}，键也要不同", asked=what, got="同一个键", expected="另一个键", look=look)
    with mock.patch.object(prompts, "VERSION", "another"):
        if key(request, "corpus-a", "ann") == name:
            raise Wrong("提示词的版本（prompts.VERSION）变了，键也要变", look=look)


CHECKS: tuple[Check, ...] = (
    Check("sub-questions", "sub_questions", _sub_questions),
    Check("drift-guard", "drift_guard", _drift_guard),
    Check("rewrite-cache", "rewrite_cache", _rewrite_cache),
)
