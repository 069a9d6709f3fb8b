"""Tables and pictures: what they say, that they are safe, and that no Chinese label becomes a box."""

import asyncio
import json
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import prompts, settings, show
from querylab.corpus.model import Corpus, Question
from querylab.measure.compare import compare
from querylab.measure.evaluate import TurnResult, evaluate
from querylab.measure.report import COLUMNS, Report
from querylab.measure.rows import Rows
from querylab.pipeline.config import BASELINE, EVERYTHING, HYDE, MULTI_QUERY, NAMED, ROUTER_WIDE, STEP_BACK, Config
from querylab.pipeline.lab import Lab
from querylab.pipeline.trace import Trace
from querylab.prompts.schema import ENUMS, PATHS, Origin
from querylab.retrieval.admit import pack
from querylab.retrieval.fuse import rrf_fuse
from querylab.show import fonts, labels, page
from querylab.show.hyde import _plane
from querylab.types import Budgets, Chunk, Event, Fallback, Gates, Hit, Search
from querylab.understanding.agent import Round
from querylab.understanding.fields import Salvage, Understanding

GATES = Gates(bm25=5.0, cosine=0.5)
EVIL = '<script>alert("坏")</script>'


def chunk(doc: str, number: int = 1, tokens: int = 100, title: str = "", heading: str = "节") -> Chunk:
    return Chunk(f"{doc}#{number}", doc, title or f"题{doc}", heading, "正文", tokens)


def hit(item: Chunk, bm25: float, cosine: float, rank: int) -> Hit:
    return Hit(item, bm25, cosine, rank)


def build(searches: list[Search], budget: int = 250, **changes: object) -> Trace:
    """Make a trace as the pipeline would: gate, fuse, pack."""
    chunks = {item.chunk.id: item.chunk for search in searches for item in search.hits}
    through = {
        item.chunk.id
        for search in searches
        for item in search.hits
        if item.bm25 >= GATES.bm25 or item.cosine >= GATES.cosine
    }
    ranking = rrf_fuse([search.ids for search in searches])
    admitted = tuple(chunks[name] for name, _ in ranking if name in through)
    trace = Trace(
        question="问题一",
        history=(),
        rewritten="问题一",
        intent=None,
        searches=tuple(searches),
        ranking=tuple(ranking),
        admitted=admitted,
        context=pack(admitted, budget),
        budget=budget,
        answer=None,
        events=(),
        fallbacks=(),
    )
    return replace(trace, **changes)


def question(name: str = "q1", tier: str = "multi", evidence: tuple[str, ...] = ("a", "b", "c", "d")) -> Question:
    grades = {f"{doc}#1": 2 for doc in evidence}
    return Question(name, tier, f"问题 {name}", evidence, grades, "")


@pytest.fixture
def four_fates() -> Trace:
    """a arrives, b does not fit, c fails the gate, d is never found."""
    hits = (
        hit(chunk("a", tokens=200), 9.0, 0.1, 1),
        hit(chunk("b", tokens=200), 0.0, 0.6, 2),
        hit(chunk("c"), 4.9, 0.49, 3),
        hit(chunk("e"), 1.0, 0.1, 4),
    )
    return build([Search("问题一", hits=hits)])


def corpus_with(*questions: Question) -> Corpus:
    return Corpus(settings.ROOT, "试", "zh", Budgets(250, 500), GATES, (), tuple(questions))


