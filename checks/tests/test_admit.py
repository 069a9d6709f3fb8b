"""The gate as a truth table, and packing as a walk in order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab.retrieval.admit import admitted_ids, pack, passes
from querylab.text import count_tokens
from querylab.types import Chunk, Gates, Hit, Search

GATES = Gates(bm25=8.0, cosine=0.5)


def chunk(name: str, tokens: int = 10) -> Chunk:
    return Chunk(name, name.rpartition("#")[0], "title", "heading", "body", tokens)


def hit(bm25: float, cosine: float, name: str = "a#1", rank: int = 1) -> Hit:
    return Hit(chunk(name), bm25, cosine, rank)


CHUNKS = st.lists(
    st.builds(chunk, st.sampled_from([f"d#{number}" for number in range(12)]), st.integers(0, 60)), max_size=14
).map(lambda found: list({item.id: item for item in found}.values()))


# ── gate ────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("bm25", "cosine", "admitted"),
    [
        (7.999, 0.499, False),
        (8.0, 0.0, True),  # at equality, by words alone
        (0.0, 0.5, True),  # at equality, by meaning alone
        (8.0, 0.5, True),
        (100.0, -1.0, True),
        (0.0, 1.0, True),
        (0.0, 0.0, False),
        (7.999, 0.5, True),
        (8.0, 0.499, True),
    ],
)
def test_either_raw_score_at_its_gate_admits(bm25, cosine, admitted):
    assert passes(hit(bm25, cosine), GATES) is admitted


@pytest.mark.parametrize("rank", [1, 2, 10, 1000])
def test_the_rank_has_no_say(rank):
    assert passes(hit(8.0, 0.0, rank=rank), GATES)
    assert not passes(hit(7.0, 0.4, rank=rank), GATES)


def test_any_search_admits_and_no_scores_are_added_up():
    searches = [
        Search("one", hits=(hit(7.9, 0.49, "weak#1"), hit(7.9, 0.0, "a#1"))),
        Search("two", hits=(hit(7.9, 0.49, "weak#1"), hit(0.0, 0.6, "a#1"), hit(9.0, 0.0, "b#1"))),
    ]
    assert admitted_ids(searches, GATES) == {"a#1", "b#1"}
    assert admitted_ids(searches[:1], GATES) == set()
    assert admitted_ids([], GATES) == set()
    assert admitted_ids([Search("nothing")], GATES) == set()


# ── budget ──────────────────────────────────────────────────────────────────────────────────────
@given(CHUNKS, st.integers(0, 200))
def test_packing_is_greedy_in_order_and_never_over_budget(chunks, budget):
    packed = pack(chunks, budget)
    assert packed.tokens == sum(item.tokens for item in packed.chunks) <= budget
    assert sorted(item.id for item in packed.chunks + packed.dropped) == sorted(item.id for item in chunks)
    kept, dropped = set(packed.chunks), set(packed.dropped)
    assert list(packed.chunks) == [item for item in chunks if item in kept]
    assert list(packed.dropped) == [item for item in chunks if item in dropped]
    # Each decision, looked at on its own: what was taken before decides, nothing else.
    used = 0
    for item in chunks:
        assert (item in kept) == (used + item.tokens <= budget)
        used += item.tokens if item in kept else 0


@given(CHUNKS, st.integers(0, 200))
def test_nothing_that_was_dropped_would_still_fit(chunks, budget):
    packed = pack(chunks, budget)
    assert all(packed.tokens + item.tokens > budget for item in packed.dropped)


def test_what_does_not_fit_is_skipped_and_the_walk_goes_on():
    chunks = [chunk("a#1", 50), chunk("b#1", 60), chunk("c#1", 40), chunk("d#1", 20), chunk("e#1", 10)]
    packed = pack(chunks, 100)
    assert [item.id for item in packed.chunks] == ["a#1", "c#1", "e#1"]
    assert [item.id for item in packed.dropped] == ["b#1", "d#1"]
    assert packed.tokens == 100


def test_an_oversized_first_chunk_does_not_empty_the_context():
    packed = pack([chunk("huge#1", 601), chunk("small#1", 30)], 600)
    assert [item.id for item in packed.chunks] == ["small#1"]
    assert [item.id for item in packed.dropped] == ["huge#1"]


def long_chunk(sentences: int = 40) -> Chunk:
    body = "\n".join(f"第{number}条规定写得很长很长。" for number in range(sentences))
    whole = Chunk("long#1", "long", "手册", "总则", body, 0)
    return replace(whole, tokens=count_tokens(whole.text))


def test_a_section_larger_than_the_budget_is_cut_when_it_ranks_first():
    long = long_chunk()
    packed = pack([long, chunk("small#1", 5)], 100)
    (first, *_) = packed.chunks
    assert (first.id, first.title, first.heading) == ("long#1", "手册", "总则")
    assert first.body.endswith("。……") and long.body.startswith(first.body.removesuffix("……"))
    assert first.tokens == count_tokens(first.text) <= 100 < long.tokens
    assert packed.tokens <= 100
    assert packed.cut == (long,) and long not in packed.dropped


@pytest.mark.parametrize("budget", [0, 3, 10])
def test_where_not_one_sentence_fits_nothing_is_cut(budget):
    assert pack([long_chunk()], budget) == pack([long_chunk(), long_chunk()], budget)
    assert pack([long_chunk()], budget).chunks == pack([long_chunk()], budget).cut == ()


def test_further_down_a_section_larger_than_the_budget_is_left_out():
    packed = pack([chunk("small#1", 5), long_chunk(), chunk("other#1", 5)], 100)
    assert [item.id for item in packed.chunks] == ["small#1", "other#1"]
    assert [item.id for item in packed.dropped] == ["long#1"] and packed.cut == ()


def test_a_section_that_fits_the_budget_is_never_cut():
    fits = long_chunk(3)
    assert pack([chunk("a#1", 60), fits], 100).cut == ()
    assert pack([fits], fits.tokens).chunks == (fits,)


def test_a_chunk_that_stands_twice_is_packed_once():
    packed = pack([chunk("a#1", 30), chunk("b#1", 30), chunk("a#1", 30)], 100)
    assert [item.id for item in packed.chunks] == ["a#1", "b#1"]
    assert packed.dropped == ()
    assert packed.tokens == 60


def test_exactly_full_is_not_over():
    assert pack([chunk("a#1", 600)], 600).tokens == 600
    assert pack([chunk("a#1", 600)], 599).chunks == ()


def test_no_chunks_and_no_room():
    assert pack([], 600) == pack([], 0)
    assert pack([], 600).tokens == 0
    assert [item.id for item in pack([chunk("a#1", 1), chunk("empty#1", 0)], 0).chunks] == ["empty#1"]


def test_a_negative_budget_is_refused():
    with pytest.raises(ValueError, match="-1"):
        pack([chunk("a#1")], -1)
