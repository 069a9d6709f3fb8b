"""RRF held against the formula written down the slow way."""

import copy
import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab.retrieval.fuse import rrf_fuse

IDS = st.sampled_from([f"{letter}#{number}" for letter in "abcd" for number in (1, 2, 10)])
RANKINGS = st.lists(st.lists(IDS, max_size=14), max_size=5)


def spec(rankings, k=60):
    """For every id and every ranking that holds it: add 1/(k + best place), in exact arithmetic."""
    scores = {}
    for ranking in rankings:
        for item in set(ranking):
            scores[item] = scores.get(item, Fraction(0)) + Fraction(1, k + ranking.index(item) + 1)
    return scores


@given(RANKINGS, st.integers(0, 100))
def test_scores_are_the_sum_of_reciprocal_best_ranks(rankings, k):
    fused = dict(rrf_fuse(rankings, k))
    expected = spec(rankings, k)
    assert fused.keys() == expected.keys()
    for item, score in fused.items():
        assert score == pytest.approx(float(expected[item]), abs=1e-15)


@given(RANKINGS)
def test_order_is_by_score_then_by_id(rankings):
    expected = spec(rankings)
    # Exact sums decide: two ids with the same set of ranks tie, whatever floats make of it.
    wanted = sorted(expected, key=lambda item: (-expected[item], item))
    assert [item for item, _ in rrf_fuse(rankings)] == wanted


@given(st.lists(st.lists(IDS, max_size=8), min_size=2, max_size=4))
def test_order_of_the_rankings_is_irrelevant_to_the_last_bit(rankings):
    first = rrf_fuse(rankings)
    for permuted in itertools.permutations(rankings):
        assert rrf_fuse(permuted) == first


@given(st.lists(IDS, min_size=1, max_size=10, unique=True), st.data())
def test_a_repeated_id_counts_once_at_its_best_rank(ranking, data):
    # Copies at the end change nobody's rank, so they must change nothing.
    copies = data.draw(st.lists(st.sampled_from(ranking), max_size=5))
    assert rrf_fuse([ranking + copies]) == rrf_fuse([ranking])


def test_a_copy_earns_no_credit():
    # A passage stored twice must not beat the one that is first in both rankings.
    fused = rrf_fuse([["a", "b", "b", "b"], ["a", "b", "b"]])
    assert fused == [("a", 2 / 61), ("b", 2 / 62)]


def test_ties_stand_in_id_order():
    assert rrf_fuse([["z", "m"], ["a", "k"]]) == [("a", 1 / 61), ("z", 1 / 61), ("k", 1 / 62), ("m", 1 / 62)]


def test_the_best_score_of_one_ranking_is_one_sixty_first():
    assert rrf_fuse([["x", "y"]])[0] == ("x", 1 / 61)


@pytest.mark.parametrize("rankings", [[], [[]], [[], [], []]])
def test_nothing_in_nothing_out(rankings):
    assert rrf_fuse(rankings) == []


@given(RANKINGS)
def test_inputs_are_untouched_and_any_sequence_will_do(rankings):
    before = copy.deepcopy(rankings)
    fused = rrf_fuse(rankings)
    assert rankings == before
    assert rrf_fuse(tuple(tuple(ranking) for ranking in rankings)) == fused
    assert rrf_fuse(iter(rankings)) == fused


def test_being_in_two_rankings_beats_being_first_in_one():
    assert [item for item, _ in rrf_fuse([["a", "both"], ["b", "both"]])] == ["both", "a", "b"]


@pytest.mark.parametrize("rankings", ["ab", ["ab", "cd"], [["a"], "b"]])
def test_a_text_in_place_of_a_ranking_is_refused(rankings):
    with pytest.raises(TypeError, match="list of ids"):
        rrf_fuse(rankings)


@pytest.mark.parametrize("k", [-1, -2, -60])
def test_a_k_without_meaning_is_refused(k):
    with pytest.raises(ValueError, match=str(k)):
        rrf_fuse([["a"]], k)


def test_a_larger_k_flattens_the_first_places():
    def lead(k):
        scores = dict(rrf_fuse([["a", "b"]], k))
        return scores["a"] / scores["b"]

    assert lead(0) == 2.0
    assert lead(0) > lead(10) > lead(60) > 1.0
