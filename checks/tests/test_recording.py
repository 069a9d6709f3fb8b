"""A recording as text: the file, the key of a request, the client, and what a changed prompt makes stale."""

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import prompts, settings
from querylab.measure.stale import stale
from querylab.models import recording
from querylab.models.differences import differences
from querylab.models.judged import fault
from querylab.models.recording import NoRecording, RecordedClient, Reply, Unrecorded
from querylab.pipeline.client import make_client
from querylab.pipeline.config import HYDE, MULTI_QUERY
from querylab.pipeline.lab import Lab

REQUEST = prompts.hyde("年假几天")
ANSWER = "员工每年可休若干天年假。"


def reply_to(request: dict[str, Any], text: str = ANSWER, task: str = "hyde", **more: Any) -> Reply:
    return Reply(recording.key(request), task, "年假几天", text, **more)


def ask(client: Any, request: dict[str, Any]) -> Any:
    return asyncio.run(client.messages.create(**request))


# ── The file ────────────────────────────────────────────────────────────────────────────────────
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
INPUTS = st.dictionaries(st.sampled_from(["query", "also"]), TEXTS, max_size=2)
REPLIES = st.builds(
    Reply,
    key=st.text("0123456789abcdef", min_size=20, max_size=20),
    task=st.sampled_from(["hyde", "agent", "rewrite"]),
    about=TEXTS,
    text=TEXTS,
    tool_use=st.lists(INPUTS, max_size=2).map(tuple),
    stop_reason=st.sampled_from(["end_turn", "tool_use", "refusal"]),
    family=TEXTS,
    date=st.sampled_from(["", "2026-11-30"]),
    usage=st.none() | st.tuples(st.integers(1, 999), st.integers(1, 999)),
    seconds=st.none() | st.floats(0, 100),
)


@given(st.lists(REPLIES, max_size=6, unique_by=lambda reply: reply.key), st.randoms())
def test_what_is_written_is_read_and_its_order_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, replies: list[Reply], chance: random.Random
) -> None:
    path = tmp_path_factory.mktemp("corpus") / "a.jsonl"
    recording.write(path, replies)
    first = path.read_bytes()
    assert recording.load(path) == {reply.key: reply for reply in replies}
    assert first.count(b"\n") == len(replies)
    recording.write(path, chance.sample(replies, len(replies)))
    assert path.read_bytes() == first
    assert [item.name for item in path.parent.iterdir()] == ["a.jsonl"]