class Tags(HTMLParser):
    """Collects tags, and checks that they close in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag != "br":  # has no end
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


# ── Pages ───────────────────────────────────────────────────────────────────────────────────────
@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_becomes_markup(one, other):
    blocks = (
        page.Heading(one, other),
        page.Line(one, page.Words(other, "strong", one)),
        page.Note(one),
        page.Bar(one, 1, 2, other),
        page.Table((one, other), page.rows([[other, page.Words(one, note=other)]])),
        page.Fold(one, (page.Note(other),)),
    )
    allowed = {"style", "div", "span", "h4", "p", "small", "br", "i", "table", "thead", "tbody", "tr", "th", "td"}
    html = show.Page(blocks)._repr_html_()
    assert set(Tags(html).seen) <= allowed | {"details", "summary"}


def test_text_columns_line_up_with_wide_characters():
    table = page.Table(("名", "数"), page.rows([["汉字", "1"], ["ab", "22"]]), page.columns(1))
    lines = table.lines()
    assert lines == ["名    数", "────────", "汉字   1", "ab    22"]


@pytest.mark.parametrize(("used", "total", "share"), [(50, 100, 0.5), (0, 0, 0.0), (5, 0, 0.0), (9, 3, 1.0)])
def test_bar_is_never_overfull(used, total, share):
    assert page.Bar("", used, total, "").share == share


# ── Trace ───────────────────────────────────────────────────────────────────────────────────────
def test_trace_tells_gate_and_fate_of_every_candidate(four_fates):
    text = str(show.trace(four_fates, corpus_with(), question()))
    lines = {name: next(line for line in text.splitlines() if f"({name}#1)" in line) for name in "abc"}
    assert "✓ 凭 BM25" in lines["a"]
    assert "进上下文 (200 token)" in lines["a"]
    assert "✓ 凭余弦" in lines["b"]
    assert "装不下 (200 token)" in lines["b"]
    assert "○ 没过" in lines["c"]
    assert "(e#1)" not in text, "the rest stays folded"
    assert "另有 1 个片段没过门槛" in text
    assert "200 / 250 token" in text
    for doc, place in zip("abcd", ("context", "budget", "gate", "pool"), strict=True):
        assert re.search(rf"[✓✗] [^\n]*{doc}[^\n]* — {labels.PLACE[place]}", text)


def test_trace_html_holds_the_folded_rows_too(four_fates):
    html = show.trace(four_fates, corpus_with())._repr_html_()
    assert "e#1" in html
    assert Tags(html).seen.count("details") == 1


def test_trace_says_which_search_admitted_a_chunk():
    a = chunk("a")
    searches = [Search("一", hits=(hit(a, 1.0, 0.1, 1),)), Search("二", hits=(hit(a, 8.0, 0.1, 1),))]
    text = str(show.trace(build(searches), corpus_with()))
    assert "检索 1/2：一" in text
    assert "○ 没过 (检索 2 里过了)" in text


def test_trace_without_corpus_knows_admission_but_no_route(four_fates):
    text = str(show.trace(four_fates))
    assert "✓ 过" in text
    assert "凭" not in text


def test_trace_shows_near_misses_of_a_refusal():
    hits = tuple(hit(chunk(name), 1.0, 0.1, rank) for rank, name in enumerate("pqrst", 1))
    text = str(show.trace(build([Search("问题一", hits=hits)]), corpus_with()))
    assert "(r#1)" in text
    assert "(s#1)" not in text
    assert "另有 2 个片段没过门槛" in text
    assert "拒答：没有一个片段过门槛" in text


def test_trace_tells_a_full_budget_from_a_closed_gate():
    found = Search("问题一", hits=(hit(chunk("a", tokens=900), 9.0, 0.9, 1),))
    assert "拒答：过了门槛的都装不下" in str(show.trace(build([found]), corpus_with()))


def test_trace_tells_rewriting_route_history_net_and_fallbacks(four_fates):
    trace = replace(
        four_fates,
        history=({"role": "user", "content": "前面的话"},),
        rewritten="改过的问题",
        intent="multi-hop",
        notes=("nothing through the gate on the single-hop path: tried a second hop", "something new"),
        fallbacks=(Fallback("hyde_queries", "the model refused", "the question as typed"),),
        events=(Event("model", "rewrite", 0, 0.5, 10, 7), Event("search", "search", 0.5, 0.03)),
        answer="答案[a#1][z#9]。",
    )
    text = str(show.trace(trace, corpus_with(), modelled=True))
    assert "此前的对话（1 句）" in text
    assert "改过的问题" in text
    assert "多跳（multi-hop）" in text
    assert "再走一跳" in text
    assert "something new" in text
    assert "假设文档没有用上：模型拒绝回答 → 改用原问题" in text
    assert "[a#1]（答案引用）" in text
    assert "上下文里没有的 [z#9]" in text
    assert "模型调用 1 次 · 检索 1 次 · 用时 0.53 秒（推算） · 输出 7 token" in text
    assert "（实测）" in str(show.trace(trace, modelled=False))


def test_trace_of_a_direct_reply_searches_nothing():
    text = str(show.trace(build([], intent="direct", answer="不客气。")))
    assert "0 次：这条路不查资料" in text
    assert "不客气。" in text
    assert "拒答" not in text


def test_trace_tells_understanding_path_and_rounds(four_fates):
    found = Understanding(
        "问题一",
        complexity="COMPLEX",
        specificity="FUZZY",
        is_ambiguous=True,
        salvaged=(Salvage("intent", EVIL, "factoid"),),
        signals=("对比",),
    )
    rounds = (Round(1, ("甲", "乙"), (3, 1), 400, EVIL), Round(2, (), (), 200))
    trace = replace(four_fates, understanding=found, path="agent", rounds=rounds)
    text = str(show.trace(trace))
    assert "问事实 factoid · 复杂 COMPLEX · 模糊 FUZZY · 查知识 KNOWLEDGE_QUERY · 有歧义" in text
    assert "抬高了复杂度：对比" in text
    assert "智能体循环：自己决定搜什么，直到够用（agent）" in text
    assert re.search(r"1  甲；乙 \(.*\) +3、1 +400", text)
    assert "够了，不再搜" in text
    assert "<script" not in show.trace(trace)._repr_html_()


def test_trace_of_a_document_that_was_read_shows_its_context():
    read = chunk("a")
    text = str(show.trace(build([], path="read", admitted=(read,), context=pack([read], 250))))
    assert "文档已经点了名" in text
    assert "100 / 250 token" in text
    assert "题a / 节  [a#1]" in text


def test_a_route_that_was_not_asked_has_no_score():
    trace = build([Search("词", ("bm25",), (hit(chunk("a"), 9.0, 0.0, 1),))])
    line = next(line for line in str(show.trace(trace, corpus_with())).splitlines() if "(a#1)" in line)
    assert "9.00" in line
    assert "0.000" not in line


def test_labels_cover_what_the_pipeline_can_say():
    assert set(labels.PATH) == set(PATHS)
    assert {value for allowed, _ in ENUMS.values() for value in allowed} <= set(labels.FIELD)
    assert set(labels.ORIGIN) == set(get_args(Origin))
    assert {config.name for config in NAMED} <= set(labels.CONFIG)
    assert set(prompts.TASKS) <= set(labels.STEP)
    assert labels.note("guard: slight drift, the question is searched too: 「甲」") == (
        "漂移守卫：轻微漂移，原问题也一起搜： 「甲」"
    )


def test_nothing_from_documents_or_questions_is_run():
    evil = Chunk("a#1", "a", EVIL, EVIL, EVIL, 10)
    trace = build(
        [Search(EVIL, hits=(hit(evil, 9, 0.9, 1),))],
        question=EVIL,
        rewritten=EVIL + "2",
        answer=EVIL,
        history=({"role": "user", "content": EVIL},),
        notes=(EVIL,),
        fallbacks=(Fallback(EVIL, EVIL, EVIL),),
    )
    asked = Question("q1", "single", EVIL, ("a",), {"a#1": 2}, "")
    report = Report(Config(EVIL), (asked,), (trace,), True, planned=1)
    turns = [TurnResult(EVIL, 0, "single", trace, True)]
    pages = [
        show.trace(trace, corpus_with(asked), asked),
        show.ledger([report]),
        show.wins_and_losses(report, replace(report, traces=(build([], question=EVIL),))),
        show.dialogue({EVIL: turns, "b": turns}),
    ]
    for shown in pages:
        html = shown._repr_html_()
        assert "<script" not in html
        assert "&lt;script&gt;" in html
        Tags(html)


# ── Ledger ──────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def reports(lab: Lab) -> list[Report]:
    configs = (BASELINE, HYDE, MULTI_QUERY, STEP_BACK, ROUTER_WIDE, EVERYTHING)

    async def all_of_them() -> list[Report]:
        return [await evaluate(config, lab=lab) for config in configs]

    return asyncio.run(all_of_them())


def test_ledger_marks_better_and_worse_by_sign_mark_and_colour(reports):
    text = str(show.ledger(reports[:2]))
    line = next(line for line in text.splitlines() if "(HyDE)" in line)
    assert "40 (+20 ▼)" in line, "more retrievals are worse"
    assert "20 (+20 ▼)" in line
    assert "100% (+0.0)" in line, "what did not move says so"
    html = show.ledger(reports[:2])._repr_html_()
    assert '<span class="bad">+20 ▼</span>' in html
    routed = str(show.ledger([reports[0], reports[4]]))
    assert "100% (+50.0 ▲)" in routed
    assert "多跳召回 (n=4)" in routed
    assert "检索 (次，合计 n=20)" in routed


def test_ledger_calls_a_lower_cost_better(reports):
    text = str(show.ledger(list(reversed(reports[:2]))))
    assert "20 (-20 ▲)" in next(line for line in text.splitlines() if "(baseline)" in line)


def test_ledger_unmoved_counts_print_plus_minus_zero(reports):
    text = str(show.ledger([reports[0], replace(reports[0], config=Config("同样"))]))
    line = next(line for line in text.splitlines() if line.startswith("同样"))
    assert "20 (±0)" in line
    assert "▲" not in line
    assert "▼" not in line


def test_ledger_differences_are_those_of_the_written_values(reports):
    text = str(show.ledger(reports))
    _, _, base, *rest = text.splitlines()
    pattern = re.compile(r"(\d\.\d{3})(?: \(([+-]\d\.\d{3}))?")
    ndcg = [column.key for column in COLUMNS].index("ndcg_at_10")
    assert ndcg == 2
    first = float(pattern.search(base)[1])
    for line in rest[: len(reports) - 1]:
        value, delta = pattern.search(line).groups()
        assert round(float(value) - first, 3) == float(delta)


@pytest.mark.parametrize(("modelled", "caption"), [(True, labels.MOCK), (False, labels.LIVE)])
def test_ledger_says_what_its_numbers_prove(reports, modelled, caption):
    assert caption in str(show.ledger([replace(reports[0], modelled=modelled)]))


def test_ledger_of_a_stopped_report_warns(reports):
    stopped = replace(
        reports[1].only({"q01", "q02"}), stopped="the ceiling was reached", planned=20, config=Config("停")
    )
    text = str(show.ledger([reports[0], stopped]))
    assert "⚠ 停" in text
    assert "2 of 20: the ceiling was reached" in text
    assert "—" in next(line for line in text.splitlines() if line.startswith("⚠ 停  "))


def test_ledger_names_the_rows_that_wait_for_an_exercise(reports):
    rows = Rows(reports[:1], {"HyDE": "hyde_queries", "mine": "nobody's"})
    for text in (str(show.ledger(rows)), str(show.ledger(compare(rows)))):
        assert (
            "缺：假设文档，hyde_queries 还没有写（练习 hyde，在 notebooks/02_hyde.ipynb）；mine，nobody's 还没有写。"
            in text
        )
    assert "缺：" not in str(show.ledger(reports[:1]))


def test_ledger_takes_the_table_of_compare_and_is_the_same_every_time(reports):
    assert show.ledger(compare(reports))._repr_html_() == show.ledger(reports)._repr_html_()
    assert "id=" not in show.ledger(reports)._repr_html_()


def test_every_column_of_the_ledger_has_a_chinese_name():
    assert set(labels.COLUMN) == {column.key for column in COLUMNS}


# ── Wins and losses, confusion, dialogues ───────────────────────────────────────────────────────
def test_wins_and_losses_by_question():
    hits = tuple(hit(chunk(name, tokens=100), 9.0, 0.1, rank) for rank, name in enumerate("ab", 1))
    both = build([Search("问", hits=hits)])
    only_a = build([Search("问", hits=hits[:1])])
    nothing = build([Search("问")])
    asked = (
        question("q1", "multi", ("a", "b")),
        question("q2", "multi", ("a", "b")),
        Question("q3", "unanswerable", "问", (), {}, ""),
        question("q4", "single", ("a",)),
    )
    before = Report(BASELINE, asked, (only_a, both, nothing, only_a), True, planned=4)
    after = Report(Config("新"), asked, (both, only_a, only_a, only_a), True, planned=4)
    text = str(show.wins_and_losses(after, before))
    lines = {name: next((line for line in text.splitlines() if f"{name} (" in line), "") for name in ("q1", "q2", "q3")}
    assert "▲ 变好" in lines["q1"]
    assert "+ ★题b" in lines["q1"]
    assert "▼ 变差" in lines["q2"]
    assert "− ★题b" in lines["q2"]
    assert "▼ 变差" in lines["q3"]
    assert "拒 → 答" in lines["q3"]
    assert "1 题变好，2 题变差" in text
    assert "另有 1 题没有变化" in text
    with pytest.raises(ValueError, match="different questions"):
        show.wins_and_losses(after, before.only({"q1"}))


def test_confusion_counts_and_prices_errors():
    pairs = [("single", "single-hop")] * 3 + [("multi", "single-hop"), ("direct", "direct"), ("single", "direct")]
    shown = show.confusion([*pairs, ("unanswerable", "single-hop")])
    text = str(shown)
    assert "7 句，走对 5 句" in text
    assert "✗ 1 (少一跳，可能只答一半)" in text
    assert "✗ 1 (最贵：不查资料，只能编)" in text
    assert shown._repr_html_().count('class="hit"') == 4
    assert "资料里没有" not in str(show.confusion(pairs))
    with pytest.raises(ValueError, match="nonsense"):
        show.confusion([("nonsense", "direct")])


def test_dialogue_turns():
    found = Search("改写", hits=(hit(chunk("a"), 9.0, 0.1, 1),))
    event = (Event("search", "search", 0, 0.03),)
    results = [
        TurnResult("d1", 0, "single", build([found], rewritten="改写", events=event), True),
        TurnResult("d1", 1, "single", build([Search("问题一", hits=(hit(chunk("a"), 1, 0.1, 1),))]), False),
        TurnResult("d1", 2, "direct", build([], intent="direct"), True),
        TurnResult("d1", 3, "unanswerable", build([Search("问题一")]), True),
        TurnResult("d1", 4, "direct", build([found]), True),
    ]
    text = str(show.dialogue(results))
    for turn, words in enumerate(("✓ 到了", "✗ 没到 (没有一个片段过门槛)", "✓ 不用查", "✓ 拒答", "✗ 白搜了"), start=1):
        assert words in next(line for line in text.splitlines() if f"第 {turn} 轮" in line)
    assert "要查资料的 2 轮里 1 轮证据到齐；模型调用 0 次，检索 1 次，用时共 0.03 秒" in text
    both = str(show.dialogue({"甲": results, "乙": results[:1]}))
    assert both.count("〃") == 1


# ── Pictures ────────────────────────────────────────────────────────────────────────────────────
def all_pictures(lab: Lab, reports: list[Report]) -> dict[str, show.Picture]:
    asked = lab.corpus.question("q03").question
    trace = asyncio.run(lab.ask(asked, config=EVERYTHING))
    chunks = lab.corpus.chunks
    others = [item.question for item in lab.corpus.questions]
    return {
        "funnel": show.funnel(reports[0]),
        "gain": show.gain_against_cost(reports),
        "latency": show.gain_against_cost(reports, "ndcg_at_10", "latency_p50_s"),
        "hyde": show.hyde_picture(
            asked, "存储集群扩容须提交变更单。", chunks, lab.retriever, others, "minutes-storage#2"
        ),
        "contributions": show.contributions(trace),
        "timeline": show.timeline(trace),
    }


@pytest.fixture(scope="module")
def pictures(lab: Lab, reports: list[Report]) -> dict[str, show.Picture]:
    return all_pictures(lab, reports)


def test_pictures_draw_without_a_warning_and_leave_settings_alone(lab, reports, capfd, caplog):
    import matplotlib

    before = dict(matplotlib.rcParams)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for picture in all_pictures(lab, reports).values():
            data, metadata = picture._repr_mimebundle_()
            assert picture.png().startswith(b"\x89PNG")
            assert data["text/plain"] == repr(picture) == str(picture)
            assert metadata["image/png"]["width"] > 500
    assert capfd.readouterr().err == ""
    assert not [record for record in caplog.records if record.name.startswith("matplotlib")]
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_every_label_is_drawn_in_the_shipped_font(pictures):
    from matplotlib.text import Text

    own = charmap()
    for name, picture in pictures.items():
        texts = [text for text in picture.figure.findobj(Text) if text.get_text().strip()]
        assert texts, name
        for text in texts:
            assert set(map(ord, text.get_text())) - {10} <= own, (name, text.get_text())
            assert text.get_fontfamily()[0] == fonts.FAMILY, (name, text.get_text())


def test_labels_of_points_do_not_overlap_and_stay_inside(pictures):
    from matplotlib.text import Annotation

    for name in ("gain", "latency"):
        figure = pictures[name].figure
        with fonts.style():
            figure.draw_without_rendering()
        canvas = figure.canvas.get_renderer()
        axes = figure.axes[0]
        boxes = [text.get_window_extent(canvas) for text in axes.texts if isinstance(text, Annotation)]
        assert len(boxes) > 3
        frame = axes.get_window_extent(canvas)
        for index, box in enumerate(boxes):
            assert frame.x0 <= box.x0
            assert box.x1 <= frame.x1
            assert not any(box.overlaps(other) for other in boxes[index + 1 :]), name


def test_funnel_counts_and_names_losses(four_fates):
    picture = show.funnel([four_fates], [question()])
    assert "标注的证据 4 → 在候选池里 3 → 过了门槛 2 → 装进上下文 1" in picture.words
    for place, doc in (("pool", "d"), ("gate", "c"), ("budget", "b")):
        assert f"{labels.PLACE[place]}：q1 {doc}" in picture.words
    drawn = " ".join(text.get_text() for text in picture.figure.axes[0].texts)
    assert "−1：q1 d" in drawn
    with pytest.raises(ValueError, match="questions"):
        show.funnel([four_fates])
    with pytest.raises(ValueError, match="nothing to draw"):
        show.funnel([four_fates], [Question("q", "unanswerable", "问", (), {}, "")])


def test_gain_groups_what_lies_on_one_point_and_refuses_unknown_columns(reports):
    same = [reports[0], replace(reports[0], config=Config("同样")), reports[1]]
    assert "基线、同样：检索 +0，多跳召回 +0.0" in show.gain_against_cost(same).words
    assert "假设文档：检索 +1，" in show.gain_against_cost(same).words
    with pytest.raises(ValueError, match="no column"):
        show.gain_against_cost(reports, "beauty")
    with pytest.raises(ValueError, match="at least one other"):
        show.gain_against_cost(reports[:1])


def test_hyde_picture_measures_and_marks(lab):
    encoder = lab.retriever.encoder
    asked, draft, passages = "住宿费上限是多少", "住宿标准为每晚若干元。", ["每晚住宿标准为500元。", "会议室提前预订。"]
    picture = show.hyde_picture(asked, draft, passages, encoder, wanted=passages[0])
    vectors = encoder.encode([asked, draft, passages[0]])
    assert f"问题–草稿 {vectors[0] @ vectors[1]:.3f}" in picture.words
    starred = next(line for line in picture.words.splitlines() if "★ 每晚" in line)
    assert f"{vectors[0] @ vectors[2]:.3f}" in starred
    assert f"{vectors[1] @ vectors[2]:.3f}" in starred
    with pytest.raises(ValueError, match="not among"):
        show.hyde_picture(asked, draft, passages, encoder, wanted="别的")
    with pytest.raises(ValueError, match="at least one passage"):
        show.hyde_picture(asked, draft, [], encoder)


def test_hyde_picture_takes_known_vectors_from_the_retriever(lab, pictures):
    asked, draft = lab.corpus.question("q03").question, "存储集群扩容须提交变更单。"
    few = lab.corpus.chunks[:6]
    slow = show.hyde_picture(asked, draft, few, lab.retriever.encoder)
    assert show.hyde_picture(asked, draft, few, lab.retriever).words == slow.words


def test_plane_has_fixed_signs_and_keeps_distances():
    random = np.random.default_rng(7)
    vectors = random.normal(size=(12, 2)) @ random.normal(size=(2, 30))
    flat, shares = _plane(vectors, 4)
    assert flat[4:].mean(axis=0) - flat[:4].mean(axis=0) == pytest.approx(
        np.abs(flat[4:].mean(axis=0) - flat[:4].mean(axis=0))
    )
    assert shares.sum() == pytest.approx(1.0)
    assert np.linalg.norm(flat[0] - flat[5]) == pytest.approx(np.linalg.norm(vectors[0] - vectors[5]))
    assert np.isfinite(_plane(np.ones((3, 5)), 2)[0]).all()


def test_contributions_add_up_to_the_fused_score():
    a, b = chunk("a"), chunk("b")
    searches = [
        Search("一", hits=(hit(a, 9, 0.1, 1), hit(b, 9, 0.1, 2))),
        Search("二", hits=(hit(b, 9, 0.1, 1),)),
    ]
    trace = build(searches)
    picture = show.contributions(trace)
    lines = picture.words.splitlines()
    assert "列表 1：一；列表 2：二" in lines[0]
    assert lines[1].split() == f"{1 / 62 + 1 / 61:.4f} ✓ 题b / 节 列表 1 #2 {1 / 62:.4f} 列表 2 #1 {1 / 61:.4f}".split()
    assert "列表 2 —" in lines[2]
    assert "注意" not in picture.words
    other = replace(trace, ranking=(("a#1", 0.5), ("b#1", 0.1)))
    assert "注意" in show.contributions(other).words
    with pytest.raises(ValueError, match="not searched"):
        show.contributions(build([]))


def test_timeline_tells_sum_from_maximum():
    events = (
        Event("model", "hyde", 0.0, 1.0),
        Event("model", "multi_query", 0.0, 0.6, error="too slow"),
        Event("search", "search", 1.0, 0.1, detail={"query": "问题"}),
        Event("model", "answer", 1.1, 2.0),
    )
    picture = show.timeline(build([], events=events))
    assert "各步相加 1.70 秒，钟上 1.10 秒" in picture.words
    assert "失败：too slow" in picture.words
    assert "检索：问题" in picture.words
    with pytest.raises(ValueError, match="no time"):
        show.timeline(build([]))


# ── Font ────────────────────────────────────────────────────────────────────────────────────────
def charmap() -> set[int]:
    from matplotlib.ft2font import FT2Font

    return set(FT2Font(str(fonts.FONT_FILE)).get_charmap())


def test_font_covers_the_corpus_the_notebooks_and_the_labels():
    helper = settings.ROOT / "notebooks" / "querylab"
    paths = [
        *settings.CORPUS_DIR.rglob("*.md"),
        *settings.CORPUS_DIR.rglob("*.jsonl"),
        *(helper / "show").glob("*.py"),
        *(helper / "models" / "rules").glob("*.py"),  # what the rules write is drawn, too
    ]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    for path in (settings.ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    used = set("".join(texts))
    missing = {character for character in used if character.isprintable()} - set(map(chr, charmap()))
    missing = {character for character in missing if "\u3400" <= character <= "\u9fff"}
    assert not missing, f"{''.join(sorted(missing))}: make the subset again, see notebooks/querylab/fonts/README.md"


def test_font_is_small_and_carries_its_licence():
    assert fonts.FONT_FILE.stat().st_size < 1_500_000
    licence = (fonts.FONT_FILE.parent / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert "zhplot" in (fonts.FONT_FILE.parent / "README.md").read_text(encoding="utf-8")


def test_what_no_font_can_draw_becomes_a_box_in_silence(four_fates):
    assert fonts.legible("汉A\n\U0001f9ea") == "汉A\n□"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        show.funnel([four_fates], [question("\U000f0000")]).png()


def test_dollar_signs_in_labels_are_no_formula():
    trace = build([Search(r"a $\frac$ b", hits=(hit(chunk("a", title="$x_$"), 9, 0.9, 1),))])
    assert show.contributions(trace).png().startswith(b"\x89PNG")


def test_showing_is_cheap_to_import():
    code = (
        "import sys, querylab; from querylab import show, panel; "
        "print(sorted({'matplotlib', 'ipywidgets', 'pandas'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert ran.stdout.strip() == "[]"
