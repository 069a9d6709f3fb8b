"""Two routes held against their references: BM25 against rank_bm25, the pool against a slow one."""

import asyncio
import itertools
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from querylab import settings
from querylab.retrieval.encoder import SentenceEncoder
from querylab.retrieval.retriever import Bm25, Retriever
from querylab.text import tokenise
from querylab.types import Chunk
from rank_bm25 import BM25Okapi

TERMS = st.sampled_from(["年假", "结转", "审批", "差旅", "vpn", "3"])
DOCUMENTS = st.lists(st.lists(TERMS, max_size=12), min_size=1, max_size=8).filter(any)
QUERY = st.lists(st.one_of(TERMS, st.just("nowhere")), max_size=8)


class Smoothed(BM25Okapi):
    """The library, with the IDF that is never negative."""

    def _calc_idf(self, nd):
        for term, count in nd.items():
            self.idf[term] = math.log(1 + (self.corpus_size - count + 0.5) / (count + 0.5))


class FakeEncoder:
    """Gives each text the vector that was put in for it (2 numbers); zero for any other."""

    def __init__(self, vectors=None):
        self.vectors = vectors or {}
        self.calls = []

    def encode(self, texts):
        self.calls.append(list(texts))
        rows = [self.vectors.get(text, (0.0, 0.0)) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), 2)


class KnownDocuments:
    """The lab's encoder, which need not encode the lab's documents anew."""

    def __init__(self, lab):
        found = zip(lab.retriever.chunks, lab.retriever.vectors, strict=True)
        self.documents = {item.text: vector for item, vector in found}

    def encode(self, texts):
        if all(text in self.documents for text in texts):
            return np.stack([self.documents[text] for text in texts])
        return SentenceEncoder().encode(texts)


def chunk(chunk_id: str, body: str) -> Chunk:
    return Chunk(chunk_id, chunk_id.rpartition("#")[0], "", "", body, len(body))


def find(retriever: Retriever, query: str, **options):
    return asyncio.run(retriever.retrieve(query, **options))


def plain(search):
    return [(hit.chunk.id, hit.bm25, hit.cosine, hit.rank) for hit in search.hits]


# ── BM25 ────────────────────────────────────────────────────────────────────────────────────────
@given(DOCUMENTS, QUERY)
def test_bm25_equals_the_library_with_a_smoothed_idf(documents, query):
    expected = Smoothed(documents).get_scores(query)
    np.testing.assert_allclose(Bm25(documents).scores(query), expected, rtol=0, atol=1e-9)


@given(DOCUMENTS, QUERY, st.floats(0.1, 3), st.floats(0, 0.99))
def test_bm25_equals_the_library_for_other_constants(documents, query, k1, b):
    expected = Smoothed(documents, k1=k1, b=b).get_scores(query)
    np.testing.assert_allclose(Bm25(documents, k1, b).scores(query), expected, rtol=0, atol=1e-9)


@given(DOCUMENTS, QUERY)
def test_bm25_is_positive_exactly_where_a_term_matches(documents, query):
    scores = Bm25(documents).scores(query)
    for score, document in zip(scores, documents, strict=True):
        assert score >= 0
        assert (score > 0) == bool(set(query) & set(document))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_a_matching_document_beats_one_that_does_not_match_however_small_the_corpus(size):
    # The library's own IDF is zero or negative here whenever half of the documents match.
    for matching in range(1, size + 1):
        documents = [["年假", "x"] if index < matching else ["y", "z"] for index in range(size)]
        scores = Bm25(documents).scores(["年假"])
        assert all(score > 0 for score in scores[:matching])
        assert all(score == 0 for score in scores[matching:])


@given(DOCUMENTS, TERMS)
def test_a_term_that_stands_twice_counts_twice(documents, term):
    bm25 = Bm25(documents)
    np.testing.assert_allclose(bm25.scores([term, term]), 2 * bm25.scores([term]))


