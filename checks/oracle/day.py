"""Scenes of the day's five techniques: what the model may say, what a search may bring, what a person may ask."""

from collections.abc import Iterator, Sequence
from typing import Any

from querylab.types import INTENTS, Budgets, Hit

from checks.oracle.observe import CLIENT, RETRIEVER, Reply, Scene
from checks.oracle.words import Words, dressed, unusable
from checks.stand_ins import chunk

NEVER = Reply(never=True, kind="模型迟迟不答，调用被取消")


def _asking(function: str, words: Words, replies: Sequence[Reply], question: str = "") -> Iterator[Scene]:
    """A function of client and question, with each of some replies, then with those that cannot be used."""
    for reply in (*replies, *unusable(words), NEVER):
        asked = question or words.question()
        yield Scene(function, (CLIENT, asked), (reply,), question=asked)


# ── rewrite ─────────────────────────────────────────────────────────────────────────────────────
_POINTERS = ("他", "她", "它", "这个", "那个", "这位", "那位", "这些", "那些", "前者", "后者", "上面说的", "刚才说的")


def rewrite(words: Words) -> Iterator[Scene]:
    """Histories of 0 to 10 messages, replies of every kind."""
    yield from _needs(words)
    for turns in (0, 1, 2, 3, 5, 8, 10):
        for reply in dressed(words, words.line())[turns % 3 :: 3]:
            question = words.question()
            yield Scene("rewrite_query", (CLIENT, words.history(turns), question), (reply,), question=question)
    for reply in (*dressed(words, words.line()), *unusable(words), NEVER):
        question = words.question()
        yield Scene("rewrite_query", (CLIENT, words.history(3), question), (reply,), question=question)


def _needs(words: Words) -> Iterator[Scene]:
    def scene(turns: int, question: str, expected: bool | None, why: str) -> Scene:
        return Scene("needs_rewrite", (words.history(turns), question), question=question, why=why, also=expected)

    for question in (words.question(), f"{words.one(_POINTERS)}怎么收费", f"那{words.thing()}呢"):
        yield scene(0, question, False, "没有历史，就没有可指代的东西")
    for pointer in _POINTERS:
        question = f"周末办理{words.thing()}的时候{pointer}需要提前准备哪些材料"
        yield scene(2, question, True, f"有指代：「{pointer}」")
    for end in ("呢", "呢？", "呢?"):
        yield scene(4, f"{words.thing()}在周末和节假日的开放时间{end}", True, "省略句：「……呢」")
    for length in (1, 4, 9, 10, 11, 12):
        yield scene(2, f"{words.thing()}每周开放时间安排"[:length], True, f"{length} 个字：不超过 12 个字的要改写")
    for length in (13, 14, 15):
        yield scene(
            2, f"{words.thing()}每周开放时间安排表说明"[:length], False, f"{length} 个字，没有指代：不必花这次调用"
        )
    for turns in (1, 2, 6):
        question = f"{words.role()}管理的{words.thing()}每周三下午最多可以预约多少个名额"
        yield scene(turns, question, False, "完整的新问题，不必花这次调用")
    question = f"How much does the {words.one(('kiln', 'kayak', 'tent'))} {words.number()} cost per hour on weekdays"
    yield scene(2, question, False, "完整的新问题，不必花这次调用")
    for question in (
        f"那么{words.thing()}每周三下午可以预约多少个名额",
        f"该{words.thing()}每周三下午可以预约多少个名额",
    ):
        yield scene(2, question, None, "")


# ── hyde, step-back ─────────────────────────────────────────────────────────────────────────────
def hyde(words: Words) -> Iterator[Scene]:
    """Drafts of one line and of several, in one block and in two."""
    for function in ("hypothetical_document", "hyde_queries"):
        drafts = [
            Reply(words.statement()),
            Reply("".join(words.statement() for _ in range(4))),
            Reply(f"{words.statement()}\n{words.statement()}\n\n{words.statement()}"),
            Reply(f"关于{words.thing()}的规定\r\n一、{words.statement()}\r\n二、{words.statement()}"),
            Reply(words.statement(), thinking=words.statement(), kind="先是一段思考，然后是草稿"),
            Reply((words.statement(), words.statement()), kind="分成两块的草稿"),
            Reply(f"  {words.statement()}\n"),
        ]
        yield from _asking(function, words, drafts)


def step_back(words: Words) -> Iterator[Scene]:
    """A more general question in every dress; and the same question again."""
    for function in ("step_back_query", "step_back_queries"):
        yield from _asking(function, words, dressed(words, words.line(), "后退问题"))
    for _ in range(2):
        question = words.question()
        for reply in dressed(words, question, "后退问题")[:4]:
            yield Scene("step_back_queries", (CLIENT, question), (reply,), question=question, why="退不出更一般的问题")


