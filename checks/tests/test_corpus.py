"""The lab's corpus keeps its promises; a broken folder is told everything that is wrong with it, at once."""

import asyncio
import copy
import json
from collections import Counter

import pytest
from querylab.corpus.load import load_corpus
from querylab.corpus.model import CorpusError, MissingGates
from querylab.pipeline.lab import Lab
from querylab.text import count_tokens
from querylab.types import Budgets, Gates

from checks.small import DIALOGUES, DOCS, MANIFEST, QUESTIONS, lines, write_corpus
from checks.stand_ins import ScriptedClient


# ── The lab's own corpus ────────────────────────────────────────────────────────────────────────
def test_thirty_documents_whose_sections_differ_in_length(corpus):
    assert len(corpus.documents) == 30
    for document in corpus.documents:
        assert 2 <= len(document.chunks) <= 6, document.id
    tokens = sorted(chunk.tokens for chunk in corpus.chunks)
    assert tokens[0] < 60 < 250 < tokens[-2] < 450
    assert [chunk.id for chunk in corpus.chunks if chunk.tokens > corpus.budgets.default] == ["office#4"]
    assert [document.path.name for document in corpus.documents] == sorted(
        document.path.name for document in corpus.documents
    )


def test_a_chunk_is_a_section_with_its_title_and_heading(corpus):
    seen = set()
    for document in corpus.documents:
        raw = document.path.read_text(encoding="utf-8")
        for number, chunk in enumerate(document.chunks, start=1):
            assert chunk.id == f"{document.id}#{number}"
            assert (chunk.doc_id, chunk.title) == (document.id, document.title)
            assert chunk.text == f"{document.title}\n{chunk.heading}\n{chunk.body}"
            assert f"## {chunk.heading}\n" in raw
            assert chunk.body in raw
            assert chunk.tokens == count_tokens(chunk.text)
            assert chunk.id not in seen
            seen.add(chunk.id)


def test_one_chunk_is_too_large_for_the_narrow_budget_and_a_few_fill_it(corpus):
    tokens = [chunk.tokens for chunk in corpus.chunks]
    assert corpus.budgets.default < max(tokens) < corpus.budgets.multi_hop
    assert corpus.budgets == Budgets(600, 1200)
    assert 2 <= corpus.budgets.default / (sum(tokens) / len(tokens)) <= 6  # a budget that can be run into


def test_twenty_questions_by_tier(corpus):
    assert len(corpus.questions) == 20
    assert Counter(question.tier for question in corpus.questions) == {"single": 12, "multi": 4, "unanswerable": 4}
    assert len({question.question for question in corpus.questions}) == 20


def test_evidence_and_grades_of_every_question(corpus):
    chunk_ids = {chunk.id for chunk in corpus.chunks}
    for question in corpus.questions:
        least, most = {"single": (1, 1), "multi": (2, 9), "unanswerable": (0, 0)}[question.tier]
        assert least <= len(question.evidence) <= most, question.id
        assert set(question.grades) <= chunk_ids
        assert set(question.grades.values()) <= {1, 2}
        for doc_id in question.evidence:
            assert question.answering(doc_id), question.id
        assert question.answerable == (question.tier != "unanswerable")
        if not question.answerable:
            assert question.grades == {}
        else:
            assert question.answer.strip()


def test_dialogues_of_three_or_four_turns(corpus):
    assert len(corpus.dialogues) >= 8
    kinds = Counter()
    for dialogue in corpus.dialogues:
        assert 3 <= len(dialogue.turns) <= 4
        first = dialogue.turns[0]
        assert first.user == first.standalone or first.tier == "direct"  # nothing to refer to yet
        for turn in dialogue.turns:
            kinds[turn.tier] += 1
            assert bool(turn.evidence) == (turn.tier in ("single", "multi"))
    assert {"single", "direct"} <= set(kinds)


def test_history_is_what_was_said_before(corpus):
    dialogue = corpus.dialogues[0]
    assert dialogue.history(0) == []
    history = dialogue.history(2)
    assert [turn["role"] for turn in history] == ["user", "assistant", "user", "assistant"]
    assert history[2] == {"role": "user", "content": dialogue.turns[1].user}
    assert history[3] == {"role": "assistant", "content": dialogue.turns[1].assistant}