def test_a_rarer_term_is_worth_more():
    bm25 = Bm25([["common", "rare"], ["common", "b"], ["common", "c"]])
    assert bm25.scores(["rare"])[0] > bm25.scores(["common"])[0]


@pytest.mark.parametrize("documents", [[], [[]], [[], []]])
def test_bm25_of_nothing(documents):
    scores = Bm25(documents).scores(["年假"])
    assert scores.tolist() == [0.0] * len(documents)


def test_scoring_does_not_wear_the_index_out():
    bm25 = Bm25([["a", "b"], ["a"]])
    first = bm25.scores(["a", "b"])
    first += 100
    assert bm25.scores(["a", "b"]).tolist() == Bm25([["a", "b"], ["a"]]).scores(["a", "b"]).tolist()


# ── The pool against a slow one ─────────────────────────────────────────────────────────────────
WORDS = ("年假", "结转", "审批", "差旅", "发票", "变更")


def slow_pool(chunks, encoder, query, limit=settings.POOL_PER_ROUTE):
    """Score everything, sort everything, fuse by the formula."""
    words = tokenise(query)
    ordered = sorted(chunks, key=lambda item: item.id)
    vector = encoder.encode([query])[0]
    scores = {
        "bm25": Smoothed([tokenise(item.text) for item in ordered]).get_scores(words),
        "cosine": [round(float(np.float32(encoder.encode([item.text])[0] @ vector)), 6) for item in ordered],
    }
    fused: dict[str, float] = {}
    for route in ("bm25", "cosine"):
        ranked = sorted((-score, item.id) for score, item in zip(scores[route], ordered, strict=True) if score > 0)
        for rank, (_, item) in enumerate(ranked[:limit], start=1):
            fused[item] = fused.get(item, 0) + 1 / (settings.RRF_K + rank)
    return sorted(fused, key=lambda item: (-round(fused[item], 12), item))


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), min_size=1, max_size=30),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    st.randoms(use_true_random=False),
)
@hypothesis_settings(max_examples=60)
def test_the_pool_is_the_slow_pool(bodies, words, random):
    chunks = [chunk(f"d{number:02}#1", "，".join(body)) for number, body in enumerate(bodies)]
    angles = (0.0, 0.3, 0.3, 0.9, 2.0)  # few, so that there are ties
    vectors = {item.text: (math.cos(angle := random.choice(angles)), math.sin(angle)) for item in chunks}
    query = " ".join(words)
    encoder = FakeEncoder(vectors | {query: (1.0, 0.0)})
    random.shuffle(chunks)
    search = Retriever(chunks, encoder).search_all([query])[0]
    assert search.ids == slow_pool(chunks, encoder, query)
    assert [hit.rank for hit in search.hits] == list(range(1, len(search.hits) + 1))


def test_ties_stand_in_id_order_whatever_the_order_of_the_chunks():
    chunks = [chunk(f"{name}#1", "年假结转") for name in ("c", "a", "d", "b")]
    encoder = FakeEncoder({"\n\n年假结转": (1.0, 0.0), "年假": (1.0, 0.0)})
    for order in itertools.permutations(chunks):
        search = find(Retriever(order, encoder), "年假")
        assert search.ids == ["a#1", "b#1", "c#1", "d#1"]


def test_ties_at_the_edge_of_the_pool_go_to_the_first_ids():
    size = settings.POOL_PER_ROUTE + 5
    chunks = [chunk(f"d{number:02}#1", "年假") for number in reversed(range(size))]
    search = find(Retriever(chunks, FakeEncoder()), "年假")
    assert search.ids == [f"d{number:02}#1" for number in range(settings.POOL_PER_ROUTE)]


