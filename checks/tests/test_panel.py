"""The panel of switches, moved as a hand would move it, without a browser."""

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from querylab import settings
from querylab.corpus.model import Corpus
from querylab.pipeline.config import BASELINE, EVERYTHING, HYDE, REWRITE_NEEDED, ROUTER_WIDE, STEP_BACK, Config
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import Techniques, Unfinished
from querylab.show import panel


def run(coroutine):
    return asyncio.run(coroutine)


async def opened(lab: Lab) -> panel.Panel:
    made = panel.panel(lab)
    await made.settled()
    return made


@pytest.fixture
def small(lab: Lab) -> Lab:
    """The lab with four questions: a ledger row in a moment."""
    few = tuple(lab.corpus.question(name) for name in ("q01", "q13", "q14", "q17"))
    return replace(lab, corpus=replace(lab.corpus, questions=few))


def test_it_runs_the_first_question_at_once(small):
    async def look():
        made = await opened(small)
        assert small.corpus.questions[0].question in made.output.value
        assert "来源" in made.output.value
        assert "基线" in made.ledger.value
        assert "▲" not in made.ledger.value.split("小字")[0]
        assert "跑完" in made.status.value

    run(look())


def test_a_switch_changes_trace_and_row(small):
    async def look():
        made = await opened(small)
        made.example.value = 1
        made.router.value = True
        made.wide.value = True
        await made.settled()
        assert made.config == ROUTER_WIDE
        assert "多跳（multi-hop）" in made.output.value
        assert small.corpus.questions[1].question in made.output.value
        assert "router + multi-hop budget" in made.ledger.value
        assert "+100.0 ▲" in made.ledger.value

    run(look())


def test_switches_spell_configurations(small):
    async def look():
        made = await opened(small)
        assert made.config == BASELINE
        made.rewrite.value = "needed"
        assert made.config == REWRITE_NEEDED
        made.rewrite.value = "always"
        for name in ("hyde", "multi_query", "step_back", "router", "wide"):
            getattr(made, name).value = True
        assert made.config == EVERYTHING
        made.budget.value, made.multi_hop_budget.value = 350, 2000
        assert made.config == replace(EVERYTHING, name=panel.NAME, budget=350, multi_hop_budget=2000)
        await made.settled()
        assert "350 token" in made.output.value or "2000 token" in made.output.value

    run(look())


def test_a_budget_of_nothing_refuses(small):
    async def look():
        made = await opened(small)
        made.budget.value = 0
        await made.settled()
        assert "拒答：过了门槛的都装不下" in made.output.value

    run(look())


def test_a_dialogue_turn_brings_its_history_and_can_leave_it(small):
    async def look():
        made = await opened(small)
        names = [item.name for item in made.examples]
        made.example.value = next(i for i, name in enumerate(names) if name.startswith("d1 第 2 轮"))
        made.rewrite.value = "always"
        await made.settled()
        assert "此前的对话（2 句）" in made.output.value
        assert "平台组组长" in made.output.value
        made.with_history.value = False
        await made.settled()
        assert "此前的对话" not in made.output.value
        assert made.turns == ()

    run(look())


def test_choosing_a_question_starts_one_run(small):
    asked = []

    async def look():
        made = await opened(small)
        ask = made.lab.ask
        made.lab = replace(made.lab)
        made.lab.ask = lambda question, *rest, **more: asked.append(question) or ask(question, *rest, **more)
        made.example.value = 2
        await made.settled()

    run(look())
    assert asked == [small.corpus.questions[2].question]


def test_the_last_change_wins_and_runs_never_overlap(small):
    running = most = 0
    finished = []

    async def slow_queries(client, question):
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            await asyncio.sleep(0.02)
            finished.append(question)
        finally:
            await asyncio.sleep(0.01)  # a run that is cancelled takes its time to end
            running -= 1
        return [question]

    async def look():
        made = await opened(small.using(hyde_queries=slow_queries))
        made.hyde.value = True
        await asyncio.sleep(0.005)
        made.question.value = "会议室最早能提前多少天预订"
        await asyncio.sleep(0.005)
        made.question.value = "发票遗失了还能不能报销"
        await made.settled()
        assert "发票遗失了" in made.output.value
        assert "跑完：假设文档" in made.status.value

    run(look())
    assert "会议室最早能提前多少天预订" not in finished
    assert most == 1


