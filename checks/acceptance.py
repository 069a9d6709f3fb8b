"""The eight acceptance checks: what each technique must bring about on the lab's own corpus.

Each ``_check`` takes a lab whose techniques are the student's, and either returns one sentence about
what was measured or raises :class:`Wrong` with the first case that differs. A check looks at what a
function *does* (what it asked the model, what it searched, what came out), never at how it is written.
What a function must do call by call, whatever the model says, is held against the reference: :mod:`checks.oracle`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from querylab import prompts, settings
from querylab.corpus.model import Dialogue, Question
from querylab.measure.evaluate import evaluate as evaluate_so_far
from querylab.measure.report import Report
from querylab.pipeline.config import BASELINE, HYDE, MULTI_QUERY, REWRITE_ALWAYS, ROUTER_WIDE, STEP_BACK, Config
from querylab.pipeline.lab import Lab
from querylab.pipeline.trace import Trace, where_lost
from querylab.rules.careless import CarelessClient, costs
from querylab.types import Turn

from checks import handed_in
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
    look = handed_in.look(lab, "rewrite", "rewrite_query")
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


# ── 4 hyde ──────────────────────────────────────────────────────────────────────────────────────
async def _hyde(lab: Lab) -> str:
    look = handed_in.look(lab, "hyde")
    report = await evaluate(HYDE, lab=lab)
    _calls(report, searches=2, look=look)
    for question_, trace in report.of_tier("single", "multi", "unanswerable"):
        _question_kept([search.query for search in trace.searches], question_.question, "HyDE 的检索", look)
    n = len(report.questions)
    return f"{2 * n} 次检索、{n} 次模型调用；假设文档与原问题并列检索，没有替换它"


# ── 5 multi-query ───────────────────────────────────────────────────────────────────────────────
async def _multi_query(lab: Lab) -> str:
    look = handed_in.look(lab, "multi_query")
    report = await evaluate(MULTI_QUERY, lab=lab)
    _calls(report, searches=settings.VARIANTS + 1, look=look)
    for question_, trace in report.of_tier("single", "multi", "unanswerable"):
        _question_kept([item.query for item in trace.searches], question_.question, "多路检索", look)
    n = len(report.questions)
    return f"{(settings.VARIANTS + 1) * n} 次检索对基线的 {n} 次，模型调用 {n} 次；原问题在内，按 RRF 融合"


# ── 6 step-back ─────────────────────────────────────────────────────────────────────────────────
async def _step_back(lab: Lab) -> str:
    look = handed_in.look(lab, "step_back")
    query_of, system = lab.techniques.get("step_back_query"), lab.techniques.get("STEP_BACK_SYSTEM")
    question = "周三晚上七点带两个朋友来要补多少钱"
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
