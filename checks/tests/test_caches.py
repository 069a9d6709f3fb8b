"""The rewrite cache: what is the same call, who may share, what is kept, and what survives."""

import asyncio
import json
import logging
import multiprocessing
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab import prompts, settings
from querylab.guard.caches import CACHED_TASKS, CachingClient, DiskCache, Kept, RewriteCache, fingerprint
from querylab.pipeline.config import REWRITE_ALWAYS, Config
from querylab.pipeline.techniques import Techniques
from querylab.pipeline.wiring import open_cache

from checks import stream
from checks.stand_ins import ScriptedClient, message

SOLUTION = Techniques.of_track("solution")
KEY, MAY_SHARE = SOLUTION.get("cache_key"), SOLUTION.get("may_share")
CACHED = replace(REWRITE_ALWAYS, name="cached", cache=True)


@pytest.fixture(autouse=True)
def quiet():
    log = logging.getLogger("querylab")
    before = log.level
    log.setLevel(logging.ERROR)
    yield
    log.setLevel(before)


class OneDirection:
    """Every text lies in one direction: nearness always says yes."""

    def encode(self, texts):
        return np.tile(np.array([[1.0, 0.0]]), (len(texts), 1))


class Now:
    """A clock that a test moves."""

    def __init__(self, start=1_800_000_000.0):
        self.time = start

    def __call__(self):
        return self.time


def cache(**options):
    return RewriteCache(OneDirection(), KEY, MAY_SHARE, **{"levels": ("memory", "disk"), **options})


def keep(one, question, text="改写", user="ann", corpus="c"):
    return one.keep(prompts.rewrite([], question), corpus, user, message(text))


def find(one, question, user="ann", corpus="c", history=()):
    return one.find(prompts.rewrite(list(history), question), corpus, user)


# ── The same call ───────────────────────────────────────────────────────────────────────────────
@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_users_and_corpora_never_share_a_key(corpus, user, other_corpus, other_user):
    request = prompts.rewrite([], "年假几天")
    same = (corpus, user) == (other_corpus, other_user)
    assert (KEY(request, corpus, user) == KEY(request, other_corpus, other_user)) is same


def test_nothing_of_one_user_reaches_another():
    for levels in (("memory",), ("meaning",), ("memory", "meaning")):
        one = cache(levels=levels)
        keep(one, "年假几天")
        assert find(one, "年假几天") is not None
        assert find(one, "年假几天", user="bob") is None
        assert find(one, "年假几天", corpus="other") is None
        past = [{"role": "user", "content": "病假呢"}, {"role": "assistant", "content": "十天。"}]
        assert find(one, "年假几天", history=past) is None, "another conversation is another call"


def test_a_corpus_is_known_by_its_content(lab):
    chunk = replace(lab.corpus.documents[0].chunks[0], body="改了一个字")
    document = replace(lab.corpus.documents[0], chunks=(chunk, *lab.corpus.documents[0].chunks[1:]))
    changed = replace(lab.corpus, documents=(document, *lab.corpus.documents[1:]))
    assert fingerprint(lab.corpus) != fingerprint(changed)


# ── What is kept ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "reply",
    [
        message(""),
        message(stop_reason="refusal"),
        message("半句", stop_reason="max_tokens"),
        message("——"),
        None,
        object(),
    ],
)
def test_failures_are_never_kept(reply):
    one = cache(levels=("memory", "meaning"))
    assert one.keep(prompts.rewrite([], "年假几天"), "c", "ann", reply) is False
    assert find(one, "年假几天") is None


def test_a_failed_call_is_asked_again():
    client = ScriptedClient(message(stop_reason="refusal"), "好的改写")
    caching = CachingClient(client, cache(levels=("memory", "meaning")), "c", "ann")

    async def thrice():
        return [await caching.messages.create(**prompts.rewrite([], "年假几天")) for _ in range(3)]

    replies = asyncio.run(thrice())
    assert len(client.requests) == 2
    assert [reply.stop_reason for reply in replies] == ["refusal", "end_turn", "end_turn"]
    assert replies[1].content == replies[2].content and replies[2].usage == replies[1].usage