def test_a_line_can_be_read_in_a_diff(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    recording.write(path, [replace(reply_to(REQUEST), family="a family", date="2026-11-30")])
    line = path.read_text(encoding="utf-8")
    assert ANSWER in line and "年假几天" in line
    assert set(json.loads(line)) == {"key", "task", "about", "text", "stop_reason", "family", "date"}


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    recording.write(path, [reply_to(REQUEST)])
    whole = path.read_text(encoding="utf-8")
    for broken in ("{", "[1]", "5", '{"key": "x"}', '{"key": "x", "task": "", "about": "", "text": "", "more": 1}'):
        path.write_text(f"{whole}{broken}\n", encoding="utf-8")
        with pytest.raises(NoRecording, match=r"a\.jsonl, line 2"):
            recording.load(path)
    path.write_text(whole + whole.replace(ANSWER, "另一个答复"), encoding="utf-8")
    with pytest.raises(NoRecording, match="stands twice with different replies"):
        recording.load(path)
    path.write_text(whole + whole, encoding="utf-8")
    assert len(recording.load(path)) == 1


def test_a_recording_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    recording.write(recording.path_of("mine", tmp_path), [])
    with pytest.raises(NoRecording, match=r"other\.jsonl\. Which there are: mine"):
        recording.load(recording.path_of("other", tmp_path))
    for name in ("", "../a", "a/b"):
        with pytest.raises(NoRecording, match="plain name"):
            recording.path_of(name, tmp_path)


# ── The key ─────────────────────────────────────────────────────────────────────────────────────
def test_the_key_does_not_know_the_model_but_all_that_it_was_shown() -> None:
    same = recording.key(REQUEST)
    assert recording.key(REQUEST | {"model": "another"}) == same
    assert recording.key(REQUEST | {"thinking": {"type": "enabled", "budget_tokens": 9}}) == same
    assert recording.key(dict(reversed(REQUEST.items()))) == same
    for change in ({"system": "x"}, {"messages": []}, {"max_tokens": 1}, {"tools": [prompts.SEARCH_TOOL]}):
        assert recording.key(REQUEST | change) != same
    assert len(same) == 20


def rounds(*names: str, query: str = "年假") -> dict[str, Any]:
    """A request of the agentic loop after as many rounds as there are tool-call ids."""
    messages: list[dict[str, Any]] = []
    for name in names:
        call = {"type": "tool_use", "id": name, "name": "search", "input": {"query": query}}
        result = {"type": "tool_result", "tool_use_id": name, "content": "..."}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return prompts.agent("年假几天", messages)


def test_the_key_does_not_know_how_tool_calls_are_numbered() -> None:
    same = recording.key(rounds("toolu_1", "toolu_2"))
    assert recording.key(rounds("call-9", "call-8")) == same
    assert recording.key(rounds("toolu_2", "toolu_1")) == same
    assert recording.key(rounds("toolu_1")) != same
    assert recording.key(rounds("toolu_1", "toolu_2", query="病假")) != same


# ── The client ──────────────────────────────────────────────────────────────────────────────────
def test_it_answers_what_is_recorded_and_never_invents() -> None:
    reply = reply_to(REQUEST, usage=(70, 11))
    client = RecordedClient("a", {reply.key: reply})
    message = ask(client, REQUEST)
    assert message.content[0].text == ANSWER
    assert (message.usage.input_tokens, message.usage.output_tokens) == (70, 11)
    other = prompts.hyde("病假几天")
    with pytest.raises(Unrecorded, match="recording a has no reply for the task 'hyde' on: 病假几天"):
        ask(client, other)
    assert client.missing == {recording.key(other): other}
    with pytest.raises(TypeError):
        ask(client, REQUEST | {"temperature": 0})


def test_a_kept_failure_fails_again() -> None:
    for stop in ("refusal", "max_tokens"):
        reply = reply_to(REQUEST, stop_reason=stop)
        assert ask(RecordedClient("a", {reply.key: reply}), REQUEST).stop_reason == stop
        assert fault(reply)


JUDGED = [
    ("hyde", "一段文字", True),
    ("hyde", "", False),
    ("hyde", "抱歉，我无法回答这个问题。", False),
    ("rewrite", "```\n```", False),
    ("classify", "multi-hop", True),
    ("classify", "也许是 multi-hop", False),
    ("understand_intent", '```json\n{"intent": "factoid"}\n```', True),
    ("understand_intent", '{"intent": "question"}', False),
    ("understand_complexity", '{"complexity": "SIMPLE"}', False),
    ("understand", "我不知道", False),
]


@pytest.mark.parametrize(("task", "text", "usable"), JUDGED)
def test_a_reply_is_judged_by_the_rules_of_its_task(task: str, text: str, usable: bool) -> None:
    assert (fault(reply_to(REQUEST, text, task)) == "") is usable


def test_a_tool_call_needs_no_text() -> None:
    assert not fault(reply_to(REQUEST, "", "agent", tool_use=({"query": "年假"},), stop_reason="tool_use"))
    assert fault(reply_to(REQUEST, "", "agent"))


def test_replaying_without_a_file_replays_the_shipped_recording(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert settings.recording() == settings.RECORDINGS[0] == "a"
    monkeypatch.setattr(recording.RecordedClient.of.__func__, "__defaults__", (tmp_path,))
    recording.write(recording.path_of("a", tmp_path), [reply_to(REQUEST)])
    recording.write(recording.path_of("b", tmp_path), [reply_to(REQUEST, "另一段")])
    assert ask(make_client("replay"), REQUEST).content[0].text == ANSWER
    monkeypatch.setenv("LAB_RECORDING", "b")
    assert ask(make_client("replay"), REQUEST).content[0].text == "另一段"


# ── Where two differ ────────────────────────────────────────────────────────────────────────────
def test_differences_are_counted_by_task_with_examples() -> None:
    asked = [prompts.hyde(f"问题{number}") for number in range(4)]
    first = {reply.key: reply for reply in (reply_to(request, f"答{i}") for i, request in enumerate(asked[:3]))}
    second = {reply.key: reply for reply in (reply_to(request, "答1 ") for request in asked[1:])}
    (found,) = differences(first, second, examples=1)
    assert (found.task, found.both, found.differing, found.share) == ("hyde", 2, 1, 0.5)
    assert found.only_first == (recording.key(asked[0]),) and found.only_second == (recording.key(asked[3]),)
    assert (found.examples[0].first, found.examples[0].second) == ("答2", "答1")
    assert differences(first, {})[0].share is None


# ── A changed prompt ────────────────────────────────────────────────────────────────────────────
def test_a_stale_prompt_is_named_with_its_recordings_and_the_commands(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = replace(lab.corpus, root=tmp_path, questions=lab.corpus.questions[:3])
    tried = replace(lab, corpus=few)
    rows = (HYDE, MULTI_QUERY)
    for name in "ab":
        asked = [prompts.hyde(question.question) for question in few.questions]
        replies = [reply_to(request, f"草稿{name}") for request in asked]
        asked = [prompts.multi_query(question.question) for question in few.questions]
        replies += [reply_to(request, f"说法{name}", "multi_query") for request in asked]
        recording.write(recording.path_of(name, tmp_path), replies)
    assert asyncio.run(stale(tried, rows, ["questions"], dialogues=False)) == []
    monkeypatch.setattr(prompts, "HYDE", replace(prompts.HYDE, system=f"{prompts.HYDE.system}又及"))
    told = asyncio.run(stale(tried, rows, ["questions"], dialogues=False))
    assert len(told) == 2
    for name, words in zip("ab", told, strict=True):
        assert f"recording {name} lacks hyde 3." in words
        assert f"record missing --recording {name} --corpus {tmp_path} --out requests.jsonl" in words
        assert f"record run --batch requests.jsonl --to {name}" in words
