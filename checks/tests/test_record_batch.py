"""``record run --batch`` over real HTTP: half the price, a ceiling, a break, and everything that may come back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from querylab import prompts, settings
from querylab.__main__ import main
from querylab.models import batch, money, recording
from querylab.models.recording import Reply

from checks import fake_api
from checks.fake_api import KEY, FakeAPI, status
from checks.live_setup import key

__all__ = ["key"]  # fixture

ASKED = {f"r{number}": prompts.hyde(f"问题{number}") for number in range(4)}
Run = Callable[..., int]


@pytest.fixture
def run(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command against a local server, with requests of its own."""
    path = tmp_path / "requests.jsonl"
    rows = [{"custom_id": name, "params": request} for name, request in ASKED.items()]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    def command(api: FakeAPI, *more: str, to: str = "a") -> int:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        where = ["--to", to, "--corpus", str(tmp_path), "--every", "0.01"]
        return main(["record", "run", "--batch", str(path), *where, *more])

    return command


def held(folder: Path, name: str = "a") -> dict[str, Reply]:
    return recording.load(recording.path_of(name, folder))


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()}


def test_requests_go_out_once_and_replies_come_into_the_recording(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeAPI() as api:
        api.batches.looks = 2
        assert run(api, "--date", "2026-11-30") == 0
        assert len(api.batches.made) == 1
        (sent,) = api.batches.made.values()
        assert {row["custom_id"]: row["params"] for row in sent} == json.loads(json.dumps(ASKED))
        shown = capsys.readouterr()
        assert "4 requests, at most $" in shown.err and "4 succeeded; $" in shown.out
        assert "in_progress, 0 of 4 done" in shown.err and "ended, 4 of 4 done" in shown.err
        replies = held(tmp_path)
        assert {reply.text for reply in replies.values()} == {f"问题{number}" for number in range(4)}
        assert all((reply.usage, reply.date) == ((100, 20), "2026-11-30") for reply in replies.values())
        assert left(tmp_path) == {"requests.jsonl", "requests.jsonl.results.jsonl"}
        assert run(api) == 0  # nothing is asked, or paid for, twice
        assert len(api.batches.made) == 1
        assert "nothing was sent" in capsys.readouterr().out


def test_a_batch_costs_half(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"custom_id": name, "params": request} for name, request in ASKED.items()]
    most = sum(money.at_most_usd(request) for request in ASKED.values())
    assert batch.at_most_usd(rows) == pytest.approx(most / 2)
    into, out = settings.price(settings.DEFAULT_MODEL)
    usage = {"input_tokens": 40_000, "output_tokens": 1_000}
    with FakeAPI(answer=lambda body: fake_api.message(body, "一段", **usage)) as api:
        assert run(api) == 0
    assert f"${4 * (40_000 * into + 1_000 * out) / 1e6 / 2:.4f} paid" in capsys.readouterr().out


def test_the_ceiling_stops_it_before_anything_is_sent(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"custom_id": name, "params": request} for name, request in ASKED.items()]
    most = batch.at_most_usd(rows)
    monkeypatch.setenv("LAB_MAX_USD", f"{most * 0.99:.9f}")
    with FakeAPI() as api:
        assert run(api) == 2
        assert api.seen == [] and left(tmp_path) == {"requests.jsonl"}
        assert "Raise the ceiling with LAB_MAX_USD" in capsys.readouterr().err
        monkeypatch.setenv("LAB_MAX_USD", f"{most * 1.01:.9f}")
        assert run(api) == 0