def test_only_rewriting_is_cached():
    client = ScriptedClient("single-hop")
    caching = CachingClient(client, cache(levels=("memory",)), "c", "ann")

    async def twice():
        for _ in range(2):
            await caching.messages.create(**prompts.classify("年假几天"))

    asyncio.run(twice())
    assert len(client.requests) == 2 and "classify" not in CACHED_TASKS


# ── The levels ──────────────────────────────────────────────────────────────────────────────────
def test_memory_is_lru_of_its_size():
    one = cache(levels=("memory",))
    for number in range(settings.MEMORY_CACHE_ENTRIES):
        keep(one, f"问题{number}")
    assert find(one, "问题0") is not None  # used again: now the second is the oldest
    keep(one, "又一个")
    assert find(one, "问题0") is not None and find(one, "问题1") is None


def test_memory_lives_a_day():
    now = Now()
    one = cache(levels=("memory", "meaning"), now=now)
    keep(one, "年假几天")
    now.time += settings.MEMORY_CACHE_SECONDS - 1
    assert find(one, "年假几天").level == "memory"
    now.time += 2
    assert find(one, "年假几天") is None


def test_meaning_needs_nearness_and_the_rule():
    one = cache(levels=("meaning",))
    keep(one, "请假三天谁批")
    assert find(one, "请问请假3天谁批").level == "meaning"
    for other in ("请假五天谁批", "请假三天不用谁批", "请假三天最晚谁批", "事假三天谁批"):
        assert find(one, other) is None, other


def test_nearness_alone_is_not_reached_below_the_threshold(lab):
    one = RewriteCache(lab.retriever.encoder, KEY, lambda left, right: True, levels=("meaning",))
    keep(one, "年假能结转几天")
    assert find(one, "会议室几点关门") is None


@given(st.text(max_size=20), st.text(max_size=20))
def test_sharing_is_symmetric_and_reflexive(one, other):
    assert MAY_SHARE(one, one)
    assert MAY_SHARE(one, other) == MAY_SHARE(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("由谁致电读者", "何时致电读者"),
        ("续展由谁书面审批", "续展由谁书面申请"),
        ("典藏组的事能找布展组吗", "布展组的事能找典藏组吗"),
        ("证书没续上怎么升级", "证书没续上何时升级"),
        ("馆长的电话是多少", "馆长的邮箱是多少"),
        ("泳镜能借三天吗", "泳镜要借三天吗"),
        ("3天要交多少押金", "超过3天要交多少押金"),
        # Fault 8: who does what to whom.
        ("离职我要提前多久通知公司", "离职公司要提前多久通知我"),
        ("我投诉公司找谁", "公司投诉我找谁"),
        ("我被投诉了怎么办", "我投诉了怎么办"),
    ],
)
def test_questions_that_ask_something_else_share_nothing(one, other):
    assert not MAY_SHARE(one, other) and not MAY_SHARE(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("泳镜怎么借", "请问泳镜如何借"),
        ("泳镜能不能借三天", "泳镜能借3天吗"),
        ("闭馆时间是何时", "闭馆时间是什么时候"),
    ],
)
def test_questions_that_differ_in_their_joints_share(one, other):
    assert MAY_SHARE(one, other) and MAY_SHARE(other, one)


def test_the_stream_is_what_it_says(lab):
    items = stream.stream(lab.corpus)
    assert items == stream.stream(lab.corpus) and len(items) == stream.LENGTH
    assert stream.stream(lab.corpus, 50, seed=1) != stream.stream(lab.corpus, 50, seed=2)
    kinds = Counter(item.kind for item in items)
    assert set(kinds) == {"new", "repeat", "paraphrase", "near miss"} and min(kinds.values()) >= 10
    meaning = {}
    for item in items:
        assert meaning.setdefault(item.text, item.meaning) == item.meaning, "one text has one meaning"


def test_the_rule_prevents_false_joins(lab):
    memory, near, ruled = asyncio.run(stream.every(lab))
    assert memory.false_joins == () and len(near.false_joins) > 5
    assert ruled.false_joins == ()
    assert memory.saved < ruled.saved <= near.saved


