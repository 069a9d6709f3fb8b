"""The eight acceptance checks: what each technique must do on the lab's own corpus, and what it must survive.

Each ``_check`` takes a lab whose techniques are the student's, and either returns one sentence about
what was measured or raises :class:`Wrong` with the first case that differs. A check looks at what a
function *does* (what it asked the model, what it searched, what came out), never at how it is written.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from querylab import prompts, settings
from querylab.corpus.model import Dialogue, Question
from querylab.measure.evaluate import evaluate as evaluate_so_far
from querylab.measure.report import Report
from querylab.models.reply import ModelError
from querylab.pipeline.config import BASELINE, HYDE, MULTI_QUERY, REWRITE_ALWAYS, ROUTER_WIDE, STEP_BACK, Config
from querylab.pipeline.lab import Lab
from querylab.pipeline.trace import Trace, where_lost
from querylab.rules.careless import CarelessClient, costs
from querylab.types import INTENTS, Budgets, Routed, Search, Turn

from checks import handed_in
from checks.stand_ins import ListRetriever, ScriptedClient, message
from checks.verdict import Wrong

DIALOGUE = "d1"
"""The lesson's three-turn dialogue: a question, a follow-up that needs it, and thanks."""

TOLERANCE = 1e-9


async def evaluate(config: Config, lab: Lab, questions: Sequence[Question] | None = None) -> Report:
    """Evaluate to the end: a check says nothing about a run that broke off (a live model's ceiling, say)."""
    return (await evaluate_so_far(config, questions, lab)).whole()


# ── 1 baseline ──────────────────────────────────────────────────────────────────────────────────
async def _baseline(lab: Lab) -> str:
    report = await evaluate(BASELINE, lab=lab)
    row, n = report.row(), len(report.questions)
    _equal("基线的检索次数", row["retrievals"], n)
    _equal("基线的模型调用次数", row["model_calls"], 0)
    _equal("单跳召回", row["recall_single_hop"], 1.0, _first_lost(report, "single"))
    _equal("MRR", row["mrr"], 1.0)
    _equal("多跳召回", row["recall_multi_hop"], 0.5, _first_lost(report, "multi"))
    places = sorted(
        place
        for question, trace in report.of_tier("multi")
        for place in where_lost(trace, question).values()
        if place != "context"
    )
    if "pool" not in places or "gate" not in places:
        raise Wrong("多跳失败的两题应当病在两处", got=places, expected="一题丢在候选池，一题丢在门槛", look="corpus/")
    saturated = "单跳召回 100%，MRR 1.0（已经顶格，不能当证据）"
    return f"{n} 题 {n} 次检索、0 次模型调用；{saturated}；多跳召回 50%，一题丢在候选池，一题丢在门槛"


# ── 2 unresolved follow-up ──────────────────────────────────────────────────────────────────────
async def _follow_up(lab: Lab) -> str:
    typed, _ = _turn(lab.corpus.dialogue(DIALOGUE), 1)
    trace = await lab.ask(typed, (), BASELINE, answer=False)
    if trace.admitted:
        raise Wrong(
            "照原样检索这句追问，不该有任何候选通过门槛", asked=typed, got=[chunk.id for chunk in trace.admitted]
        )
    pool = len({item for search in trace.searches for item in search.ids})
    return f"「{typed}」照原样检索：候选池 {pool} 个片段，没有一个通过门槛"


