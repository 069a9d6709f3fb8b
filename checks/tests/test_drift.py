"""Core terms, the guard's two layers, the length limit, the fitted thresholds, and the guard on the path."""

import asyncio
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import settings
from querylab.guard import drift
from querylab.measure import drifting
from querylab.measure.evaluate import evaluate
from querylab.pipeline.config import HYDE, REWRITE_ALWAYS, ROUTER_WIDE, STEP_BACK, UNDERSTANDING_ROWS, Config
from querylab.pipeline.techniques import Techniques
from querylab.retrieval.encoder import SentenceEncoder
from querylab.types import Routed
from querylab.understanding.fields import Understanding

from checks.fit_drift import FOLDER, fit, pairs, passes_hard_layer
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


# ── Each kind of core term, in sentences of its own ──────────────────────────────────────────────
def parted(question, rewrite, known=""):
    return bool(
        drift.lost(question, rewrite, known=known)
        or drift.added(question, rewrite, known)
        or drift.swapped(question, rewrite)
    )


SAME = {
    "figures from ten thousand": [
        ("三万八千元的装修款能贷吗", "38000元装修款能否贷款"),
        ("彩礼六万六要交税吗", "彩礼6.6万元是否缴税"),
        ("两千三一个月的课能停吗", "每月2300元的课程可否暂停"),
    ],
    "figures of other scripts": [
        ("借款伍仟元整怎么还", "5000元借款的还款方式"),
        ("俩月没发奖金找谁", "两个月未发奖金联系谁"),
        ("廿八号停电吗", "28日是否停电"),
        ("首付两成行吗", "首付20%是否可以"),
    ],
    "spoken decimals": [
        ("利率是百分之三点二吗", "利率是否为3.2%"),
        ("两点五倍的罚金怎么交", "2.5倍罚金的缴纳方式"),
        ("一米四的孩子要票吗", "1.4米的儿童需要买票吗"),
        ("两个半小时的课有休息吗", "150分钟的课程是否有休息"),
        ("½天的假怎么算", "半天的假如何计算"),
        ("3/4的股东同意够吗", "四分之三的股东同意是否足够"),
    ],
    "units": [
        ("72小时内能退押金吗", "三天内可否退押金"),
        ("两公斤的包裹多少钱", "4斤的包裹费用"),
        ("零下八度上体育课吗", "-8度是否上体育课"),
        ("二三十人的聚会订哪间", "20到30人的聚会预订哪间"),
    ],
    "relative times": [
        ("上礼拜六的演出能退票吗", "上周六的演出可否退票"),
        ("礼拜六礼拜天可以看房吗", "周末是否可以看房"),
        ("五一景区涨价吗", "劳动节景区是否涨价"),
        ("便宜一点的票在哪买", "低价票的购买地点"),
    ],
    "limits": [
        ("超过三十岁能报名吗", "30岁以上能否报名"),
        ("每人能领几张券", "一人可领多少张券"),
        ("只要带护照就能买吗", "带护照能否购买"),
        ("找不到收据了怎么退", "收据丢失如何退款"),
        ("怎么删除旧地址", "旧地址的删除方法"),
        ("排了两个多月的队能退吗", "排队2个月以上可否退款"),
        ("能还一部分租金吗", "可否退还部分租金"),
        ("超市几点关门", "超市关门时间"),
    ],
    "denials": [
        ("不得不改签要加钱吗", "必须改签时是否加钱"),
        ("不仅本人，家属也能去吗", "本人和家属都能去吗"),
        ("没赶上末班车怎么办", "错过末班车如何处理"),
        ("还没发货能改地址吗", "未发货可否修改地址"),
        ("房东拒绝开收据合法吗", "房东不开收据是否合法"),
        ("我不知道怎么绑卡", "如何绑卡"),
        ("不见得都要排队吧", "是否都要排队"),
    ],
    "names": [
        ("Wi-Fi连不上找谁", "wifi无法连接联系谁"),
        ("iPad 9能以旧换新吗", "iPad9可否以旧换新"),
        ("何老师几点下课", "何老师的下课时间"),
        ("女职工有体检吗", "女员工是否有体检"),
        ("双人间一晚多少钱", "两人间每晚价格"),
        ("护照的长度有规定吗", "护照尺寸规定"),
    ],
    "English": [
        ("Who do I talk to about a broken chair?", "broken chair contact person"),
        ("Can I take three guests to the pool?", "bringing 3 guests into the pool"),
        ("Where is the Dublin office?", "Dublin office address"),
        ("I can't open the gate with my card", "card does not open the gate"),
    ],
}  # fmt: skip
PARTED = {
    "figures from ten thousand": [
        ("三万八千元的装修款能贷吗", "八千元的装修款能贷吗"),
        ("彩礼六万六要交税吗", "彩礼八万八要交税吗"),
    ],
    "figures of other scripts": [("借款伍仟元整怎么还", "借款玖仟元整怎么还"), ("首付两成行吗", "首付四成行吗")],
    "spoken decimals": [("两点五倍的罚金怎么交", "三点五倍的罚金怎么交"), ("一米四的孩子要票吗", "一米二的孩子要票吗")],
    "units": [
        ("罚200元吗", "罚200欧元吗"),
        ("二到四天到货吗", "一到四天到货吗"),
        ("零下八度上体育课吗", "八度上体育课吗"),
        ("2,3,4楼开门吗", "234楼开门吗"),
    ],
    "relative times": [
        ("上半年的奖金", "下半年的奖金"),
        ("上周日的课能补吗", "下周日的课能补吗"),
        ("昨天的票能退吗", "明天的票能退吗"),
        ("月底交水费吗", "月初交水费吗"),
        ("早上能跑步吗", "傍晚能跑步吗"),
        ("中秋营业吗", "端午营业吗"),
        ("十一期间营业吗", "五一期间营业吗"),
    ],
    "limits": [
        ("毕业前能考证吗", "毕业后能考证吗"),
        ("每月三次复查", "每周三次复查"),
        ("迟到5分钟扣钱吗", "迟到5分钟以上扣钱吗"),
        ("只有老师能借吗", "只要老师能借吗"),
        ("连续缺席三次怎么办", "累计缺席三次怎么办"),
    ],
    "denials": [
        ("不得不改签要加钱吗", "不能改签要加钱吗"),
        ("非处方药在哪买", "处方药在哪买"),
        ("拒收的包裹去哪了", "收的包裹去哪了"),
        ("缺考的人怎么补", "考试的人怎么补"),
        ("谢绝拍照的展厅", "拍照的展厅"),
        ("停止供暖的日子", "供暖的日子"),
    ],
    "names": [
        ("小陈在几楼", "小周在几楼"),
        ("林医生出诊吗", "钱医生出诊吗"),
        ("欧阳雪的电话", "欧阳冰的电话"),
        ("门禁系统怎么登", "考勤系统怎么登"),
        ("眼科在几楼", "骨科在几楼"),
        ("科目一考什么", "科目四考什么"),
        ("C++的书在哪", "C的书在哪"),
        ("陪产假几天", "产假几天"),
    ],
    "changed places": [
        ("从广州飞昆明多久", "从昆明飞广州多久"),
        ("甲方催告乙方要几天", "乙方催告甲方要几天"),
        ("大人2张小孩1张怎么买", "大人1张小孩2张怎么买"),
        ("进站要安检吗", "出站要安检吗"),
    ],
    "English": [
        ("Can I enter without a badge?", "Can I enter with a badge?"),
        ("at least five days", "at most five days"),
        ("Where is the Dublin office?", "Where is the Madrid office?"),
        ("Is it due before June 3?", "Is it due after June 3?"),
        ("only members may book", "members may book"),
        ("Is the pool open on weekends?", "Is the pool open on weekdays?"),
    ],
}


