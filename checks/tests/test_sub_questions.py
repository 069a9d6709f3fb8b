"""Splitting: the rules of language, the searches of the parts, the deadline, and the question sets."""

import asyncio
import logging
import warnings
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import prompts, rules
from querylab.corpus.load import load_corpus
from querylab.corpus.model import CorpusError
from querylab.measure.evaluate import evaluate
from querylab.measure.metrics import complete
from querylab.models.clock import VirtualClock, WallClock
from querylab.models.reply import CallFailed
from querylab.pipeline.config import BASELINE, HEAVIER_ROWS, MULTI_QUERY, NAMED, STEP_BACK, Config
from querylab.pipeline.deadline import TooLate, within
from querylab.pipeline.state import TechniqueError
from querylab.rules.client import MockClient

from checks import small
from checks.stand_ins import ScriptedClient

SPLIT = Config("split", sub_questions=True, wide_multi_hop=True)


@pytest.fixture(autouse=True)
def quiet():
    log = logging.getLogger("querylab")
    before = log.level
    log.setLevel(logging.ERROR)
    yield
    log.setLevel(before)


# ── Rules of language ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("泳镜押金多少", ["泳镜押金多少"]),
        ("想借投影仪，要办什么手续", ["想借投影仪，要办什么手续"]),
        ("泳镜押金多少，储物柜几点关", ["泳镜押金多少", "储物柜几点关"]),
        ("借投影仪要提前几天，能借多久", ["借投影仪要提前几天", "借投影仪能借多久"]),
        ("月卡和年卡分别多少钱", ["月卡多少钱", "年卡多少钱"]),
        ("月卡有效期以及过期作废规则是什么", ["月卡有效期是什么", "月卡过期作废规则是什么"]),
        ("借展由谁批准，这个人在几楼", ["借展由谁批准", "〔1〕在几楼"]),
        ("批准借展的人在几楼", ["谁批准借展", "〔1〕在几楼"]),
        ("How long is a ticket valid?", ["How long is a ticket valid?"]),
        ("", [""]),
    ],
)
def test_splitting_by_form(question, parts):
    assert rules.sub_questions(question) == parts


@given(st.text(alphabet="泳镜押金多少，储物柜几点关和谁批那个人在楼？", max_size=30))
def test_splitting_gives_one_to_three(question):
    assert 1 <= len(rules.sub_questions(question)) <= 3


def test_short_answers_come_from_the_passage():
    assert rules.short_answer("借展由谁批准", ["借展规则\n审批\n借展须由典藏科科长批准。"]) == "典藏科科长"
    assert rules.short_answer("借展由谁批准", ["泳池规则\n开放\n泳池每天六点开门。"]) == "不知道"
    assert rules.short_answer("借展由谁批准", []) == "不知道"


def test_the_mock_knows_both_tasks():
    async def both():
        client = MockClient()
        split = await client.messages.create(**prompts.sub_questions("泳镜押金多少，储物柜几点关"))
        short = await client.messages.create(**prompts.short_answer("由谁批准", ["借展须由典藏科科长批准。"]))
        return split.content[0].text, short.content[0].text

    assert asyncio.run(both()) == ("泳镜押金多少\n储物柜几点关", "典藏科科长")


# ── On the path ─────────────────────────────────────────────────────────────────────────────────
def ask(lab, question, config):
    return asyncio.run(lab.ask(question, config=config, answer=False))


def test_compound_questions_gain(lab):
    compound = lab.corpus.question_set("compound")
    assert len(compound) >= 8 and all(len(question.evidence) >= 2 for question in compound)
    before, now = (asyncio.run(evaluate(config, compound, lab)) for config in (BASELINE, SPLIT))
    count = [sum(complete(t, q) for q, t in zip(r.questions, r.traces, strict=True)) for r in (before, now)]
    assert count[1] > count[0]


def test_the_question_itself_is_always_searched_once(lab):
    for question in lab.corpus.question_set("compound"):
        queries = [search.query for search in ask(lab, question.question, SPLIT).searches]
        assert queries.count(question.question) == 1


def test_several_parts_get_room_and_one_part_does_not(lab):
    wide = ask(lab, "年假能结转几天，发票丢了还能报销吗", SPLIT)
    assert wide.budget == lab.corpus.budgets.multi_hop
    assert ask(lab, "年假能结转几天", SPLIT).budget == lab.corpus.budgets.default


def test_a_failed_splitting_searches_the_question(lab):
    async def fails(client, question):
        raise CallFailed("overloaded")

    trace = ask(lab.using(sub_questions=fails), "年假能结转几天", SPLIT)
    assert [search.query for search in trace.searches] == ["年假能结转几天"]
    assert trace.fallbacks[0].reason == "overloaded"


