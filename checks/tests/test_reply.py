"""Replies as models really write them: what is taken off, what stays, and what each failure is called."""

import contextlib
import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab.models import reply
from querylab.models.reply import (
    BrokenReply,
    CallFailed,
    CutReply,
    EmptyReply,
    ModelError,
    RefusedReply,
    ReplyError,
)
from querylab.types import INTENTS

from checks.stand_ins import message

CLEAN = "年假结转的天数上限"
OTHER = "未休年假 结转 期限"


# ── text ────────────────────────────────────────────────────────────────────────────────────────
def test_text_blocks_are_joined_and_stripped():
    assert reply.text(message(" 年假", "结转 \n")) == "年假结转"


def test_thinking_is_passed_over():
    assert reply.text(message(CLEAN, thinking="先看看问题里有没有代词……")) == CLEAN
    assert reply.line(message(CLEAN, thinking="1. 不要这一行")) == CLEAN
    assert reply.label(message("multi-hop", thinking="single-hop?"), INTENTS) == "multi-hop"


@pytest.mark.parametrize(
    ("bad", "kind", "words"),
    [
        (message("年假", stop_reason="refusal"), RefusedReply, "refused"),
        (message(stop_reason="refusal"), RefusedReply, "refused"),
        (message("年假结", stop_reason="max_tokens"), CutReply, "max_tokens"),
        (message("年假结", stop_reason="model_context_window_exceeded"), CutReply, "model_context_window_exceeded"),
        (message(), EmptyReply, "no text"),
        (message(""), EmptyReply, "no text"),
        (message(" \n\u3000\r\n"), EmptyReply, "no text"),
        (message(thinking="只有思考"), EmptyReply, "no text"),
        (None, BrokenReply, "NoneType"),
        ({}, BrokenReply, "dict"),
        ({"content": [{"type": "text", "text": "年假"}]}, BrokenReply, "dict"),
        (5, BrokenReply, "int"),
        (SimpleNamespace(content=None, stop_reason=None), BrokenReply, "SimpleNamespace"),
        (SimpleNamespace(content="年假", stop_reason=None), BrokenReply, "SimpleNamespace"),
        (SimpleNamespace(content=[None, 5, "x"], stop_reason=None), EmptyReply, "no text"),
        (SimpleNamespace(content=[SimpleNamespace(type="text")], stop_reason=None), EmptyReply, "no text"),
        (SimpleNamespace(content=[SimpleNamespace(type="text", text=7)], stop_reason=None), EmptyReply, "no text"),
        (SimpleNamespace(content=[SimpleNamespace(type="text", text=None)], stop_reason=None), EmptyReply, "no text"),
    ],
)
def test_every_unusable_reply_has_a_name(bad, kind, words):
    for parse in (reply.text, reply.line, reply.lines, lambda found: reply.label(found, INTENTS)):
        with pytest.raises(kind, match=words):
            parse(bad)


def test_one_except_catches_them_all():
    for kind in (BrokenReply, CutReply, EmptyReply, RefusedReply):
        assert issubclass(kind, ReplyError)
    assert issubclass(ReplyError, ModelError)
    assert issubclass(CallFailed, ModelError)
    assert not issubclass(CallFailed, ReplyError)  # the call failed: there is no reply to speak of


def test_a_message_made_of_garbage_by_the_sdk():
    from anthropic.types import Message

    for garbage in ({}, {"content": None}, {"content": "x", "stop_reason": 3}, {"content": [{"type": "text"}]}):
        with pytest.raises(ReplyError):
            reply.line(Message.construct(**garbage))


@pytest.mark.parametrize(
    "whole",
    [
        "抱歉，我无法回答这个问题。",
        "很抱歉，资料里没有相关内容，无法改写。",
        "I'm sorry, I can't help with that.",
        "作为一个AI，我不能提供这类信息。",
    ],
)
def test_a_model_that_declines_in_words_has_refused(whole):
    for parse in (reply.text, reply.line, lambda found: reply.label(found, INTENTS)):
        with pytest.raises(RefusedReply):
            parse(message(whole))


