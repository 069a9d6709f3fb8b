"""Modelled time adds up as real time would; and the meter sees every call, whatever a technique does."""

import asyncio
import time
from types import SimpleNamespace

import anthropic
import httpx2
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from querylab import prompts, settings
from querylab.models.clock import VirtualClock, WallClock
from querylab.models.meter import Meter
from querylab.models.reply import CallFailed, ModelError

from checks.stand_ins import ListRetriever, ScriptedClient, message


def elapsed(work) -> float:
    """Run ``work(clock)`` on a fresh virtual clock and return where the clock stands."""

    async def run():
        clock = VirtualClock()
        await work(clock)
        return clock.now()

    return asyncio.run(run())


# ── Sum and maximum ─────────────────────────────────────────────────────────────────────────────
def test_one_after_the_other_takes_the_sum():
    async def work(clock):
        for seconds in (1.0, 2.0, 3.5):
            await clock.sleep(seconds)

    assert elapsed(work) == 6.5


def test_side_by_side_takes_the_maximum():
    async def work(clock):
        await asyncio.gather(*(clock.sleep(seconds) for seconds in (1.0, 3.5, 2.0)))

    assert elapsed(work) == 3.5


def test_side_by_side_inside_side_by_side():
    async def chain(clock, *durations):
        for seconds in durations:
            await clock.sleep(seconds)

    async def work(clock):
        await asyncio.gather(
            chain(clock, 1, 1), asyncio.gather(chain(clock, 0.5), chain(clock, 1, 2)), clock.sleep(2.5)
        )
        await clock.sleep(1)

    assert elapsed(work) == 4.0


@pytest.mark.parametrize("depth", [0, 1, 3, 4, 6, 8, 12])
def test_depth_does_not_bend_time(depth):
    # A result that climbs up through many tasks is not late: the clock waits until all have run.
    async def nested(clock, level):
        if level == 0:
            return await clock.sleep(1.0)
        async with asyncio.TaskGroup() as group:
            group.create_task(nested(clock, level - 1))

    async def work(clock):
        async def two():
            await nested(clock, depth)
            assert clock.now() == 1.0
            await clock.sleep(1.0)

        await asyncio.gather(two(), clock.sleep(1.5))

    assert elapsed(work) == 2.0


def test_a_task_started_later_starts_later():
    starts = []

    async def late(clock):
        starts.append(clock.now())
        await clock.sleep(2.0)

    async def work(clock):
        await clock.sleep(1.0)
        task = asyncio.create_task(late(clock))
        await clock.sleep(0.5)
        await task

    assert elapsed(work) == 3.0
    assert starts == [1.0]