# ── The file ────────────────────────────────────────────────────────────────────────────────────
def test_disk_survives_a_restart(tmp_path):
    path = tmp_path / "rewrites.sqlite"
    one = cache(disk=path)
    keep(one, "年假几天")
    one.close()
    again = RewriteCache(OneDirection(), KEY, MAY_SHARE, path)
    assert find(again, "年假几天").level == "disk"
    assert find(again, "年假几天").level == "memory", "found once, it is at hand"
    assert find(again, "请问年假几天").level == "meaning", "the level of meaning comes back too"
    again.close()


def test_disk_is_cleaned_once_a_week(tmp_path):
    now = Now()
    with DiskCache(tmp_path / "r.sqlite") as disk:
        disk.clean(now.time)
        disk.put("old", "s", Kept("问", "{}", now.time))
        now.time += 6 * 86_400
        assert disk.clean(now.time) == 0 and len(disk) == 1, "not yet a week"
        disk.put("new", "s", Kept("问", "{}", now.time))
        now.time += 2 * 86_400
        assert disk.clean(now.time) == 1
        assert disk.get("old") is None and disk.get("new") is not None
        assert disk.clean(now.time) == 0


@pytest.mark.parametrize("content", [b"SQLite format 3\x00" + b"\xff" * 4096, b"no database at all", b"\x00" * 100])
def test_a_damaged_file_costs_the_level_and_not_the_answer(tmp_path, lab, content):
    path = tmp_path / "rewrites.sqlite"
    path.write_bytes(content)
    damaged = replace(lab, cache=open_cache(lab, disk=path))
    trace = asyncio.run(damaged.ask("年假能结转几天", config=CACHED, answer=False))
    assert not trace.refused and trace.model_calls == 1
    assert str(path) in damaged.cache.trouble, "the message says which file"
    assert "may be deleted" in damaged.cache.trouble or "mv " in damaged.cache.trouble, "and what to do"
    assert path.read_bytes() == content, "what was there is not touched"
    trace = asyncio.run(damaged.ask("年假能结转几天", config=CACHED, answer=False))
    assert trace.model_calls == 0, "the other levels go on"


def test_damage_while_running(tmp_path):
    path = tmp_path / "r.sqlite"
    one = cache(disk=path)
    keep(one, "年假几天")
    path.write_bytes(b"\xff" * path.stat().st_size)
    one._memory.clear()
    assert find(one, "年假几天") is None and "damaged" in one.trouble
    assert keep(one, "病假几天") and find(one, "病假几天").level == "memory"


def test_a_file_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as sql:
        sql.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    one = cache(disk=path)
    assert "no rewrite cache of this lab" in one.trouble and path.read_bytes() == before


def write_some(path, name, count):
    with DiskCache(path) as disk:
        for number in range(count):
            disk.put(f"{name}-{number}", "s", Kept(f"问{number}", json.dumps(name), time.time()))


def test_two_processes_lose_nothing(tmp_path):
    path = tmp_path / "r.sqlite"
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=write_some, args=(path, name, 60)) for name in ("a", "b")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    with DiskCache(path) as disk:
        assert len(disk) == 120