def test_a_failed_search_of_the_parts_keeps_what_was_found(lab):
    async def breaks_off(client, retriever, question, parts):
        await retriever.retrieve(question)
        await retriever.retrieve(parts[0])
        raise CallFailed("lost connection")

    question = "年假能结转几天，发票丢了还能报销吗"
    trace = ask(lab.using(search_parts=breaks_off), question, SPLIT)
    assert [search.query for search in trace.searches] == [question, "年假能结转几天"]
    assert not trace.refused


@pytest.mark.parametrize("got", [None, "text", [1], {"a": 1}])
def test_a_wrong_type_is_a_mistake_that_is_said(lab, got):
    async def wrong(client, question):
        return got

    with pytest.raises(TypeError, match="sub_questions"):
        ask(lab.using(sub_questions=wrong), "年假能结转几天", SPLIT)


# ── Sum against maximum, deadlines ──────────────────────────────────────────────────────────────
def test_at_once_takes_the_longest_and_in_turn_the_sum(lab):
    question = "年假能结转几天，发票丢了还能报销吗"
    in_turn = ask(lab, question, lab.config("three rewrites in turn"))
    at_once = ask(lab, question, lab.config("three rewrites at once"))
    models = [event.seconds for event in at_once.events if event.kind == "model"]
    assert at_once.seconds == pytest.approx(max(models) + 0.03, abs=0.001)
    assert in_turn.seconds >= sum(models)
    assert {search.query for search in in_turn.searches} == {search.query for search in at_once.searches}


class Slow:
    """A client whose drafts take very long."""

    modelled = True

    def __init__(self):
        self.client, self.messages = MockClient(), self

    async def create(self, **request):
        message = await self.client.messages.create(**request)
        if prompts.task_of(request["system"]) is prompts.HYDE:
            usage = message.usage.model_copy(update={"output_tokens": 8000})
            message = message.model_copy(update={"usage": usage})
        return message


def test_a_slow_step_does_not_hold_up_the_rest(lab):
    slow = replace(lab, client=Slow())
    config = replace(lab.config("three rewrites at once"), deadline=1.0)
    trace = ask(slow, "年假能结转几天，发票丢了还能报销吗", config)
    assert trace.seconds < 1.2
    assert [fallback.step for fallback in trace.fallbacks] == ["hyde_queries"]
    assert len(trace.searches) >= 4, "step-back and the parts came through"
    stopped = [event for event in trace.events if event.error]
    assert [event.purpose for event in stopped] == ["hyde"] and stopped[0].cost_usd > 0, "asked is paid"
    assert ask(slow, "年假能结转几天", replace(config, deadline=None)).seconds > 90


@pytest.mark.parametrize("clock", [VirtualClock, WallClock])
def test_within(clock):
    async def value():
        await asyncio.sleep(0)
        return 7

    async def endless():
        await asyncio.sleep(3600)

    async def both():
        watch = clock()
        assert await within(watch, None, value()) == 7
        assert await within(watch, 5.0, value()) == 7
        with pytest.raises(TooLate, match=r"0\.05 s"):
            await within(watch, 0.05, endless())

    asyncio.run(asyncio.wait_for(both(), 5))


def test_a_mistake_is_not_hidden_by_a_deadline():
    async def broken():
        raise KeyError("mistake")

    async def run():
        await within(VirtualClock(), 1.0, broken())

    with pytest.raises(KeyError, match="mistake"):
        asyncio.run(run())


def test_the_raw_search_beside_an_unchanged_rewrite_is_the_search(lab):
    config = lab.config("rewrite, raw beside it")
    assert ask(lab, "年假能结转几天", config).retrievals == 1

    async def changes(client, history, question):
        return "年假结转天数"

    trace = ask(lab.using(rewrite_query=changes), "年假能结转几天", config)
    assert {search.query for search in trace.searches} == {"年假能结转几天", "年假结转天数"}


def test_ways_side_by_side_search_the_question_once(lab):
    question = next(item.question for item in lab.corpus.question_set("compound") if item.id == "c11")
    for config in (lab.config("three rewrites at once"), lab.config("three rewrites in turn")):
        trace = asyncio.run(lab.ask(question, config=config, answer=False))
        asked = [event.detail["query"] for event in trace.events if event.kind == "search"]
        assert len(asked) == len(set(asked)) == len(trace.searches), config.name


def test_every_way_keeps_its_own_searches(lab):
    """Several ways search at once; the fused ranking of one is made of its own searches alone."""
    question = next(item.question for item in lab.corpus.question_set("compound") if item.id == "c11")
    config = Config("two ways", multi_query=True, sub_questions=True, wide_multi_hop=True)
    both = asyncio.run(lab.ask(question, config=config, answer=False))
    alone = [asyncio.run(lab.ask(question, config=c, answer=False)) for c in (SPLIT, MULTI_QUERY)]
    assert {search.query for search in both.searches} == {s.query for trace in alone for s in trace.searches}


