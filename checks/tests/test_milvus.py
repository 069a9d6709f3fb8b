"""The engine on real Milvus Lite: the built-in retriever's pools, its scores, and every failure in words."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent import futures
from dataclasses import replace
from pathlib import Path

import grpc
import numpy as np
import pytest
from querylab import settings
from querylab.__main__ import main
from querylab.corpus.load import load_corpus
from querylab.corpus.model import Corpus
from querylab.measure.evaluate import evaluate
from querylab.pipeline.config import BASELINE
from querylab.pipeline.lab import Lab
from querylab.retrieval.milvus import MilvusRetriever, collection_name
from querylab.retrieval.milvus_index import index
from querylab.retrieval.milvus_store import Store
from querylab.retrieval.protocol import EngineError, EngineGone
from querylab.retrieval.retriever import Retriever
from querylab.types import Chunk

import checks
from checks.tests.test_retrieve import KnownDocuments


class Hashed:
    """Encodes quickly and without meaning: 8 numbers of each text; it can be told to break off."""

    def __init__(self, breaks_after: int = 10**9) -> None:
        self.encoded: list[str] = []
        self.left = breaks_after

    def encode(self, texts):
        if texts != [""]:
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            self.encoded += texts
        rows = [np.random.default_rng(list(text.encode())).normal(size=8) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32)


def chunk(number: int, text: str = "") -> Chunk:
    return Chunk(
        f"d{number}#1", f"d{number}", "标题", "小节", text or f"第{number}份规定，年假可以结转{number}天。", 10
    )


CHUNKS = [chunk(number) for number in range(12)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(str(tmp_path / "lite.db"), "test")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def engine(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusRetriever]:
    """The lab's corpus in Milvus Lite."""
    opened = Store(str(tmp_path_factory.mktemp("lab") / "lite.db"), collection_name(lab.corpus.name))
    index(opened, lab.corpus.name, lab.corpus.chunks, KnownDocuments(lab))
    yield MilvusRetriever(opened, lab.retriever.encoder, lab.corpus.chunks)
    opened.close()


def agree(built_in: Retriever, engine: MilvusRetriever, corpus: Corpus) -> None:
    """Hold an engine's pools against the built-in retriever's, on all questions of a corpus."""
    asked = [*corpus.questions, *(question for found in corpus.sets.values() for question in found)]
    queries = [question.question for question in asked]
    places = same = 0
    for expected, found in zip(built_in.search_all(queries), engine.search_all(queries), strict=True):
        places += len(expected.ids[:10])
        same += sum(left == right for left, right in zip(expected.ids[:10], found.ids[:10], strict=True))
        scores = {hit.chunk.id: hit for hit in expected.hits}
        for hit in found.hits:
            if hit.chunk.id in scores:
                assert hit.chunk == scores[hit.chunk.id].chunk
                assert hit.bm25 == pytest.approx(scores[hit.chunk.id].bm25, abs=1e-3)
                assert hit.cosine == pytest.approx(scores[hit.chunk.id].cosine, abs=1e-3)
        assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert len(queries) >= 20 and same >= 0.98 * places, f"{same} of {places} places"


# ── The same as the built-in one ────────────────────────────────────────────────────────────────
def test_the_lab_s_corpus_gives_the_same_pools(lab: Lab, engine: MilvusRetriever) -> None:
    agree(lab.retriever, engine, lab.corpus)


def test_another_corpus_gives_the_same_pools(store: Store) -> None:
    corpus = load_corpus(settings.CORPUS_DIR / "heldout")
    built_in = Retriever(corpus.chunks)
    known = KnownDocuments(Lab.open(corpus, "solution", retriever=built_in))
    index(store, corpus.name, corpus.chunks, known)
    agree(built_in, MilvusRetriever(store, built_in.encoder, corpus.chunks), corpus)


def test_the_eight_checks_pass_on_it(lab: Lab, engine: MilvusRetriever) -> None:
    verdicts = checks.run_all(replace(lab, retriever=engine))
    assert [verdict.state for verdict in verdicts] == ["passed"] * 8


@pytest.mark.parametrize("routes", [["bm25"], ["cosine"], []])
def test_a_route_that_is_not_asked_gives_no_score(lab: Lab, engine: MilvusRetriever, routes: list[str]) -> None:
    query = "审计日志保存多久"
    [expected], [found] = lab.retriever.search_all([query], routes), engine.search_all([query], routes)
    assert (found.routes, found.ids) == (expected.routes, expected.ids)
    for left, right in zip(expected.hits, found.hits, strict=True):
        assert (right.bm25, right.cosine) == pytest.approx((left.bm25, left.cosine), abs=1e-3)


def test_what_cannot_be_searched(engine: MilvusRetriever, lab: Lab) -> None:
    for query in ("", "？！", "zzzxqj"):  # nothing to search by; and a word that no document holds
        assert engine.search_all([query])[0].ids == lab.retriever.search_all([query])[0].ids
    with pytest.raises(TypeError, match="NoneType"):
        engine.search_all([None])
    with pytest.raises(ValueError, match="splade"):
        engine.search_all(["年假"], ["splade"])