def test_a_killed_process_loses_nothing_that_was_kept(tmp_path):
    path = tmp_path / "r.sqlite"
    script = (
        "import sys; from querylab.guard.caches import DiskCache, Kept\n"
        "disk = DiskCache(sys.argv[1]); number = 0\n"
        "while True:\n"
        "    disk.put(str(number), 's', Kept('q', '{}', 1.0)); print(number, flush=True); number += 1\n"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    said = [int(worker.stdout.readline()) for _ in range(30)]
    worker.kill()
    said += [int(line) for line in worker.stdout.read().split("\n") if line.strip().isdigit()]
    worker.wait()
    with DiskCache(path) as disk:
        kept = [disk.get(str(number)) is not None for number in said]
    assert all(kept) and len(kept) >= 30


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE kept SET reply = '{}'",
        "UPDATE kept SET reply = replace(reply, 'assistant', 'nobody')",
        "UPDATE kept SET reply = replace(reply, 'end_turn', 'refusal')",
        "UPDATE kept SET question = x'00ff'",
        "UPDATE kept SET kept = 'yesterday'",
        "UPDATE cleaning SET done = 'x'",
    ],
)
def test_a_damaged_row_is_asked_again(tmp_path, lab, damage):
    path = tmp_path / "r.sqlite"
    here = replace(lab, cache=open_cache(lab, disk=path))
    asyncio.run(here.ask("年假能结转几天", config=CACHED, answer=False))
    here.cache.close()
    with sqlite3.connect(path) as sql:
        sql.execute(damage)
    again = replace(lab, cache=open_cache(lab, disk=path))
    trace = asyncio.run(again.ask("年假能结转几天", config=CACHED, answer=False))
    assert trace.model_calls == (0 if "cleaning" in damage else 1) and not trace.fallbacks
    again.cache.close()
    third = replace(lab, cache=open_cache(lab, disk=path))
    assert asyncio.run(third.ask("年假能结转几天", config=CACHED, answer=False)).model_calls == 0, "it is mended"
    third.cache.close()


def test_a_file_without_its_columns_is_damaged_and_left_alone(tmp_path):
    path = tmp_path / "r.sqlite"
    DiskCache(path).close()
    with sqlite3.connect(path) as sql:
        sql.execute("ALTER TABLE kept DROP COLUMN scope")
    one = cache(disk=path)
    assert "damaged" in one.trouble and "scope" in one.trouble and keep(one, "年假几天")


def test_an_empty_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as sql:
        sql.execute("PRAGMA application_id = 77")
    before = path.read_bytes()
    assert "no rewrite cache of this lab" in cache(disk=path).trouble and path.read_bytes() == before


def test_a_file_that_somebody_holds_is_passed_over_and_used_again(tmp_path, monkeypatch):
    monkeypatch.setattr(DiskCache, "busy_seconds", 0.05)
    path = tmp_path / "r.sqlite"
    one = cache(disk=path, levels=("disk",))
    keep(one, "年假几天")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert find(one, "年假几天") is None and keep(one, "病假几天") and one.trouble == ""
    other.execute("ROLLBACK")
    assert find(one, "年假几天").level == "disk"
    other.execute("BEGIN EXCLUSIVE")
    assert "held by another process" in cache(disk=path).trouble
    other.close()


def test_a_file_that_cannot_be_written_is_still_read(tmp_path, monkeypatch):
    path = tmp_path / "r.sqlite"
    one = cache(disk=path, levels=("disk",))
    keep(one, "年假几天")
    one._disk._sql.execute("PRAGMA query_only = ON")
    assert keep(one, "病假几天") and "cannot be used" in one.trouble
    assert find(one, "年假几天").level == "disk"


def test_a_closed_cache_goes_on_in_memory(tmp_path):
    one = cache(disk=tmp_path / "r.sqlite")
    one.close()
    assert keep(one, "年假几天") and find(one, "年假几天").level == "memory" and one.trouble == ""


def test_age_counts_from_when_a_reply_was_written(tmp_path):
    now = Now()
    levels = ("memory", "disk", "meaning")
    one = cache(disk=tmp_path / "r.sqlite", levels=levels, now=now)
    keep(one, "年假几天")
    now.time += settings.MEMORY_CACHE_SECONDS - 60
    assert find(one, "请问年假几天").level == "meaning"
    now.time += 120
    assert find(one, "请问年假几天") is None, "being found does not make it younger"
    assert find(one, "年假几天").level == "disk"
    now.time += settings.DISK_CACHE_DAYS * 86_400
    assert find(one, "年假几天") is None, "nor does an open file keep it for ever"


def test_a_clock_that_was_wrong_for_a_while_does_no_lasting_harm(tmp_path):
    with DiskCache(tmp_path / "r.sqlite") as disk:
        now = Now().time
        disk.clean(now + 3650 * 86_400)
        disk.put("future", "s", Kept("问", "{}", now + 3650 * 86_400))
        disk.put("old", "s", Kept("问", "{}", now - 30 * 86_400))
        disk.put("new", "s", Kept("问", "{}", now))
        assert disk.clean(now) == 2 and disk.get("new") is not None