# ── 3 rewrite ───────────────────────────────────────────────────────────────────────────────────
async def _rewrite(lab: Lab) -> str:
    await _needs_rewrite_cases(lab)
    rewrite = lab.techniques.get("rewrite_query")
    look = handed_in.look(lab, "rewrite", "rewrite_query")
    past: list[Turn] = [
        {"role": "user", "content": "泳池周末几点开门"},
        {"role": "assistant", "content": "周末由值班救生长在八点开门。"},
    ]
    word = "救生长4817的联系方式"
    for reply in (word, f"1. {word}", f"改写：「{word}」\n\n（说明：补全了指代）", f"\r\n\u3000**{word}**\r\n"):
        client = ScriptedClient(reply)
        got = await rewrite(client, past, "怎么联系他")
        if got != word:
            raise Wrong(
                "改写应当是模型答复里那一行检索语句，去掉编号、引号和空行",
                asked=repr(reply),
                got=repr(got),
                expected=repr(word),
                look=look,
            )
        if len(client.requests) != 1:
            raise Wrong("一次改写只该调用一次模型", got=f"{len(client.requests)} 次", expected="1 次", look=look)
        for part in ("值班救生长", "怎么联系他"):
            if part not in client.asked:
                raise Wrong(f"模型没有看到「{part}」：对话历史和这句问题都要交给它", got=client.asked[:200], look=look)
    for reply in (
        message(stop_reason="refusal"),
        message("", thinking="想一想"),
        message("救生长的联", stop_reason="max_tokens"),
    ):
        await _survives(rewrite, (reply, past, "怎么联系他"), "怎么联系他", look)

    typed, history = _turn(lab.corpus.dialogue(DIALOGUE), 1)
    wanted = lab.corpus.dialogue(DIALOGUE).turns[1].evidence[0]
    trace = await lab.ask(typed, history, REWRITE_ALWAYS, answer=False)
    if wanted not in trace.documents:
        raise Wrong(
            "改写之后，组织架构那份文档应当进入上下文",
            asked=f"{typed} → {trace.rewritten}",
            got=trace.documents,
            expected=wanted,
            look=_fell_back(trace) or look,
        )
    baseline, report = await evaluate(BASELINE, lab=lab), await evaluate(REWRITE_ALWAYS, lab=lab)
    for key in ("recall_single_hop", "recall_multi_hop"):
        _equal(f"单轮题上改写后的 {key}", report.row()[key], baseline.row()[key], _first_fallback(report) or look)
    _equal("改写的模型调用次数", report.row()["model_calls"], len(report.questions), look)
    return f"「{typed}」→「{trace.rewritten}」，{wanted} 进入上下文；{len(report.questions)} 道单轮题召回不变"


async def _needs_rewrite_cases(lab: Lab) -> None:
    needs = lab.techniques.get("needs_rewrite")
    look = handed_in.look(lab, "rewrite", "needs_rewrite")
    past: list[Turn] = [
        {"role": "user", "content": "少儿借书证一次能借几本"},
        {"role": "assistant", "content": "少儿借书证一次最多借五本，期限三十天。"},
    ]
    cases = (
        ([], "少儿借书证一次能借几本", False, "没有历史，就没有可指代的东西"),
        (past, "那成人证呢", True, "省略句：「那……呢」"),
        (past, "它的期限可以延长吗", True, "有指代：「它」"),
        (past, "这个证件丢失以后应当到哪一个服务台办理补办手续", True, "有指代：「这个」"),
        (past, "最多几本", True, "太短，缺主语"),
        (past, "古籍阅览室每周三下午的预约名额是多少个", False, "完整的新问题，不必花这次调用"),
    )
    for history, question, expected, why in cases:
        got = needs(list(history), question)
        if got is not expected and got != expected:
            raise Wrong(
                f"needs_rewrite 判断错了（{why}）",
                asked=f"历史 {len(history)} 条，「{question}」",
                got=got,
                expected=expected,
                look=look,
            )


# ── 4 hyde ──────────────────────────────────────────────────────────────────────────────────────
async def _hyde(lab: Lab) -> str:
    look = handed_in.look(lab, "hyde")
    draft_of, queries_of = lab.techniques.get("hypothetical_document"), lab.techniques.get("hyde_queries")
    question = "泳池闭馆那天存的东西怎么取"
    draft = "关于闭馆日取回寄存物品的规定：会员应当在闭馆次日凭第638号单据到服务台领取。"
    client = ScriptedClient(draft)
    got = await draft_of(client, question)
    if "".join(str(got).split()) != draft:
        raise Wrong("假设文档就是模型写的那段文字", asked=draft, got=repr(got), expected=repr(draft), look=look)
    if question not in client.asked:
        raise Wrong("模型没有看到问题", got=client.asked[:200], expected=question, look=look)
    client = ScriptedClient(message(draft, thinking="先想想"))
    queries = await queries_of(client, question)
    _question_kept(queries, question, "hyde_queries", look)
    if draft not in queries:
        raise Wrong("假设文档要单独成为一条检索", asked=question, got=queries, expected=[question, draft], look=look)
    _equal("hyde_queries 返回的检索条数", len(queries), 2, look)
    _equal("一次 HyDE 的模型调用次数", len(client.requests), 1, look)
    for reply in (message(stop_reason="refusal"), message(""), message("关于闭馆", stop_reason="max_tokens")):
        await _survives(queries_of, (reply, question), question, look)
    report = await evaluate(HYDE, lab=lab)
    _calls(report, searches=2, look=look)
    for question_, trace in report.of_tier("single", "multi", "unanswerable"):
        _question_kept([search.query for search in trace.searches], question_.question, "HyDE 的检索", look)
    n = len(report.questions)
    return f"{2 * n} 次检索、{n} 次模型调用；假设文档与原问题并列检索，没有替换它"