@pytest.mark.parametrize(("question", "rewrite"), [pair for kind in SAME.values() for pair in kind])
def test_another_wording_of_a_core_term_is_no_drift(question, rewrite):
    assert not parted(question, rewrite)


@pytest.mark.parametrize(("question", "rewrite"), [pair for kind in PARTED.values() for pair in kind])
def test_another_core_term_is_drift(question, rewrite):
    assert parted(question, rewrite)


@pytest.mark.parametrize(
    ("text", "value"),
    [("三万八千", 38000), ("六万六", 66000), ("三千五", 3500), ("一百五", 150), ("零点五", 0.5), ("三亿五千万", 3.5e8),
     ("一百二十万", 1.2e6), ("一万零五十", 10050), ("1万5千", 15000)],
)  # fmt: skip
def test_large_and_colloquial_numbers(text, value):
    assert float(drift.number(text)) == value


@pytest.mark.parametrize("text", ["超市", "解除", "怎么删除", "二手", "老百姓", "便宜一点", "三方", "any day"])
def test_what_only_looks_like_a_term(text):
    assert not drift.core_terms(text)


def test_once_a_week_names_no_monday():
    assert [term.form for term in drift.core_terms("一周一次")] == ["7天"]


KNOWN = "旁听证怎么办\n办旁听证有两种材料：照片和介绍信。4月6日和4月9日可以办。"


@pytest.mark.parametrize(
    ("question", "rewrite", "expected"),
    [
        ("第二个在哪开", "介绍信在哪开", False),
        ("这两种都要吗", "照片和介绍信都要吗", False),
        ("后天呢", "4月9日能办旁听证吗", False),
        ("第二个在哪开", "在哪开", True),  # nothing was resolved
        ("第二次要带照片吗", "旁听证要带照片吗", True),  # 次 points at nothing that was listed
        ("能代办吗", "旁听证不能代办吗", True),
    ],
)
def test_a_pointer_may_be_resolved_but_no_denial_comes_in(question, rewrite, expected):
    known = KNOWN + "旁听证不能代办。"
    assert parted(question, rewrite, known) is expected
    assert parted(question, rewrite) or not drift.core_terms(question)


@pytest.mark.parametrize("piece", ["一", "1", "不", "《", "3天内", "Alice ", "1,2,", "周一到", "a-"])
def test_a_very_long_text_is_read_at_once(piece):
    text = piece * (200_000 // len(piece))
    begun = time.perf_counter()
    drift.lost(text, text[1:]), drift.added(text, text[1:]), drift.swapped(text, text[1:]), drift.things(text)
    assert time.perf_counter() - begun < 3


_ODD = "零一两五九十百万半点成年月日周上下不没非第每超到以前后多来几个元米度壹廿俩½〇019.,-/~%:$ abXK'ıİſ٣²《「”。"


@given(st.text(_ODD, max_size=30), st.text(_ODD, max_size=30))
def test_no_text_raises(one, other):
    drift.lost(one, other, known=other), drift.added(one, other, one), drift.swapped(one, other), drift.things(one)
    assert not parted(one, one)


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
    assert all(file.read_bytes().decode("utf-8").endswith("\n") for file in FOLDER.iterdir())


@pytest.mark.parametrize("split", ["held-out", "fresh"])
def test_pairs_that_were_not_fitted_to_are_judged_well(encoder, split):
    drifted = [pair for pair in pairs(split) if pair.label == "drifted"]
    same = [pair for pair in pairs(split) if pair.label == "same"]
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