def test_a_search_that_nobody_needed_is_waited_for(lab):
    config = replace(lab.config("router"), rewrite="always", beside=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace = asyncio.run(lab.ask("谢谢，你还能帮我查什么", config=config, answer=False))
    assert trace.intent == "direct" and trace.searches == () and trace.retrievals == 1


def test_a_way_cannot_return_what_only_another_way_found(lab):
    question = next(item.question for item in lab.corpus.question_set("compound") if item.id == "c11")
    split = asyncio.run(lab.ask(question, config=SPLIT, answer=False))
    own = {chunk for search in split.searches if search.query == question for chunk in search.ids}
    foreign = next(chunk for search in split.searches for chunk in search.ids if chunk not in own)

    async def multi_query_search(retriever, queries):
        await retriever.retrieve(question)
        return [(foreign, 1.0)]

    config = Config("two ways", multi_query=True, sub_questions=True)
    with pytest.raises(TechniqueError, match=foreign):
        asyncio.run(lab.using(multi_query_search=multi_query_search).ask(question, config=config, answer=False))


def test_nothing_goes_on_after_the_answer(lab):
    class Endless:
        async def retrieve_many(self, queries, routes=()):
            await asyncio.Event().wait()

    config = replace(lab.config("router"), rewrite="always", beside=True)
    slow = replace(lab, retriever=Endless())

    async def left():
        trace = await slow.ask("谢谢，你还能帮我查什么", config=config, answer=False)
        return trace, asyncio.all_tasks() - {asyncio.current_task()}

    trace, running = asyncio.run(left())
    assert trace.intent == "direct" and not running


def test_a_technique_s_own_time_limit_is_a_fallback(lab):
    async def step_back_queries(client, question):
        raise TimeoutError

    trace = asyncio.run(lab.using(step_back_queries=step_back_queries).ask("年假几天", config=STEP_BACK, answer=False))
    assert [fallback.reason for fallback in trace.fallbacks] == ["TimeoutError"] and len(trace.searches) == 1


# ── Rows and sets ───────────────────────────────────────────────────────────────────────────────
def test_rows_are_found_by_name_and_are_none_of_the_ledger(lab):
    for config in HEAVIER_ROWS:
        assert lab.config(config.name.upper()) == config
    names = [config.name for config in (*HEAVIER_ROWS, *NAMED)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "wrong",
    [
        {"line_limit": 0},
        {"line_limit": 10.5},
        {"line_limit": True},
        {"deadline": 0},
        {"deadline": -1.0},
        {"deadline": "5"},
        {"beside": True},
        {"understanding": "merged", "sub_questions": True},
    ],
)
def test_a_configuration_that_makes_no_sense(wrong):
    with pytest.raises(ValueError):
        Config(**wrong)


def test_kinds_are_covered(lab):
    kinds = [question.kind for question in lab.corpus.question_set("kinds")]
    wanted = {"plain", "hidden-condition", "reversed", "nested", "abstract", "precise", "multi-hop"}
    assert set(kinds) == wanted and min(kinds.count(kind) for kind in wanted) >= 4
    with pytest.raises(KeyError, match="compound"):
        lab.corpus.question_set("none")


def test_further_sets_are_checked_like_the_questions(tmp_path):
    good, bad = dict(small.QUESTIONS[0], id="x1", kind="plain"), dict(small.QUESTIONS[0], id="x2", kind=3)
    twice = dict(small.QUESTIONS[0])
    missing = dict(small.QUESTIONS[0], id="x3", evidence=["nowhere"])
    folder = small.write_corpus(tmp_path / "good", {"questions_more.jsonl": small.lines([good])})
    assert load_corpus(folder).question_set("more")[0].kind == "plain"
    folder = small.write_corpus(
        tmp_path / "bad", {"questions_more.jsonl": small.lines([good, bad, twice, missing]), "questions_z.jsonl": "{"}
    )
    with pytest.raises(CorpusError) as caught:
        load_corpus(folder)
    faults = [(fault.path.name, fault.line) for fault in caught.value.faults]
    assert {("questions_more.jsonl", 2), ("questions_more.jsonl", 3), ("questions_more.jsonl", 4)} <= set(faults)
    assert ("questions_z.jsonl", 1) in faults
    assert "of questions.jsonl" in str(caught.value), "an id is unique over all files"


def test_the_scripted_client_is_asked_once():
    from querylab.pipeline.techniques import Techniques

    client = ScriptedClient("甲\n乙\n丙\n丁")
    split = Techniques.of_track("solution").get("sub_questions")
    assert asyncio.run(split(client, "问")) == ["甲", "乙", "丙"]
    assert len(client.requests) == 1
