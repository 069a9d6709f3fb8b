"""The recording: the same request is the same reply, whatever happens to processes and files."""

import asyncio
import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import prompts, settings
from querylab.__main__ import main
from querylab.commands.ledger import ledger_note
from querylab.measure.compare import compare
from querylab.measure.evaluate import evaluate
from querylab.models import money, requests
from querylab.models.replay import RecordingError, ReplayStore
from querylab.models.reply import LastingFailure, NotRecorded
from querylab.pipeline.client import make_client
from querylab.pipeline.config import BASELINE, EVERYTHING, HYDE, MULTI_QUERY
from querylab.pipeline.lab import Lab

from checks import fake_api
from checks.fake_api import KEY, FakeAPI
from checks.live_setup import Connect, ask, connect, key

__all__ = ["connect", "key"]  # fixtures

REQUEST = prompts.rewrite([], "年假几天")
FORM = requests.canonical(REQUEST)
REPLY = '{"id": "msg"}'


def keep(store: ReplayStore, form: str, reply: str = REPLY, seconds: float = 0.5) -> None:
    store.put(form, "rewrite", settings.DEFAULT_MODEL, reply, seconds, 1)


# ── A second run ────────────────────────────────────────────────────────────────────────────────
def test_a_second_run_costs_nothing_and_says_the_same(lab: Lab, connect: Connect) -> None:
    with FakeAPI(answer=fake_api.by_rule) as api:
        first_client = connect(api)
        asked = lab.corpus.questions[::2]
        first = asyncio.run(evaluate(EVERYTHING, asked, replace(lab, client=first_client)))
        sent = len(api.seen)
        client = connect(api, purse=money.Purse(0.0))
        second = asyncio.run(evaluate(EVERYTHING, asked, replace(lab, client=client)))
    assert len(api.seen) == sent == len(client.store)
    assert [trace.searches for trace in second.traces] == [trace.searches for trace in first.traces]
    assert second.paid_usd == client.spent_usd == 0
    assert 0 < first.paid_usd == pytest.approx(first_client.spent_usd)
    assert all((call.replayed, call.attempts, call.paid_usd) == (True, 0, 0.0) for call in second.calls)
    assert not any(call.replayed for call in first.calls)
    one, two = first.row(), second.row()
    assert two["latency_p50_s"] is None and one["latency_p50_s"] > 0
    assert two | {"latency_p50_s": None} == one | {"latency_p50_s": None}  # the price of the technique is the same
    assert f"{len(second.calls)} of {len(second.calls)} calls replayed" in ledger_note(second)


def test_a_reply_comes_back_as_it_was(connect: Connect) -> None:
    usage = {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 11}
    with FakeAPI([fake_api.THINKING_FIRST], always=fake_api.altered(usage=usage)) as api:
        client = connect(api)
        for request in (REQUEST, prompts.hyde("年假几天")):
            fresh, _ = ask(client, **request)
            again, noted = ask(client, **request)
            assert noted.replayed
            assert type(again) is type(fresh)
            assert again.to_json() == fresh.to_json()
            assert [type(block) for block in again.content] == [type(block) for block in fresh.content]


def test_only_questions_answered_without_a_recording_count_for_latency(lab: Lab, connect: Connect) -> None:
    with FakeAPI(always=fake_api.hang(0.1)) as api:
        live = replace(lab, client=connect(api))
        asyncio.run(evaluate(HYDE, lab.corpus.questions[:2], lab=live))
        report = asyncio.run(evaluate(HYDE, lab.corpus.questions[:3], lab=live))
    assert len(report.cold_seconds) == 1
    assert report.row()["latency_p50_s"] == report.cold_seconds[0] > 0.1


def test_a_fresh_client_asks_anew_and_the_first_reply_stays(connect: Connect) -> None:
    with FakeAPI() as api:
        ask(connect(api), **REQUEST)
        client = connect(api, fresh=True)
        first = client.store.get(FORM)
        for _ in range(2):
            _, noted = ask(client, **REQUEST)
            assert (noted.replayed, noted.attempts) == (False, 1)
        assert len(api.seen) == 3
        assert client.store.get(FORM) == first