@pytest.mark.parametrize(
    "asks", ["客户说抱歉怎么回复", "对不起客户的工单由谁处理", "无法登录怎么办", "不能报销的费用有哪些"]
)
def test_a_question_about_apologies_is_no_refusal(asks):
    assert reply.line(message(asks)) == asks


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("年假最多结转5天。", True),
        ("报销单须在返回后10个工作日内提交。", True),
        ("年假最多结转5天吗", False),
        ("年假最多能结转几天。", False),
        ("3天以上病假的证明材料", False),
        ("满10年员工年假天数的规定。", False),
        ("关于报销时限的规定。", False),
    ],
)
def test_a_sentence_that_states_is_told_from_one_that_asks(line, answers):
    assert reply.states(line) is answers


# ── what is taken off ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "dressed",
    [
        "1. {}", "1) {}", "1、{}", "1、 {}", "1: {}", "1：{}", "1．{}", "12. {}", "1.{}", "1）{}",
        "（1）{}", "（1） {}", "(1) {}", "（一）{}", "一、{}", "十、 {}", "十一、{}", "二．{}",
        "① {}", "②{}", "- {}", "* {}", "• {}", "•{}", "·{}", "– {}", "— {}", "  - {}", "\t* {}",
        "> {}", "## {}",
        "**{}**", "__{}__", "`{}`", '"{}"', "'{}'", "“{}”", "「{}」", "『{}』", '"“{}”"', "**「{}」**",
        "1. **{}**", "- 「{}」", "1. “{}”", "**1.** {}", "**1. {}**", "- 1. {}",
        "改写后的查询：\n{}", "改写后的检索语句：{}", "Standalone question: {}", "变体一：{}", "子问题1：{}", "【改写】{}",
        "<query>{}</query>", "<query>\n{}\n</query>", "<think>先看「它」指什么</think>\n{}", "为你整理如下，供检索：\n{}",
        '{{"queries":[{{"query":"{}"}}]}}', '{{"rewritten": "{}"}}',
        "改写：{}", "改写后：{}", "检索语句：{}", "查询1：{}", "关键词形式：{}", "书面说法: {}", "Query: {}",
        "Rewritten query: {}", "variant 2: {}", "1. 查询：{}", "**关键词形式**：{}", "- **改写**: 「{}」",
        "\u3000\u3000{}", "{}\u3000", "\ufeff{}", "\u200b{}", "\u00a0{} ", "\r\n{}\r\n", "\n\n{}\n\n",
        "```\n{}\n```", "```text\n{}\n```",
    ],
)  # fmt: skip
def test_dress_is_taken_off(dressed):
    assert reply.line(dressed.format(CLEAN)) == CLEAN
    assert reply.lines(dressed.format(CLEAN)) == [CLEAN]
    assert reply.line(message(dressed.format(CLEAN))) == CLEAN


@pytest.mark.parametrize(
    "whole",
    [
        "{}\n{}", "{}\r\n{}", "{}\r{}", "{}\u2028{}", "1. {}\n2. {}", "1、{}\n\n2、{}", "- {}\n- {}",
        "① {}\n② {}", "一、{}\n二、{}", "（1）{}\n（2）{}", "\n{}\n\u3000\n \n{}\n", "{}\n---\n{}", "{}\n***\n{}",
        "{}\n。\n{}", "以下是两条检索语句：\n{}\n{}", "以下是改写:\n1. {}\n2. {}", "**以下是两条：**\n{}\n{}",
        "好的，以下是改写：\n\n{}\n{}",
        "好的！\n{}\n{}", "当然可以。\n{}\n{}", "如下：\n{}\n{}", "根据您的问题，改写如下：\n{}\n{}",
        "Sure! Here are two:\n{}\n{}", "Here are the queries:\n1) {}\n2) {}", "Here's the list:\n{}\n{}", "OK.\n{}\n{}",
        "Below are two variants:\n{}\n{}",
        '["{}", "{}"]', '[\n  "{}",\n  "{}"\n]', '```json\n["{}", "{}"]\n```', '```\n["{}", "{}"]\n```',
        '{{"queries": ["{}", "{}"]}}', '```json\n{{"variants": ["{}", "{}"]}}\n```', '{{"1": "{}", "2": "{}"}}',
        '以下是：\n["{}", "{}"]', '以下是：\n```json\n["{}", "{}"]\n```', '["1. {}", "2. {}"]', '["{}\\n{}"]',
        "```\n1. {}\n2. {}\n```",
    ],
)  # fmt: skip
def test_lists_as_models_write_them(whole):
    assert reply.lines(whole.format(CLEAN, OTHER)) == [CLEAN, OTHER]
    assert reply.lines(message(whole.format(CLEAN, OTHER))) == [CLEAN, OTHER]


