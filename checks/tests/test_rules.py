"""The offline rules as forms of language: what each must do, on sentences of domains that no corpus here has."""

import json
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from querylab import rules
from querylab.rules.words import lexicon
from querylab.settings import DRAFT_CHARACTERS, ROOT

from checks import rates

FIGURE = re.compile(r"\d")


def talk(*turns: str) -> list[dict[str, str]]:
    return [{"role": "assistant" if index % 2 else "user", "content": text} for index, text in enumerate(turns)]


# ── Rewriting ───────────────────────────────────────────────────────────────────────────────────
LIFTS = talk("货梯检修由谁签字", "货梯检修由设备科科长签字，每次不超过2小时。")


@pytest.mark.parametrize(
    ("history", "question", "expected"),
    [
        (LIFTS, "这个人叫什么名字", "设备科科长叫什么名字"),
        (LIFTS, "他在几楼办公", "设备科科长在几楼办公"),
        (LIFTS, "那客梯检修呢", "客梯检修由谁签字"),
        (LIFTS, "谢谢，那客梯检修呢", "客梯检修由谁签字"),
        (talk("储物柜怎么租", "在前台登记，每天3元。"), "要押金吗", "储物柜要押金吗"),
        (talk("储物柜怎么租", "在前台登记，每天3元。"), "它能过夜吗", "储物柜能过夜吗"),
        (talk("泵房钥匙放在哪", "泵房钥匙放在东区值班室，双人双锁。"), "那里谁值班", "东区值班室谁值班"),
        (
            talk("动火要什么手续", "按《动火作业细则》办理许可，有效期8小时。"),
            "这份细则谁发布",
            "《动火作业细则》谁发布",
        ),
        (talk("怎么报名", "有两种方式：一是窗口登记，二是网上填表。"), "第二种要照片吗", "网上填表要照片吗"),
        (talk("球场怎么收费", "每小时30元。"), "晚上几点关", "球场晚上几点关"),
        (talk("成人票多少钱", "成人票60元。"), "儿童票呢", "儿童票多少钱"),
        (talk("How do I renew a parking permit?", "Online, 20 yuan."), "Can I transfer it?", None),
    ],
)
def test_reference_and_ellipsis_are_resolved(history, question, expected):
    got = rules.rewrite(history, question)
    if expected is None:
        assert "parking permit" in got
    else:
        assert got == expected


@pytest.mark.parametrize(
    "question",
    [
        "借用投影仪要提前几天",
        "其他班组能用吊车吗",
        "吉他社活动室几点关门",
    ],
)
def test_complete_question_comes_back_to_the_letter(question):
    assert rules.rewrite([], question) == question
    assert rules.rewrite(LIFTS, question) == question


def test_figures_of_an_answer_never_travel():
    history = talk("叉车培训要几天", "叉车培训共12天，费用800元，由教务主任安排。")
    for question in ("他的电话是多少", "那吊车呢", "要考试吗", "这个培训谁批", "费用呢", "前者多少钱", "那里几点开"):
        assert not FIGURE.search(rules.rewrite(history, question)), question


# ── Routing ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "你好",
        "谢谢，你还能帮我查什么",
        "辛苦啦",
        "好的，明白了",
        "再见",
        "你是谁",
        "周一见",
        "让你久等了",
        "抱歉，点错了",
        "回答得真详细",
        "谁开发了你",
        "ＯＫ",
        "👍",
        "你能听懂方言吗",
        "好的，我回去跟家里人商量一下",
        "比打电话强多了",
        "抱歉，孩子乱按的",
        "祝您生意兴隆",
        "Thanks a lot!",
    ],
)
def test_talk_goes_direct(text):
    assert rules.intent(text) == "direct"


@pytest.mark.parametrize(
    "text",
    [
        "辛苦费怎么发",
        "早上上班时间",
        "您好停车费多少",
        "谢谢，储物柜怎么租",
        "好的，那货梯几点停",
        "收到通知后几天内回复",
        "感谢信写给谁",
        "我想请假",
        "效率高吗",
        "打错卡怎么办",
        "结婚有假吗",
        "你们几点下班",
        "你知道在哪办吗",
        "她周末在吗",
        "我不满意",
        "好的我要办卡",
        "下雨天值班吗",
        "可以聊天吗",
        "",
    ],
)
def test_a_real_question_never_goes_direct(text):
    assert rules.intent(text) == "single-hop"


