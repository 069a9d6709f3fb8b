"""Intervals: paired, repeatable, and wide where there is little to go by."""

import asyncio
from dataclasses import replace

import pytest
from querylab import BASELINE, HYDE, ROUTER_WIDE, evaluate
from querylab.measure.intervals import MEASURES, Interval, difference
from querylab.measure.report import Report


@pytest.fixture(scope="module")
def reports(lab) -> dict[str, Report]:
    configs = (BASELINE, HYDE, ROUTER_WIDE)
    return {config.name: asyncio.run(evaluate(config, lab=lab)) for config in configs}


@pytest.mark.parametrize("column", MEASURES)
def test_a_row_does_not_differ_from_itself(reports, column):
    base = reports["baseline"]
    assert difference([base], [base], column) == Interval(0.0, 0.0, 0.0, len(base.of_tier(*MEASURES[column][0])))


@pytest.mark.parametrize("column", MEASURES)
def test_the_mean_is_the_ledgers_difference(reports, column):
    base, other = reports["baseline"], reports["HyDE"]
    found = difference([base], [other], column)
    if column != "complete":
        assert found.mean == pytest.approx(other.row()[column] - base.row()[column])
    assert found.low <= found.mean <= found.high


def test_turned_round_it_is_the_other_way(reports):
    base, other = reports["baseline"], reports["HyDE"]
    one, back = difference([base], [other], "ndcg_at_10"), difference([other], [base], "ndcg_at_10")
    assert (one.mean, one.low, one.high) == pytest.approx((-back.mean, -back.high, -back.low))


def test_four_questions_show_nothing_unless_all_agree(reports):
    found = difference([reports["baseline"]], [reports["router + multi-hop budget"]], "recall_multi_hop")
    assert found.questions == 4
    assert not found.shown or found.mean in (1.0, -1.0)


def test_the_order_of_questions_does_not_matter(reports):
    base, other = reports["baseline"], reports["HyDE"]
    turned = [replace(one, questions=one.questions[::-1], traces=one.traces[::-1]) for one in (base, other)]
    assert difference([turned[0]], [turned[1]], "ndcg_at_10") == difference([base], [other], "ndcg_at_10")


def test_more_recordings_widen_what_they_disagree_on(reports):
    base, other = reports["baseline"], reports["HyDE"]
    alone = difference([base], [other], "ndcg_at_10")
    both = difference([base, base], [other, base], "ndcg_at_10")
    assert both.mean == pytest.approx(alone.mean / 2)
    assert both.high - both.low > 0


def test_reports_on_other_questions_are_refused(reports):
    base = reports["baseline"]
    with pytest.raises(ValueError, match="different questions"):
        difference([base], [base.only({"q01", "q02"})], "ndcg_at_10")
    with pytest.raises(ValueError, match="pairs"):
        difference([base], [], "ndcg_at_10")
