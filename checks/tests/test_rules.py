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
        (talk("月票和次票有什么区别", "月票不限次数，次票有效期90天。"), "后者能退吗", "次票能退吗"),
        (talk("泵房钥匙放在哪", "泵房钥匙放在东区值班室，双人双锁。"), "那里谁值班", "东区值班室谁值班"),
        (
            talk("动火要什么手续", "按《动火作业细则》办理许可，有效期8小时。"),
            "这份细则谁发布",
            "《动火作业细则》谁发布",
        ),
        (talk("怎么报名", "有两种方式：一是窗口登记，二是网上填表。"), "第二种要照片吗", "网上填表要照片吗"),
        (talk("球场怎么收费", "每小时30元。"), "能开发票吗", "球场能开发票吗"),
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
        "申请人离职后，他的门禁卡怎么处理",
        "How many lockers are there?",
    ],
)
def test_complete_question_comes_back_to_the_letter(question):
    assert rules.rewrite([], question) == question
    assert rules.rewrite(LIFTS, question) == question


def test_two_possible_antecedents_are_both_kept():
    history = talk("进场要谁同意", "先由安全员登记，再由工地经理签字。")
    got = rules.rewrite(history, "他不在怎么办")
    assert "安全员" in got and "工地经理" in got


@pytest.mark.parametrize(
    ("asked", "replied", "question", "parts"),
    [
        ("值班的船医叫什么", "今天是连海医生和邬敏医生值班。", "她几点走", ["连海", "邬敏"]),
        ("酒窖谁管", "由酒窖主管邹颖管，钥匙两把。", "她助理叫什么", ["邹颖"]),
        ("报名要交哪些表", "要交报名表和体检表，各一份。", "那个在哪领", ["报名表", "体检表"]),
        ("还车在哪", "可以还到南站店或者机场店。", "那里有人吗", ["南站店", "机场店"]),
        ("汤底有几种", "清汤锅免费，菌汤锅需提前预订。", "要提前预订的那种辣吗", ["菌汤锅"]),
        ("座椅分真皮和织物的对吧", "对，真皮座椅容易热，织物座椅透气。", "后者好洗吗", ["织物座椅"]),
        ("丢件赔多少", "服务协议第五条写明，按运费赔。", "那个条款合理吗", ["第五条"]),
        ("有没有适合老人的课", "有“银龄太极班”，每周二上课。", "要自带衣服吗", ["银龄太极班"]),
        ("开户要带哪些东西", "需要身份证、手机和印章。", "上面说的最后一样没带可以吗", ["印章"]),
        ("手机摔坏了怎么赔", "按维修价赔。", "手表的话呢", ["手表", "赔"]),
        (
            "who handles complaints",
            "Contact the duty chef, Ann Lee.",
            "what's her phone?",
            ["Ann Lee"],
        ),
    ],
)
def test_what_a_reply_named_stands_in_for_the_reference(asked, replied, question, parts):
    got = rules.rewrite(talk(asked, replied), question)
    assert all(part in got for part in parts), got


@pytest.mark.parametrize(
    ("turns", "question", "parts", "never"),
    [
        # people: a name by where it stands, a title that another turn gave, agreement, a description
        (["钟楼谁敲钟", "由敲钟人的徒弟老褚敲，每天两次。"], "老爷子几点到", ["老褚"], []),
        (["船厂归谁管", "厂长是温野，调度是方晴女士。"], "她在哪间办公", ["方晴"], ["温野"]),
        (["谁管锅炉", "锅炉由班长邹铁管。", "浴室几点开", "下午四点。"], "那个班长有徒弟吗", ["邹铁"], ["浴室"]),
        (["两位师傅谁补胎", "胡师傅补胎，贺师傅喷漆。"], "喷漆那位周末在吗", ["贺师傅"], ["胡师傅"]),
        # things: put forward by the reply, the verb it shares, a description, a comparison, a measure word
        (["帐篷漏雨了", "可以借防雨罩，押金50元。"], "借它要登记吗", ["防雨罩"], ["50"]),
        (["能带水壶进场吗", "不能带水壶，入口发纸杯。"], "它有盖子吗", ["纸杯"], ["水壶"]),
        (["甲板舱和内舱差在哪", "甲板舱有窗，内舱没有窗。"], "没有窗的那个闷吗", ["内舱"], ["甲板舱"]),
        (["旗舰灯和壁灯多少钱", "旗舰灯390元，壁灯85元。"], "贵的那款能调光吗", ["旗舰灯"], ["壁灯"]),
        (["修鞋在哪", "在南市，交鞋给一张取鞋牌。"], "那牌子丢了怎么办", ["取鞋牌"], []),
        # places, times, going back to an earlier turn
        (["磨刀摊摆在哪", "摆在石桥头的凉亭边上，上午在。"], "那儿能停三轮车吗", ["凉亭"], []),
        (["灯会是几号", "灯会在正月十五晚上7点。"], "那天通公交吗", ["灯会"], ["7点"]),
        (["租筏子多少钱", "竹筏120元。", "有更衣室吗", "码头二楼有。"], "回到筏子 能坐几人", ["筏"], ["更衣"]),
        # ellipses without 呢
        (["滑索几岁能玩", "12岁以上。"], "攀岩墙", ["攀岩墙", "几岁"], ["12"]),
        (["长号租一年多少", "1200元。"], "只租半年", ["长号", "半年"], ["1200"]),
        (
            ["is the sauna mixed", "The sauna is mixed, the steam room is for women."],
            "and the pool?",
            ["pool"],
            ["sauna"],
        ),
    ],
)
def test_one_score_finds_what_a_reference_means(turns, question, parts, never):
    got = rules.rewrite(talk(*turns), question)
    assert all(part in got for part in parts) and not any(part in got for part in never), got