PLAN = st.recursive(
    st.integers(0, 8).map(float),
    lambda inner: st.tuples(st.sampled_from(["then", "beside"]), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=10,
)


def length(plan) -> float:
    if isinstance(plan, float):
        return plan
    kind, parts = plan
    return sum(map(length, parts)) if kind == "then" else max(map(length, parts))


async def follow(clock, plan):
    if isinstance(plan, float):
        await clock.sleep(plan)
    elif plan[0] == "then":
        for part in plan[1]:
            await follow(clock, part)
    else:
        await asyncio.gather(*(follow(clock, part) for part in plan[1]))


@given(PLAN)
@hypothesis_settings(max_examples=60)
def test_any_plan_takes_as_long_as_it_should(plan):
    assert elapsed(lambda clock: follow(clock, plan)) == length(plan)


def test_many_sleepers_take_no_real_time_and_wake_in_order():
    woken = []

    async def sleeper(clock, number):
        await clock.sleep(float(number % 50))
        woken.append((clock.now(), number))

    began = time.perf_counter()
    total = elapsed(lambda clock: asyncio.gather(*(sleeper(clock, number) for number in range(500))))
    assert time.perf_counter() - began < 3.0  # modelled: 49 seconds
    assert total == 49.0
    assert woken == sorted(woken)
    assert {now for now, _ in woken} == {float(second) for second in range(50)}


def test_the_same_story_every_time():
    def story():
        told = []

        async def actor(clock, name, durations):
            for seconds in durations:
                await clock.sleep(seconds)
                told.append((name, clock.now()))

        elapsed(
            lambda clock: asyncio.gather(
                actor(clock, "a", (1, 1, 1)), actor(clock, "b", (1.5, 0.5, 1)), actor(clock, "c", (3,))
            )
        )
        return told

    first = story()
    assert first == [("a", 1), ("b", 1.5), ("a", 2), ("b", 2), ("c", 3), ("a", 3), ("b", 3)]
    assert all(story() == first for _ in range(5))


def test_no_duration_is_no_time():
    assert elapsed(lambda clock: clock.sleep(0)) == 0.0


def test_a_negative_duration_is_refused():
    with pytest.raises(ValueError, match=r"-0\.1"):
        elapsed(lambda clock: clock.sleep(-0.1))


def test_two_clocks_in_one_loop_do_not_wait_for_each_other():
    async def both():
        clocks = VirtualClock(), VirtualClock()
        await asyncio.wait_for(
            asyncio.gather(follow(clocks[0], ("then", [1.0, 1.0])), follow(clocks[1], ("then", [5.0, 5.0]))), 10
        )
        return [clock.now() for clock in clocks]

    assert asyncio.run(both()) == [2.0, 10.0]


def test_a_sleeper_that_is_cancelled_does_not_hold_the_clock():
    async def work(clock):
        task = asyncio.create_task(clock.sleep(100.0))
        await clock.sleep(1.0)
        task.cancel()
        await clock.sleep(1.0)

    assert elapsed(work) == 2.0


def test_the_wall_clock_runs_by_itself():
    async def run():
        clock = WallClock()
        await clock.sleep(1000.0)  # no-op: the work itself takes the time
        first = clock.now()
        time.sleep(0.01)
        return first, clock.now()

    first, second = asyncio.run(run())
    assert 0 <= first < 1.0
    assert second - first >= 0.01
    assert (WallClock.modelled, VirtualClock.modelled) == (False, True)


# ── The meter ───────────────────────────────────────────────────────────────────────────────────
def reply_of(given: int, written: int, text: str = "一行"):
    reply = message(text)
    reply.usage.input_tokens, reply.usage.output_tokens = given, written
    return reply


def metered(client, found=None):
    return Meter(client, ListRetriever(found or {}), VirtualClock())


def model_seconds(written: int) -> float:
    return settings.FIRST_TOKEN_SECONDS + written / settings.OUTPUT_TOKENS_PER_SECOND


def test_a_call_is_written_down_with_tokens_cost_and_time():
    meter = metered(ScriptedClient(reply_of(1000, 200)))
    reply = asyncio.run(meter.client.messages.create(**prompts.hyde("年假")))
    assert reply.content[0].text == "一行"
    (event,) = meter.events
    assert (event.kind, event.purpose) == ("model", "hyde")
    assert (event.input_tokens, event.output_tokens) == (1000, 200)
    into, out = settings.price(settings.model())
    assert event.cost_usd == pytest.approx((1000 * into + 200 * out) / 1e6)
    assert (event.start, event.seconds) == (0.0, pytest.approx(model_seconds(200)))
    assert event.error is None


@pytest.mark.parametrize("name", list(prompts.TASKS))
def test_the_purpose_is_the_task(name):
    meter = metered(ScriptedClient("x"))
    asyncio.run(meter.client.messages.create(**prompts.request(prompts.TASKS[name], prompts.field("question", "年假"))))
    assert [event.purpose for event in meter.events] == [name]


def test_a_prompt_of_ones_own_is_counted_as_other():
    meter = metered(ScriptedClient("x"))
    asyncio.run(
        meter.client.messages.create(
            model=settings.model(), max_tokens=5, system="写一首诗", messages=[{"role": "user", "content": "好"}]
        )
    )
    assert [event.purpose for event in meter.events] == ["other"]


class Failing:
    """A client whose every call ends in the given error."""

    modelled = True

    def __init__(self, error):
        self.error = error
        self.messages = self

    async def create(self, **request):
        raise self.error


def status_error(kind, status, words):
    response = httpx2.Response(status, request=httpx2.Request("POST", "http://127.0.0.1/v1/messages"))
    return kind(words, response=response, body=None)


ERRORS = [
    (anthropic.APIConnectionError(request=httpx2.Request("POST", "http://127.0.0.1/")), "APIConnectionError"),
    (anthropic.APITimeoutError(request=httpx2.Request("POST", "http://127.0.0.1/")), "APITimeoutError"),
    (status_error(anthropic.RateLimitError, 429, "slow down"), "RateLimitError 429: slow down"),
    (status_error(anthropic.InternalServerError, 529, "overloaded"), "529"),
    (status_error(anthropic.BadRequestError, 400, "no"), "BadRequestError 400"),
    (status_error(anthropic.AuthenticationError, 401, "key"), "AuthenticationError 401"),
    (anthropic.AnthropicError("out of order"), "out of order"),
]


@pytest.mark.parametrize(("error", "words"), ERRORS, ids=[words for _, words in ERRORS])
def test_an_error_of_the_sdk_becomes_a_failed_call_and_is_counted(error, words):
    meter = metered(Failing(error))
    with pytest.raises(CallFailed) as caught:
        asyncio.run(meter.client.messages.create(**prompts.hyde("年假")))
    assert words in str(caught.value)
    assert caught.value.__cause__ is error
    (event,) = meter.events
    assert event.error == str(caught.value)
    assert (event.kind, event.purpose, event.output_tokens, event.cost_usd) == ("model", "hyde", 0, 0.0)


def test_a_model_error_stays_what_it_is_and_is_counted():
    error = ModelError("purse empty")
    meter = metered(Failing(error))
    with pytest.raises(ModelError) as caught:
        asyncio.run(meter.client.messages.create(**prompts.hyde("年假")))
    assert caught.value is error
    assert [event.error for event in meter.events] == ["purse empty"]


def test_a_mistake_in_the_calling_code_is_not_hidden():
    meter = metered(Failing(TypeError("unexpected keyword argument 'temperature'")))
    with pytest.raises(TypeError, match="temperature"):
        asyncio.run(meter.client.messages.create(**prompts.hyde("年假"), temperature=0))


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        SimpleNamespace(),
        SimpleNamespace(input_tokens=None, output_tokens=None),
        SimpleNamespace(input_tokens="x"),
    ],
)
def test_a_reply_without_figures_counts_as_a_call_without_tokens(usage):
    meter = metered(ScriptedClient(SimpleNamespace(content=[], usage=usage)))
    asyncio.run(meter.client.messages.create(**prompts.hyde("年假")))
    (event,) = meter.events
    assert (event.kind, event.input_tokens, event.output_tokens, event.cost_usd) == ("model", 0, 0, 0.0)


