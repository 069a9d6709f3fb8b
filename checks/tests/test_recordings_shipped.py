"""The shipped recordings, both corpora: three each, usable, without what only the corpus knows, and no copies.

These tests read whatever files there are. How many there must be is asserted in one place, which is marked: it fails
until all three stand in both corpora.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from querylab import prompts, settings
from querylab.corpus.load import load_corpus
from querylab.corpus.model import Corpus
from querylab.measure.stale import stale
from querylab.measure.unrecorded import question_sets, questions_of
from querylab.models import recording
from querylab.models.differences import differences
from querylab.models.judged import faults
from querylab.models.recording import RecordedClient, Reply
from querylab.pipeline.config import NAMED
from querylab.pipeline.lab import Lab
from querylab.text import normalise

CORPORA = (settings.CORPUS_DIR, settings.CORPUS_DIR / "heldout")
FILES = [path for corpus in CORPORA for path in sorted((corpus / recording.FOLDER).glob("*.jsonl"))]
PAIRS = [pair for corpus in CORPORA for pair in combinations([file for file in FILES if corpus == file.parents[1]], 2)]

FAILURES = 0.02
"""Share of replies that may be failures, kept as what the model said."""

ALIKE = {"hyde": 0.1, "answer": 0.5, "multi_query": 0.5}
"""Share of identical replies that independent sittings may reach: whole passages hardly ever coincide, an answer of one
short sentence may. A label, a field or a question copied as it was coincides rightly, and is only counted."""


def name(path: Path) -> str:
    return str(path.relative_to(settings.ROOT))


def names(pair: tuple[Path, Path]) -> str:
    return " ".join(map(name, pair))


@pytest.mark.parametrize("corpus", CORPORA, ids=name)
def test_the_recordings_are_named_in_order(corpus: Path) -> None:
    """As many as there are; none stands under another name, and none is left out between two."""
    found = recording.names(corpus)
    assert tuple(found) == settings.RECORDINGS[: len(found)]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_each_is_written_as_the_lab_writes_it_and_says_whose_and_when(path: Path, tmp_path: Path) -> None:
    replies = recording.load(path)
    recording.write(tmp_path / "again.jsonl", replies.values())
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
    assert replies
    assert all(reply.family and re.fullmatch(r"\d{4}-\d\d-\d\d", reply.date) for reply in replies.values())
    known = {*prompts.TASKS}
    assert {reply.task for reply in replies.values()} <= known


@pytest.mark.parametrize("path", FILES, ids=name)
def test_each_reply_passes_the_rules_of_its_task_or_is_a_failure_kept(path: Path) -> None:
    replies = recording.load(path)
    failed = faults(replies.values())
    tasks = Counter(replies[key].task for key in failed)
    print(f"{name(path)}: {len(failed)} of {len(replies)} replies are failures, kept: {dict(tasks)}")
    for key, why in failed.items():
        print(f"  {replies[key].task} {key} {replies[key].about}: {why}")
    assert len(failed) < FAILURES * len(replies)


@pytest.mark.parametrize("pair", PAIRS, ids=names)
def test_no_two_are_copies(pair: tuple[Path, Path]) -> None:
    found = differences(*(recording.load(path) for path in pair), examples=0)
    for item in found:
        same = "none in common" if item.share is None else f"{1 - item.share:.0%} identical of {item.both}"
        print(f"{names(pair)}: {item.task}: {same}")
    for item in found:
        if item.task in ALIKE and item.both >= 10:
            assert item.share is not None and 1 - item.share <= ALIKE[item.task], item.task
    assert sum(item.differing for item in found) > 0


# ── Drafts know only what the question says ─────────────────────────────────────────────────────
FIGURE = re.compile(
    r"(\d+(?:\.\d+)?)\s*(个?工作日|个?自然日|天|日|个?小时|分钟|秒|万元|元|%|年|个?月|周|次|人|级|层|岁|倍|米|克|毫升|张|份)"
)
"""A figure with its unit, in normal form."""

_NUMERALS = {
    "十": "10",
    "二": "2",
    "两": "2",
    "三": "3",
    "四": "4",
    "五": "5",
    "六": "6",
    "七": "7",
    "八": "8",
    "九": "9",
}
_SPELLED = re.compile("(?<![一二两三四五六七八九十百千万第])[二两三四五六七八九十](?![一二两三四五六七八九十百千万])")


def figures(text: str) -> set[str]:
    """Read figures with units off a text; small numerals count as digits, 「一」 is in too many words."""
    text = _SPELLED.sub(lambda match: _NUMERALS[match[0]], normalise(text))
    return {f"{float(value):g}{unit.removeprefix('个')}" for value, unit in FIGURE.findall(text)}


def known_only_to_the_corpus(corpus: Corpus, replies: dict[str, Reply]) -> Iterator[tuple[Reply, set[str]]]:
    """Give each draft that holds a figure of the evidence which its question does not hold.

    A draft of one of the corpus's questions is held against that question's evidence sections, every other one (of a
    rewritten follow-up, of a sub-question) against those of all questions.
    """
    texts = {chunk.id: chunk.text for chunk in corpus.chunks}
    asked = {}
    everything: set[str] = set()
    for question in (item for file in question_sets(corpus) for item in questions_of(corpus, file)):
        evidence = figures("\n".join(texts[chunk] for chunk, grade in question.grades.items() if grade == 2))
        asked[recording.key(prompts.hyde(question.question))] = question.question, evidence
        everything |= evidence
    for reply in replies.values():
        if reply.task == "hyde":
            question, evidence = asked.get(reply.key, (reply.about, everything))
            found = figures(reply.text) & evidence - figures(question)
            if found:
                yield reply, found


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_draft_holds_a_figure_that_only_the_corpus_knows(path: Path) -> None:
    found = list(known_only_to_the_corpus(load_corpus(path.parents[1]), recording.load(path)))
    assert not found, "\n".join(f"{reply.key} {reply.about}: {sorted(held)}" for reply, held in found)


def test_a_draft_that_holds_one_would_be_seen(corpus: Corpus) -> None:
    question = next(item for item in corpus.questions if figures(item.answer) - figures(item.question))
    key = recording.key(prompts.hyde(question.question))
    honest = Reply(key, "hyde", question.question, "结转的天数以若干天为限，逾期按规定处理。")
    assert not list(known_only_to_the_corpus(corpus, {key: honest}))
    leaking = Reply(key, "hyde", question.question, question.answer)
    ((_, held),) = known_only_to_the_corpus(corpus, {key: leaking})
    assert held
    assert figures("三个工作日内报销500元的80%，唯一一次，第二天，十天") == {"3工作日", "500元", "80%", "10天"}


# ── Nothing is stale ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("corpus", CORPORA, ids=name)
def test_no_recording_is_stale(corpus: Path) -> None:
    lab = Lab.open(corpus, "solution", client=RecordedClient("none", {}))
    told = asyncio.run(stale(lab, NAMED, question_sets(lab.corpus)))
    assert not told, "\n\n".join(told)