def test_things_are_found_by_id_and_unknown_ones_are_named(corpus):
    assert corpus.document("annual-leave").title == "年假管理办法"
    assert corpus.question("q01").id == "q01"
    assert corpus.dialogue("d1").id == "d1"
    for find in (corpus.document, corpus.question, corpus.dialogue):
        with pytest.raises(KeyError, match="'nobody'"):
            find("nobody")


# ── A small corpus is read as it stands ─────────────────────────────────────────────────────────
def test_the_small_corpus_loads(tmp_path):
    corpus = load_corpus(write_corpus(tmp_path))
    assert (corpus.name, corpus.language) == ("泳馆手册", "zh")
    assert corpus.gates == Gates(1.0, 0.5)
    assert corpus.budgets == Budgets(200, 400)
    assert [chunk.id for chunk in corpus.chunks] == ["pool#1", "pool#2", "staff#1", "locker#1"]
    assert corpus.chunks[1].heading == "救生员"
    assert [question.id for question in corpus.questions] == ["s1", "m1", "u1"]
    assert corpus.questions[1].answering("pool") == {"pool#1"}
    assert corpus.dialogues[0].turns[1].tier == "direct"


@pytest.mark.parametrize(
    "form",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: "\ufeff" + text.replace("\n", "\r\n"),
        lambda text: text + "\n\n",
    ],
    ids=["CRLF", "CR", "BOM", "BOM and CRLF", "blank lines at the end"],
)
def test_line_ends_and_byte_order_marks_do_not_matter(tmp_path, form):
    plain = load_corpus(write_corpus(tmp_path / "plain"))
    files = {"manifest.toml": MANIFEST, "questions.jsonl": lines(QUESTIONS), "dialogues.jsonl": lines(DIALOGUES)}
    files |= {f"docs/{name}": text for name, text in DOCS.items()}
    other = load_corpus(write_corpus(tmp_path / "other", {name: form(text) for name, text in files.items()}))
    assert other.chunks == plain.chunks
    assert (other.questions, other.dialogues) == (plain.questions, plain.dialogues)
    assert (other.gates, other.budgets) == (plain.gates, plain.budgets)


def test_questions_and_dialogues_may_be_absent(tmp_path):
    corpus = load_corpus(write_corpus(tmp_path, {"questions.jsonl": None, "dialogues.jsonl": None}))
    assert (corpus.questions, corpus.dialogues) == ((), ())
    assert len(corpus.chunks) == 4


def test_budgets_may_be_absent(tmp_path):
    corpus = load_corpus(write_corpus(tmp_path, {"manifest.toml": 'name = "x"\nlanguage = "en"\n'}))
    assert corpus.budgets == Budgets(600, 1200)


def test_missing_gates_load_but_are_answered_with_the_command_that_finds_them(tmp_path):
    folder = write_corpus(tmp_path / "my docs", {"manifest.toml": 'name = "x"\nlanguage = "en"\n'})
    corpus = load_corpus(folder)
    assert corpus.gates is None
    with pytest.raises(MissingGates) as caught:
        corpus.require_gates()
    assert f"python -m querylab calibrate --corpus {str(folder)!r} --write" in str(caught.value)
    assert caught.value.faults[0].path == folder / "manifest.toml"
    lab = Lab.open(corpus, "solution", ScriptedClient("x"))
    with pytest.raises(MissingGates):
        asyncio.run(lab.ask("寄存柜"))


def test_a_corpus_of_one_document_works_end_to_end(tmp_path):
    files = {f"docs/{name}": None for name in DOCS} | {"docs/03-locker.md": DOCS["03-locker.md"]}
    folder = write_corpus(
        tmp_path,
        files
        | {
            "questions.jsonl": None,
            "dialogues.jsonl": None,
            "manifest.toml": 'name = "x"\nlanguage = "zh"\n[gates]\nbm25 = 0.1\ncosine = 0.9\n',
        },
    )
    client = ScriptedClient("二十元 [locker#1]。")
    lab = Lab.open(folder, "solution", client)
    trace = asyncio.run(lab.ask("寄存柜的手环丢了赔多少"))
    assert [chunk.id for chunk in trace.context.chunks] == ["locker#1"]
    assert trace.answer == "二十元 [locker#1]。"
    assert trace.searches[0].hits[0].bm25 > 0  # the library's own IDF would be negative here
    nothing = asyncio.run(lab.ask("quantum chromodynamics"))
    assert nothing.refused
    assert nothing.answer is None


