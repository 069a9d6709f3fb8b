"""Metrics held against ir_measures and against tables worked out by hand; and where a document was lost."""

import asyncio
import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from ir_measures import RR, Qrel, ScoredDoc, nDCG
from querylab.corpus.model import Question
from querylab.measure import trec
from querylab.measure.compare import compare
from querylab.measure.evaluate import evaluate
from querylab.measure.metrics import complete, ndcg, reciprocal_rank
from querylab.measure.report import COLUMNS, Report, Stopped
from querylab.pipeline.config import BASELINE, HYDE
from querylab.pipeline.trace import Trace, chunk_place, furthest, where_lost
from querylab.retrieval.admit import Packed, admitted_ids, pack
from querylab.retrieval.fuse import rrf_fuse
from querylab.types import Chunk, Event, Gates, Hit, Search

IDS = [f"d{number}#1" for number in range(16)]
RANKING = st.lists(st.sampled_from(IDS), max_size=16, unique=True)
GRADES = st.dictionaries(st.sampled_from(IDS), st.integers(0, 2), max_size=10)


# ── nDCG and MRR ────────────────────────────────────────────────────────────────────────────────
def reference(measure, ranking, grades):
    qrels = [Qrel("q", item, grade) for item, grade in grades.items()]
    run = [ScoredDoc("q", item, float(-rank)) for rank, item in enumerate(ranking)]
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


@given(RANKING.filter(bool), GRADES.filter(bool))
@hypothesis_settings(max_examples=150)
def test_ndcg_and_mrr_equal_ir_measures(ranking, grades):
    assert ndcg(ranking, grades) == pytest.approx(reference(nDCG @ 10, ranking, grades), abs=1e-9)
    assert ndcg(ranking, grades, 3) == pytest.approx(reference(nDCG @ 3, ranking, grades), abs=1e-9)
    assert reciprocal_rank(ranking, grades) == pytest.approx(reference(RR, ranking, grades), abs=1e-9)


@pytest.mark.parametrize(
    ("ranking", "grades", "gain", "rank"),
    [
        (["a", "b"], {"a": 2, "b": 1}, 1.0, 1.0),
        (["b", "a"], {"a": 2, "b": 1}, (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)), 1.0),
        (["x", "a"], {"a": 2}, 1 / math.log2(3), 0.5),
        (["x", "y", "a"], {"a": 1}, 0.5, 1 / 3),
        (["x"], {"a": 2}, 0.0, 0.0),
        ([], {"a": 2}, 0.0, 0.0),
        (["a"], {}, 0.0, 0.0),
        ([], {}, 0.0, 0.0),
        (["a"], {"a": 0}, 0.0, 0.0),  # judged, and found beside the point
        (["z", "a"], {"z": 0, "a": 1}, 1 / math.log2(3), 0.5),
    ],
)
def test_metrics_by_hand(ranking, grades, gain, rank):
    assert ndcg(ranking, grades) == pytest.approx(gain)
    assert reciprocal_rank(ranking, grades) == pytest.approx(rank)


def test_a_repeated_id_counts_at_its_first_place():
    assert ndcg(["a", "a", "a"], {"a": 2}) == 1.0  # a metric above 1 would be the sign
    assert ndcg(["x", "x", "a"], {"a": 2}) == ndcg(["x", "a"], {"a": 2})
    assert reciprocal_rank(["x", "x", "a"], {"a": 2}) == 0.5


@given(st.lists(st.sampled_from(IDS), max_size=20), GRADES, st.integers(1, 12))
def test_ndcg_lies_between_nothing_and_the_ideal(ranking, grades, k):
    assert 0.0 <= ndcg(ranking, grades, k) <= 1.0 + 1e-12
    ideal = sorted(grades, key=lambda item: -grades[item])
    assert ndcg(ideal, grades, k) == (pytest.approx(1.0) if any(grades.values()) else 0.0)


