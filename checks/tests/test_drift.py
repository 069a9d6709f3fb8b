"""Core terms, what a question asks, the guard's two layers, the length limit, and the guard on the path."""

import asyncio
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import settings
from querylab.guard import drift, figures
from querylab.measure import drifting
from querylab.measure.evaluate import evaluate
from querylab.pipeline.config import HYDE, REWRITE_ALWAYS, ROUTER_WIDE, STEP_BACK, UNDERSTANDING_ROWS, Config
from querylab.pipeline.techniques import Techniques
from querylab.retrieval.encoder import SentenceEncoder
from querylab.types import Routed
from querylab.understanding.fields import Understanding

from checks.fit_drift import fit, follow_ups, pairs, passes_hard_layer
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
        ("两千元", "2,000块钱"),
        ("1.5万元", "15000元"),
        ("百分之八十", "80%"),
        ("两成", "20%"),
        ("三月十五号", "3月15日"),
        ("晚上十点", "22:00"),
        ("下午三点半", "15:30"),
        ("星期天", "周日"),
        ("两年半", "30个月"),
        ("第二次", "第2次"),
        ("P0", "ｐ０"),
        ("三點", "三点"),
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
        ("不错的办法，不过没关系", []),
        ("不超过三天", [("number", "3天")]),
        ("没带证件不能进", [("negation", "不"), ("negation", "不")]),
        ("无人机怎么登记", []),
        ("统一办理，一般一起去", []),
        ("张医生几点出诊", [("name", "张医生")]),
        ("刘晓燕在上海吗", [("name", "上海"), ("name", "刘晓燕")]),
        ("这段时间开门吗", []),
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
        ("三万八千", 38000),
        ("三千五", 3500),
        ("二〇二五", 2025),
        ("半", 0.5),
        ("1,500", 1500),
        ("两", 2),
    ],
)
def test_chinese_numbers(text, value):
    assert float(figures.number(text)) == value


@given(st.text(max_size=40))
def test_any_text_keeps_all_its_own_terms(text):
    assert not parted(text, text)


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
    assert drift.swapped("怎么登录系统", "怎么访问系统") == []


def parted(question, rewrite, known=""):
    return bool(
        drift.lost(question, rewrite, known=known)
        or drift.added(question, rewrite, known)
        or drift.swapped(question, rewrite)
        or drift.unasked(question, rewrite, known)
    )


SAME = [
    ("三万八千元的装修款能贷吗", "38000元装修款能否贷款"),
    ("彩礼六万六要交税吗", "彩礼6.6万元是否缴税"),
    ("首付两成行吗", "首付20%是否可以"),
    ("利率是百分之三点二吗", "利率是否为3.2%"),
    ("两个半小时的课有休息吗", "150分钟的课程是否有休息"),
    ("零下八度上体育课吗", "-8度是否上体育课"),
    ("上礼拜六的演出能退票吗", "上周六的演出可否退票"),
    ("便宜一点的票在哪买", "低价票的购买地点"),
    ("超过三十岁能报名吗", "30岁以上能否报名"),
    ("每人能领几张券", "一人可领多少张券"),
    ("只要带护照就能买吗", "带护照能否购买"),
    ("找不到收据了怎么退", "收据丢失如何退款"),
    ("怎么删除旧地址", "旧地址的删除方法"),
    ("排了两个多月的队能退吗", "排队2个月以上可否退款"),
    ("能还一部分租金吗", "可否退还部分租金"),
    ("超市几点关门", "超市关门时间"),
    ("不得不改签要加钱吗", "必须改签时是否加钱"),
    ("没赶上末班车怎么办", "错过末班车如何处理"),
    ("还没发货能改地址吗", "未发货可否修改地址"),
    ("房东拒绝开收据合法吗", "房东不开收据是否合法"),
    ("我不知道怎么绑卡", "如何绑卡"),
    ("iPad 9能以旧换新吗", "iPad9可否以旧换新"),
    ("何老师几点下课", "何老师的下课时间"),
    ("女职工有体检吗", "女员工是否有体检"),
    ("护照的长度有规定吗", "护照尺寸规定"),
    ("Who do I talk to about a broken chair?", "broken chair contact person"),
    ("Where is the Dublin office?", "Dublin office address"),
    ("I can't open the gate with my card", "card does not open the gate"),
]
PARTED = [
    ("三万八千元的装修款能贷吗", "八千元的装修款能贷吗"),
    ("彩礼六万六要交税吗", "彩礼八万八要交税吗"),
    ("首付两成行吗", "首付四成行吗"),
    ("两点五倍的罚金怎么交", "三点五倍的罚金怎么交"),
    ("罚200元吗", "罚200欧元吗"),
    ("上半年的奖金", "下半年的奖金"),
    ("上周日的课能补吗", "下周日的课能补吗"),
    ("昨天的票能退吗", "明天的票能退吗"),
    ("早上能跑步吗", "傍晚能跑步吗"),
    ("中秋营业吗", "端午营业吗"),
    ("十一期间营业吗", "五一期间营业吗"),
    ("毕业前能考证吗", "毕业后能考证吗"),
    ("只有老师能借吗", "只要老师能借吗"),
    ("不得不改签要加钱吗", "不能改签要加钱吗"),
    ("非处方药在哪买", "处方药在哪买"),
    ("谢绝拍照的展厅", "拍照的展厅"),
    ("林医生出诊吗", "钱医生出诊吗"),
    ("C++的书在哪", "C的书在哪"),
    ("Can I enter without a badge?", "Can I enter with a badge?"),
    ("at least five days", "at most five days"),
    ("Where is the Dublin office?", "Where is the Madrid office?"),
    ("Is it due before June 3?", "Is it due after June 3?"),
    ("only members may book", "members may book"),
]