# ── Broken folders ──────────────────────────────────────────────────────────────────────────────
def question(**change):
    value = copy.deepcopy(QUESTIONS[0]) | change
    return {key: item for key, item in value.items() if item is not ...}


def dialogue(**change):
    value = copy.deepcopy(DIALOGUES[0])
    value["turns"][0] |= change
    value["turns"][0] = {key: item for key, item in value["turns"][0].items() if item is not ...}
    return value


def with_question(**change):
    return {"questions.jsonl": lines([*QUESTIONS[:2], question(**({"id": "bad1"} | change))])}


POOL, STAFF = DOCS["01-pool.md"], DOCS["02-staff.md"]
HEAD = "---\nid: pool\ntitle: 泳池开放规则\n---\n"

BROKEN = {
    # manifest
    "manifest missing": ({"manifest.toml": None}, "manifest.toml", None, "missing"),
    "manifest empty": ({"manifest.toml": "\n \n"}, "manifest.toml", None, "empty"),
    "manifest not TOML": ({"manifest.toml": 'name = "x"\nlanguage = zh\n'}, "manifest.toml", 2, "not TOML"),
    "manifest not UTF-8": (
        {"manifest.toml": 'language = "zh"\nname = "泳馆手册"\n'.encode("gbk")},
        "manifest.toml",
        2,
        "UTF-8",
    ),
    "manifest without name": ({"manifest.toml": 'language = "zh"\n'}, "manifest.toml", None, "name"),
    "language no text": ({"manifest.toml": 'name = "x"\nlanguage = 5\n'}, "manifest.toml", 2, "language"),
    "half of the gates": ({"manifest.toml": MANIFEST.replace("cosine = 0.5\n", "")}, "manifest.toml", 8, "two numbers"),
    "a gate in words": ({"manifest.toml": MANIFEST.replace("1.0", '"high"')}, "manifest.toml", 8, "two numbers"),
    "a gate that is no number": ({"manifest.toml": MANIFEST.replace("1.0", "nan")}, "manifest.toml", 8, "two numbers"),
    "a gate that nobody has": ({"manifest.toml": MANIFEST + "fused = 0.1\n"}, "manifest.toml", 11, "'fused'"),
    "gates no table": ({"manifest.toml": 'gates = 5\nname = "x"\nlanguage = "zh"\n'}, "manifest.toml", 1, "table"),
    "a budget of nothing": ({"manifest.toml": MANIFEST.replace("200", "0")}, "manifest.toml", 4, "above 0"),
    "a broken budget": ({"manifest.toml": MANIFEST.replace("200", "200.5")}, "manifest.toml", 4, "whole tokens"),
    # documents
    "no documents": ({f"docs/{name}": None for name in DOCS}, "docs", None, "no documents"),
    "document empty": ({"docs/04.md": " \n"}, "docs/04.md", None, "empty"),
    "document not UTF-8": ({"docs/04.md": (HEAD + "## 寄存").encode("gbk")}, "docs/04.md", 3, "UTF-8"),
    "no front matter": ({"docs/04.md": "## 标题\n\n正文\n"}, "docs/04.md", 1, "front matter"),
    "front matter not closed": ({"docs/04.md": "---\nid: a\ntitle: b\n## x\n\ny\n"}, "docs/04.md", 1, "never closed"),
    "front matter without colon": (
        {"docs/04.md": "---\nid: a\ntitle b\n---\n## x\n\ny\n"},
        "docs/04.md",
        3,
        "key: value",
    ),
    "no id": ({"docs/04.md": "---\ntitle: b\n---\n## x\n\ny\n"}, "docs/04.md", 1, "no id"),
    "no title": ({"docs/04.md": "---\nid: a\ntitle:\n---\n## x\n\ny\n"}, "docs/04.md", 1, "no title"),
    "id twice in one head": ({"docs/04.md": "---\nid: a\nid: b\ntitle: c\n---\n## x\n\ny\n"}, "docs/04.md", 3, "twice"),
    "bad id": ({"docs/04.md": "---\ntitle: b\nid: Bad_Id\n---\n## x\n\ny\n"}, "docs/04.md", 3, "'Bad_Id'"),
    "id of another document": (
        {"docs/04.md": "---\ntitle: b\nid: pool\n---\n## x\n\ny\n"},
        "docs/04.md",
        3,
        "01-pool.md",
    ),
    "no section": ({"docs/04.md": "---\nid: a\ntitle: b\n---\n"}, "docs/04.md", None, "no section"),
    "text before the first section": (
        {"docs/04.md": "---\nid: a\ntitle: b\n---\n\n序言\n\n## x\n\ny\n"},
        "docs/04.md",
        6,
        "before the first section",
    ),
    "empty section": (
        {"docs/04.md": "---\nid: a\ntitle: b\n---\n## x\n\n## y\n\nz\n"},
        "docs/04.md",
        5,
        "'x' is empty",
    ),
    "section without heading": ({"docs/04.md": "---\nid: a\ntitle: b\n---\n## \n\ny\n"}, "docs/04.md", 5, "heading"),
    # questions
    "questions empty": ({"questions.jsonl": "\n"}, "questions.jsonl", None, "empty"),
    "questions not UTF-8": ({"questions.jsonl": lines(QUESTIONS).encode("gbk")}, "questions.jsonl", 1, "UTF-8"),
    "question not JSON": ({"questions.jsonl": lines(QUESTIONS[:1]) + "{'id': 1}\n"}, "questions.jsonl", 2, "not JSON"),
    "question no object": ({"questions.jsonl": lines(QUESTIONS[:1]) + "[1]\n"}, "questions.jsonl", 2, "found list"),
    "field missing": (with_question(answer=...), "questions.jsonl", 3, "'answer' is missing"),
    "field of another type": (with_question(evidence="locker"), "questions.jsonl", 3, "should be list"),
    "bad question id": (with_question(id="Q 1"), "questions.jsonl", 3, "'Q 1'"),
    "question id twice": (with_question(id="s1"), "questions.jsonl", 3, "line 1"),
    "unknown tier": (with_question(tier="hard"), "questions.jsonl", 3, "'hard'"),
    "blank question": (with_question(question=" "), "questions.jsonl", 3, "blank"),
    "evidence nobody has": (with_question(evidence=["locker", "sauna"]), "questions.jsonl", 3, "'sauna'"),
    "evidence that is a list": (with_question(evidence=["locker", ["pool"]]), "questions.jsonl", 3, "['pool']"),
    "evidence twice": (with_question(evidence=["locker", "locker"]), "questions.jsonl", 3, "twice"),
    "single without evidence": (with_question(evidence=[]), "questions.jsonl", 3, "at least 1"),
    "multi with one document": (with_question(tier="multi"), "questions.jsonl", 3, "at least 2"),
    "unanswerable with evidence": (with_question(tier="unanswerable"), "questions.jsonl", 3, "no evidence"),
    "grade for no section": (with_question(grades={"locker#1": 2, "locker#9": 1}), "questions.jsonl", 3, "'locker#9'"),
    "grade out of range": (with_question(grades={"locker#1": 3}), "questions.jsonl", 3, "not 0, 1 or 2"),
    "grade in words": (with_question(grades={"locker#1": "2"}), "questions.jsonl", 3, "not 0, 1 or 2"),
    "grade true": (with_question(grades={"locker#1": True}), "questions.jsonl", 3, "not 0, 1 or 2"),
    "evidence that answers nothing": (
        with_question(grades={"locker#1": 1}),
        "questions.jsonl",
        3,
        "no section of grade 2",
    ),
    # dialogues
    "dialogue not JSON": ({"dialogues.jsonl": "{"}, "dialogues.jsonl", 1, "not JSON"),
    "dialogue id twice": ({"dialogues.jsonl": lines(DIALOGUES * 2)}, "dialogues.jsonl", 2, "line 1"),
    "bad dialogue id": ({"dialogues.jsonl": lines([DIALOGUES[0] | {"id": "D 1"}])}, "dialogues.jsonl", 1, "'D 1'"),
    "dialogue without turns": (
        {"dialogues.jsonl": lines([{"id": "d1", "turns": []}])},
        "dialogues.jsonl",
        1,
        "no turns",
    ),
    "turn no object": ({"dialogues.jsonl": lines([{"id": "d1", "turns": ["嗨"]}])}, "dialogues.jsonl", 1, "turn 1"),
    "turn without standalone": (
        {"dialogues.jsonl": lines([dialogue(standalone=...)])},
        "dialogues.jsonl",
        1,
        "'standalone'",
    ),
    "turn with blank text": ({"dialogues.jsonl": lines([dialogue(user=" ")])}, "dialogues.jsonl", 1, "'user' is blank"),
    "turn of unknown tier": ({"dialogues.jsonl": lines([dialogue(tier="easy")])}, "dialogues.jsonl", 1, "'easy'"),
    "turn evidence nobody has": ({"dialogues.jsonl": lines([dialogue(evidence=["x"])])}, "dialogues.jsonl", 1, "'x'"),
    "direct turn with evidence": (
        {"dialogues.jsonl": lines([dialogue(tier="direct")])},
        "dialogues.jsonl",
        1,
        "no evidence",
    ),
}