@pytest.mark.parametrize(
    "opening", ["你好，", "谢谢！", "嗯嗯，", "辛苦了。", "抱歉，", "在吗？", "哈哈，", "你真棒，"]
)
@pytest.mark.parametrize("question", ["储物柜怎么租", "停车费多少", "能带宠物吗"])
def test_an_opening_does_not_change_the_route(opening, question):
    assert rules.intent(opening + question) == rules.intent(question) == "single-hop"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("批准夜间施工的那个人叫什么名字", "multi-hop"),
        ("负责吊车保养的部门在几楼", "multi-hop"),
        ("换锁要找的那位，电话是多少", "multi-hop"),
        ("塔吊顶升属于几级作业，最晚提前几天报备", "multi-hop"),
        ("门禁归哪个班组管，那个班组几点下班", "multi-hop"),
        ("Who approves crane lifts, and what is their phone number?", "multi-hop"),
        ("帮忙找一下贷款部的主管，我要他的座机", "multi-hop"),
        ("把投诉归哪个部门查清，再把那个部门的电话发我", "multi-hop"),
        ("负责三楼保洁的阿姨叫什么", "multi-hop"),
        ("谁批准夜间施工", "single-hop"),
        ("谁负责停车场，需要提前申请吗", "single-hop"),
        ("客户投诉了，客户经理要多久回复他", "single-hop"),
        ("孩子几岁能上游泳课，他可以自己来吗", "single-hop"),
        ("设备科在几楼", "single-hop"),
        ("储物柜能用几天，过期怎么处理", "single-hop"),
        ("被退回的申请怎么修改", "single-hop"),
    ],
)
def test_two_hops_are_told_by_form(text, label):
    assert rules.intent(text) == label


# ── Expansion ───────────────────────────────────────────────────────────────────────────────────
QUESTIONS = [
    "借用投影仪要提前几天",
    "塔吊顶升属于几级作业，最晚提前几天报备",
    "没带工牌能进车间吗",
    "谁批准夜间施工",
    "停车费",
    "超过三天没取的快递怎么办？",
    "How long can I keep a projector?",
]


@pytest.mark.parametrize("question", [*QUESTIONS, "", "？", "很" * 900])
def test_the_invented_passage_keeps_its_length_and_invents_no_figure(question):
    passage = rules.hypothetical_passage(question)
    assert DRAFT_CHARACTERS[0] <= len(passage) <= DRAFT_CHARACTERS[1]
    assert not FIGURE.search(passage)


def test_the_invented_passage_uses_the_words_of_the_question():
    passage = rules.hypothetical_passage("借用投影仪要提前几天")
    assert "投影仪" in passage and "若干" in passage and "？" not in passage


@pytest.mark.parametrize("question", QUESTIONS)
def test_two_variants_differ_from_each_other_and_from_the_question(question):
    first, second = rules.variants(question)
    assert len({first, second, question}) == 3


def test_variants_keep_numbers_negation_and_conditions():
    first, second = rules.variants("超过三天没取的快递怎么办")
    for word in ("超过", "三天", "没", "快递"):
        assert word in first and word in second


def test_the_document_wording_is_in_another_register():
    assert "遗失" in rules.variants("工具箱丢了怎么办")[1]


def test_step_back_asks_for_the_class_of_rule():
    assert rules.step_back("塔吊顶升属于几级作业，最晚提前几天报备") == "塔吊的分级标准和时限要求是什么"
    assert "审批权限" in rules.step_back("夜间施工要谁批")
    assert "费用标准" in rules.step_back("叉车培训多少钱")
    assert not FIGURE.search(rules.step_back("明天要借12台投影仪，最晚几点登记"))


# ── Bridge and answer ───────────────────────────────────────────────────────────────────────────
WORKS = "施工管理\n夜间施工\n夜间施工须由工程部总监书面批准。\n噪声不得超过55分贝。"
CRANES = "吊装手册\n顶升\n塔吊顶升属于一级作业，须按《高处作业办法》报备。"


def test_the_bridge_names_what_the_question_did_not():
    assert rules.bridge("批准夜间施工的那个人叫什么名字", [WORKS, CRANES]) == "工程部总监叫什么名字"
    got = rules.bridge("塔吊顶升属于几级作业，最晚提前几天报备", [CRANES, WORKS])
    assert "《高处作业办法》" in got and "最晚提前几天报备" in got