@pytest.mark.parametrize(("question", "rewrite"), SAME)
def test_another_wording_of_a_core_term_is_no_drift(question, rewrite):
    assert not parted(question, rewrite)


@pytest.mark.parametrize(("question", "rewrite"), PARTED)
def test_another_core_term_is_drift(question, rewrite):
    assert parted(question, rewrite)


@pytest.mark.parametrize("piece", ["一", "1", "不", "《", "3天内", "Alice ", "1,2,", "周一到", "a-"])
def test_a_very_long_text_is_read_at_once(piece):
    text = piece * (200_000 // len(piece))
    begun = time.perf_counter()
    parted(text, text[1:])
    assert time.perf_counter() - begun < 3


_ODD = "零一两五九十百万半点成年月日周上下不没非第每超到以前后多来几个元米度壹廿俩½〇019.,-/~%:$ abXK'ıİſ٣²《「”。"


@given(st.text(_ODD, max_size=30), st.text(_ODD, max_size=30))
def test_no_text_raises(one, other):
    parted(one, other), parted(one, other, other)
    assert not parted(one, one)


# ── What a question itself asks (faults 6 and 7) ────────────────────────────────────────────────
LEAVE = "年假能结转几天\n年假最多可结转5天。"


@pytest.mark.parametrize(
    ("question", "rewrite", "known"),
    [
        ("门禁卡丢了怎么补办", "年假能结转几天", LEAVE),
        ("它要谁批准？", "年假最多结转5天。", LEAVE),
        ("它要谁批准？", "年假能结转几天", LEAVE),
        ("它能结转几天", "年假能结转5天", LEAVE),
        ("病假呢", "年假能结转几天", LEAVE),
        ("does he take requests", "who hosts the late jazz show", "who hosts the late jazz show\nSam does."),
    ],
)
def test_an_older_question_or_an_answer_is_rejected(encoder, question, rewrite, known):
    assert CHECK(question, rewrite, encoder, known).state == "rejected"
    assert drift.unasked(question, rewrite, known) or drift.lost(question, rewrite, known=known)


@pytest.mark.parametrize(
    ("question", "rewrite"),
    [
        ("它要谁批准？", "年假结转要谁批准"),
        ("病假呢", "病假能结转几天"),
        ("为什么呢", "年假为什么最多结转5天"),
        ("是的，我有5天，怎么申请", "年假结转怎么申请"),
    ],
)
def test_a_resolved_follow_up_passes(encoder, question, rewrite):
    known = f"{LEAVE}\n您是要结转年假吗？病假不能结转。"
    assert CHECK(question, rewrite, encoder, known).state == "ok"


def test_right_rewrites_pass_and_the_question_before_is_rejected(encoder):
    """A rewriter stuck on the question before passed 431 of 620 times; these rates are of development material."""
    every = follow_ups()
    right = sum(CHECK(item.question, item.right, encoder, item.known).state != "rejected" for item in every)
    stuck = sum(CHECK(item.question, item.stuck, encoder, item.known).state != "rejected" for item in every)
    assert right / len(every) >= 0.9
    assert stuck / len(every) <= 0.1


@pytest.mark.parametrize(
    ("question", "rewrite"),
    [
        ("硕士当助教一个月给多少", "硕士生助教每月津贴是多少"),
        ("钱包落车上了咋找", "车上遗失钱包如何找回"),
        ("小孩满三岁坐车要票不", "3岁以上儿童乘车是否需要购票"),
    ],
)
def test_good_rewrites_of_another_register_pass(encoder, question, rewrite):
    assert CHECK(question, rewrite, encoder).state != "rejected"


# ── The verdict ─────────────────────────────────────────────────────────────────────────────────
def test_thresholds_are_the_fitted_ones(encoder):
    assert fit(encoder) == (settings.DRIFT_OK, settings.DRIFT_FLOOR)


def test_pairs_are_judged_well(encoder):
    every = pairs()
    assert len({pair.id for pair in every}) == len({(pair.question, pair.rewrite) for pair in every}) == len(every)
    rejected = {pair.id for pair in every if CHECK(pair.question, pair.rewrite, encoder).state == "rejected"}
    drifted = {pair.id for pair in every if pair.label == "drifted"}
    same = {pair.id for pair in every} - drifted
    assert len(rejected & drifted) / len(drifted) >= 0.9
    assert len(rejected & same) / len(same) <= 0.1


def test_core_terms_come_before_nearness(encoder):
    """What the cosine cannot see is what the hard layer is for: near pairs with another number."""
    near = [pair for pair in pairs() if pair.kind == "number changed"]
    assert near and not any(passes_hard_layer(pair) for pair in near)
    verdict = CHECK("报销一千元以内谁批", "报销五千元以内谁批", encoder)
    assert verdict.state == "rejected" and verdict.cosine is None and "一千元" in verdict.reason


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
    questions = (*lab.corpus.questions, *lab.corpus.question_set("compound"), *lab.corpus.question_set("kinds"))
    traces = [ask(lab, question.question, lab.config("three rewrites at once + guard")) for question in questions]
    rejected = [fallback for trace in traces for fallback in trace.fallbacks if fallback.step == "guard"]
    assert len(rejected) <= 0.02 * 3 * len(questions), rejected


def test_the_drifting_rewriter_drifts_and_the_guard_mends_it(lab):
    free, guarded = asyncio.run(drifting.rows(lab))
    assert free.row()["recall_single_hop"] < guarded.row()["recall_single_hop"] == 1.0
    assert free.row()["model_calls"] == guarded.row()["model_calls"], "the guard costs no call"
    unchanged = [q.id for q in lab.corpus.questions if drifting.drifted(q.question) == q.question]
    assert len(unchanged) <= 1, "nearly every line is spoiled"


@pytest.mark.parametrize("config", UNDERSTANDING_ROWS, ids=lambda config: config.name)
def test_the_guard_mends_an_understanding_that_drifts(lab, config):
    honest = asyncio.run(evaluate(config, lab=lab)).row()
    free, guarded = [r.row() for r in asyncio.run(drifting.rows(lab, (config, replace(config, guard=True))))]
    assert free["recall_single_hop"] < honest["recall_single_hop"], "it drifts"
    for key in ("recall_single_hop", "recall_multi_hop"):
        assert free[key] <= guarded[key] >= honest[key] - 0.25, key
    assert guarded["recall_single_hop"] > free["recall_single_hop"]


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