def test_a_route_brings_at_most_its_share():
    words = [chunk(f"word{number:02}#1", "年假 " * (number + 1)) for number in range(15)]
    sense = [chunk(f"sense{number:02}#1", f"休息{number}") for number in range(15)]
    vectors = {item.text: (1.0, 0.0) for item in sense} | {"年假": (1.0, 0.0)}
    search = find(Retriever(words + sense, FakeEncoder(vectors)), "年假")
    kinds = [name.startswith("word") for name in search.ids]
    assert kinds.count(True) == kinds.count(False) == settings.POOL_PER_ROUTE


def test_scores_stay_raw():
    chunks = [chunk("a#1", "年假"), chunk("b#1", "差旅")]
    encoder = FakeEncoder({"\n\n年假": (0.6, 0.8), "\n\n差旅": (1.0, 0.0), "年假": (1.0, 0.0)})
    hits = {hit.chunk.id: hit for hit in find(Retriever(chunks, encoder), "年假").hits}
    terms = [tokenise(item.text) for item in chunks]
    assert hits["a#1"].bm25 == pytest.approx(Smoothed(terms).get_scores(tokenise("年假"))[0])
    assert hits["a#1"].cosine == 0.6
    assert (hits["b#1"].bm25, hits["b#1"].cosine) == (0.0, 1.0)  # found by meaning alone


def test_what_a_route_scores_zero_or_less_is_not_ranked_by_it():
    chunks = [chunk("a#1", "发票"), chunk("b#1", "差旅"), chunk("c#1", "审批")]
    encoder = FakeEncoder({"\n\n发票": (0.0, 0.0), "\n\n差旅": (-1.0, 0.0), "\n\n审批": (0.0, 1.0), "年假": (1.0, 0.0)})
    assert find(Retriever(chunks, encoder), "年假").hits == ()


# ── Queries that find nothing ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("query", ["", " ", "\u3000\n", "。，！", "😀", "——", "?"])
def test_a_query_without_a_letter_or_digit_finds_nothing(lab, query):
    search = find(lab.retriever, query)
    assert search.hits == ()
    assert search.query == query


def test_a_query_that_is_half_a_character_is_no_accident(lab):
    assert find(lab.retriever, "年假结转\ud83d").ids[0].startswith("annual-leave#")


def test_an_empty_corpus_finds_nothing():
    encoder = FakeEncoder({"年假": (1.0, 0.0)})
    assert find(Retriever([], encoder), "年假").hits == ()
    assert Retriever([], encoder).search_all(["年假", ""])[1].hits == ()


def test_empty_documents_are_never_found():
    chunks = [chunk("a#1", ""), chunk("b#1", "年假")]
    assert find(Retriever(chunks, FakeEncoder()), "年假").ids == ["b#1"]
    assert find(Retriever(chunks[:1], FakeEncoder()), "年假").ids == []


def test_a_corpus_smaller_than_the_pool_is_found_whole():
    chunks = [chunk(f"d{number}#1", "年假") for number in range(3)]
    assert len(find(Retriever(chunks, FakeEncoder()), "年假").hits) == 3


# ── On the lab's own corpus ─────────────────────────────────────────────────────────────────────
def full_width(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if 0x21 <= ord(letter) <= 0x7E else letter for letter in text)


@pytest.mark.parametrize("query", ["VPN 权限一次最长能开几个小时", "Q3 的 OKR 什么时候交", "3 级变更提前 5 个工作日"])
def test_width_and_case_do_not_matter(lab, query):
    as_typed = plain(find(lab.retriever, query))
    assert as_typed
    for form in (full_width(query), query.lower(), query.upper(), f"  {query}\u3000"):
        assert plain(find(lab.retriever, form)) == as_typed


def test_many_at_once_is_one_by_one_and_history_leaves_no_trace(lab, corpus):
    queries = [question.question for question in corpus.questions] + ["", "年假", "年假"]
    fresh = Retriever(corpus.chunks, KnownDocuments(lab))
    together = [plain(search) for search in asyncio.run(fresh.retrieve_many(queries))]
    # In another order, one at a time, after other questions: the same to the last digit.
    apart = {query: plain(find(lab.retriever, query)) for query in reversed(queries)}
    assert together == [apart[query] for query in queries]


