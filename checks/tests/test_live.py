"""The live model over real HTTP: every way it can fail, and that none of them costs an answer."""

import asyncio
import json
import logging
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import anthropic
import pytest
from querylab import prompts, settings
from querylab.commands.ask import trace_json
from querylab.commands.ledger import ledger_note
from querylab.corpus.model import Question
from querylab.measure.compare import compare
from querylab.measure.estimate import estimate_cost
from querylab.measure.evaluate import evaluate
from querylab.measure.report import Report, Stopped
from querylab.models import facts, money, requests
from querylab.models.live import LiveClient
from querylab.models.reply import BrokenReply, BudgetReached, CallFailed, KeyRefused, LastingFailure
from querylab.pipeline.client import make_client
from querylab.pipeline.config import BASELINE, EVERYTHING, HYDE, NAMED, STEP_BACK, Config
from querylab.pipeline.lab import Lab
from querylab.pipeline.trace import Trace

from checks import fake_api
from checks.fake_api import KEY, FakeAPI, Fault, altered, drip, garbage, hang, status
from checks.live_setup import Connect, ask, connect, key

__all__ = ["connect", "key"]  # fixtures

EXPANSIONS = Config("expansions", hyde=True, multi_query=True, step_back=True)
STEPS = {"hyde_queries", "query_variants", "step_back_queries"}
SOON = 5  # milliseconds of retry-after


def rewrite(question: str = "年假几天") -> dict[str, Any]:
    return prompts.rewrite([], question)


def questions(lab: Lab) -> list[Question]:
    """One question of each tier."""
    return [
        next(question for question in lab.corpus.questions if question.tier == tier)
        for tier in ("single", "multi", "unanswerable")
    ]


async def traces(lab: Lab, asked: Sequence[Question], config: Config, answer: bool = True) -> list[Trace]:
    return list(await asyncio.gather(*(lab.ask(question.question, (), config, answer) for question in asked)))


def arrived(found: Sequence[Trace]) -> list[tuple[str, ...]]:
    return [tuple(chunk.id for chunk in trace.context.chunks) for trace in found]


# ── Faults ──────────────────────────────────────────────────────────────────────────────────────
FAULTS: dict[str, tuple[Fault, dict[str, Any], int, str]] = {
    # name: what the server does every time, the client's options, HTTP requests a call, words of the reason
    "429": (status(429, retry_after_ms=SOON), {}, 3, "RateLimitError 429"),
    "529": (status(529, retry_after_ms=SOON), {}, 3, "OverloadedError 529"),
    "500": (status(500, retry_after_ms=SOON), {}, 3, "InternalServerError 500"),
    "500, retries off": (status(500), {"retries": 0}, 1, "InternalServerError 500"),
    "400": (status(400), {}, 1, "BadRequestError 400"),
    "401": (status(401), {}, 1, "does not accept the key"),
    "403": (status(403), {}, 1, "does not accept the key"),
    "402": (status(402), {}, 1, "does not pay"),
    "404": (status(404), {}, 1, "LAB_MODEL"),
    "no credit": (status(400, "Your credit balance is too low"), {}, 1, "does not pay"),
    "retry in an hour": (Fault(429, b"{}", headers={"retry-after": "3600"}), {"call_seconds": 0.3}, 1, "within 0.3 s"),
    "hang": (hang(0.6), {"read_seconds": 0.1}, 3, "no answer in time"),
    "drip": (drip(0.02), {"call_seconds": 0.3}, 1, "within 0.3 s"),
    "cut": (fake_api.CUT, {}, 3, "broke off"),
    "empty": (fake_api.EMPTY, {}, 1, "no text"),
    "blank": (altered(content=[{"type": "text", "text": " \n"}]), {}, 1, "no text"),
    "refusal": (fake_api.REFUSAL, {}, 1, "refused"),
    "truncated": (fake_api.TRUNCATED, {}, 1, "cut off (max_tokens)"),
    "paused": (fake_api.PAUSED, {}, 1, "cut off (pause_turn)"),
    "thinking only": (fake_api.THINKING_ONLY, {}, 1, "no text"),
    "web page": (garbage(b"<html>Sign in</html>", "text/html"), {}, 1, "not a message"),
    "half JSON": (garbage(b'{"id": "msg'), {}, 1, "not JSON"),
    "no UTF-8": (garbage(b"\xff\xfe\x00"), {}, 1, "not JSON"),
    "deep JSON": (garbage(b"[" * 100_000), {}, 1, "not JSON"),
    "other JSON": (garbage(b'{"ok": true}'), {}, 1, "not a message"),
    "null": (garbage(b"null"), {}, 1, "not a message"),
    "list": (garbage(b"[1, 2]"), {}, 1, "not a message"),
    "empty body": (garbage(b""), {}, 1, "not JSON"),
    "no usage": (altered(usage=None), {}, 1, "how many tokens"),
    "negative usage": (altered(usage={"input_tokens": -5, "output_tokens": 1}), {}, 1, "how many tokens"),
    "text is a number": (altered(content=[{"type": "text", "text": 5}]), {}, 1, "not a message"),
    "content is a text": (altered(content="年假"), {}, 1, "not a message"),
    "no stop_reason": (altered(stop_reason=None), {}, 1, "not a message"),
}