def test_what_stands_below_the_depth_does_not_count():
    ranking = [f"x{number}" for number in range(10)] + ["a"]
    assert ndcg(ranking, {"a": 2}) == 0.0
    assert ndcg(ranking, {"a": 2}, 11) > 0.0
    assert reciprocal_rank(ranking, {"a": 2}) == 1 / 11


@pytest.mark.parametrize("k", [0, -1])
def test_a_depth_of_nothing_is_refused(k):
    with pytest.raises(ValueError, match="1 or more"):
        ndcg(["a"], {"a": 1}, k)


# ── Where a document was lost ───────────────────────────────────────────────────────────────────
GATES = Gates(5.0, 0.5)


def chunk(name, tokens=10):
    return Chunk(name, name.rpartition("#")[0], "t", "h", "b", tokens)


def trace_of(*pools, budget=100, tokens=None, events=(), intent=None):
    """A trace as the pipeline makes it, from pools given as {chunk id: (bm25, cosine)} in rank order."""
    sizes = tokens or {}
    searches = tuple(
        Search(
            f"query {number}",
            hits=tuple(
                Hit(chunk(name, sizes.get(name, 10)), *scores, rank)
                for rank, (name, scores) in enumerate(pool.items(), start=1)
            ),
        )
        for number, pool in enumerate(pools)
    )
    ranking = rrf_fuse([search.ids for search in searches])
    through = admitted_ids(searches, GATES)
    known = {hit.chunk.id: hit.chunk for search in searches for hit in search.hits}
    admitted = tuple(known[name] for name, _ in ranking if name in through)
    return Trace(
        question="q",
        history=(),
        rewritten="q",
        intent=intent,
        searches=searches,
        ranking=tuple(ranking),
        admitted=admitted,
        context=pack(admitted, budget),
        budget=budget,
        answer=None,
        events=tuple(events),
        fallbacks=(),
    )


def question_on(*documents, tier="single", **grades):
    graded = {name.replace("_", "#"): grade for name, grade in grades.items()}
    return Question("q1", tier, "q", documents, graded or {f"{doc}#1": 2 for doc in documents}, "")


IN, OUT = (6.0, 0.0), (4.9, 0.49)


def test_a_document_that_no_search_brought_up_is_lost_at_the_pool():
    assert where_lost(trace_of({"other#1": IN}), question_on("a")) == {"a": "pool"}
    assert where_lost(trace_of(), question_on("a")) == {"a": "pool"}


def test_a_document_that_no_route_scored_high_enough_is_lost_at_the_gate():
    assert where_lost(trace_of({"a#1": OUT, "other#1": IN}), question_on("a")) == {"a": "gate"}


def test_a_document_without_room_is_lost_at_the_budget():
    trace = trace_of({"big#1": IN, "a#1": IN}, budget=100, tokens={"big#1": 95})
    assert where_lost(trace, question_on("a")) == {"a": "budget"}
    assert where_lost(trace, question_on("big")) == {"big": "context"}
    assert [item.id for item in trace.context.dropped] == ["a#1"]


def test_a_document_that_arrived():
    trace = trace_of({"a#1": IN})
    assert where_lost(trace, question_on("a")) == {"a": "context"}
    assert complete(trace, question_on("a"))
    assert trace.documents == ["a"]
    assert not trace.refused


def test_only_a_chunk_that_holds_the_answer_lets_a_document_arrive():
    trace = trace_of({"a#1": IN, "a#2": OUT})
    assert where_lost(trace, question_on("a", a_1=1, a_2=2)) == {"a": "gate"}
    assert where_lost(trace, question_on("a", a_1=2, a_2=1)) == {"a": "context"}
    assert where_lost(trace, question_on("a", a_2=2, a_3=2)) == {"a": "gate"}  # as far as the best of the two


def test_any_search_will_do():
    trace = trace_of({"a#1": OUT}, {"a#1": IN})
    assert where_lost(trace, question_on("a")) == {"a": "context"}


