"""The arms that a gain is held against: the gate open, the three arms of HyDE, the router without its net."""

import asyncio
from dataclasses import replace

import pytest
from querylab.measure.evaluate import evaluate
from querylab.measure.metrics import ranked_complete, recall
from querylab.pipeline.config import (
    BASELINE,
    CONTROL_ROWS,
    HYDE,
    MORE_ROWS,
    NAMED,
    ROUTER,
    ROUTER_WIDE,
    STEP_BACK,
    Config,
    all_rows,
)
from querylab.pipeline.trace import where_lost
from querylab.types import ROUTES

from checks.tests.test_pipeline import GOOD, NOTHING, SINGLE, go

DRAFT = GOOD["hyde"]


def run(coroutine):
    return asyncio.run(coroutine)


# ── The gate open ───────────────────────────────────────────────────────────────────────────────
def test_with_the_gate_open_everything_found_is_admitted_and_nothing_else_changes(lab):
    closed, _ = go(lab, SINGLE, BASELINE)
    opened, _ = go(lab, SINGLE, Config(gate=False))
    assert {chunk.id for chunk in opened.admitted} == set(opened.searches[0].ids) > {c.id for c in closed.admitted}
    assert (opened.ranking, opened.searches, opened.budget) == (closed.ranking, closed.searches, closed.budget)
    assert opened.context.tokens <= opened.budget


def test_with_the_gate_open_nothing_is_lost_there_and_nothing_refused(lab):
    report = run(evaluate(Config("open", gate=False), lab=lab))
    places = [
        place
        for q, trace in zip(report.questions, report.traces, strict=True)
        for place in where_lost(trace, q).values()
    ]
    assert "gate" not in places
    assert report.row()["refused_rightly"] == 0


def test_the_ranking_is_read_without_the_gate(lab):
    open_gate, closed = (run(evaluate(Config("x", gate=gate), lab=lab)) for gate in (False, True))
    for question, one, other in zip(closed.questions, open_gate.traces, closed.traces, strict=True):
        for depth in (3, 5, 10):
            assert ranked_complete(one, question, depth) == ranked_complete(other, question, depth)
        assert ranked_complete(one, question, 3) <= ranked_complete(one, question, 10)
        assert 0 <= recall(other, question) <= 1


# ── Three arms of HyDE ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("arm", "searches"),
    [
        ("both", [(SINGLE, ROUTES), (DRAFT, ROUTES)]),
        ("vector", [(SINGLE, ROUTES), (DRAFT, ("cosine",))]),
        ("published", [(SINGLE, ("bm25",)), (DRAFT, ("cosine",))]),
    ],
)
def test_each_arm_sends_the_draft_where_it_says(lab, arm, searches):
    trace, client = go(lab, SINGLE, replace(HYDE, hyde_arm=arm))
    assert [(search.query, search.routes) for search in trace.searches] == searches
    assert client.asked == ["hyde"]


@pytest.mark.parametrize("arm", ["vector", "published"])
def test_without_a_draft_every_arm_searches_the_question_on_both_routes(lab, arm):
    trace, _ = go(lab, SINGLE, replace(HYDE, hyde_arm=arm), hyde="")
    assert [(search.query, search.routes) for search in trace.searches] == [(SINGLE, ROUTES)]


def test_another_expansion_beside_keeps_the_question_on_both_routes(lab):
    trace, _ = go(lab, SINGLE, Config(hyde=True, step_back=True, hyde_arm="published"))
    routes = {search.query: search.routes for search in trace.searches}
    assert routes == {SINGLE: ROUTES, DRAFT: ("cosine",), GOOD["step_back"]: ROUTES}


def test_the_arms_send_the_same_requests(lab):
    sent = [go(lab, SINGLE, replace(HYDE, hyde_arm=arm))[1].requests for arm in ("both", "vector", "published")]
    assert sent[0] == sent[1] == sent[2]


@pytest.mark.parametrize(
    "change",
    [
        {"hyde_arm": "vector"},
        {"hyde": True, "hyde_arm": "words"},
        {"hyde": True, "multi_query": True, "hyde_arm": "published"},
    ],
)
def test_an_arm_that_cannot_be(change):
    with pytest.raises(ValueError, match="hyde_arm"):
        Config(**change)


# ── The router's safety net ─────────────────────────────────────────────────────────────────────
def test_without_the_net_an_empty_gate_is_a_refusal(lab):
    trace, client = go(lab, NOTHING, replace(ROUTER_WIDE, safety_net=False))
    assert client.asked == ["classify"]
    assert (trace.intent, trace.refused, trace.refusal) == ("single-hop", True, "gate")


def test_without_the_net_a_direct_reply_may_tell_figures_but_a_failed_one_is_still_searched(lab):
    bare = replace(ROUTER, safety_net=False)
    told, _ = go(lab, SINGLE, bare, classify="direct", reply="上限是550元。")
    assert (told.answer, told.retrievals) == ("上限是550元。", 0)
    failed, _ = go(lab, SINGLE, bare, classify="direct", reply="")
    assert failed.retrievals == 1


# ── The rows ────────────────────────────────────────────────────────────────────────────────────
def test_the_control_rows_are_reached_by_name(lab):
    assert MORE_ROWS["controls"] == CONTROL_ROWS
    for config in CONTROL_ROWS:
        assert lab.config(config.name) == config


def test_every_row_has_a_name_of_its_own():
    names = [config.name for config in all_rows()]
    assert len(set(names)) == len(names)


def test_no_row_of_the_ledger_has_a_control_switched():
    for config in (*NAMED, *MORE_ROWS["understanding"], *MORE_ROWS["heavier"]):
        assert (config.gate, config.safety_net, config.hyde_arm) == (True, True, "both")


def test_a_control_makes_no_call_that_its_row_does_not_make(lab):
    rows = {config.name: run(evaluate(config, lab=lab)).row() for config in (BASELINE, HYDE, STEP_BACK, *CONTROL_ROWS)}
    for name, plain in (("gate open", "baseline"), ("HyDE, gate open", "HyDE"), ("step-back, gate open", "step-back")):
        for column in ("model_calls", "retrievals", "ndcg_at_10", "mrr", "cost_per_1000_usd"):
            assert rows[name][column] == rows[plain][column], "the same ranking, read without the gate"
    same = {name: value for name, value in rows["HyDE beside, both routes"].items() if name != "config"}
    assert same == {name: value for name, value in rows["HyDE"].items() if name != "config"}


# ── Why it was refused ──────────────────────────────────────────────────────────────────────────
def test_a_refusal_says_why(lab):
    assert go(lab, NOTHING, BASELINE)[0].refusal == "gate"
    assert go(lab, "？？", BASELINE)[0].refusal == "pool"
    too_small, _ = go(lab, SINGLE, Config(budget=1))
    assert too_small.refusal == "budget"
    assert any(note.startswith("larger than the budget, left out: travel#") for note in too_small.notes)
    assert go(lab, SINGLE, BASELINE)[0].refusal is None


def test_a_section_that_was_cut_is_named_and_read(lab):
    trace, client = go(lab, SINGLE, Config(budget=70), write=True)
    assert any(note.startswith("larger than the budget, cut to fit: ") for note in trace.notes)
    (cut,) = trace.context.cut
    assert trace.context.chunks[0].id == cut.id == trace.admitted[0].id
    assert trace.context.chunks[0].text in client.requests[-1]["messages"][0]["content"]