def test_repeated_lines_are_dropped_whatever_their_width_and_case():
    assert reply.lines("VPN 权限\n1. VPN 权限\nｖｐｎ 权限\nvpn 权限\n年假") == ["VPN 权限", "年假"]


def test_the_limit_counts_clean_lines_from_the_first():
    whole = "以下是：\n\n1. a\n1. a\n---\n2. b\n3. c"
    assert reply.lines(whole, 2) == ["a", "b"]
    assert reply.lines(whole, 9) == reply.lines(whole) == ["a", "b", "c"]
    assert reply.line(whole) == "a"


@pytest.mark.parametrize(
    "whole", ["", "   ", "\n\u3000\n", "---", "1.\n2.\n", "。。。", "```\n```", "[]", "「」", "改写：", "😀"]
)
def test_no_usable_line(whole):
    with pytest.raises(EmptyReply):
        reply.lines(whole)
    with pytest.raises(EmptyReply):
        reply.line(whole)


# ── what stays ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "clean",
    [
        CLEAN,
        "3.5 天的年假怎么算",
        "3.5天的年假怎么算",
        "0.5 天起休",
        "年假 3.5 天能不能结转",
        "12.5 小时的加班",
        "2026 年的年假什么时候清零",
        "2026年1月5日之前结转",
        "2026-01-05 之前结转",
        "2026.1.5 之前结转",
        "1.5倍工资",
        "10月1日加班算几倍工资",
        "10.1 假期加班工资",
        "12月31日年假清零",
        "9:00 到 18:00 的打卡规则",
        "9：30 以后算迟到吗",
        "1:1 面谈多久一次",
        "1、2级变更的审批区别",
        "3、4月的年假",
        "一、二级变更的区别",
        "一、二线城市住宿费上限",
        "三、四季度的奖金",
        "一线城市住宿费上限",
        "三级变更提前几天提单",
        "五险一金的缴纳比例",
        "十五天陪产假的申请材料",
        "一二线城市的差别",
        "5个工作日内未处理怎么办",
        "3天以上病假的证明材料",
        "24小时值班",
        "7 x 24 支持",
        "100% 采样率",
        "-5 度的机房",
        "> 5 天的休假由谁审批",
        "C++ 编译环境",
        "#1 会议室预订",
        "审批流程：部门负责人之后是谁",
        "差旅（境外）补贴标准",
        "（试用期）员工的年假",
        "「二级变更」和「三级变更」的区别",
        "“周末”与“节假日”加班",
        "《差旅管理办法》第 3 条",
        "《年假管理办法》",
        "VPN: 申请权限",
        "Q3 的 OKR",
        "a. b. c.",
        "根据《值班手册》应由谁审批。",
        "以下情形能否报销",
        "好的绩效怎么评。",
        "问题反馈渠道",
        "查询权限如何申请",
        "改写权限：谁可以编辑文档",
        "关键词过滤规则",
        "it's 5 o'clock",
        "snake_case __init__ 方法",
        "2 * 3 * 4",
        "a*b",
        "[标题](链接)",
        "{变量}",
    ],
)
def test_a_clean_line_comes_back_unchanged(clean):
    assert reply.line(clean) == clean
    assert reply.lines(f"{clean}\n{OTHER}") == [clean, OTHER]
    assert reply.lines(f"1. {clean}\n2. {OTHER}") == [clean, OTHER]
    assert reply.lines(json.dumps([clean, OTHER], ensure_ascii=False)) == [clean, OTHER]


WORD = st.text(st.sampled_from("年假差旅报销审批变更级天月一二三十5 3Aa.、：，（）「」"), min_size=1, max_size=16)