def test_every_evidence_document_must_arrive():
    trace = trace_of({"a#1": IN, "b#1": OUT})
    question = question_on("a", "b", "c", tier="multi")
    assert where_lost(trace, question) == {"a": "context", "b": "gate", "c": "pool"}
    assert not complete(trace, question)
    assert complete(trace_of({"a#1": IN}, {"b#1": IN}, {"c#1": IN}), question)


def test_places_of_single_chunks():
    trace = trace_of({"in#1": IN, "big#1": IN, "out#1": OUT}, budget=20, tokens={"big#1": 30})
    places = {name: chunk_place(trace, f"{name}#1") for name in ("in", "big", "out", "nowhere")}
    assert places == {"in": "context", "big": "budget", "out": "gate", "nowhere": "pool"}
    assert furthest(trace, ["nowhere#1", "out#1", "big#1"]) == "budget"
    assert furthest(trace, []) == "pool"


def test_refused_when_searched_and_nothing_came_through():
    assert trace_of({"a#1": OUT}).refused
    assert trace_of().refused
    assert not trace_of(intent="direct").refused
    assert trace_of({"a#1": IN}, budget=5).refused  # through the gate, but no room


# ── One row of the ledger ───────────────────────────────────────────────────────────────────────
def event(kind, purpose, start=0.0, seconds=1.0, **more):
    return Event(kind, purpose, start, seconds, **more)


QUESTIONS = (
    Question("s1", "single", "q", ("a",), {"a#1": 2, "b#1": 1}, ""),
    Question("s2", "single", "q", ("a",), {"a#1": 2}, ""),
    Question("m1", "multi", "q", ("a", "b"), {"a#1": 2, "b#1": 2}, ""),
    Question("u1", "unanswerable", "q", (), {}, ""),
    Question("u2", "unanswerable", "q", (), {}, ""),
)
SEARCH = event("search", "search", 0.0, 0.5)
CALL = event("model", "hyde", 0.0, 2.0, input_tokens=100, output_tokens=30, cost_usd=0.001)


def report(config=BASELINE):
    traces = (
        trace_of({"b#1": IN, "a#1": IN}, events=[CALL, event("search", "search", 2.0, 0.5)]),
        trace_of({"a#1": OUT}, events=[SEARCH]),
        trace_of({"a#1": IN, "x#1": OUT}, events=[SEARCH, event("model", "answer", 0.5, 9.0, output_tokens=500)]),
        trace_of({"x#1": OUT}, events=[SEARCH]),
        trace_of({"x#1": IN}, events=[SEARCH]),
    )
    return Report(config, QUESTIONS, traces, modelled=True)


def test_a_row_by_hand():
    row = report().row()
    second = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    both = 1 / (1 + 1 / math.log2(3))
    assert row["config"] == "baseline"
    assert row["recall_single_hop"] == 0.5
    assert row["recall_multi_hop"] == 0.0  # one of two evidence documents is not enough
    assert row["ndcg_at_10"] == pytest.approx((second + 1.0 + both) / 3)
    assert row["mrr"] == pytest.approx(1.0)
    assert row["refused_rightly"] == 0.5
    assert row["refused_wrongly"] == pytest.approx(1 / 3)
    assert row["model_calls"] == 1  # writing the answer is not on the query side
    assert row["retrievals"] == 5
    assert row["context_tokens"] == pytest.approx((20 + 0 + 10 + 0 + 10) / 5)
    assert row["output_tokens"] == pytest.approx(30 / 5)
    assert row["cost_per_1000_usd"] == pytest.approx(0.2)
    assert row["latency_p50_s"] == pytest.approx(0.5)
    assert list(row) == ["config", *(column.key for column in COLUMNS)]
    assert report().counts == {"single": 2, "multi": 1, "unanswerable": 2}


def test_latency_is_when_the_last_call_ended_not_the_sum():
    overlapping = [
        event("model", "hyde", 0.0, 2.0),
        event("model", "step_back", 0.0, 3.0),
        event("search", "search", 3.0, 0.5),
    ]
    assert trace_of(events=overlapping).seconds == 3.5
    assert trace_of(events=[]).seconds == 0.0


