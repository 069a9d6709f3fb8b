"""Deterministic signals and tier 0, held against the labelled sentences."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab.corpus.load import load_corpus
from querylab.pipeline.techniques import Techniques
from querylab.prompts.schema import COMPLEXITIES, SCOPES
from querylab.understanding.fields import Understanding

from checks import understanding_rates as rates

SOLUTION = Techniques.of_track("solution")
raise_complexity, tier0 = SOLUTION.get("raise_complexity"), SOLUTION.get("tier0")
CORPUS = load_corpus()


def labelled(kind):
    return [(name, row) for name in rates.SETS for row in rates.load(rates.FOLDER / name / f"{kind}.jsonl")]


def test_the_sets_are_large_varied_and_apart_from_the_corpus():
    signals, talk = labelled("signals"), labelled("tier0")
    assert len(signals) >= 120 and len(talk) >= 120
    texts = [row["text"] for _, row in signals]
    assert len(set(texts)) == len(texts)
    assert sum(row["several"] for _, row in signals) >= 60 <= sum(not row["several"] for _, row in signals)
    assert {row["scope"] for _, row in talk} == {"CHITCHAT", "META_CONVERSATION", "KB_META", None}
    asked = {question.question for question in CORPUS.questions}
    assert not asked & {row["text"] for _, row in signals + talk}


@pytest.mark.parametrize("name", rates.SETS)
def test_precision_and_recall_of_the_signals(name):
    model, signals, both = rates.signal_rates(raise_complexity, name)
    assert signals.precision >= 0.95 and signals.recall >= 0.95, signals.wrong
    assert both.recall >= signals.recall > model.recall + 0.3, "what the signals are for"


@pytest.mark.parametrize(
    "question", ["什么是对比学习", "和平区怎么走", "VS Code 怎么装", "以及格线算吗", "《战争与和平》在几楼"]
)
def test_a_word_is_no_form(question):
    assert raise_complexity(question, Understanding(question, complexity="SIMPLE")).complexity == "SIMPLE"


@given(
    st.text(max_size=60) | st.sampled_from([row["text"] for _, row in labelled("signals")]),
    st.sampled_from(COMPLEXITIES),
)
def test_never_down_and_nothing_else(question, complexity):
    given_ = Understanding(question, "opinion", complexity, "FUZZY", True, True, False, ("x",), "KB_META", 0.7)
    got = raise_complexity(question, given_)
    assert COMPLEXITIES.index(got.complexity) >= COMPLEXITIES.index(complexity)
    assert got.row() | {"complexity": complexity} == given_.row()
    assert got.complexity in (complexity, "MEDIUM")


@pytest.mark.parametrize("name", rates.SETS)
def test_tier_0_swallows_no_question(name):
    rate = rates.tier0_rate(tier0, name)
    assert rate.false_alarms == 0, rate.wrong
    assert rate.recall >= 0.9, rate.wrong


def test_tier_0_swallows_none_of_the_corpus_nor_of_the_other_sets():
    turns = [turn for dialogue in CORPUS.dialogues for turn in dialogue.turns if turn.tier != "direct"]
    texts = [question.question for question in CORPUS.questions] + [turn.user for turn in turns]
    for folder in sorted((rates.ROOT / "checks" / "sets").iterdir()):
        path = folder / "intents.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        texts += [row["text"] for row in map(json.loads, lines) if row["label"] != "direct"]
    assert len(texts) > 100
    assert [text for text in texts if tier0(text, [])] == []


@given(st.text(max_size=80))
def test_tier_0_survives_any_text(text):
    assert tier0(text, []) in (None, *SCOPES[1:])


@pytest.mark.parametrize("opening", ["你好，", "谢谢！", "好的，", "在吗？", "我是新来的测试，"])
@pytest.mark.parametrize("question", ["年卡多少钱", "怎么退押金", "储物柜在哪", "能带宠物吗"])
def test_a_courtesy_before_a_question_is_no_courtesy(opening, question):
    assert tier0(opening + question, []) is None


def test_tier_0_takes_less_than_a_millisecond():
    assert rates.tier0_milliseconds(tier0)["max_ms"] < 1


@pytest.mark.parametrize("piece", ["总结", "你好", "我是", "对比和", "vs ", "？", "分别", "以及", "《", "吗，还有"])
def test_very_long_input_is_read_in_time(piece):
    text = (piece * 2000)[:4000]
    start = time.perf_counter()
    tier0(text, [])
    raise_complexity(text, Understanding(text))
    assert time.perf_counter() - start < 2


def test_the_command_prints_the_rates(capsys):
    assert rates.main(["--failures"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("precision") == 8 and "tier 0: median" in printed