@given(WORD)
def test_cleaning_twice_is_cleaning_once(line):
    try:
        once = reply.lines(line)
    except EmptyReply:
        return
    assert reply.lines("\n".join(once)) == once


@given(st.text("年假差旅报销审批变更", min_size=1, max_size=8), st.text("年假差旅abc123.:：、（）-", max_size=12))
def test_a_line_that_begins_with_a_word_keeps_its_beginning(word, rest):
    assert reply.line(word + rest).startswith(word)


# ── label ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "dressed",
    [
        "{}", " {}\n", "{}。", "{}.", "{}!", "**{}**", '"{}"', "「{}」", "`{}`", '"{}".', "「{}」。", "“{}。”",
        "**{}**。", "\u3000{}", "- {}", "1. {}", '{{"intent":"{}"}}', "{}\n理由：要先查出是谁", "<think>两步</think>{}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", INTENTS)
def test_a_label_is_found_in_its_dress(name, dressed):
    assert reply.label(dressed.format(name), INTENTS) == name
    assert reply.label(dressed.format(name.upper()), INTENTS) == name
    assert reply.label(dressed.format(name.replace("-", "_")), INTENTS) == name
    assert reply.label(dressed.format(name.replace("-", " ")), INTENTS) == name
    assert reply.label(message(dressed.format(name)), INTENTS) == name


@pytest.mark.parametrize(
    "whole",
    [
        "not multi-hop; it is single-hop",
        "single-hop or multi-hop",
        "multi-hop\nsingle-hop",
        '["multi-hop", "single-hop"]',
        "多跳",
        "multi-hop，因为要查两次",
        "这是 multi-hop",
        "multi",
        "hop",
        "multihop",
        "directly",
        "不是 direct",
        "direct?",
        "",
        "  ",
        "无法判断",
    ],
)
def test_anything_but_one_label_is_no_label(whole):
    assert reply.label(whole, INTENTS) is None


def test_labels_with_an_underscore_can_be_found():
    assert reply.label("Not_Found.", ["not_found", "found"]) == "not_found"


# ── never another exception ─────────────────────────────────────────────────────────────────────
MARKS = "0123456789.、:：)）(（一二三十①-*•#>`\"'“”「」[]{},\\\n\r\t \u3000\u2028年假aZ"


@given(st.text(max_size=60) | st.text(st.sampled_from(MARKS), max_size=60))
def test_any_text_gives_clean_lines_or_an_empty_reply(whole):
    try:
        found = reply.lines(whole)
    except EmptyReply:
        return
    assert found
    assert len(set(found)) == len(found)
    for line in found:
        assert line.splitlines() == [line]
        assert line == line.strip(" \t\u3000")
        assert any(character.isalnum() for character in line)
    assert reply.line(whole) == found[0]
    assert reply.lines(whole, 1) == found[:1]


@given(st.text(st.sampled_from(MARKS + "direct-hopsingle"), max_size=40))
def test_any_text_gives_a_label_or_none(whole):
    assert reply.label(whole, INTENTS) in (*INTENTS, None)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_refused(value):
    for whole in (json.dumps(value, ensure_ascii=False), json.dumps(value, ensure_ascii=False, indent=1)):
        try:
            found = reply.lines(whole)
        except EmptyReply:
            continue
        assert all(isinstance(line, str) for line in found)


@pytest.mark.parametrize("whole", ["[" * 100_000 + "]", "[" + "1" * 5000 + "]", '{"a": [', '["年假', "[1, 2"])
def test_json_that_is_none(whole):
    with contextlib.suppress(EmptyReply):
        assert all(isinstance(line, str) for line in reply.lines(whole))


@given(
    st.one_of(st.none(), st.integers(), st.lists(st.one_of(st.none(), st.text(max_size=3)), max_size=3)),
    st.one_of(st.none(), st.text(max_size=5), st.sampled_from(["refusal", "max_tokens", "end_turn"])),
)
def test_any_object_in_place_of_a_message_is_a_reply_error(content, stop_reason):
    with pytest.raises(ReplyError):
        reply.text(SimpleNamespace(content=content, stop_reason=stop_reason))