def test_a_trace_says_why_going_on_makes_no_sense():
    passing = event("model", "hyde", error="overloaded")
    lasting = event("model", "hyde", error="the ceiling is reached", lasting=True)
    assert trace_of(events=[passing, SEARCH]).stopped is None
    assert trace_of(events=[passing, lasting, SEARCH]).stopped == "the ceiling is reached"


def test_a_report_knows_its_calls_and_what_they_were_paid():
    paid = event("model", "hyde", cost_usd=0.002, paid_usd=0.002)
    replayed = event("model", "hyde", cost_usd=0.002, replayed=True)
    answer = event("model", "answer", cost_usd=0.5, paid_usd=0.5)
    traces = (trace_of(events=[paid, SEARCH, answer]), trace_of(events=[replayed, SEARCH]))
    two = Report(HYDE, QUESTIONS[:2], traces, modelled=False, planned=2)
    assert two.calls == [paid, replayed]
    assert two.paid_usd == pytest.approx(0.002)
    assert two.row()["cost_per_1000_usd"] == pytest.approx(2.0)  # by the price list, whoever paid
    assert two.cold_seconds == [1.0]  # a replayed call says nothing about time
    assert two.whole() is two
    early = Report(HYDE, QUESTIONS[:2], traces, modelled=False, planned=5, stopped="the ceiling is reached")
    assert early.progress == "2 of 5"
    with pytest.raises(Stopped, match=r"HyDE.*2 of 5.*ceiling"):
        early.whole()


def test_a_mean_over_nothing_is_no_number():
    row = Report(BASELINE, (QUESTIONS[3],), (trace_of(events=[SEARCH]),), modelled=True).row()
    for key in ("recall_single_hop", "recall_multi_hop", "ndcg_at_10", "mrr", "refused_wrongly"):
        assert row[key] is None
    assert row["refused_rightly"] == 1.0


def test_the_ledger_shows_differences_to_its_first_row():
    base, other = report(), report(HYDE)
    better = Report(HYDE, QUESTIONS, (trace_of({"a#1": IN}, events=[SEARCH]), *other.traces[1:]), modelled=True)
    ledger = compare([base, better])
    keys = [column.key for column in COLUMNS]
    assert list(ledger.columns) == [*keys, *(f"Δ{key}" for key in keys)]
    assert list(ledger.index) == ["baseline", "HyDE"]
    assert (ledger.iloc[0][[f"Δ{key}" for key in keys]] == 0).all()
    assert ledger.loc["HyDE", "Δmodel_calls"] == -1
    assert ledger.loc["HyDE", "Δcontext_tokens"] == pytest.approx(-2.0)
    assert ledger.loc["HyDE", "Δrecall_single_hop"] == 0.0
    assert ledger.attrs["counts"] == {"single": 2, "multi": 1, "unanswerable": 2}
    assert ledger.attrs["modelled"] is True


def test_reports_on_different_questions_cannot_stand_in_one_ledger():
    fewer = Report(HYDE, QUESTIONS[:1], report().traces[:1], modelled=True)
    with pytest.raises(ValueError, match="different questions"):
        compare([report(), fewer])
    with pytest.raises(ValueError, match="at least one"):
        compare([])


def test_an_empty_context_has_no_tokens():
    assert trace_of().context == Packed((), (), 0)


# ── TREC's formats ──────────────────────────────────────────────────────────────────────────────
def test_an_independent_tool_reads_the_exported_run_and_agrees(lab, tmp_path):
    report = asyncio.run(evaluate(HYDE, lab=lab))
    qrels, run = trec.write(tmp_path, [report])
    measures = [nDCG @ 10, RR]
    found = ir_measures.calc_aggregate(
        measures,
        list(ir_measures.read_trec_qrels(str(qrels))),
        list(ir_measures.read_trec_run(str(run))),
    )
    assert found[nDCG @ 10] == pytest.approx(report.row()["ndcg_at_10"])
    assert found[RR] == pytest.approx(report.row()["mrr"])