# ── 5 multi-query ───────────────────────────────────────────────────────────────────────────────
async def _multi_query(lab: Lab) -> str:
    look = handed_in.look(lab, "multi_query")
    variants_of, search = lab.techniques.get("query_variants"), lab.techniques.get("multi_query_search")
    question = "泳镜忘带了能借吗"
    one, two = "泳镜 借用 638", "游泳装备借用规定 3.5 小时"
    client = ScriptedClient(f"以下是两条改写：\n1. {one}\n\n2、 **{two}**\r\n{question}\n")
    queries = await variants_of(client, question)
    _question_kept(queries, question, "query_variants", look)
    if sorted(queries) != sorted([question, one, two]):
        raise Wrong(
            "应当是原问题加两条说法：去掉导语、编号、空行和重复",
            asked="模型答复四行，其中一行与原问题相同",
            got=queries,
            expected=[question, one, two],
            look=look,
        )
    _equal("一次多路查询的模型调用次数（一次调用带回全部说法）", len(client.requests), 1, look)
    client = ScriptedClient("\n".join(f"{number}) 说法{number}" for number in range(1, 8)))
    _equal("query_variants 返回的条数上限", len(await variants_of(client, question)), settings.VARIANTS + 1, look)
    for reply in (message(stop_reason="refusal"), message("  \n\u3000")):
        await _survives(variants_of, (reply, question), question, look)
    await _rrf_cases(search, look + " 的 multi_query_search")
    report = await evaluate(MULTI_QUERY, lab=lab)
    _calls(report, searches=settings.VARIANTS + 1, look=look)
    for question_, trace in report.of_tier("single", "multi", "unanswerable"):
        _question_kept([item.query for item in trace.searches], question_.question, "多路检索", look)
    n = len(report.questions)
    return f"{(settings.VARIANTS + 1) * n} 次检索对基线的 {n} 次，模型调用 {n} 次；原问题在内，按 RRF 融合"


async def _rrf_cases(search: Callable[..., Awaitable[Any]], look: str) -> None:
    """Hold a search-and-fuse function against RRF worked out the slow, obvious way."""
    cases = {
        "两路都找到的片段": {"甲": ["b#1", "a#1", "c#1"], "乙": ["a#1", "d#1"], "丙": []},
        "同分按编号排": {"甲": ["z#1", "m#1"], "乙": ["a#1", "k#1"]},
        "同一路里重复的编号只算一次": {"甲": ["a#1", "a#1", "b#1"], "乙": ["b#1"]},
        "只有一路": {"甲": ["c#2", "a#2"]},
    }
    for name, found in cases.items():
        retriever = ListRetriever(found)
        got = await search(retriever, list(found))
        if sorted(retriever.queries) != sorted(found):
            raise Wrong(f"每条说法检索一次（{name}）", got=retriever.queries, expected=list(found), look=look)
        expected = _obvious_rrf(list(found.values()))
        try:
            pairs = [(str(item), float(score)) for item, score in got]
        except (TypeError, ValueError) as error:
            raise Wrong(
                "应当返回 (片段编号, 分数) 的列表", got=repr(got)[:200], expected=expected, look=look
            ) from error
        if [item for item, _ in pairs] != [item for item, _ in expected]:
            raise Wrong(
                f"融合后的顺序不对（{name}）",
                asked=found,
                got=[item for item, _ in pairs],
                expected=[item for item, _ in expected],
                look=look,
            )
        for (item, score), (_, right) in zip(pairs, expected, strict=True):
            if abs(score - right) > TOLERANCE:
                if abs(score - right) >= 0.01:
                    hint = "分数是 Σ 1/(60+名次)，与原始分数无关"
                elif any(len(set(ranking)) < len(ranking) for ranking in found.values()):
                    hint = "重复的只算最好的那次，后面的名次不往前挪；名次从 1 起"
                else:
                    hint = "名次从 1 起：第一名得 1/61"
                raise Wrong(
                    f"{item} 的融合分数不对（{name}）；{hint}", asked=found, got=score, expected=right, look=look
                )