def test_what_failed_is_listed_and_asked_again_next_time(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeAPI() as api:
        api.batches.kinds = {"r0": "errored", "r1": "canceled", "r2": "expired"}
        assert run(api) == 1
        shown = capsys.readouterr()
        assert "1 canceled, 1 errored, 1 expired, 1 succeeded" in shown.out
        for words in ("r0: errored: made to fail", "r1: canceled", "r2: expired"):
            assert f"not used: {words}" in shown.err
        assert len(held(tmp_path)) == 1
        api.batches.kinds = {}
        assert run(api) == 0
        assert [len(rows) for rows in api.batches.made.values()] == [4, 3]
    assert len(held(tmp_path)) == 4


# ── A break ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("broken", ["while waiting", "while fetching"])
def test_a_second_start_goes_on_with_the_batch_that_was_sent(
    broken: str, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = [fake_api.OK] * (1 if broken == "while waiting" else 2)
    with FakeAPI([*good, *[status(529, "overloaded", 1)] * 3]) as api:
        assert run(api) == 2
        assert "Run the same command again" in capsys.readouterr().err
        assert left(tmp_path) == {"requests.jsonl", "requests.jsonl.batch.json"}
        assert run(api) == 0
        assert len(api.batches.made) == 1
    assert len(held(tmp_path)) == 4
    assert "requests.jsonl.batch.json" not in left(tmp_path)


def test_ctrl_c_is_a_break_like_any_other(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with FakeAPI() as api:
        with monkeypatch.context() as patch:
            patch.setattr("querylab.commands.record_run._progress", interrupted)
            assert run(api) == 2
        assert "the batch goes on at the server" in capsys.readouterr().err
        assert run(api) == 0
        assert len(api.batches.made) == 1


def test_a_batch_that_was_refused_leaves_nothing_behind(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeAPI([status(429, "slow down", 1)]) as api:
        assert run(api) == 2
        assert left(tmp_path) == {"requests.jsonl"}
        assert len(api.seen) == 1  # making a batch is tried once: a second try could be paid for twice
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-wrong")
        assert run(api) == 2
    shown = capsys.readouterr().err
    assert "slow down" in shown and "ANTHROPIC_API_KEY" in shown and KEY not in shown


def test_an_answer_lost_while_sending_is_not_sent_again_unseen(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeAPI([fake_api.CUT]) as api:
        assert run(api) == 2
        sent = len(api.seen)
        assert run(api) == 2
        assert "Look at the list of batches" in capsys.readouterr().err
        assert len(api.seen) == sent == 1
        state = tmp_path / "requests.jsonl.batch.json"
        (name,) = api.batches.made
        state.write_text(json.dumps(json.loads(state.read_text(encoding="utf-8")) | {"batch": name}), encoding="utf-8")
        assert run(api) == 0
    assert len(held(tmp_path)) == 4


def test_one_batch_never_becomes_two_recordings(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "requests.jsonl.batch.json"
    with FakeAPI() as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        batch.Sent("msgbatch_1", settings.server(), "b").write(state)
        assert run(api) == 2
        assert "a batch for the recording b, not for a" in capsys.readouterr().err
        batch.Sent("msgbatch_1", "api.anthropic.com", "a").write(state)
        assert run(api) == 2
        assert "a batch at api.anthropic.com" in capsys.readouterr().err
        batch.Sent("msgbatch_7", settings.server(), "a").write(state)
        assert run(api) == 2
        assert "does not know the batch" in capsys.readouterr().err
        state.write_text("[]", encoding="utf-8")
        assert run(api) == 2
        assert api.batches.made == {}


def test_what_the_api_would_refuse_is_refused_before(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ASKED["r0"]
    for names in (["a b"], [""], ["x" * 65], ["a", "b", "a"]):
        with pytest.raises(batch.BatchError, match="custom_id"):
            batch.check([{"custom_id": name, "params": request} for name in names])
    with pytest.raises(settings.SettingError, match="No price"):
        batch.check([{"custom_id": "a", "params": request | {"model": "claude-unheard-of"}}])
    monkeypatch.setattr(batch, "MOST", 1)
    with pytest.raises(batch.BatchError, match="Split the file"):
        batch.check([{"custom_id": name, "params": request} for name in "ab"])


def test_without_a_key_it_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with FakeAPI() as api:
        assert run(api) == 2
    assert "ANTHROPIC_API_KEY is not set" in capsys.readouterr().err