def test_a_fresh_ledger_measures_what_a_recording_cannot(key, tmp_path, monkeypatch, capsys) -> None:
    def rows() -> dict[str, Any]:
        names = ("rewrite (always)", "three rewrites at once")
        assert main(["ledger", "--json", *(word for name in names for word in ("--config", name)), *more]) == 0
        return {row["config"]: row for row in json.loads(capsys.readouterr().out)["rows"]}

    with FakeAPI(answer=fake_api.by_rule) as api:
        for name, value in {
            "MOCK": "0",
            "ANTHROPIC_BASE_URL": api.url,
            "LAB_REPLAY": str(tmp_path / "replay.sqlite"),
        }.items():
            monkeypatch.setenv(name, value)
        more: list[str] = []
        rows()
        again = rows()
        assert again["three rewrites at once"]["latency_p50_s"] is None
        more = ["--fresh"]
        measured = rows()
        assert measured["three rewrites at once"]["latency_p50_s"] > 0
        assert measured["three rewrites at once"]["model_calls"] == again["three rewrites at once"]["model_calls"]
    monkeypatch.setenv("MOCK", "1")
    assert main(["ledger", "--fresh"]) == 2 and "MOCK=0" in capsys.readouterr().err


# ── What a request is ───────────────────────────────────────────────────────────────────────────
def test_the_order_of_arguments_does_not_matter() -> None:
    assert requests.canonical(dict(reversed(REQUEST.items()))) == FORM
    assert requests.canonical(REQUEST | {"timeout": 3.0}) == FORM


def test_every_part_of_a_request_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    composed = unicodedata.normalize("NFC", "café")
    others = [
        REQUEST | {"model": "claude-haiku-4-5-20251001"},
        REQUEST | {"max_tokens": 201},
        REQUEST | {"system": REQUEST["system"] + " "},
        REQUEST | {"thinking": {"type": "adaptive"}},
        REQUEST | {"stop_sequences": ["。"]},
        prompts.rewrite([{"role": "user", "content": "病假呢"}], "年假几天"),
        prompts.rewrite([], "年假几天？"),
        prompts.rewrite([], composed),
        prompts.rewrite([], unicodedata.normalize("NFD", composed)),
    ]
    keys = [requests.key(requests.canonical(request)) for request in [REQUEST, *others]]
    assert len(set(keys)) == len(keys)
    monkeypatch.setattr(prompts, "VERSION", "another")
    assert requests.key(FORM) not in keys


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_equal_requests_are_one_text(request_: dict[str, Any]) -> None:
    shuffled = dict(sorted(request_.items(), reverse=True))
    assert requests.canonical(request_) == requests.canonical(shuffled)
    form = requests.canonical(request_)
    assert form is None or len(requests.key(form)) == 64


def test_what_cannot_be_written_down_is_not_recorded(connect: Connect) -> None:
    with FakeAPI() as api:
        client = connect(api)
        for extra in ({"extra_headers": {"x-secret": "tail"}}, {"extra_query": {"a": "b"}}):
            for _ in range(2):
                message, noted = ask(client, **(REQUEST | extra))
                assert message.stop_reason == "end_turn"
                assert not noted.replayed
        assert len(api.seen) == 4
    assert len(client.store) == 0
    assert requests.canonical({"messages": object()}) is None


# ── Offline, from a recording alone ─────────────────────────────────────────────────────────────
@pytest.fixture
def recording(lab: Lab, connect: Connect, tmp_path: Path) -> Path:
    """A recording of HyDE on all questions, copied while it was still open."""
    with FakeAPI(answer=fake_api.by_rule) as api:
        asyncio.run(evaluate(HYDE, lab=replace(lab, client=connect(api))))
        copy = tmp_path / "class" / "recorded.sqlite"
        copy.parent.mkdir()
        shutil.copy(tmp_path / "replay.sqlite", copy)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["replay.sqlite"]  # one file, no others
    return copy