def test_the_order_in_which_chunks_are_given_does_not_matter(corpus, lab):
    turned = Retriever(tuple(reversed(corpus.chunks)), KnownDocuments(lab))
    for question in corpus.questions[:5]:
        assert plain(find(turned, question.question)) == plain(find(lab.retriever, question.question))


def test_meaning_finds_what_words_do_not(lab):
    query = "老婆要生孩子了，我可以请几天假"
    by_meaning = find(lab.retriever, query, routes=["cosine"]).hits
    assert by_meaning
    assert max(hit.cosine for hit in by_meaning) > lab.corpus.require_gates().cosine


# ── Routes ──────────────────────────────────────────────────────────────────────────────────────
def test_one_route_alone_and_no_score_from_the_other(lab):
    both = find(lab.retriever, "审计日志保存多久")
    words = find(lab.retriever, "审计日志保存多久", routes=["bm25"])
    sense = find(lab.retriever, "审计日志保存多久", routes=["cosine"])
    assert (words.routes, sense.routes, both.routes) == (("bm25",), ("cosine",), ("bm25", "cosine"))
    assert all(hit.cosine == 0.0 and hit.bm25 > 0 for hit in words.hits)
    assert all(hit.bm25 == 0.0 and hit.cosine > 0 for hit in sense.hits)
    assert words.ids == sorted(
        words.ids, key=lambda item: (-next(h.bm25 for h in words.hits if h.chunk.id == item), item)
    )
    assert set(both.ids) == set(words.ids) | set(sense.ids)


def test_a_search_without_routes_finds_nothing(lab):
    assert find(lab.retriever, "审计日志保存多久", routes=[]).hits == ()


def test_an_unknown_route_is_named(lab):
    with pytest.raises(ValueError, match=r"'splade'.*bm25, cosine"):
        find(lab.retriever, "年假", routes=["bm25", "splade"])


@pytest.mark.parametrize("query", [None, 5, b"text", ["年假"]])
def test_a_query_that_is_no_text_is_refused(lab, query):
    with pytest.raises(TypeError, match=type(query).__name__):
        find(lab.retriever, query)


def test_a_query_is_encoded_once():
    encoder = FakeEncoder({"年假": (1.0, 0.0)})
    retriever = Retriever([chunk("a#1", "年假")], encoder)
    before = len(encoder.calls)
    for _ in range(3):
        retriever.search_all(["年假", "年假", "差旅"])
    assert list(itertools.chain.from_iterable(encoder.calls[before:])) == ["年假", "差旅"]


def test_more_queries_than_the_cache_keeps(monkeypatch):
    monkeypatch.setattr("querylab.retrieval.encoder._VECTORS_KEPT", 3)
    encoder = FakeEncoder({f"词{number}": (1.0, 0.0) for number in range(9)} | {"\n\n词": (1.0, 0.0)})
    retriever = Retriever([chunk("a#1", "词")], encoder)
    queries = [f"词{number}" for number in range(9)]
    assert [search.ids for search in retriever.search_all(queries)] == [["a#1"]] * 9
    assert len(retriever.query_vectors) <= 3


# ── The same in every process ───────────────────────────────────────────────────────────────────
CODE = """
import json, sys
from querylab.corpus.load import load_corpus
from querylab.retrieval.retriever import Retriever
corpus = load_corpus()
chunks = list(set(corpus.chunks[:30]))  # an order that the hash seed decides
found = Retriever(chunks).search_all([question.question for question in corpus.questions[:6]])
print(json.dumps([[(hit.chunk.id, hit.bm25, hit.cosine) for hit in search.hits] for search in found]))
"""


def test_the_hash_seed_decides_nothing():
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CODE],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for seed in ("1", "2")
    ]
    first, second = (process.communicate()[0] for process in processes)
    assert len(json.loads(first)) == 6
    assert first == second