def _obvious_rrf(rankings: Sequence[Sequence[str]], k: int = settings.RRF_K) -> list[tuple[str, float]]:
    """RRF as the formula reads it: for every id, for every ranking, add 1/(k + place)."""
    scores = {}
    for item in {item for ranking in rankings for item in ranking}:
        scores[item] = sum(1 / (k + ranking.index(item) + 1) for ranking in map(list, rankings) if item in ranking)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


# ── 6 step-back ─────────────────────────────────────────────────────────────────────────────────
async def _step_back(lab: Lab) -> str:
    look = handed_in.look(lab, "step_back")
    query_of, queries_of = lab.techniques.get("step_back_query"), lab.techniques.get("step_back_queries")
    system = lab.techniques.get("STEP_BACK_SYSTEM")
    question = "周三晚上七点带两个朋友来要补多少钱"
    general = "访客入场的收费标准638"
    client = ScriptedClient(f"后退问题：「{general}」")
    got = await query_of(client, question)
    if got != general:
        raise Wrong("后退提问是模型答复里的那一行", got=repr(got), expected=repr(general), look=look)
    if question not in client.asked:
        raise Wrong("模型没有看到问题", got=client.asked[:200], expected=question, look=look)
    client = ScriptedClient(general)
    queries = await queries_of(client, question)
    _question_kept(queries, question, "step_back_queries", look)
    if sorted(queries) != sorted([question, general]):
        raise Wrong(
            "应当是原问题加一条更一般的问题", asked=question, got=queries, expected=[question, general], look=look
        )
    _equal("一次后退提问的模型调用次数", len(client.requests), 1, look)
    for answered in (question, f"后退问题：「{question}」", f"1. {question}\n"):
        queries = await queries_of(ScriptedClient(answered), question)
        if list(queries) != [question]:
            raise Wrong(
                "退不出更一般的问题时（和原问题一样），只留原问题一条",
                asked=repr(answered),
                got=queries,
                expected=[question],
                look=look,
            )
    for reply in (message(stop_reason="refusal"), message("")):
        await _survives(queries_of, (reply, question), question, look)
    await _step_back_prompt(query_of, system, question, f"{look} 的 STEP_BACK_SYSTEM")
    report = await evaluate(STEP_BACK, lab=lab)
    _calls(report, searches=2, look=look)
    # The other two expansions come from the reference, so that this check needs only this exercise.
    reference = replace(lab, techniques=lab.techniques.borrow("hyde").borrow("multi_query"))
    tokens = {"后退提问": report.row()["output_tokens"]}
    for config, name in ((HYDE, "HyDE"), (MULTI_QUERY, "多路查询")):
        tokens[name] = (await evaluate(config, lab=reference)).row()["output_tokens"]
    if min(tokens, key=lambda name: tokens[name]) != "后退提问":
        raise Wrong("后退提问应当是三种扩展里输出最短的", got=tokens, look=look)
    n = len(report.questions)
    spent = "，".join(f"{name} {value:.1f}" for name, value in tokens.items())
    return f"{2 * n} 次检索、{n} 次模型调用；每题输出 token：{spent}"


async def _step_back_prompt(query_of: Callable[..., Awaitable[Any]], system: Any, question: str, look: str) -> None:
    """Hold the student's prompt against the careless model, a caricature that does only what a prompt demands."""
    if prompts.task_of(system) is not prompts.STEP_BACK:
        line = prompts.STEP_BACK.role_line
        got = repr(system)[:100]
        raise Wrong("STEP_BACK_SYSTEM 应当是一段文字，第一行一字不改", got=got, expected=repr(line), look=look)
    client = CarelessClient()
    await query_of(client, question)
    if client.systems != [system]:
        got = client.systems
        raise Wrong("step_back_query 发出去的 system 应当是 STEP_BACK_SYSTEM", got=got, expected=[system], look=look)
    for found, reply in costs(system, question):
        if found.state == "unclear":
            raise Wrong(
                f"粗心模型看不懂这一句是不是要求了「{found.duty.label}」。它是一幅漫画，只认常见的说法，"
                "所以不等于你写错了：换一种直白的说法，或者另写一句",
                got=found.clause,
                expected=found.duty.label,
                look=look,
            )
        if found.state != "found":
            why = "有一句要求的正好相反" if found.state == "reversed" else "提示词里没有这条要求"
            raise Wrong(
                f"粗心模型（一幅漫画，没要求的一概不做）没有做到「{found.duty.label}」：{why}",
                asked=found.clause or question,
                got=reply,
                expected=found.duty.label,
                look=look,
            )