def test_a_query_finds_the_same_alone_among_others_and_in_a_thread(engine: MilvusRetriever) -> None:
    queries = ["年假能结转几天", "差旅住宿标准", "年假能结转几天", "谁审批"]
    together = engine.search_all(queries)
    assert together == [engine.search_all([query])[0] for query in queries]
    threaded = MilvusRetriever(engine.store, engine.encoder, in_threads=True)
    assert asyncio.run(threaded.retrieve_many(queries)) == together


# ── Indexing ────────────────────────────────────────────────────────────────────────────────────
def test_a_second_run_writes_nothing_and_a_change_only_what_changed(store: Store) -> None:
    assert index(store, "c", CHUNKS, Hashed()).written == 12
    encoder = Hashed()
    again = index(store, "c", CHUNKS, encoder)
    assert (again.written, again.kept, again.deleted, encoder.encoded) == (0, 12, 0, [])
    changed = [*CHUNKS[1:11], chunk(11, "第11份规定，年假不可以结转3天。"), chunk(12)]
    done = index(store, "c", changed, encoder)
    assert (done.written, done.kept, done.deleted) == (2, 10, 1)
    assert len(encoder.encoded) == 2
    found = MilvusRetriever(store, Hashed(), changed).search_all(["年假结转"])[0]
    assert "d0#1" not in found.ids and any("不可以" in hit.chunk.body for hit in found.hits)


def test_after_documents_were_added_idf_is_exact_for_old_rows_too(store: Store) -> None:
    """The decision: idf by the newest statistics at once; the mean length stays until it has moved by 5 %."""
    index(store, "c", CHUNKS, Hashed())
    more = [*CHUNKS, *(chunk(number, f"第{number}份规定，差旅可以报销{number}次。") for number in range(12, 15))]
    done = index(store, "c", more, Hashed())
    assert done.written == 3 and not done.reweighed
    [expected] = Retriever(more, Hashed()).search_all(["年假怎么结转"], ["bm25"])
    [found] = MilvusRetriever(store, Hashed(), more).search_all(["年假怎么结转"], ["bm25"])
    scores = {hit.chunk.id: hit.bm25 for hit in found.hits}
    for hit in expected.hits:
        assert scores[hit.chunk.id] == pytest.approx(hit.bm25, rel=settings.MEAN_LENGTH_DRIFT)
    [before] = Retriever(CHUNKS, Hashed()).search_all(["年假怎么结转"], ["bm25"])
    moved = abs(before.hits[0].bm25 / expected.hits[0].bm25 - 1)
    assert moved > settings.MEAN_LENGTH_DRIFT, "the old idf would not do"


def test_when_the_mean_length_has_moved_all_is_weighed_anew(store: Store) -> None:
    index(store, "c", CHUNKS, Hashed())
    more = [*CHUNKS, chunk(12, "差旅报销按照实际发生的费用计算。" * 20)]
    done = index(store, "c", more, Hashed())
    assert done.reweighed and done.written == 13
    [expected] = Retriever(more, Hashed()).search_all(["年假怎么结转"], ["bm25"])
    [found] = MilvusRetriever(store, Hashed(), more).search_all(["年假怎么结转"], ["bm25"])
    assert [hit.bm25 for hit in found.hits] == pytest.approx([hit.bm25 for hit in expected.hits], abs=1e-3)


def test_an_interrupted_run_goes_on_where_it_stopped(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "ENGINE_BATCH", 4)
    with pytest.raises(KeyboardInterrupt):
        index(store, "c", CHUNKS, Hashed(breaks_after=2))
    with pytest.raises(EngineError, match=r"unfinished.*index --engine milvus"):
        MilvusRetriever(store, Hashed())
    encoder = Hashed()
    assert index(store, "c", CHUNKS, encoder).written == 4
    assert len(encoder.encoded) == 4
    assert MilvusRetriever(store, Hashed(), CHUNKS).size == 12