SLOW = ("hang", "cut")
"""Faults after which the SDK waits for a second and a half; their answers are not asked for as well."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_no_answer_and_is_never_replayed(name: str, lab: Lab, connect: Connect) -> None:
    fault, options, attempts, words = FAULTS[name]
    asked = questions(lab)
    baseline = asyncio.run(traces(lab, asked, BASELINE))
    with FakeAPI(always=fault) as api:
        client = connect(api, **options)
        live = replace(lab, client=client)
        found = asyncio.run(traces(live, asked, EXPANSIONS, answer=name not in SLOW))

        assert arrived(found) == arrived(baseline)
        for trace in found:
            calls = [event for event in trace.query_side if event.kind == "model"]
            assert [event.attempts for event in calls] == [attempts] * 3
            assert {fallback.step for fallback in trace.fallbacks[:3]} == STEPS  # in the order in which they failed
            assert all(words in fallback.reason for fallback in trace.fallbacks), trace.fallbacks
            assert trace.answer is None
        assert len(client.store) == 0
        assert client.purse.reserved == pytest.approx(0)

        api.always, before = fake_api.OK, len(api.seen)
        client.call_seconds = client.read_seconds = 5.0
        again = asyncio.run(traces(live, asked, EXPANSIONS, answer=False))
        assert [trace.fallbacks for trace in again] == [(), (), ()]
        assert len(api.seen) > before  # asked anew: the bad reply was not kept
        assert len(client.store) == len(api.seen) - before


def test_the_whole_path_survives_an_overload(lab: Lab, connect: Connect) -> None:
    asked = [question for question in lab.corpus.questions if question.tier != "single"] + questions(lab)[:1]
    baseline = asyncio.run(evaluate(BASELINE, asked, lab))
    with FakeAPI(always=status(529, retry_after_ms=1)) as api:
        report = asyncio.run(evaluate(EVERYTHING, asked, replace(lab, client=connect(api, retries=1))))
    for column in ("recall_single_hop", "recall_multi_hop", "ndcg_at_10", "mrr", "refused_rightly", "refused_wrongly"):
        assert report.row()[column] == baseline.row()[column]
    assert report.stopped is None
    assert len(report.calls) >= 5 * len(asked)  # rewrite, route and three expansions were tried for each
    assert all(event.attempts == 2 and event.error for event in report.calls)
    assert f"{len(report.calls)} of {len(report.calls)} calls failed" in ledger_note(report)


def test_retry_after_is_waited_for_and_the_tries_are_counted(lab: Lab, connect: Connect) -> None:
    with FakeAPI([status(429, retry_after_ms=150), status(529, retry_after_ms=SOON)]) as api:
        client, start = connect(api), time.perf_counter()
        message, noted = ask(client, **rewrite())
        assert time.perf_counter() - start >= 0.15
    assert message.content[0].text == "年假几天"
    assert (noted.attempts, noted.replayed) == (3, False)
    assert [seen.retry for seen in api.seen] == [0, 1, 2]
    assert client.store.all()[0].attempts == 3


def test_nobody_listens(lab: Lab, connect: Connect) -> None:
    with FakeAPI() as api:
        client = connect(api, retries=1)
    error, noted = ask(client, **rewrite())
    assert isinstance(error, anthropic.APIConnectionError)
    assert "ConnectError" in str(error)
    assert noted.attempts == 2
    assert client.purse.unsettled == 0  # nothing was sent, so nothing can have cost anything


def test_thinking_before_the_text_is_passed_over(lab: Lab, connect: Connect) -> None:
    question = questions(lab)[0]
    with FakeAPI(always=fake_api.THINKING_FIRST) as api:
        client = connect(api)
        trace = asyncio.run(replace(lab, client=client).ask(question.question, (), EXPANSIONS, answer=False))
    assert trace.fallbacks == ()
    assert len(client.store) == 3


def test_what_is_sent(lab: Lab, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    for model in ("claude-haiku-5-5", "claude-haiku-4-5-20251001"):
        monkeypatch.setenv("LAB_MODEL", model)
        with FakeAPI() as api:
            ask(connect(api), **rewrite())
        body = api.seen[0].body
        assert body["model"] == model
        assert body["thinking"] == {"type": "disabled"}
        assert not {"temperature", "top_p", "top_k"} & body.keys()
        assert api.seen[0].headers["authorization"] == f"Bearer {KEY}"


# ── Many at once ────────────────────────────────────────────────────────────────────────────────
def test_twenty_slow_calls_keep_to_the_places_in_flight(connect: Connect) -> None:
    async def run(client: LiveClient) -> list[Any]:
        return await asyncio.gather(*(client.messages.create(**rewrite(f"问题{n}")) for n in range(20)))

    with FakeAPI(always=Fault(wait=0.05, drip=0.0002)) as api:
        found = asyncio.run(run(connect(api, in_flight=5)))
    assert [message.content[0].text for message in found] == [f"问题{n}" for n in range(20)]
    assert api.most_in_flight == 5
    assert len(api.seen) == 20


def test_twenty_slow_calls_at_once_need_no_retry(connect: Connect) -> None:
    async def run(client: LiveClient) -> list[Any]:
        return await asyncio.gather(*(client.messages.create(**rewrite(f"问题{n}")) for n in range(20)))

    with FakeAPI(always=hang(0.5)) as api:
        asyncio.run(run(connect(api, in_flight=20)))
    assert api.most_in_flight == 20
    assert len(api.seen) == 20


def test_equal_requests_in_flight_are_one_call(connect: Connect) -> None:
    async def one(client: LiveClient) -> tuple[str, facts.CallFacts]:
        with facts.recording() as noted:
            message = await client.messages.create(**rewrite())
        return message.content[0].text, noted

    async def run(client: LiveClient) -> list[Any]:
        return await asyncio.gather(*(one(client) for _ in range(5)))

    with FakeAPI(always=hang(0.05)) as api:
        client = connect(api)
        found = asyncio.run(run(client))
    assert len(api.seen) == 1
    assert [text for text, _ in found] == ["年假几天"] * 5
    assert sorted((noted.replayed, noted.attempts) for _, noted in found) == [(False, 1)] + [(True, 0)] * 4
    assert client.spent_usd == pytest.approx((100 * 0.10 + 20 * 0.50) / 1e6)


def test_equal_requests_in_flight_fail_together_and_are_asked_anew(connect: Connect) -> None:
    async def run(client: LiveClient) -> list[Any]:
        calls = (client.messages.create(**rewrite()) for _ in range(3))
        return await asyncio.gather(*calls, return_exceptions=True)

    with FakeAPI([status(400)], always=hang(0.02)) as api:
        client = connect(api)
        assert all(isinstance(error, anthropic.BadRequestError) for error in asyncio.run(run(client)))
        assert len(api.seen) == 1
        assert [message.stop_reason for message in asyncio.run(run(client))] == ["end_turn"] * 3


def test_a_cancelled_question_does_not_throw_its_reply_away(connect: Connect) -> None:
    async def run(client: LiveClient) -> None:
        first = asyncio.create_task(client.messages.create(**rewrite()))
        await asyncio.sleep(0.05)
        first.cancel()
        await asyncio.wait([first])
        await client.messages.create(**rewrite())

    with FakeAPI(always=hang(0.2)) as api:
        client = connect(api)
        asyncio.run(run(client))
    assert len(api.seen) == 1
    assert len(client.store) == 1


def test_one_client_serves_several_event_loops(connect: Connect) -> None:
    failures: list[BaseException] = []

    def work(client: LiveClient, number: int) -> None:
        try:
            for turn in range(3):
                asyncio.run(client.messages.create(**rewrite(f"问题{number}-{turn}")))
        except BaseException as error:
            failures.append(error)

    with FakeAPI() as api:
        client = connect(api)
        threads = [threading.Thread(target=work, args=(client, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []
    assert len(client.store) == 12


# ── Money ───────────────────────────────────────────────────────────────────────────────────────
def test_the_ceiling_stops_an_evaluation_and_what_was_measured_is_kept(lab: Lab, connect: Connect) -> None:
    n = len(lab.corpus.questions)
    baseline = asyncio.run(evaluate(BASELINE, lab=lab))
    most = money.at_most_usd(prompts.hyde(lab.corpus.questions[0].question))
    full = prompts.HYDE.max_tokens
    with FakeAPI(always=altered(usage={"input_tokens": 300, "output_tokens": full})) as api:
        client = connect(api, purse=money.Purse(20 * most))
        live = replace(lab, client=client)
        report = asyncio.run(evaluate(HYDE, lab=live))

        assert "ceiling" in report.stopped and "LAB_MAX_USD" in report.stopped
        assert 0 < len(report.traces) < n
        assert report.planned == n
        assert all(not trace.fallbacks for trace in report.traces)  # no row half full of fallbacks
        assert report.row()["model_calls"] == len(report.traces)
        assert len(api.seen) == len(client.store)
        assert client.spent_usd + client.purse.unsettled <= client.purse.ceiling
        assert report.paid_usd == pytest.approx(client.spent_usd)
        with pytest.raises(Stopped, match=f"{len(report.traces)} of {n}"):
            report.whole()

        note = ledger_note(baseline, report)
        assert f"HyDE stopped after {len(report.traces)} of {n} questions" in note
        table = compare([baseline, report])
        assert table.attrs["stopped"].keys() == {"HyDE"}
        differences = table.loc["HyDE", ["Δmodel_calls", "Δretrievals"]].tolist()
        assert differences == [len(report.traces), 0]  # taken on equal questions

        seen, client.purse.limit = len(api.seen), client.spent_usd
        trace = asyncio.run(live.ask(lab.corpus.questions[-1].question, (), HYDE))
        assert trace.stopped == trace.fallbacks[0].reason
        assert arrived([trace]) == arrived([baseline.traces[-1]])
        assert len(api.seen) == seen

        client.purse.limit = 1.0
        rest = asyncio.run(evaluate(HYDE, lab=live))
        assert rest.stopped is None and len(rest.traces) == n
        assert len(api.seen) == n  # it went on where it stopped


def test_a_configuration_that_never_began_is_an_empty_row(lab: Lab, connect: Connect) -> None:
    with FakeAPI() as api:
        live = replace(lab, client=connect(api, purse=money.Purse(0.0)))
        report = asyncio.run(evaluate(HYDE, lab=live))
        baseline = asyncio.run(evaluate(BASELINE, lab=live))
    assert api.seen == []
    assert baseline.stopped is None
    assert (len(report.traces), report.planned) == (0, len(lab.corpus.questions))
    assert set(report.row().values()) == {"HyDE", None}
    assert compare([baseline, report]).loc["HyDE"].isna().all()


def test_calls_in_flight_never_exceed_the_ceiling_together(connect: Connect) -> None:
    async def run(client: LiveClient) -> list[Any]:
        calls = (client.messages.create(**rewrite(f"问题{n}")) for n in range(20))
        return await asyncio.gather(*calls, return_exceptions=True)

    most = money.at_most_usd(rewrite("问题10"))
    filled = fake_api.altered(usage={"input_tokens": 1, "output_tokens": rewrite()["max_tokens"]})
    with FakeAPI(always=filled) as api:
        client = connect(api, in_flight=20, retries=0, purse=money.Purse(7 * most))
        found = asyncio.run(run(client))
    refused = [error for error in found if isinstance(error, BudgetReached)]
    assert len(api.seen) == 7
    assert len(refused) == 13
    assert client.spent_usd <= client.purse.ceiling


def test_tries_without_a_reply_count_towards_the_ceiling(connect: Connect) -> None:
    with FakeAPI(always=hang(0.5)) as api:
        client = connect(api, read_seconds=0.05, retries=0)
        ask(client, **rewrite())
        assert client.purse.unsettled == pytest.approx(money.at_most_usd(rewrite()))
        client.purse.limit = 1.5 * money.at_most_usd(rewrite())
        error, noted = ask(client, **rewrite("另一个问题"))
    assert isinstance(error, BudgetReached) and "without a reply" in str(error)
    assert noted.attempts == 0
    assert client.spent_usd == 0


def test_the_ceiling_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert money.Purse().ceiling == settings.DEFAULT_MAX_USD
    for value, amount in (("0.25", 0.25), (" $2 ", 2.0), ("0", 0.0)):
        monkeypatch.setenv("LAB_MAX_USD", value)
        assert money.Purse().ceiling == amount
    for value in ("-1", "lots", "nan", "inf", "1,5"):
        monkeypatch.setenv("LAB_MAX_USD", value)
        with pytest.raises(settings.SettingError, match="LAB_MAX_USD"):
            money.Purse().reserve(0.0)


def test_cached_tokens_are_priced_by_their_own_factor(lab: Lab, connect: Connect) -> None:
    usage = {
        "input_tokens": 1000,
        "output_tokens": 100,
        "cache_creation_input_tokens": 2000,
        "cache_read_input_tokens": 5000,
    }
    with FakeAPI(always=altered(usage=usage)) as api:
        live = replace(lab, client=connect(api))
        trace = asyncio.run(live.ask("年假几天", (), HYDE, answer=False))
    event = next(event for event in trace.events if event.kind == "model")
    assert event.input_tokens == 8000
    assert event.cost_usd == event.paid_usd == pytest.approx((1000 + 2000 * 1.25 + 5000 * 0.1 + 100 * 5) * 0.10 / 1e6)


def test_the_estimate_covers_what_a_run_costs(lab: Lab, connect: Connect) -> None:
    configs = [HYDE, STEP_BACK, EXPANSIONS]  # the last makes the calls of the others again
    asked = lab.corpus.questions[::3]
    rows = asyncio.run(estimate_cost(configs, asked, lab))
    total = rows[-1]
    assert [row.config for row in rows] == [*(config.name for config in configs), "total"]
    assert total.usd == pytest.approx(sum(row.usd for row in rows[:-1]))

    async def run(live: Lab) -> list[Report]:
        return [await evaluate(config, asked, live) for config in configs]

    with FakeAPI(answer=fake_api.by_rule) as api:
        client = connect(api)
        reports = asyncio.run(run(replace(lab, client=client)))
    assert [len(report.calls) for report in reports] == [row.calls for row in rows[:-1]]
    assert len(api.seen) == total.new_calls < total.calls
    assert 0.5 * total.usd < client.spent_usd <= total.usd <= total.at_most_usd


def test_the_default_ceiling_lets_the_default_models_ledger_through(lab: Lab) -> None:
    total = asyncio.run(estimate_cost(NAMED, lab=lab))[-1]
    assert 0 < total.at_most_usd <= settings.DEFAULT_MAX_USD


# ── The key ─────────────────────────────────────────────────────────────────────────────────────
def test_without_a_key_it_says_how_to_set_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, "", "  "):
        monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
        if value is not None:
            monkeypatch.setenv("ANTHROPIC_API_KEY", value)
        monkeypatch.setenv("MOCK", "0")
        with pytest.raises(settings.SettingError, match="ANTHROPIC_API_KEY is not set"):
            make_client()


NO_KEYS = ("sk-ant secret-tail", "sk-ant-\nsecret-tail", "“sk-ant-secret-tail”", "sk-ant-密secret-tail")


@pytest.mark.parametrize("number", range(len(NO_KEYS)))
def test_a_key_that_cannot_be_one_is_refused_unseen(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", NO_KEYS[number])
    with pytest.raises(settings.SettingError) as caught:
        make_client("live")
    text = shown(caught.value)
    assert "secret-tail" not in text


def test_blanks_around_a_key_are_taken_off(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", f" {KEY}\r\n")
    with FakeAPI() as api:
        message, _ = ask(connect(api), **rewrite())
    assert message.stop_reason == "end_turn"


def test_a_wrong_key_ends_an_evaluation_with_a_clear_word(
    lab: Lab, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-wrong")
    with FakeAPI() as api:
        report = asyncio.run(evaluate(HYDE, lab=replace(lab, client=connect(api))))
    assert report.traces == ()
    assert "ANTHROPIC_API_KEY" in report.stopped
    assert len(api.seen) <= 4  # no more than were in flight


def test_a_key_taken_away_later_is_no_crash(lab: Lab, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeAPI() as api:
        client = connect(api)
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        error, _ = ask(client, **rewrite())
    assert isinstance(error, KeyRefused)
    assert api.seen == []


def shown(error: BaseException) -> str:
    """Everything that a verbose traceback would print: the chain, the frames, their variables."""
    chain = traceback.TracebackException.from_exception(error, capture_locals=True)
    return "".join(chain.format()) + repr(error) + repr(getattr(error, "request", ""))


@pytest.mark.parametrize("name", ["401", "400", "529", "hang", "cut", "half JSON", "web page", "drip", "refusal"])
def test_the_key_is_shown_nowhere(
    name: str, lab: Lab, connect: Connect, caplog: pytest.LogCaptureFixture, tmp_path: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    fault, options, _, _ = FAULTS[name]
    with FakeAPI([fault], always=fake_api.OK) as api:
        client = connect(api, **(options | {"retries": 0}))
        error, _ = ask(client, **rewrite())
        live = replace(lab, client=client)
        api.faults = [fault]
        report = asyncio.run(evaluate(HYDE, lab.corpus.questions[:3], lab=live))
        trace = asyncio.run(live.ask("年假几天", (), HYDE))
    if isinstance(error, BaseException):
        assert KEY not in shown(error)
        assert error.__cause__ is None and error.__context__ is None
    told = [caplog.text, repr(client), repr(live.client.messages), repr(report), repr(trace), repr(vars(client))]
    told += [json.dumps(trace_json(trace, HYDE), ensure_ascii=False, default=str), repr(asdict(client.purse))]
    told += [path.read_bytes().decode("utf-8", "replace") for path in tmp_path.iterdir() if path.is_file()]
    assert all(KEY not in text for text in told)
    assert all(seen.headers["authorization"].endswith(KEY) for seen in api.seen)  # though it was used


# ── Settings ────────────────────────────────────────────────────────────────────────────────────
def test_make_client_makes_a_live_one_with_the_settings(
    key: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCK", "0")
    monkeypatch.setenv("LAB_REPLAY", str(tmp_path / "sub" / "mine.sqlite"))
    client = make_client()
    assert isinstance(client, LiveClient)
    assert client.modelled is False
    assert client.store.path == tmp_path / "sub" / "mine.sqlite"
    assert client.purse is money.PURSE
    assert (client.retries, client.in_flight) == (2, settings.CALLS_IN_FLIGHT)
    client.close()


def test_another_server_has_another_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    own = settings.replay_file()
    assert own == settings.ROOT / ".lab" / "replay.sqlite"
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
    assert settings.replay_file() == own
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:8765/")
    assert settings.replay_file() == settings.ROOT / ".lab" / "replay-127.0.0.1.sqlite"


def test_a_model_without_a_price_costs_nothing(connect: Connect) -> None:
    with FakeAPI() as api:
        error, _ = ask(connect(api), **(rewrite() | {"model": "claude-unheard-of"}))
    assert isinstance(error, settings.SettingError)
    assert api.seen == []


def test_kinds_of_failure() -> None:
    assert issubclass(BudgetReached, LastingFailure) and issubclass(LastingFailure, CallFailed)
    assert not issubclass(BrokenReply, LastingFailure)
    assert requests.question(rewrite("年假 <几天> & 多少")) == "年假 <几天> & 多少"