def test_without_a_bridge_the_question_stays():
    assert rules.bridge("食堂几点开门", [WORKS]) == "食堂几点开门"
    assert rules.bridge("食堂几点开门", []) == "食堂几点开门"


def test_the_answer_is_a_sentence_of_a_passage_with_its_source():
    assert rules.answer("谁批准夜间施工", [("w#1", WORKS), ("c#2", CRANES)]) == "夜间施工须由工程部总监书面批准。[w#1]"
    assert "55" in rules.answer("噪声不得超过多少分贝", [("w#1", WORKS)])


def test_nothing_related_is_said_so_in_the_language_of_the_question():
    assert rules.answer("食堂几点开门", [("w#1", WORKS)]) == "资料里没有找到"
    assert rules.answer("Where is the canteen?", [("w#1", WORKS)]) == "Not found in the documents."
    assert rules.answer("谁批准", []) == "资料里没有找到"


# ── The parts ───────────────────────────────────────────────────────────────────────────────────


# ── Properties ──────────────────────────────────────────────────────────────────────────────────
PIECES = (
    "他",
    "它",
    "这个",
    "那",
    "呢",
    "吗",
    "的",
    "那位",
    "《甲》",
    "储物柜",
    "前者",
    "第二种",
    "，",
    "？",
    "3",
    "１２",
)
PIECES += ("不", "没", "上面说的", "😀", "it", "that", "what", " ")
ANY = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from([*lexicon("ask.person"), *lexicon("ask.amount"), *lexicon("document"), *PIECES]),
        max_size=9,
    ).map("".join),
)


def everything(question: str, history: list[dict[str, str]]) -> list[object]:
    return [
        rules.rewrite(history, question),
        rules.intent(question),
        rules.hypothetical_passage(question),
        rules.variants(question),
        rules.step_back(question),
        rules.bridge(question, [WORKS, question]),
        rules.answer(question, [("w#1", WORKS), ("q#1", question)]),
        rules.direct_reply(question),
    ]


@given(ANY, ANY, ANY)
@settings(max_examples=150, deadline=None)
def test_no_input_breaks_a_rule_and_the_same_input_gives_the_same_text(question, said, replied):
    history = talk(said, replied)
    first = everything(question, history)
    assert first == everything(question, history)
    assert isinstance(first[0], str) and first[1] in ("direct", "single-hop", "multi-hop")
    assert first[0].strip() or not question.strip()


@pytest.mark.parametrize(
    "unit", ["怎么", "那个", "负责", "的那个", "你", "按哪", "x", "，", "😀", "是什么", "第二种", "和"]
)
def test_very_long_input_is_read_in_linear_time(unit):
    text = (unit * 3000)[:6000]
    started = time.perf_counter()
    everything(text, talk(text, text))
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "question",
    [item["question"] for item in rates.load(rates.SETS / "dev" / "complete.jsonl")],
)
def test_rewriting_twice_changes_nothing_more(question):
    once = rules.rewrite([], question)
    assert rules.rewrite([], once) == once


def test_full_width_and_half_width_route_alike():
    assert rules.intent("ＨＥＬＬＯ") == rules.intent("hello") == "direct"


def test_output_does_not_depend_on_the_hash_seed():
    program = (
        "import json; from querylab import rules as r; "
        "qs=['谁批准夜间施工，他的电话是多少','工牌丢了怎么办','塔吊顶升属于几级作业，最晚提前几天报备']; "
        "h=[{'role':'user','content':'进场要谁同意'},"
        "{'role':'assistant','content':'先由安全员登记，再由工地经理签字。'}]; "
        "print(json.dumps([[r.rewrite(h, q), r.rewrite(h, '他几点下班'), r.variants(q), r.step_back(q), "
        "r.hypothetical_passage(q)] for q in qs]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "notebooks")},
        ).stdout
        for seed in ("1", "2", "77")
    }
    assert len(outputs) == 1 and json.loads(outputs.pop())


# ── Rates ───────────────────────────────────────────────────────────────────────────────────────
def test_the_rates_of_the_development_set_do_not_fall():
    """All aims but one are met there: of its follow-ups, many of them hard on purpose, 47 % are resolved, not 50."""
    found = rates.measure(rates.SETS / "dev")["rates"]
    assert {name for name, rate in found.items() if not rate["met"]} <= {"followups_resolved"}
    assert found["followups_resolved"]["value"] >= 0.46