def test_an_update_under_way_leaves_the_index_searchable(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    index(store, "c", CHUNKS, Hashed())
    with pytest.raises(KeyboardInterrupt):
        index(store, "c", [*CHUNKS, chunk(12)], Hashed(breaks_after=0))
    found = MilvusRetriever(store, Hashed(), CHUNKS).search_all(["年假结转"])[0]
    assert len(found.hits) >= 10 and "being brought up to date" in caplog.text


def test_a_vocabulary_larger_than_one_row_of_the_statistics(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("querylab.retrieval.milvus_store._PIECE", 3)
    index(store, "c", CHUNKS, Hashed())
    index(store, "c", CHUNKS[:6], Hashed())
    [expected] = Retriever(CHUNKS[:6], Hashed()).search_all(["年假第3份"])
    [found] = MilvusRetriever(store, Hashed(), CHUNKS[:6]).search_all(["年假第3份"])
    assert found.ids == expected.ids


# ── Failures in words ───────────────────────────────────────────────────────────────────────────
def test_an_older_schema_another_corpus_other_documents_and_no_index(store: Store) -> None:
    with pytest.raises(EngineError, match="There is no index test"):
        MilvusRetriever(store, Hashed())
    index(store, "c", CHUNKS, Hashed())
    with pytest.raises(EngineError, match=r"holds the corpus 'c', not 'other'.*--collection"):
        index(store, "other", CHUNKS, Hashed())
    with pytest.raises(EngineError, match="Bring it up to date"):
        MilvusRetriever(store, Hashed(), CHUNKS[:-1])
    found = store.statistics()
    store.write_statistics(replace(found, encoder="another"))
    with pytest.raises(EngineError, match="made with another"):
        MilvusRetriever(store, Hashed())
    store.write_statistics(replace(found, schema=0))
    for opening in (lambda: MilvusRetriever(store, Hashed()), lambda: index(store, "c", CHUNKS, Hashed())):
        with pytest.raises(EngineError, match=r"schema 0.*--rebuild"):
            opening()
    assert index(store, "c", CHUNKS, Hashed(), rebuild=True).written == 12
    assert MilvusRetriever(store, Hashed(), CHUNKS).size == 12


def test_a_section_too_long_a_bad_name_and_a_folder_without_its_ending(store: Store, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="section d0#1 is longer"):
        index(store, "c", [chunk(0, "长" * 30_000)], Hashed())
    with pytest.raises(EngineError, match="no name of an index"):
        Store(str(tmp_path / "x.db"), "ein-name")
    with pytest.raises(EngineError, match=r"ends in \.db"):
        Store(str(tmp_path / "x"), "name")


def test_nothing_listens(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EngineGone, match="did not answer"):
        Store(uri, "name", seconds=0.5)


class Refusing(grpc.GenericRpcHandler):
    """A server that knows nobody: every call is refused as Milvus refuses a wrong token."""

    def service(self, handler_call_details):
        def refuse(request, context):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "auth check failure, please check api key is correct")

        return grpc.unary_unary_rpc_method_handler(refuse)


def test_a_wrong_token_is_named_and_never_shown() -> None:
    server = grpc.server(futures.ThreadPoolExecutor(2), handlers=[Refusing()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with pytest.raises(EngineError, match=r"refuses the token.*MILVUS_TOKEN") as refused:
            Store(f"http://127.0.0.1:{port}", "name", token="root:geheim", seconds=2).statistics()
        assert "geheim" not in str(refused.value)
    finally:
        server.stop(None)


class Server:
    """A Milvus Lite served over the network by another process, which can be killed and started anew."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.uri = f"http://127.0.0.1:{self.port}"
        self.folder = folder
        self.start()

    def start(self) -> None:
        arguments = ["server", "--data-dir", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        code = "import sys; from milvus_lite.cmdline import main; sys.exit(main())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(200):
            with socket.socket() as trying:
                if trying.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError("the server did not start")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "data")
    yield running
    running.stop()


def test_a_server_that_goes_away_and_comes_back(lab: Lab, server: Server) -> None:
    store = Store(server.uri, "test", seconds=0.5)
    known = KnownDocuments(lab)
    index(store, lab.corpus.name, lab.corpus.chunks, known)
    engine = MilvusRetriever(store, known, lab.corpus.chunks)
    served = replace(lab, retriever=engine)

    asked = 0
    search = store.search

    def counting(*arguments):
        nonlocal asked
        asked += 1
        if asked == 9:  # in the middle of the fifth question
            server.stop()
        return search(*arguments)

    store.search = counting
    report = asyncio.run(evaluate(BASELINE, lab=served))
    assert report.stopped and "run the same command again" in report.stopped
    assert len(report.traces) == 4, "what was measured before is kept"
    with pytest.raises(EngineGone):
        index(store, lab.corpus.name, lab.corpus.chunks, known)

    server.start()
    store.seconds = 10
    assert index(store, lab.corpus.name, lab.corpus.chunks, known).written == 0, "nothing was lost"
    whole = asyncio.run(evaluate(BASELINE, lab=served))
    assert whole.stopped is None
    assert whole.row() == asyncio.run(evaluate(BASELINE, lab=lab)).row()


# ── The command line ────────────────────────────────────────────────────────────────────────────
def test_index_and_the_commands_that_search(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("querylab.retrieval.milvus_index.SentenceEncoder", lambda: KnownDocuments(lab))
    monkeypatch.setattr("querylab.commands.said.Retriever", lambda *_, **__: lab.retriever)
    uri = str(tmp_path / "cli.db")
    engine = ["--engine", "milvus", "--uri", uri]
    assert main(["lost", *engine]) == 2
    assert "python -m querylab index" in capsys.readouterr().err
    assert main(["index", *engine, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"] == len(lab.corpus.chunks)
    assert main(["index", "--uri", uri]) == 2  # the built-in one keeps none
    for command in (["ask", "年假能结转几天", "--config", "baseline"], ["ledger", "--config", "HyDE"], ["calibrate"]):
        capsys.readouterr()
        assert main([*command, *engine]) == 0
        on_milvus = capsys.readouterr().out
        assert main(command) == 0
        assert capsys.readouterr().out == on_milvus
