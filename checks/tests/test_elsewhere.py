"""Verdicts at several places: what holds, what turns round; a weaker retriever; what is not recorded is by the rules."""

import asyncio
from dataclasses import replace

import pytest
from querylab.measure.elsewhere import Finding, Place, findings, on_routes, verdict
from querylab.measure.intervals import Interval
from querylab.pipeline.config import HYDE, MULTI_QUERY, REWRITE_NEEDED
from querylab.retrieval.wrappers import OnlyRoutes
from querylab.show.verdicts import verdicts

UP, DOWN, UNCLEAR = Interval(0.1, 0.05, 0.2, 9), Interval(-0.1, -0.2, -0.05, 9), Interval(0.1, -0.1, 0.3, 9)


def found(*intervals: Interval | None) -> list[Finding]:
    return [Finding("HyDE", str(number), "recordings", 0.5, interval) for number, interval in enumerate(intervals)]


@pytest.mark.parametrize(
    ("intervals", "said"),
    [
        ((UP, UP), "holds"),
        ((DOWN, DOWN, UNCLEAR), "holds"),
        ((UP, DOWN), "turns round"),
        ((UP, UNCLEAR), "not shown"),
        ((None, None), "not shown"),
        ((), "not shown"),
    ],
)
def test_a_verdict_over_places(intervals, said):
    assert verdict(found(*intervals)) == said


def test_rules_have_no_say_where_there_are_recordings():
    one, other = found(UP)[0], replace(found(DOWN)[0], source="rules")
    assert verdict([one, other]) == "not shown"
    assert verdict([one, one, other]) == "holds"
    assert verdict([other, other]) == "holds"


def test_findings_at_two_places(lab):
    places = [Place("20 题", lab, lab.corpus.questions), Place("复合", lab, lab.corpus.question_set("compound"))]
    told = asyncio.run(findings(places, [REWRITE_NEEDED, HYDE], "ndcg_at_10"))
    assert [(one.config, one.place) for one in told][:2] == [("rewrite (when needed)", "20 题"), ("HyDE", "20 题")]
    assert told[0].interval == Interval(0.0, 0.0, 0.0, 16), "no question here needs a rewrite"
    shown = str(verdicts(told))
    assert "假设文档" in shown and "没有显出来" in shown and "未显" in shown
    assert "*" in shown or all(one.source == "recordings" for one in told)


def test_a_weaker_retriever_searches_its_own_routes_only(lab):
    weak = OnlyRoutes(lab.retriever, ("bm25",))
    one = asyncio.run(weak.retrieve("年假能结转几天"))
    assert one.routes == ("bm25",) and all(hit.cosine == 0 for hit in one.hits)
    assert asyncio.run(weak.retrieve("年假", ("cosine",))).routes == ("bm25",), "a search is never left out"
    place = on_routes(Place("x", lab, lab.corpus.questions[:4]), ("cosine",), "只用向量")
    trace = asyncio.run(place.lab.ask("年假能结转几天", config=replace(MULTI_QUERY, name="m"), answer=False))
    assert {search.routes for search in trace.searches} == {("cosine",)}