# ── 7 router ────────────────────────────────────────────────────────────────────────────────────
async def _router(lab: Lab) -> str:
    look = handed_in.look(lab, "router")
    await _label_cases(lab, look + " 的 classify")
    await _route_cases(lab, look + " 的 route")
    baseline, report = await evaluate(BASELINE, lab=lab), await evaluate(ROUTER_WIDE, lab=lab)
    row = report.row()
    _equal("路由加多跳预算后的多跳召回", row["recall_multi_hop"], 1.0, _first_lost(report, "multi") or look)
    if row["recall_single_hop"] < baseline.row()["recall_single_hop"]:
        raise Wrong(
            "路由之后单跳召回变低了",
            got=row["recall_single_hop"],
            expected=baseline.row()["recall_single_hop"],
            look=_first_lost(report, "single"),
        )
    single, before = row["recall_single_hop"], baseline.row()["recall_multi_hop"]
    return f"多跳召回 {before:.0%} → 100%，单跳召回 {single:.0%}；判不了的标签走单跳"


async def _label_cases(lab: Lab, look: str) -> None:
    classify = lab.techniques.get("classify")
    question = "前台的张师傅今天在吗"
    cases = [(label, label) for label in INTENTS]
    cases += [(f" **{label.upper()}**。\n", label) for label in INTENTS]
    cases += [
        ("not multi-hop; it is single-hop", "single-hop"),
        ("not direct, but multi-hop", "single-hop"),
        ("direct or multi-hop", "single-hop"),
        ("directly", "single-hop"),
        ("我觉得是多跳", "single-hop"),
        ("？", "single-hop"),
    ]
    for reply, expected in cases:
        client = ScriptedClient(message(reply, thinking="multi-hop?"))
        got = await classify(client, question)
        if got != expected:
            raise Wrong(
                "标签要整条相同才算数；判不了的一律走单跳",
                asked=repr(reply),
                got=repr(got),
                expected=repr(expected),
                look=look,
            )
        if question not in client.asked:
            raise Wrong("模型没有看到问题", got=client.asked[:200], expected=question, look=look)


async def _route_cases(lab: Lab, look: str) -> None:
    route = lab.techniques.get("route")
    question, bridge = "批准借出展品的人在几楼办公", "典藏部主任638 办公楼层"
    budgets = Budgets(611, 1213)
    for label, searched, budget in (
        ("direct", [], 611),
        ("single-hop", None, 611),
        ("multi-hop", [question, bridge], 1213),
    ):
        retriever = ListRetriever(
            {question: ["loan#1", "map#3"], bridge: ["office#2"]}, {"loan#1": "借出展品由典藏部主任批准"}
        )
        client = ScriptedClient(label, bridge)
        routed = await route(client, retriever, question, budgets)
        if not isinstance(routed, Routed):
            raise Wrong("route 应当返回 Routed", asked=label, got=repr(routed)[:200], look=look)
        if routed.intent != label:
            raise Wrong("route 的意图应当是 classify 给出的", asked=label, got=routed.intent, expected=label, look=look)
        if label == "direct" and retriever.queries:
            raise Wrong("direct 不检索", got=retriever.queries, expected="0 次检索", look=look)
        if label == "single-hop" and retriever.queries not in ([], [question]):
            raise Wrong(
                "single-hop 最多检索原问题一次（扩展和检索由 pipeline 接着做）", got=retriever.queries, look=look
            )
        if label == "multi-hop":
            if retriever.queries != searched:
                raise Wrong(
                    "multi-hop 检索两次：先原问题，再桥接查询", got=retriever.queries, expected=searched, look=look
                )
            if "典藏部主任批准" not in client.asked:
                raise Wrong("写桥接查询时，模型要看到第一次检索找到的片段", got=client.asked[-300:], look=look)
            if not all(isinstance(search, Search) for search in routed.searches) or len(routed.searches) != 2:
                raise Wrong(
                    "Routed.searches 应当装着两次检索",
                    got=[getattr(item, "query", item) for item in routed.searches],
                    expected=searched,
                    look=look,
                )
        if routed.budget != budget:
            raise Wrong(f"{label} 的上下文预算不对", got=routed.budget, expected=budget, look=look)