# ── multi-query ─────────────────────────────────────────────────────────────────────────────────
def multi_query(words: Words) -> Iterator[Scene]:
    """One to six lines, the question among them or not; rankings with ties and repetitions."""
    random = words.random
    for count in (1, 2, 3, 4, 6):
        for form in ("{}", "{n}. {}", "- {}", "{n}、**{}**"):
            question = words.question()
            lines = [words.line() for _ in range(count)]
            if random.random() < 0.5:
                lines.insert(random.randrange(len(lines) + 1), random.choice([question, lines[0]]))
            text = "\n".join(form.format(line, n=number) for number, line in enumerate(lines, 1))
            if random.random() < 0.3 and len(lines) > 1:
                text = f"以下是几种说法：\n\n{text}\n"
            yield Scene("query_variants", (CLIENT, question), (Reply(text),), question=question)
    yield from _asking("query_variants", words, [Reply(words.line(), thinking=words.line(), kind="先是一段思考")])
    for count in (1, 2, 3, 3, 4, 6):
        yield _search_scene(words, count, least=0, most=12)
    yield _search_scene(words, 2, least=1, most=1)
    yield _search_scene(words, 3, least=12, most=14)


def _search_scene(words: Words, count: int, least: int, most: int) -> Scene:
    random = words.random
    ids = [f"{random.choice('abcxyz')}{random.randrange(30)}#{number}" for number in range(1, 16)]
    found = {words.line(): random.sample(ids, random.randint(least, most)) for _ in range(count)}
    for ranking in found.values():
        if len(ranking) > 2 and random.random() < 0.5:  # one passage twice in one ranking
            ranking.insert(random.randrange(1, len(ranking)), ranking[0])
    return Scene("multi_query_search", (RETRIEVER, list(found)), find=lambda query: found.get(query, ()), also=found)


# ── router ──────────────────────────────────────────────────────────────────────────────────────
_UNDECIDED = (
    "not multi-hop; it is single-hop",
    "direct or multi-hop",
    "directly",
    "indirect",
    "我觉得是多跳",
    "？",
    "multi-hop\nsingle-hop",
    "hop",
    "unknown",
)


def router(words: Words) -> Iterator[Scene]:
    """Labels in every dress and none, bridges, and the three ways; also for what begins like a greeting."""
    yield from _labels(words)
    for count in (0, 1, 2, 3, 5, 8):
        question = words.question()
        hits = [_hit(words, rank) for rank in range(1, count + 1)]
        for reply in dressed(words, words.line(), "查询")[count % 2 :: 2]:
            yield Scene("bridge_query", (CLIENT, question, hits), (reply,), question=question)
    for reply in (*unusable(words), NEVER):
        question = words.question()
        yield Scene("bridge_query", (CLIENT, question, [_hit(words, 1)]), (reply,), question=question)
    yield from _routes(words)


def _labels(words: Words) -> Iterator[Scene]:
    openings = ("", "你好，", "谢谢，另外", "好的，", "请问")
    replies = [Reply(form.format(label)) for label in INTENTS for form in ("{}", " **{}**。\n", '"{}"')]
    replies += [Reply(label.upper()) for label in INTENTS]
    replies += [Reply(label, thinking="multi-hop? direct?", kind=f"先是一段思考，然后 {label!r}") for label in INTENTS]
    replies += [*map(Reply, _UNDECIDED), *unusable(words), NEVER]
    for number, reply in enumerate(replies):
        question = f"{openings[number % len(openings)]}{words.question()}"
        yield Scene("classify", (CLIENT, question), (reply,), question=question)


def _routes(words: Words) -> Iterator[Scene]:
    openings = ("", "你好，", "谢谢，另外")
    ways = [(label, dress) for label in INTENTS for dress in range(3)]
    for number, (label, dress) in enumerate(ways):
        bridge = words.line()
        said = [Reply(label), dressed(words, bridge, "查询")[dress]]
        yield _route(words, f"{openings[number % 3]}{words.question()}", said, {bridge})
    yield _route(words, words.question(), [Reply("不好说")], set())
    for reply in unusable(words):
        yield _route(words, words.question(), [reply], set())
        yield _route(words, words.question(), [Reply("multi-hop"), reply], set())
    yield _route(words, words.question(), [NEVER], set())
    yield _route(words, words.question(), [Reply("multi-hop"), NEVER], set())


def _route(words: Words, question: str, replies: Sequence[Reply], bridges: set[str]) -> Scene:
    found: dict[str, Any] = {
        text: [f"{words.one('abcdef')}{words.number()}#{rank}" for rank in range(1, 7)] for text in (question, *bridges)
    }
    texts = {item: words.statement() for ids in found.values() for item in ids}
    default = words.number(300, 700)
    return Scene(
        "route",
        (CLIENT, RETRIEVER, question, Budgets(default, default + words.number())),
        tuple(replies),
        find=lambda query: found.get(query, ()),
        texts=lambda item: texts.get(item, item),
        question=question,
    )


def _hit(words: Words, rank: int) -> Hit:
    return Hit(chunk(f"doc{words.number()}#{rank}", words.statement()), float(rank), rank / 100, rank)


__all__ = ["hyde", "multi_query", "rewrite", "router", "step_back"]