@pytest.mark.parametrize(("files", "name", "line", "words"), BROKEN.values(), ids=BROKEN)
def test_a_fault_is_named_with_its_file_and_line(tmp_path, files, name, line, words):
    with pytest.raises(CorpusError) as caught:
        load_corpus(write_corpus(tmp_path, files))
    found = [fault for fault in caught.value.faults if fault.path == tmp_path / name and fault.line == line]
    assert any(words in fault.message for fault in found), str(caught.value)
    shown = str(tmp_path / name) + (f":{line}" if line else "")
    assert f"{shown}: " in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_all_faults_are_reported_at_once(tmp_path):
    files = {
        "manifest.toml": 'language = "zh"\n[gates]\nbm25 = "x"\ncosine = 1\n',
        "docs/04-a.md": "no front matter",
        "docs/05-b.md": "---\nid: b\ntitle: b\n---\n## 一\n\n## 二\n",
        "docs/06-c.md": "坏".encode("gbk"),
        "questions.jsonl": lines([*QUESTIONS, QUESTIONS[0]]) + "oops\n" + json.dumps({"id": "x"}) + "\n",
        "dialogues.jsonl": lines([dialogue(evidence=["nobody"], tier="odd")]),
    }
    with pytest.raises(CorpusError) as caught:
        load_corpus(write_corpus(tmp_path, files))
    places = Counter((fault.path.name, fault.line) for fault in caught.value.faults)
    assert places == {
        ("manifest.toml", None): 1,  # name
        ("manifest.toml", 2): 1,  # gates
        ("04-a.md", 1): 1,
        ("05-b.md", 5): 1,  # two sections, both empty
        ("05-b.md", 7): 1,
        ("06-c.md", 1): 1,
        ("questions.jsonl", 4): 1,
        ("questions.jsonl", 5): 1,
        ("questions.jsonl", 6): 5,  # five fields
        ("dialogues.jsonl", 1): 2,  # tier, evidence
    }
    assert f"{sum(places.values())} faults" in str(caught.value)
    assert str(caught.value).count("\n") == sum(places.values())  # one line each


@pytest.mark.parametrize("name", ["nowhere", "a-file"])
def test_a_folder_that_is_none(tmp_path, name):
    (tmp_path / "a-file").write_text("x", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"no such folder|not a folder") as caught:
        load_corpus(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)


def test_an_empty_folder_says_what_a_corpus_is(tmp_path):
    with pytest.raises(CorpusError) as caught:
        load_corpus(tmp_path)
    assert {fault.path for fault in caught.value.faults} == {tmp_path / "manifest.toml", tmp_path / "docs"}