def test_events_from_another_thread_run_in_the_loop_of_the_panel(small):
    async def look():
        made = await opened(small)
        await asyncio.to_thread(setattr, made.step_back, "value", True)
        await made.settled()
        assert "跑完：后退提问" in made.status.value

    run(look())


def test_rows_are_kept_until_a_technique_changes(small, tmp_path: Path):
    for source in settings.SOLUTION_DIR.glob("*.py"):
        (tmp_path / source.name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    own = replace(small, techniques=Techniques(tmp_path))

    async def look():
        made = await opened(own)
        made.hyde.value = True
        await made.settled()
        rows = made._rows
        first = await rows.report(HYDE)
        assert await rows.report(replace(HYDE, name="别名")) == replace(first, config=replace(HYDE, name="别名"))
        assert len(rows.kept) == 2
        os.utime(tmp_path / "hyde.py", ns=(time.time_ns(), time.time_ns() + 10**9))
        assert not rows.known(HYDE)

    run(look())


def test_unfinished_work_is_told_kindly(small, tmp_path: Path):
    starter = replace(small, techniques=Techniques(tmp_path))

    async def look():
        made = await opened(starter)
        made.hyde.value = True
        await made.settled()
        assert "尚未完成" in made.status.value
        assert "02_hyde.ipynb" in made.status.value
        assert made.output.value == made.ledger.value == ""
        made.hyde.value = False
        await made.settled()
        assert "跑完" in made.status.value
        with pytest.raises(Unfinished):
            await panel.table(starter, HYDE)

    run(look())


def test_a_fault_in_student_code_is_shown_and_escaped(small):
    async def broken(client, question):
        raise ZeroDivisionError("<b>除以零</b>")

    async def look():
        made = await opened(small.using(hyde_queries=broken))
        made.hyde.value = True
        await made.settled()
        assert "出错了：ZeroDivisionError: &lt;b&gt;除以零" in made.status.value
        assert "<b>除" not in made.status.value

    run(look())


def test_a_blank_question_asks_for_one(small):
    async def look():
        made = await opened(small)
        made.question.value = "   "
        await made.settled()
        assert "先输入一个问题" in made.status.value

    run(look())


def test_questions_are_escaped(small):
    async def look():
        made = await opened(small)
        made.question.value = "<script>alert(1)</script>年假"
        await made.settled()
        assert "<script" not in made.output.value

    run(look())


class Measured:
    """A client whose calls would cost money."""

    modelled = False

    def __init__(self, client):
        self.messages = client.messages


def test_a_live_model_is_paid_for_one_row_at_a_press(small):
    live = replace(small, client=Measured(small.client))

    async def look():
        made = await opened(live)
        assert "要花钱" in made.ledger.value
        assert made._rows.kept == {}
        made.step_back.value = True
        await made.settled()
        assert made._rows.kept == {}
        made.measure.value = True
        await made.settled()
        assert made._rows.known(STEP_BACK)
        assert "step-back" in made.ledger.value
        assert made.measure.value is False, "one press, one row"
        made.step_back.value = False
        await made.settled()
        assert "要花钱" not in made.ledger.value, "the baseline is known already"

    run(look())


def test_without_widgets_there_is_text_and_a_table(small):
    async def look():
        made = await opened(small)
        data, _ = made._repr_mimebundle_()
        assert "application/vnd.jupyter.widget-view+json" in data
        assert "panel.table(lab, config, question)" in data["text/plain"]
        assert "panel.table" in data["text/html"]
        text = str(await panel.table(small, STEP_BACK, "年假能结转几天"))
        assert "年假能结转几天" in text
        assert "后退提问 (step-back)" in text
        assert "基线 (baseline)" in text
        own = str(await panel.table(small, Config("我的", router=True)))
        assert small.corpus.questions[0].question in own
        assert "我的" in own

    run(look())


def test_a_corpus_without_questions_has_a_panel_too(small):
    bare: Corpus = replace(small.corpus, questions=(), dialogues=())

    async def look():
        made = await opened(replace(small, corpus=bare))
        assert made.example.value is None
        made.question.value = "年假能结转几天"
        await made.settled()
        assert "年假管理办法" in made.output.value
        assert made.ledger.value == ""

    run(look())


def test_without_a_loop_it_says_so(small):
    made = panel.panel(small)
    assert "没有在运行的事件循环" in made.status.value