# ── 8 chit-chat ─────────────────────────────────────────────────────────────────────────────────
async def _chit_chat(lab: Lab) -> str:
    look = handed_in.look(lab, "router", "classify 与 route")
    typed, history = _turn(lab.corpus.dialogue(DIALOGUE), 2)
    trace = await lab.ask(typed, history, ROUTER_WIDE)
    _equal(f"「{typed}」的检索次数", trace.retrievals, 0, _fell_back(trace) or look)
    if not trace.answer:
        raise Wrong("闲聊也要有回应", asked=typed, got=trace.answer, look=look)
    asked = f"谢谢，另外{lab.corpus.questions[0].question}"
    trace = await lab.ask(asked, (), ROUTER_WIDE, answer=False)
    if trace.intent == "direct" or trace.retrievals == 0:
        raise Wrong(
            "先致谢、再提问的，不是闲聊",
            asked=asked,
            got=f"{trace.intent}，{trace.retrievals} 次检索",
            expected="至少 1 次检索",
            look=look,
        )
    return f"「{typed}」0 次检索；「{asked}」照常检索 {trace.retrievals} 次"


# ── what the checks share ───────────────────────────────────────────────────────────────────────
def _equal(what: str, got: Any, expected: Any, look: str = "") -> None:
    if got != expected:
        raise Wrong(f"{what}不对", got=got, expected=expected, look=look)


def _calls(report: Report, searches: int, look: str) -> None:
    """One model call and ``searches`` retrievals for every question; name the first that differs."""
    for question, trace in zip(report.questions, report.traces, strict=True):
        got = f"{trace.retrievals} 次检索、{trace.model_calls} 次模型调用"
        expected = f"{searches} 次检索、1 次模型调用"
        if got != expected:
            texts = " | ".join(search.query for search in trace.searches)
            raise Wrong(
                f"{question.id} 的次数不对",
                asked=question.question,
                got=f"{got}（{texts}）",
                expected=expected,
                look=_fell_back(trace) or look,
            )


def _question_kept(queries: Any, question: str, what: str, look: str) -> None:
    if not isinstance(queries, list | tuple) or not all(isinstance(item, str) for item in queries):
        raise Wrong(f"{what} 应当是一列文字", asked=question, got=repr(queries)[:200], look=look)
    if question not in queries:
        raise Wrong(f"{what} 里没有原问题：扩展是加上去，不是换掉它", asked=question, got=list(queries), look=look)


async def _survives(
    function: Callable[..., Awaitable[Any]], arguments: tuple[Any, ...], question: str, look: str
) -> None:
    """An unusable reply may be raised as a ModelError or answered with the question itself; nothing else."""
    reply, *rest = arguments
    try:
        got = await function(ScriptedClient(reply), *rest)
    except ModelError:
        return
    if got not in (question, [question]):
        why = reply.stop_reason if reply.stop_reason != "end_turn" else "没有文字"
        raise Wrong(
            f"模型的答复不能用时（{why}），应当退回原问题，或者让 reply 的错误抛出去",
            got=repr(got),
            expected=repr(question),
            look=look,
        )


def _turn(dialogue: Dialogue, index: int) -> tuple[str, list[Turn]]:
    return dialogue.turns[index].user, dialogue.history(index)


def _fell_back(trace: Trace) -> str:
    return "；".join(f"{fallback.step} 退回了{fallback.used}：{fallback.reason}" for fallback in trace.fallbacks)


def _first_fallback(report: Report) -> str:
    return next((_fell_back(trace) for trace in report.traces if trace.fallbacks), "")


def _first_lost(report: Report, tier: str) -> str:
    for question, trace in report.of_tier(tier):
        lost = {doc_id: place for doc_id, place in where_lost(trace, question).items() if place != "context"}
        if lost:
            return f"{question.id}「{question.question}」丢失 {lost}（{_explain(trace, question)}）"
    return ""


def _explain(trace: Trace, question: Question) -> str:
    return f"意图 {trace.intent or '—'}，检索 {[search.query for search in trace.searches]}，预算 {trace.budget}"


# ── the list ────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Check:
    """One acceptance check: its id, the exercise it judges (None: the lab itself), and its code."""

    id: str
    exercise: str | None
    run: Callable[[Lab], Awaitable[str]]


CHECKS: tuple[Check, ...] = (
    Check("baseline", None, _baseline),
    Check("follow-up", None, _follow_up),
    Check("rewrite", "rewrite", _rewrite),
    Check("hyde", "hyde", _hyde),
    Check("multi-query", "multi_query", _multi_query),
    Check("step-back", "step_back", _step_back),
    Check("router", "router", _router),
    Check("chit-chat", "router", _chit_chat),
)

__all__ = ["CHECKS", "Check", "Config"]
