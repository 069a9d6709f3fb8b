"""The path of one question: rewrite, then route, then expand, then search, gate, fuse and pack.

    question ─ rewrite ─ route ─┬─ direct      no search, no context
                                ├─ single-hop  expand (hyde | multi-query | step-back) ─ search ─ gate ─ fuse ─ pack
                                └─ multi-hop   search ─ bridge ─ search ─ gate ─ fuse ─ pack

    question ─ understand ─┬─ answer   other scopes: no search, by rule
                           ├─ read     a named document, whole
                           ├─ search   one planned search, by specificity
                           └─ agent    the model searches until it has enough

Each step is a file of this room. A query-side failure never costs an answer: a model call that fails, is cut off, is
empty or refused falls back to the question as typed, and the trace says so.
"""

from collections.abc import Sequence
from dataclasses import replace

from querylab.pipeline.admit import packed, through_gate, traced
from querylab.pipeline.agent import search_by_agent
from querylab.pipeline.answer import answer, direct_reply
from querylab.pipeline.expand import expand_understood
from querylab.pipeline.read import read
from querylab.pipeline.rewrite import rewrite
from querylab.pipeline.route import route, second_hop, single_hop
from querylab.pipeline.search import also_searched, planned, search
from querylab.pipeline.state import Found, Run
from querylab.pipeline.trace import Trace
from querylab.pipeline.understand import choose_path, understand
from querylab.pipeline.wiring import close_run
from querylab.types import Search
from querylab.understanding import documents, scopes
from querylab.understanding.agent import Round


async def go(run: Run, with_answer: bool = True) -> Trace:
    """Send one question down its path.

    Args:
        run: what the question carries; see :func:`querylab.pipeline.wiring.open_run`.
        with_answer: also write the answer.

    Raises:
        Unfinished: when a technique that is on has not been written yet.
        TechniqueError: when a technique returns something of the wrong type.
    """
    understands = run.config.understanding != "off"
    pointed = documents.pointed_at(run.question, run.documents)
    if not pointed and not understands:  # an understanding sees by itself that a document is named
        pointed = documents.to_summarise(run.question, run.titles)
    try:
        if pointed:
            trace = replace(read(run, run.question, pointed), path="read")
        elif understands:
            trace = await by_understanding(run)
        else:
            trace = await by_route(run)
        return await answer(run, trace) if with_answer and trace.answer is None else trace
    finally:
        await close_run(run)


async def by_route(run: Run) -> Trace:
    """Take one of three ways (notebooks 01 to 05); without a router, the single-hop one."""
    query = await rewrite(run)
    routed = await route(run, query)
    if routed.intent == "direct":
        reply = await direct_reply(run)
        if reply is not None:
            return traced(run, query, "direct", budget=routed.budget, answer=reply)
        routed = single_hop(run)

    found = await search(run, query, routed.searches)
    budget = max(routed.budget, run.budgets.multi_hop) if len(run.parts) > 1 else routed.budget
    passed, intent = through_gate(run, found), routed.intent
    if run.config.router and run.config.safety_net and intent == "single-hop" and not passed:
        run.notes.append("nothing through the gate on the single-hop path: tried a second hop")
        found = await second_hop(run, query, found)
        passed, intent, budget = through_gate(run, found), "multi-hop", run.budgets.multi_hop
    return packed(run, query, intent if run.config.router else None, found, passed, budget)


async def by_understanding(run: Run) -> Trace:
    """Take the way that the understanding chooses (notebook 08)."""
    understanding = await understand(run)
    query = understanding.rewritten
    named = documents.named(f"{run.question} {query}", run.titles)
    path = choose_path(run, understanding, named)
    rounds: tuple[Round, ...] = ()
    if path == "answer":
        # Out of scope is a refusal, and counts as one; the rest is answered.
        intent = None if understanding.scope == "OUT_OF_SCOPE" else "direct"
        trace = traced(run, query, intent, answer=scopes.answer(understanding.scope, run.history, run.titles))
    elif path == "read":
        trace = read(run, query, named)
    elif path == "search":
        trace = await _gated(
            run, query, await planned(run.meter.retriever, await expand_understood(run, understanding))
        )
    else:
        searches, rounds = await search_by_agent(run, query)
        trace = await _gated(run, query, searches, run.budgets.multi_hop)
    return replace(trace, understanding=understanding, path=path, rounds=rounds)


async def _gated(run: Run, query: str, searches: Sequence[Search], budget: int | None = None) -> Trace:
    found = Found.fused(await also_searched(run, searches))
    return packed(run, query, None, found, through_gate(run, found), budget)