def test_a_reference_with_its_own_antecedent_stays():
    history = talk("泳池谁管", "由救生员李强管，在三楼值班。")
    for question in ("旅客的行李丢了，他该找谁赔", "贷款人去世后他的房子怎么处理", "熊猫馆周一开放吗"):
        assert rules.rewrite(history, question) == question


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
        "讲个笑话",
        "周一见",
        "让你久等了",
        "抱歉，点错了",
        "回答得真详细",
        "谁开发了你",
        "外面好大的雨",
        "ＯＫ",
        "👍",
        "你能听懂方言吗",
        "机器人会有感情吗",
        "好的，我回去跟家里人商量一下",
        "比打电话强多了",
        "刚下班，累成狗",
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
        "该怎么用",
        "",
    ],
)
def test_a_real_question_never_goes_direct(text):
    assert rules.intent(text) == "single-hop"


@pytest.mark.parametrize(
    "opening", ["你好，", "谢谢！", "嗯嗯，", "辛苦了。", "抱歉，", "在吗？", "哈哈，", "你真棒，"]
)
@pytest.mark.parametrize("question", ["储物柜怎么租", "停车费多少", "能带宠物吗", "吊车坏了"])
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
        ("先查一下谁管吊车，再告诉我他的分机", "multi-hop"),
        ("站长的秘书叫什么", "multi-hop"),
        ("报修归哪个科管，科里几点下班", "multi-hop"),
        ("帮忙找一下贷款部的主管，我要他的座机", "multi-hop"),
        ("把投诉归哪个部门查清，再把那个部门的电话发我", "multi-hop"),
        ("CA1501所属的航空公司客服电话是多少", "multi-hop"),
        ("挂失补卡得去哪个网点 怎么坐车过去", "multi-hop"),
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
    assert rules.step_back("塔吊顶升属于几级作业，最晚提前几天报备") == "作业的分级标准和报备的时限要求是什么"
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
    [
        item["question"]
        for name in ("dev", "dev2", "dev3", "dev4", "dev5")
        for item in rates.load(rates.SETS / name / "complete.jsonl")
    ],
)
def test_rewriting_twice_changes_nothing_more(question):
    once = rules.rewrite([], question)
    assert rules.rewrite([], once) == once


def test_full_width_and_half_width_route_alike():
    assert rules.intent("ＨＥＬＬＯ") == rules.intent("hello") == "direct"


def test_output_does_not_depend_on_the_hash_seed():
    program = (
        "import json; from querylab.models import rules as r; "
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
@pytest.mark.parametrize("name", ["dev", "dev2"])
def test_the_aims_are_met_on_the_development_sets(name):
    missed = {rate: found for rate, found in rates.measure(rates.SETS / name)["rates"].items() if not found["met"]}
    assert not missed


@pytest.mark.parametrize(
    ("asked", "answer", "then", "expected"),
    [
        ("应用日志存多久", "90天。", "那审计日志呢", "审计日志存多久"),  # a noun with a verb in it is no deed
        ("坐飞机要几小时", "两小时。", "坐高铁呢", "坐高铁要几小时"),  # what is asked stays
        ("租船押金一天多少钱", "每天50元。", "出发那天怎么算", "租船出发那天怎么算"),  # it says its own day
        ("投诉没人管升级给谁", "先升级至客户服务部主管，再升级至馆长。", "那位主管叫什么", "客户服务部主管叫什么"),
    ],
)
def test_what_stays_and_what_changes_in_a_follow_up(asked, answer, then, expected):
    assert rules.rewrite(talk(asked, answer), then) == expected