def test_every_query_is_one_retrieval():
    meter = metered(ScriptedClient("x"), {"甲": ["a#1"], "乙": ["b#1", "a#1"]})
    one = asyncio.run(meter.retriever.retrieve("甲"))
    many = asyncio.run(meter.retriever.retrieve_many(["甲", "乙", "丙"]))
    assert one.ids == ["a#1"]
    assert [search.ids for search in many] == [["a#1"], ["b#1", "a#1"], []]
    assert [event.detail["query"] for event in meter.events] == ["甲", "甲", "乙", "丙"]
    assert {event.kind for event in meter.events} == {"search"}
    assert [search.query for search in meter.searches] == ["甲", "甲", "乙", "丙"]


def test_nothing_a_technique_does_goes_uncounted():
    """Calls and searches at once, in tasks, in nested functions, one of them failing."""
    replies = [reply_of(10, 80, "一"), reply_of(20, 40, "二"), reply_of(30, 8, "三")]
    meter = metered(ScriptedClient(*replies), {"甲": ["a#1"]})

    async def technique(client, retriever):
        create = client.messages.create  # kept in a variable of its own

        async def inner():
            await retriever.retrieve("甲")
            return await create(**prompts.step_back("年假"))

        task = asyncio.create_task(retriever.retrieve_many(["甲", "乙"]))
        await asyncio.gather(create(**prompts.hyde("年假")), create(**prompts.multi_query("年假")), inner())
        await task

    asyncio.run(technique(meter.client, meter.retriever))
    models = [event for event in meter.events if event.kind == "model"]
    searches = [event for event in meter.events if event.kind == "search"]
    assert sorted(event.purpose for event in models) == ["hyde", "multi_query", "step_back"]
    assert sum(event.output_tokens for event in models) == 128
    assert sum(event.input_tokens for event in models) == 60
    assert len(searches) == len(meter.searches) == 3
    # hyde and multi-query from 0; step-back after its search: the longest of the three is what it takes.
    ends = {event.purpose: event.start + event.seconds for event in models}
    assert ends["hyde"] == pytest.approx(model_seconds(80))
    assert ends["multi_query"] == pytest.approx(model_seconds(40))
    assert ends["step_back"] == pytest.approx(settings.SEARCH_SECONDS + model_seconds(8))
    assert meter.clock.now() == pytest.approx(max(ends.values()))


def test_on_the_wall_clock_time_is_measured():
    class Slow(ScriptedClient):
        async def create(self, **request):
            await asyncio.sleep(0.02)
            return await super().create(**request)

    meter = Meter(Slow(reply_of(1, 10_000)), ListRetriever({}), WallClock())
    asyncio.run(meter.client.messages.create(**prompts.hyde("年假")))
    assert 0.02 <= meter.events[0].seconds < 5.0  # modelled, it would be over two minutes
