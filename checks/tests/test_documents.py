"""Documents in view: 这份文档, 第一份和第三份, 前两份 are read, not searched for."""

import asyncio
from dataclasses import replace

import pytest
from querylab.pipeline.config import BASELINE, EVERYTHING, UNDERSTANDING_ROWS
from querylab.understanding.documents import pointed_at, titles_of, to_summarise

from checks.tests.test_pipeline import go

FOUR = ["甲办法", "乙办法", "丙办法", "丁办法"]


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("这几份文档讲了什么", "甲乙丙丁"),
        ("总结这份文档", "甲乙丙丁"),
        ("對比這些文件", "甲乙丙丁"),
        ("这些文件有什么区别", "甲乙丙丁"),
        ("该文档适用于谁", "甲乙丙丁"),
        ("以上资料里怎么说", "甲乙丙丁"),
        ("对比第一份和第三份", "甲丙"),
        ("第二份文档和第４份讲的是一回事吗", "乙丁"),
        ("第一和第三份有什么不同", "甲丙"),
        ("前两份说的是什么", "甲乙"),
        ("最后一份文档什么时候生效", "丁"),
        ("倒数第二份讲什么", "丙"),
        ("第九份讲什么", ""),
        ("Compare these documents", "甲乙丙丁"),
        ("年假能结转几天", ""),
        ("第一年年假有几天", ""),
        ("第三次迟到怎么处理", ""),
        ("文档放在哪里", ""),
        ("这件事找谁审批", ""),
    ],
)
def test_what_a_question_points_at(question, places):
    assert [title[0] for title in pointed_at(question, FOUR)] == list(places)


def test_with_nothing_in_view_nothing_is_pointed_at():
    assert pointed_at("这几份文档讲了什么", []) == []


def test_one_document_in_view_is_this_document():
    assert pointed_at("这份文档讲了什么", ["甲办法"]) == ["甲办法"]


def test_documents_are_named_by_id_or_title():
    titles = {"a": "甲办法", "b": "乙 办法"}
    assert titles_of(["b", "《甲办法》", "乙办法"], titles) == ("乙 办法", "甲办法")
    with pytest.raises(ValueError, match=r"'c'.*a, b"):
        titles_of(["c"], titles)


@pytest.mark.parametrize("config", [BASELINE, EVERYTHING, UNDERSTANDING_ROWS[1]], ids=lambda config: config.name)
def test_documents_pointed_at_are_read_without_a_search(lab, config):
    trace = asyncio.run(lab.ask("总结这份文档", (), config, documents=["travel"]))
    assert (trace.path, trace.retrievals, trace.model_calls, trace.documents) == ("read", 0, 0, ["travel"])
    assert not trace.refused and trace.context.tokens <= trace.budget


def test_several_documents_take_turns_so_that_each_is_read(lab):
    view = ["travel", "annual-leave", "expense"]
    trace = asyncio.run(lab.ask("对比第一份和第三份", (), BASELINE, documents=view))
    assert set(trace.documents) == {"travel", "expense"}
    assert {chunk.doc_id for chunk in trace.admitted[:2]} == {"travel", "expense"}


def test_another_question_takes_its_own_path_whatever_is_in_view(lab):
    alone, bare = go(lab, "年假能结转几天", BASELINE)
    trace = asyncio.run(lab.ask("年假能结转几天", (), BASELINE, answer=False, documents=["travel"]))
    assert trace.searches == alone.searches and trace.path is None and bare.asked == []


def test_the_understanding_is_told_what_is_in_view(lab):
    class Listening:
        modelled = True

        def __init__(self):
            self.messages, self.heard = self, []

        async def create(self, **request):
            self.heard.append(request["messages"][0]["content"])
            return await lab.client.messages.create(**request)

    client = Listening()
    there = replace(lab, client=client)
    asyncio.run(there.ask("住宿费上限是多少", (), UNDERSTANDING_ROWS[1], answer=False, documents=["travel"]))
    assert f"<document>{lab.corpus.document('travel').title}</document>" in client.heard[0]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("总结一下《甲办法》", ["甲办法"]),
        ("《乙办法》的主要内容是什么", ["乙办法"]),
        ("《甲办法》和《丙办法》分别讲了什么", ["甲办法", "丙办法"]),
        ("Summarise 《甲办法》", ["甲办法"]),
        ("《甲办法》规定年假有几天", []),  # one fact of a document is searched for
        ("总结一下《没有的办法》", []),
        ("总结一下年假", []),
    ],
)
def test_what_is_to_be_summarised(question, found):
    assert to_summarise(question, FOUR) == found


@pytest.mark.parametrize("config", [BASELINE, EVERYTHING], ids=lambda config: config.name)
def test_a_document_to_be_summarised_is_read_from_its_beginning(lab, config):
    document = lab.corpus.document("travel")
    trace = asyncio.run(lab.ask(f"总结一下《{document.title}》", (), config))
    assert (trace.path, trace.retrievals, trace.model_calls) == ("read", 0, 0)
    assert trace.admitted == document.chunks and trace.context.chunks