# ── On the path ─────────────────────────────────────────────────────────────────────────────────
def test_a_hit_costs_no_call_and_no_time(lab):
    here = replace(lab, cache=open_cache(lab))
    first = asyncio.run(here.ask("年假能结转几天", config=CACHED, answer=False))
    second = asyncio.run(here.ask("年假能结转几天", config=CACHED, answer=False))
    assert (first.model_calls, second.model_calls) == (1, 0)
    assert second.seconds == pytest.approx(settings.SEARCH_SECONDS)
    assert second.rewritten == first.rewritten and second.notes == ("cache: rewrite from memory",)


def test_users_of_one_lab_do_not_share(lab):
    ann = replace(lab, cache=open_cache(lab), user="ann")
    bob = replace(ann, user="bob")
    for one in (ann, bob):
        assert asyncio.run(one.ask("年假能结转几天", config=CACHED, answer=False)).model_calls == 1


def test_without_the_switch_nothing_is_kept(lab):
    here = replace(lab, cache=open_cache(lab))
    for _ in range(2):
        assert asyncio.run(here.ask("年假能结转几天", config=REWRITE_ALWAYS, answer=False)).model_calls == 1
    assert not here.cache.hits


def test_a_lab_without_a_cache_opens_one_in_memory(lab):
    here = replace(lab, cache=None)
    config = Config("hyde cached", hyde=True, cache=True)
    assert [asyncio.run(here.ask("年假几天", config=config, answer=False)).model_calls for _ in range(2)] == [1, 0]


def test_replies_of_the_rules_are_never_given_in_a_model_s_name(lab, tmp_path):
    path = tmp_path / "r.sqlite"
    here = replace(lab, cache=open_cache(lab, disk=path))
    asyncio.run(here.ask("年假能结转几天", config=CACHED, answer=False))
    here.cache.close()
    live = ScriptedClient("年假结转天数")
    live.modelled = False
    there = replace(lab, client=live, cache=open_cache(lab, disk=path))
    trace = asyncio.run(there.ask("年假能结转几天", config=CACHED, answer=False))
    assert len(live.requests) == 1 and trace.rewritten == "年假结转天数"
    there.cache.close()


def test_what_the_guard_rejected_is_not_given_again(lab):
    replies = iter(["报销五千元以内谁批", "报销一千元以内由谁批"])

    class Learning(ScriptedClient):
        async def create(self, **request):
            self.requests.append(request)
            return message(next(replies))

    here = replace(lab, client=Learning(), cache=open_cache(lab))
    config = replace(CACHED, guard=True)
    first, second, third = (asyncio.run(here.ask("报销一千元以内谁批", config=config, answer=False)) for _ in range(3))
    assert first.fallbacks[0].step == "guard" and first.rewritten == "报销一千元以内谁批"
    assert second.rewritten == third.rewritten == "报销一千元以内由谁批"
    assert len(here.client.requests) == 2, "the good one is kept"


def test_an_understanding_is_kept_whole_or_not_at_all(lab):
    config = Config("one call", understanding="merged", cache=True)
    here = replace(lab, cache=open_cache(lab))
    first, second = (asyncio.run(here.ask("年假能结转几天", config=config, answer=False)) for _ in range(2))
    assert second.understanding == first.understanding and second.model_calls < first.model_calls
    request = prompts.understand([], "年假几天")
    one = cache(levels=("memory",))
    assert not one.keep(request, "c", "ann", message("好的，我来想想")), "talk around no object"
    assert one.keep(request, "c", "ann", message('{"rewritten": "年假几天"}'))


def test_transport_is_no_part_of_the_key_and_odd_requests_are_just_asked(lab):
    client = ScriptedClient("年假")
    caching = CachingClient(client, cache(levels=("memory",)), "c", "ann")

    async def ask_with(**more):
        await caching.messages.create(**prompts.rewrite([], "年假几天"), **more)

    for more in ({}, {"timeout": 5.0}, {"metadata": object()}, {"extra_headers": {"x": "1"}}):
        asyncio.run(ask_with(**more))
    assert len(client.requests) == 3
