"""``record add``, ``compare``, ``export`` and ``import``: whatever comes back, in any order, however often."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from querylab import prompts, settings
from querylab.__main__ import main
from querylab.models import recording, requests
from querylab.models.recording import Reply
from querylab.models.replay import ReplayStore

from checks.fake_api import FakeAPI, message
from checks.live_setup import Connect, ask, connect, key

__all__ = ["connect", "key"]  # fixtures

ASKED = {f"r{number}": prompts.hyde(f"问题{number}") for number in range(4)}
MODEL = settings.DEFAULT_MODEL


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    return tmp_path / "corpus"


def lines(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def asked_in(folder: Path, asked: dict[str, dict[str, Any]] = ASKED) -> Path:
    return lines(folder / "requests.jsonl", [{"custom_id": name, "params": asked[name]} for name in asked])


def said(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"custom_id": name, "result": {"type": "succeeded", "message": message(ASKED["r0"], text) | more}}


def errored(name: str) -> dict[str, Any]:
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "too long"}}
    return {"custom_id": name, "result": {"type": "errored", "error": error}}


def add(folder: Path, rows: Sequence[dict[str, Any]], *more: str, to: str = "a", named: bool = True) -> int:
    results = lines(folder / "results.jsonl", rows)
    which = ["--requests", str(asked_in(folder))] if named else []
    return main(["record", "add", str(results), *which, "--to", to, "--corpus", str(folder / "corpus"), *more])


def held(corpus: Path, name: str = "a") -> dict[str, Reply]:
    return recording.load(recording.path_of(name, corpus))


# ── add ─────────────────────────────────────────────────────────────────────────────────────────
def test_all_kinds_of_results_are_kept_or_listed(
    tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        said("r0", "一段文字"),
        errored("r1"),
        {"custom_id": "r2", "result": {"type": "canceled"}},
        {"custom_id": "r3", "result": {"type": "expired"}},
        said("r9", "谁问的"),
        {"custom_id": "r3", "result": {"type": "succeeded", "message": {"content": None}}},
    ]
    assert add(tmp_path, rows, "--date", "2026-11-30", "--family", "a family") == 1
    shown = capsys.readouterr()
    assert "1 new; 1 in all; 4 not used" in shown.out
    for words in ("r1: errored: too long", "r2: canceled", "r3: expired", "r9: not in "):
        assert f"not used: {words}" in shown.err
    (reply,) = held(corpus).values()
    assert reply.key == recording.key(ASKED["r0"])
    assert (reply.task, reply.about, reply.text) == ("hyde", "问题0", "一段文字")
    assert (reply.family, reply.date, reply.usage, reply.seconds) == ("a family", "2026-11-30", (100, 20), None)


def test_the_order_of_results_does_not_matter_nor_how_often_they_come(tmp_path: Path, corpus: Path) -> None:
    rows = [said("r0", "零"), said("r1", "一"), errored("r1"), said("r0", "零"), said("r2", "二"), said("r2", "贰")]
    files = set()
    for order in itertools.permutations(rows):
        path = recording.path_of("a", corpus)
        path.unlink(missing_ok=True)
        assert add(tmp_path, order) == 1  # r2 has two replies, and nobody chooses
        files.add(path.read_bytes())
    assert len(files) == 1
    assert sorted(reply.text for reply in held(corpus).values()) == ["一", "零"]


def test_the_same_results_twice_change_nothing(
    tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [said("r0", "零"), said("r1", "一")]
    assert add(tmp_path, rows) == 0
    before = recording.path_of("a", corpus).read_bytes()
    capsys.readouterr()
    assert add(tmp_path, rows) == 0
    assert "0 new; 2 in all; 0 not used" in capsys.readouterr().out
    assert recording.path_of("a", corpus).read_bytes() == before
    assert add(tmp_path, [said("r0", "别的")]) == 1
    assert "recorded already with another reply; that one stays" in capsys.readouterr().err
    assert recording.path_of("a", corpus).read_bytes() == before


def test_a_failure_of_the_model_is_kept_and_counted(
    tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        said("r0", "", content=[], stop_reason="refusal"),
        said("r1", "抱歉，我无法回答。"),
        said("r2", "半句", stop_reason="max_tokens"),
        said("r3", "一段"),
    ]
    assert add(tmp_path, rows) == 0
    shown = capsys.readouterr()
    assert "4 new, 3 of them failures, kept as they are; 4 in all; 0 not used" in shown.out
    assert shown.err.count("kept as a failure") == 3
    assert {reply.stop_reason for reply in held(corpus).values()} == {"refusal", "max_tokens", "end_turn"}


def test_without_requests_another_recording_says_what_was_asked(
    tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(tmp_path, [said(name, f"甲{name}") for name in ASKED]) == 0
    first = held(corpus)
    rows = [said(reply.key, f"乙{reply.about}") for reply in first.values()]
    assert add(tmp_path, [*rows, said("unknown", "谁")], to="b", named=False) == 1
    assert "unknown: not in another recording of this corpus: name them with --requests" in capsys.readouterr().err
    second = held(corpus, "b")
    assert second.keys() == first.keys()
    for name, reply in second.items():
        assert (reply.task, reply.about) == (first[name].task, first[name].about)
        assert reply.text == f"乙{reply.about}"


def test_lines_that_are_no_results_are_named(tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "results.jsonl"
    for text in ("{", "[]"):
        results.write_text(f"\n{text}\n", encoding="utf-8")
        assert main(["record", "add", str(results), "--to", "a", "--corpus", str(corpus)]) == 2
        assert "results.jsonl, line 2" in capsys.readouterr().err
    assert main(["record", "add", str(tmp_path / "no.jsonl"), "--to", "a", "--corpus", str(corpus)]) == 2
    assert "no.jsonl cannot be read" in capsys.readouterr().err
    assert add(tmp_path, [{}, {"custom_id": "r0", "result": 5}]) == 1
    odd = said("r0", "一段", stop_reason="bored")
    assert add(tmp_path, [odd, said("r1", "半\ud800个")]) == 1
    assert "its message is none (stop_reason 'bored')" in capsys.readouterr().err
    assert [reply.text for reply in held(corpus).values()] == ["半\ufffd个"]


# ── compare ─────────────────────────────────────────────────────────────────────────────────────
def test_compare_shows_shares_examples_and_what_only_one_has(
    tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(tmp_path, [said("r0", "同"), said("r1", "甲"), said("r2", "独")]) == 0
    assert add(tmp_path, [said("r0", "同"), said("r1", "乙")], to="b") == 0
    capsys.readouterr()
    command = ["record", "compare", "a", "b", "--corpus", str(corpus)]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "50%" in shown and "hyde: 问题1\n  a: 甲\n  b: 乙" in shown
    assert main([*command, "--json"]) == 0
    (task,) = json.loads(capsys.readouterr().out)["tasks"]
    assert (task["task"], task["both"], task["differing"], task["share"]) == ("hyde", 2, 1, 0.5)
    assert task["only_first"] == [recording.key(ASKED["r2"])] and task["only_second"] == []
    assert main(["record", "compare", "a", "nobody", "--corpus", str(corpus)]) == 2


# ── export and import ───────────────────────────────────────────────────────────────────────────
def test_a_live_run_becomes_a_recording_with_its_tokens_and_times(
    tmp_path: Path, corpus: Path, connect: Connect, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeAPI() as api:
        client = connect(api)
        for request in ASKED.values():
            ask(client, **request)
    seconds = {requests.question(json.loads(form)): found.seconds for form, found in client.store.asked()}
    command = ["record", "export", str(client.store.path), "--to", "a", "--corpus", str(corpus)]
    assert main(command) == 0
    assert "4 new, 4 in all" in capsys.readouterr().out
    replies = held(corpus)
    assert set(replies) == {recording.key(request) for request in ASKED.values()}
    for reply in replies.values():
        assert (reply.text, reply.usage, reply.family) == (reply.about, (100, 20), MODEL)
        assert reply.seconds == seconds[reply.about] > 0
    assert main(command) == 0 and "0 new, 4 in all" in capsys.readouterr().out


def test_a_file_of_several_models_asks_whose(
    tmp_path: Path, corpus: Path, connect: Connect, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "claude-haiku-4-5"
    with FakeAPI() as api:
        client = connect(api)
        for model in (MODEL, other):
            ask(client, **(ASKED["r0"] | {"model": model}))
    command = ["record", "export", str(client.store.path), "--to", "a", "--corpus", str(corpus)]
    assert main(command) == 2
    assert "say whose with --model" in capsys.readouterr().err
    assert main([*command, "--model", "nobody"]) == 2
    assert main([*command, "--model", other]) == 0
    assert [reply.family for reply in held(corpus).values()] == [other]


def test_a_recording_becomes_a_file_and_comes_back_without_invented_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_corpus(tmp_path)
    asked = [prompts.hyde("工卡丢了怎么办"), prompts.hyde("没有人问")]
    counted = Reply(recording.key(asked[0]), "hyde", "工卡丢了怎么办", "补办。", family="f", date="2026-11-30",
                    usage=(70, 11), seconds=0.5)  # fmt: skip
    bare = Reply(recording.key(asked[1]), "hyde", "没有人问", "一段。", family="f", date="2026-11-30")
    recording.write(recording.path_of("a", folder), [counted, bare])
    before = recording.path_of("a", folder).read_bytes()
    target = tmp_path / "a.sqlite"
    command = ["record", "import", "a", "--to", str(target), "--corpus", str(folder), "--rows", "named"]
    assert main(command) == 0
    shown = capsys.readouterr()
    assert "1 of 2 replies" in shown.out and "tokens of 1 replies were never counted" in shown.out
    assert "1 belong to requests that no row makes" in shown.err
    assert main(command) == 2 and "not overwritten" in capsys.readouterr().err
    target.unlink()
    more = lines(tmp_path / "more.jsonl", [{"custom_id": "x", "params": asked[1]}])
    assert main([*command, "--requests", str(more)]) == 0
    with ReplayStore(target, read_only=True) as store:
        assert len(store) == 2
    monkeypatch.setenv("LAB_REPLAY", str(target))
    monkeypatch.setenv("MOCK", "replay")
    from querylab.pipeline.client import make_client

    client = make_client()
    texts = [asyncio.run(client.messages.create(**request)).content[0].text for request in asked]
    client.close()
    assert texts == ["补办。", "一段。"]
    assert main(["replay", str(target)]) == 0
    assert main(["record", "export", str(target), "--to", "b", "--family", "f", "--corpus", str(folder)]) == 0
    assert recording.path_of("b", folder).read_bytes() == before


def small_corpus(tmp_path: Path) -> Path:
    """A corpus of one document and one question."""
    folder = tmp_path / "small"
    (folder / "docs").mkdir(parents=True)
    (folder / "manifest.toml").write_text(
        'name = "small"\nlanguage = "zh"\n[gates]\nbm25 = 0.5\ncosine = 0.5\n', encoding="utf-8"
    )
    (folder / "docs" / "01-card.md").write_text(
        "---\nid: card\ntitle: 工卡\n---\n\n## 遗失\n\n工卡丢了向行政部补办。\n", encoding="utf-8"
    )
    question = {"id": "q01", "tier": "single", "question": "工卡丢了怎么办", "evidence": ["card"],
                "grades": {"card#1": 2}, "answer": "向行政部补办。"}  # fmt: skip
    lines(folder / "questions.jsonl", [question])
    return folder