def test_a_class_replays_from_the_file_alone(lab: Lab, recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("MOCK", "replay")
    monkeypatch.setenv("LAB_REPLAY", str(recording))
    before = recording.read_bytes()
    client = make_client()
    live = replace(lab, client=client)
    baseline, report = asyncio.run(evaluate(BASELINE, lab=live)), asyncio.run(evaluate(HYDE, lab=live))
    assert report.stopped is None
    assert report.row()["model_calls"] == len(lab.corpus.questions)
    assert report.paid_usd == 0
    assert report.row()["cost_per_1000_usd"] > 0
    assert compare([baseline, report]).attrs["modelled"] is False

    asked = lab.corpus.questions[0].question
    missing = asyncio.run(evaluate(MULTI_QUERY, lab=live))
    for words in (str(recording), "'multi_query'", settings.DEFAULT_MODEL, asked):
        assert words in missing.stopped
    trace = asyncio.run(live.ask(asked, (), MULTI_QUERY, answer=False))
    assert trace.stopped == trace.fallbacks[0].reason
    assert trace.context.chunks == baseline.traces[0].context.chunks

    client.close()
    assert recording.read_bytes() == before
    assert [path.name for path in recording.parent.iterdir()] == ["recorded.sqlite"]


def test_a_recording_of_another_model_says_which(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_REPLAY", str(recording))
    monkeypatch.setenv("LAB_MODEL", "claude-haiku-4-5-20251001")
    client = make_client("replay")
    error, noted = ask(client, **prompts.hyde("年假几天"))
    client.close()
    assert isinstance(error, NotRecorded)
    assert f"set LAB_MODEL={settings.DEFAULT_MODEL}" in str(error)
    assert noted.attempts == 0


def test_replaying_needs_a_recording_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_RECORDING", "nobody")
    with pytest.raises(settings.SettingError, match=r"no recording at .*nobody\.jsonl"):
        make_client("replay")
    monkeypatch.setenv("LAB_REPLAY", str(tmp_path / "nowhere.sqlite"))
    with pytest.raises(settings.SettingError, match=r"no recording at .*nowhere\.sqlite"):
        make_client("replay")
    assert list(tmp_path.iterdir()) == []


# ── Two processes, a killed process ─────────────────────────────────────────────────────────────
WRITER = """
import sys
from querylab.models.replay import ReplayStore
store = ReplayStore(sys.argv[1])
first, count = int(sys.argv[2]), int(sys.argv[3])
for number in range(first, first + count):
    store.put(f"request {number}", "rewrite", "model", f"by {first}", 0.1, 1)
    print(number, flush=True)
"""


def writer(path: Path, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def test_two_processes_record_at_once(tmp_path: Path) -> None:
    path = tmp_path / "课堂 #1 100%25" / "shared.sqlite"
    path.parent.mkdir()
    processes = [writer(path, 0, 80), writer(path, 60, 80)]  # 20 of them the same
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    with ReplayStore(path) as store:
        assert len(store) == 140
        assert {store.get(f"request {number}").reply for number in range(10)} == {"by 0"}
    assert [item.name for item in path.parent.iterdir()] == ["shared.sqlite"]


def test_a_killed_process_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite"
    process = writer(path, 0, 100_000)
    for line in process.stdout:
        if int(line) >= 40:
            process.kill()
            break
    done = [int(line) for line in process.stdout.read().split()]
    process.wait(timeout=10)
    process.stdout.close()
    with ReplayStore(path) as store:
        assert all(store.get(f"request {number}") for number in range(41 + len(done)))
        keep(store, FORM)
        assert store.get(FORM).reply == REPLY


def test_the_first_reply_stays(tmp_path: Path) -> None:
    with ReplayStore(tmp_path / "one.sqlite") as store:
        keep(store, FORM)
        keep(store, FORM, '{"id": "later"}')
        assert store.get(FORM).reply == REPLY
        assert len(store) == 1


# ── Damaged, foreign, locked ────────────────────────────────────────────────────────────────────
def made(path: Path, replies: int = 0) -> Path:
    with ReplayStore(path) as store:
        for number in range(replies):
            keep(store, f"request {number}", "x" * 500)
    return path


def spoil(path: Path, kind: str) -> None:
    match kind:
        case "text":
            path.write_text("a text, and no database; long enough to have a header\n" * 9, encoding="utf-8")
        case "cut short":
            made(path, 50)
            path.write_bytes(path.read_bytes()[:9000])
        case "torn":
            made(path, 50)
            whole = bytearray(path.read_bytes())
            whole[4096:12288] = b"\xff" * 8192
            path.write_bytes(whole)
        case "another program's":
            with contextlib.closing(sqlite3.connect(path)) as other:
                other.execute("CREATE TABLE bookmarks (url TEXT)")
                other.commit()
        case "from the future":
            made(path)
            with contextlib.closing(sqlite3.connect(path)) as other:
                other.execute("PRAGMA user_version = 99")
        case "a folder":
            path.mkdir()


WORDS = {
    "text": "damaged",
    "cut short": "damaged",
    "torn": "damaged",
    "another program's": "no recording of this lab",
    "from the future": "format 99",
    "a folder": "cannot be used",
}


@pytest.mark.parametrize("read_only", [False, True], ids=["recording", "replaying"])
@pytest.mark.parametrize("kind", WORDS)
def test_a_file_that_cannot_be_used_is_named_and_not_touched(kind: str, read_only: bool, tmp_path: Path) -> None:
    path = tmp_path / "mine.sqlite"
    spoil(path, kind)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(RecordingError) as caught:
        ReplayStore(path, read_only)
    assert str(path) in str(caught.value)
    if kind != "a folder":
        assert WORDS[kind] in str(caught.value)
        assert path.read_bytes() == before
    if WORDS[kind] == "damaged":
        assert f'mv "{path}"' in str(caught.value)
    assert isinstance(caught.value, settings.SettingError)


def test_an_empty_file_becomes_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    path.touch()
    with pytest.raises(RecordingError, match="no recording"):
        ReplayStore(path, read_only=True)
    with ReplayStore(path) as store:
        keep(store, FORM)
    with ReplayStore(path, read_only=True) as store:
        assert len(store) == 1
        with pytest.raises(RecordingError):
            keep(store, "another")


def test_a_recording_that_breaks_during_a_run_is_no_crash(lab: Lab, connect: Connect) -> None:
    question = lab.corpus.questions[0].question
    with FakeAPI() as api:
        client = connect(api)
        with contextlib.closing(sqlite3.connect(client.store.path)) as other:
            other.execute("DROP TABLE replies")
            other.commit()
        live = replace(lab, client=client)
        trace = asyncio.run(live.ask(question, (), HYDE))
        assert str(client.store.path) in trace.stopped
        assert trace.context.chunks
        assert asyncio.run(evaluate(HYDE, lab=live)).stopped == trace.stopped
    assert api.seen == []  # nothing is paid for that could not be kept


def test_a_recorded_reply_that_is_no_message_is_no_crash(lab: Lab, connect: Connect) -> None:
    with FakeAPI() as api:
        client = connect(api)
        question = lab.corpus.questions[0].question
        keep(client.store, requests.canonical(prompts.hyde(question)), '{"content": 5}')
        trace = asyncio.run(replace(lab, client=client).ask(question, (), HYDE, answer=False))
    assert str(client.store.path) in trace.stopped
    assert trace.context.chunks


def test_a_reply_that_cannot_be_kept_is_used_all_the_same(connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    with FakeAPI() as api:
        client = connect(api)
        client.store._sql.execute("PRAGMA query_only = 1")
        message, noted = ask(client, **REQUEST)
    assert message.stop_reason == "end_turn"
    assert not noted.replayed
    assert "was not recorded" in caplog.text


def test_a_recording_error_is_lasting_and_a_setting() -> None:
    assert issubclass(RecordingError, LastingFailure)
    assert issubclass(RecordingError, settings.SettingError)


# ── For the instructor ──────────────────────────────────────────────────────────────────────────
def test_the_command_line_shows_and_copies_a_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copy = tmp_path / "mine.sqlite", tmp_path / "out" / "class.sqlite"
    with ReplayStore(path) as store:
        for number in range(10):
            keep(store, f"request {number}", seconds=number / 10)
        assert main(["replay", str(path), "--export", str(copy)]) == 0  # also while somebody records
    shown = capsys.readouterr().out
    assert "10 replies" in shown and settings.DEFAULT_MODEL in shown and "rewrite" in shown
    assert "p50 0.45 s" in shown
    assert f"MOCK=replay LAB_REPLAY={copy}" in shown
    with ReplayStore(copy, read_only=True) as store:
        assert len(store) == 10
    assert [item.name for item in copy.parent.iterdir()] == ["class.sqlite"]

    assert main(["replay", str(path), "--export", str(copy)]) == 2
    assert "not overwritten" in capsys.readouterr().err
    monkeypatch.setenv("LAB_REPLAY", str(copy))
    assert main(["replay", "--json"]) == 0
    assert '"replies": 10' in capsys.readouterr().out


def test_the_file_holds_no_key(recording: Path) -> None:
    assert KEY.encode("utf-8") not in recording.read_bytes()
