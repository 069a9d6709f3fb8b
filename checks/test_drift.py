"""Core terms, the guard's two layers, the length limit, the fitted thresholds, and the guard on the path."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import drift, drifting, settings
from querylab.embed import SentenceEncoder
from querylab.evaluate import evaluate
from querylab.pipeline import HYDE, REWRITE_ALWAYS, ROUTER_WIDE, STEP_BACK, UNDERSTANDING_ROWS, Config
from querylab.tracks import Techniques
from querylab.types import Routed
from querylab.understanding.fields import Understanding

from checks.fit_drift import PAIRS, fit, pairs, passes_hard_layer
from checks.stand_ins import ScriptedClient, calls

CHECK = Techniques.of_track("solution").get("check_drift")


@pytest.fixture(scope="module")
def encoder():
    return SentenceEncoder()


# ── Core terms ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("三天", "3天"),
        ("三天", "３日"),
        ("两个月", "2个月"),
        ("一年", "12个月"),
        ("半年", "六个月"),
        ("一周", "7天"),
        ("半小时", "30分钟"),
        ("一小时", "60分钟"),
        ("两千元", "2,000块钱"),
        ("1.5万元", "15000元"),
        ("百分之八十", "80%"),
        ("百分之百", "１００％"),
        ("三月十五号", "3月15日"),
        ("晚上十点", "22:00"),
        ("下午三点半", "15:30"),
        ("星期天", "周日"),
        ("两年半", "30个月"),
        ("第二次", "第2次"),
        ("一级", "1级"),
        ("P0", "ｐ０"),
        ("周末", "双休日"),
        ("境外", "国外"),
    ],
)
def test_one_meaning_has_one_form(one, other):
    assert [(t.kind, t.form) for t in drift.core_terms(one)] == [(t.kind, t.form) for t in drift.core_terms(other)]
    assert drift.core_terms(one)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《差旅办法》里怎么写", [("title", "差旅办法")]),
        ("「灯塔」打不开", [("name", "灯塔"), ("negation", "不")]),
        ("能不能报销", []),
        ("是否可以报销", []),
        ("有没有押金", []),
        ("不错的办法，不过没关系", []),
        ("不超过三天", [("number", "3天"), ("limit", "≤")]),
        ("不用登记", [("negation", "免")]),
        ("没带证件不能进", [("negation", "不"), ("negation", "不")]),
        ("统一办理，一般一起去", []),
        ("可以上网吗", []),
        ("十分重要，千万小心", []),
        ("除了周一以外", [("date", "周一"), ("limit", "除"), ("limit", "除")]),
        ("〔1〕叫什么名字", []),
        ("", []),
        ("？！…", []),
    ],
)
def test_terms_that_are_and_terms_that_are_not(text, expected):
    assert [(term.kind, term.form) for term in drift.core_terms(text)] == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("一千五百", 1500),
        ("十二", 12),
        ("二十", 20),
        ("一百零五", 105),
        ("三万", 30000),
        ("二〇二五", 2025),
        ("半", 0.5),
        ("两", 2),
        ("1,500", 1500),
    ],
)
def test_chinese_numbers(text, value):
    assert float(drift.number(text)) == value


@pytest.mark.parametrize("text", ["", "几", "个", "十几天", "x"])
def test_what_is_no_number(text):
    assert drift.number(text) is None


@given(st.text(max_size=40))
def test_any_text_keeps_all_its_own_terms(text):
    assert drift.lost(text, text) == []
    assert drift.added(text, text) == []
    assert drift.swapped(text, text) == []


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_another_number_is_lost_and_added(one, other):
    left, right = f"押金{one}元能退吗", f"押金{other}元能退吗"
    assert bool(drift.lost(left, right)) is (one != other)
    assert bool(drift.added(left, right)) is (one != other)
    assert drift.added(left, right, known=right) == []


def test_a_denial_said_twice_must_stand_twice():
    assert [term.kind for term in drift.lost("没带证件不能进吗", "带证件不能进吗")] == ["negation"]


def test_things_of_one_kind():
    assert drift.swapped("年假几天", "病假几天") == [("年假", "病假")]
    assert drift.swapped("财务主管批吗", "采购主管批吗") == [("财务主管", "采购主管")]
    assert drift.swapped("补贴多少", "津贴多少") == []


# ── The verdict ─────────────────────────────────────────────────────────────────────────────────
def test_thresholds_are_the_fitted_ones(encoder):
    assert fit(encoder) == (settings.DRIFT_OK, settings.DRIFT_FLOOR)


def test_pairs_are_many_and_varied():
    every = pairs()
    assert len(every) >= 80 and len({pair.id for pair in every}) == len(every)
    assert len({(pair.question, pair.rewrite) for pair in every}) == len(every), "a pair stands twice"
    kinds = {pair.kind for pair in every}
    assert {
        "number changed",
        "negation dropped",
        "name swapped",
        "scope widened",
        "condition lost",
        "keywords",
        "synonym",
    } <= kinds
    assert {pair.question + pair.rewrite for pair in pairs("fit")}.isdisjoint(
        pair.question + pair.rewrite for pair in pairs("held-out")
    )
    assert PAIRS.read_bytes().decode("utf-8").endswith("\n")


def test_held_out_pairs_are_judged_well(encoder):
    drifted = [pair for pair in pairs("held-out") if pair.label == "drifted"]
    same = [pair for pair in pairs("held-out") if pair.label == "same"]
    caught = sum(CHECK(pair.question, pair.rewrite, encoder).state == "rejected" for pair in drifted)
    kept = sum(CHECK(pair.question, pair.rewrite, encoder).state != "rejected" for pair in same)
    assert caught / len(drifted) >= 0.9
    assert kept / len(same) >= 0.8


def test_core_terms_come_before_nearness(encoder):
    """What the cosine cannot see is what the hard layer is for: near pairs with another number."""
    near = [pair for pair in pairs() if pair.kind == "number changed"]
    assert near and not any(passes_hard_layer(pair) for pair in near)
    verdict = CHECK("报销一千元以内谁批", "报销五千元以内谁批", encoder)
    assert verdict.state == "rejected" and verdict.cosine is None and "一千元" in verdict.reason


def test_a_resolved_follow_up_passes(encoder):
    known = "主备切换由谁审批\n主备切换由平台组组长审批。"
    assert CHECK("这个人叫什么名字", "平台组组长叫什么名字", encoder, known).state == "ok"
    assert CHECK("这个人叫什么名字", "平台组组长叫什么名字", encoder).state != "ok"
    assert CHECK("这个人叫什么名字", "平台组组长周敏在三楼", encoder, known).state == "rejected"


# ── Length ──────────────────────────────────────────────────────────────────────────────────────
@given(st.text(min_size=1, max_size=90), st.integers(1, 40))
def test_a_shortened_line_is_a_beginning_and_short(text, limit):
    got = drift.shorten(text, limit)
    assert len(got) <= max(limit, 1) or got == text.strip()
    assert text.strip().startswith(got)
    assert bool(got) is bool(text.strip())


def test_cut_at_a_mark_or_a_word():
    assert drift.shorten("年假能结转几天，结转的部分最晚什么时候休完", 12) == "年假能结转几天"
    assert drift.shorten("服务器验收登记标签粘贴要求", 6) == "服务器验收"
    assert drift.shorten("短", 30) == "短"
    with pytest.raises(ValueError, match="1 or more"):
        drift.shorten("年假", 0)


# ── On the path ─────────────────────────────────────────────────────────────────────────────────
async def drifts(client, history, question):
    return "公司的各项管理制度"


async def slightly(client, history, question):
    return "住宿费最高报销多少，一线城市每晚"


def ask(lab, question, config):
    return asyncio.run(lab.ask(question, config=config, answer=False))


QUESTION = "出差住一线城市每晚住宿费上限是多少"


def test_rejected_means_the_question_itself(lab):
    guarded = replace(REWRITE_ALWAYS, guard=True)
    trace = ask(lab.using(rewrite_query=drifts), QUESTION, guarded)
    assert [search.query for search in trace.searches] == [QUESTION]
    assert [fallback.step for fallback in trace.fallbacks] == ["guard"]
    free = ask(lab.using(rewrite_query=drifts), QUESTION, REWRITE_ALWAYS)
    assert [search.query for search in free.searches] == ["公司的各项管理制度"]


def test_slight_means_both(lab):
    verdict = CHECK(QUESTION, asyncio.run(slightly(None, (), "")), lab.retriever.encoder)
    assert verdict.state == "slight", verdict
    trace = ask(lab.using(rewrite_query=slightly), QUESTION, replace(REWRITE_ALWAYS, guard=True))
    assert {search.query for search in trace.searches} == {QUESTION, "住宿费最高报销多少，一线城市每晚"}
    assert any("slight drift" in note for note in trace.notes) and not trace.fallbacks


def test_the_guard_watches_the_expansions_too(lab):
    async def other_title(client, question):
        return [question, "《食堂守则》的标准是什么"]

    question = "《差旅管理办法》里打车怎么报"
    for config, name in ((HYDE, "hyde_queries"), (STEP_BACK, "step_back_queries")):
        trace = ask(lab.using(**{name: other_title}), question, replace(config, guard=True))
        assert [search.query for search in trace.searches] == [question], config.name
        assert trace.fallbacks[0].step == "guard"


def test_honest_rewrites_are_not_rejected(lab):
    for question in (*lab.corpus.questions, *lab.corpus.question_set("compound"), *lab.corpus.question_set("kinds")):
        trace = ask(lab, question.question, lab.config("three rewrites at once + guard"))
        assert not [fallback for fallback in trace.fallbacks if fallback.step == "guard"], question.id


def test_the_drifting_rewriter_drifts_and_the_guard_mends_it(lab):
    free, guarded = asyncio.run(drifting.rows(lab))
    assert free.row()["recall_single_hop"] < guarded.row()["recall_single_hop"] == 1.0
    assert free.row()["model_calls"] == guarded.row()["model_calls"], "the guard costs no call"
    assert all(drifting.drifted(question.question) != question.question for question in lab.corpus.questions)


@pytest.mark.parametrize("config", UNDERSTANDING_ROWS, ids=lambda config: config.name)
def test_the_guard_mends_an_understanding_that_drifts(lab, config):
    honest = asyncio.run(evaluate(config, lab=lab)).row()
    free, guarded = [r.row() for r in asyncio.run(drifting.rows(lab, (config, replace(config, guard=True))))]
    assert free["recall_single_hop"] < honest["recall_single_hop"], "it drifts"
    for key in ("recall_single_hop", "recall_multi_hop"):
        assert guarded[key] == honest[key], key


def test_a_title_that_drifted_in_does_not_choose_the_document_that_is_read(lab):
    title = lab.corpus.documents[0].title

    async def understand(client, history, question, documents):
        return Understanding(f"《{title}》讲了什么", "procedural", scope_confidence=0.9)

    spoiled = lab.using(understand=understand)
    config = Config("one call", understanding="merged")
    free, guarded = (ask(spoiled, QUESTION, item) for item in (config, replace(config, guard=True)))
    assert title in free.rewritten and guarded.rewritten == QUESTION
    assert {chunk.doc_id for chunk in free.admitted} != {chunk.doc_id for chunk in guarded.admitted}


def test_slight_drift_of_an_understanding_searches_both(lab):
    written = asyncio.run(slightly(None, (), ""))

    async def understand(client, history, question, documents):
        return Understanding(written, scope_confidence=0.9, complexity="SIMPLE")

    trace = ask(lab.using(understand=understand), QUESTION, Config("one call", understanding="merged", guard=True))
    assert [search.query for search in trace.searches] == [written, QUESTION]


def test_the_guard_watches_what_is_written_from_passages(lab):
    async def route(client, retriever, question, budgets):
        searches = [await retriever.retrieve(text) for text in (question, "2 号库的宋国强在几层办公")]
        return Routed("multi-hop", budgets.multi_hop, tuple(searches))

    async def search_parts(client, retriever, question, parts):
        return [await retriever.retrieve(question), await retriever.retrieve("《食堂守则》由谁修订")]

    compound = next(item.question for item in lab.corpus.question_set("compound") if item.id == "c13")
    spoiled = lab.using(route=route, search_parts=search_parts)
    for config in (ROUTER_WIDE, Config("parts", sub_questions=True)):
        free, guarded = (ask(spoiled, compound, item) for item in (config, replace(config, guard=True)))
        assert len(free.searches) == 2 and [search.query for search in guarded.searches] == [compound], config.name
        assert guarded.fallbacks[0].step == "guard"
        assert guarded.retrievals == 1, "the question's own search is not made again"
    honest = ask(lab, compound, replace(ROUTER_WIDE, guard=True))
    assert len(honest.searches) == 2 and not honest.fallbacks


def test_the_agentic_loop_searches_nothing_invented(lab):
    async def understand(client, history, question, documents):
        return Understanding(question, complexity="COMPLEX", scope_confidence=0.9)

    script = ScriptedClient(calls(QUESTION), calls("《食堂守则》2019 年版的罚则"), "够了")
    spoiled = replace(lab.using(understand=understand), client=script)
    trace = ask(spoiled, QUESTION, Config("one call", understanding="merged", guard=True))
    assert trace.path == "agent" and len(trace.rounds) == 3
    assert [search.query for search in trace.searches] == [QUESTION]
    assert "食堂守则" in trace.fallbacks[0].reason


def test_a_length_limit_never_cuts_the_question(lab):
    long = next(question.question for question in lab.corpus.questions if len(question.question) > 30)
    trace = ask(lab, long, replace(REWRITE_ALWAYS, line_limit=10))
    assert trace.searches[0].query == long
    trace = ask(lab, long, replace(HYDE, line_limit=10))
    assert max(len(search.query) for search in trace.searches) >= settings.DRAFT_CHARACTERS[0], "a draft is not cut"
    trace = ask(lab, long, replace(STEP_BACK, line_limit=10))
    assert [len(search.query) <= 10 for search in trace.searches] == [False, True]
