"""What the exercises leave open, in one table: where a hand-in may differ from the reference and is still right.

In: a scene, what was seen of the reference and of the student. Out: the first :class:`Difference`, or None. A function
without an entry of its own is held to everything: requests in order and whole, searches in order, the same result.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from querylab import prompts
from querylab.guard.drift import DRIFTS, DriftVerdict
from querylab.models.reply import ModelError
from querylab.types import Budgets, Routed, Search
from querylab.understanding.fields import Understanding

from checks import handed_in
from checks.oracle.observe import Observation, Scene

TOLERANCE = 1e-9
_SHOWN = 260


@dataclass(frozen=True)
class Difference:
    """The first difference: what is wrong, what came, what was expected."""

    what: str
    got: Any
    expected: Any


def _nothing_else(scene: Scene) -> list[Any]:
    return []


@dataclass(frozen=True)
class Freedom:
    """What one function leaves open.

    Attributes:
        words: in words, for the page for instructors.
        instead: what may be returned where the reference lets a model's failure out (letting it out is always right).
        same: whether two results are the same, given the scene; equality of value and type when None.
        told: what to say when they are not.
        in_order: requests and searches must come in the reference's order.
        request: brings a request into the form in which it is compared.
        searches: whether searches are right, where not only the reference's are.
    """

    words: str = "没有"
    instead: Callable[[Scene], list[Any]] = _nothing_else
    same: Callable[[Any, Any, Scene], bool] | None = None
    told: str = "返回的不对"
    in_order: bool = True
    request: Callable[[dict[str, Any]], dict[str, Any]] = field(default=lambda request: request)
    searches: Callable[[list[str], list[str], Scene], bool] | None = None


# ── results ─────────────────────────────────────────────────────────────────────────────────────
def _equal(one: Any, other: Any, _: Scene) -> bool:
    return type(one) is type(other) and one == other


def _squeezed(one: Any, other: Any, _: Scene) -> bool:
    return isinstance(other, str) and one.split() == other.split()


def _same_texts(one: Any, other: Any, _: Scene) -> bool:
    texts = isinstance(other, list) and all(isinstance(item, str) for item in other)
    return texts and Counter(" ".join(item.split()) for item in one) == Counter(
        " ".join(item.split()) for item in other
    )


def _as_reference_or_in_doubt(one: Any, other: Any, scene: Scene) -> bool:
    return type(other) is bool and (scene.also is None or other == scene.also)


def _same_ranking(one: Any, other: Any, _: Scene) -> bool:
    if not isinstance(other, list) or len(one) != len(other):
        return False
    pairs = [pair for pair in other if isinstance(pair, list | tuple) and len(pair) == 2]
    if len(pairs) != len(one) or not all(type(score) in (int, float) for _, score in pairs):
        return False
    if [item for item, _ in pairs] not in ([item for item, _ in one], _by_round_scores(one)):
        return False
    scores = dict(one)
    return all(abs(scores[item] - score) < TOLERANCE for item, score in pairs)


def _by_round_scores(pairs: Sequence[tuple[str, float]]) -> list[str]:
    """The order for somebody who adds in another order: scores that differ in the last bit are equal."""
    return [item for item, _ in sorted(pairs, key=lambda pair: (-round(pair[1], 12), pair[0]))]


def _same_route(one: Any, other: Any, scene: Scene) -> bool:
    if not isinstance(other, Routed) or other.intent != one.intent:
        return False
    if other.budget != one.budget and not (one.intent == "direct" and other.budget == 0):
        return False
    searched = [search.query if isinstance(search, Search) else None for search in other.searches]
    if one.intent == "single-hop":
        return searched in ([], [scene.question])
    return tuple(other.searches) == one.searches


def _single_hop(scene: Scene) -> list[Any]:
    budgets = next(item for item in scene.arguments if isinstance(item, Budgets))
    return [Routed("single-hop", budgets.default)]


def _at_least_three(request: dict[str, Any]) -> dict[str, Any]:
    """A bridge is written from the best three passages; further ones may follow."""
    task = prompts.task_of(request.get("system"))
    if task is not prompts.BRIDGE:
        return request
    data = prompts.read_fields(request["messages"][-1]["content"])
    passages = [item.text for item in data if item.name == "passage"]
    question = next((item.text for item in data if item.name == "question"), "")
    return {**request, **prompts.bridge(question, passages[:3])} if len(passages) > 3 else request


def _own_prompt(request: dict[str, Any]) -> dict[str, Any]:
    """The prompt of step-back is the student's own; its check judges it, and that it is the one that is sent."""
    own = prompts.task_of(request.get("system")) is prompts.STEP_BACK
    return {**request, "system": prompts.STEP_BACK.system} if own else request


def _once_at_most(one: list[str], other: list[str], scene: Scene) -> bool:
    """A single-hop question may be searched by the router itself; where it fails, so may any first search."""
    return other == one or (set(one) <= {scene.question} and other in ([], [scene.question]))


def _same_understanding(one: Any, other: Any, _: Scene) -> bool:
    if not isinstance(other, Understanding):
        return False
    same = one.row() == other.row() and (one.origin == "fallback") == (other.origin == "fallback")
    return same and {item.field for item in one.salvaged} <= {item.field for item in other.salvaged}


def _same_complexity(one: Any, other: Any, scene: Scene) -> bool:
    given = scene.arguments[1]
    return (
        isinstance(other, Understanding)
        and one.complexity == other.complexity
        and replace(other, complexity=given.complexity, signals=given.signals) == given
    )


def _same_searches(one: Any, other: Any, scene: Scene) -> bool:
    if not isinstance(other, list | tuple) or not all(isinstance(item, Search) for item in other):
        return False
    first = [item.query for item in other][:1] == [scene.question]
    return first and set(map(repr, one)) == set(map(repr, other))


def _same_verdict(one: Any, other: Any, _: Scene) -> bool:
    right = isinstance(other, DriftVerdict) and other.state in DRIFTS and isinstance(other.reason, str)
    if not right or other.state != one.state or not other.reason.strip():
        return False
    if one.cosine is None:
        return other.cosine is None or type(other.cosine) is float
    return type(other.cosine) in (int, float) and math.isclose(one.cosine, other.cosine, abs_tol=1e-3)


def _same_truth(one: Any, other: Any, _: Scene) -> bool:
    return bool(one) is bool(other) and (other is None or type(other) in (bool, int))


def _key(one: Any, other: Any, scene: Scene) -> bool:
    """A key is anybody's own, but long enough, and nothing of the conversation can be read in it."""
    return isinstance(other, str) and len(other) >= 32 and not any(text in other for text in scene.also)


# ── the table ───────────────────────────────────────────────────────────────────────────────────
_OR_QUESTION = "答复不能用时，让 reply 的错误抛出去或者返回原问题都可以"

FREEDOMS: dict[str, Freedom] = {
    "rewrite_query": Freedom(
        _OR_QUESTION, lambda scene: [scene.question], told="改写应当是模型答复里的第一条检索语句，去掉编号、引号和标签"
    ),
    "needs_rewrite": Freedom(
        "拿不准的句子怎么判都可以：既不短，也没有练习点名的指代和省略，却有「这」「该」一类的字",
        same=_as_reference_or_in_doubt,
        told="needs_rewrite 判断错了",
    ),
    "hypothetical_document": Freedom(
        f"空白和换行；{_OR_QUESTION}",
        lambda scene: [scene.question],
        _squeezed,
        "假设文档就是模型写的那段文字，一行也不少",
    ),
    "hyde_queries": Freedom(
        f"两条的先后；{_OR_QUESTION}",
        lambda scene: [[scene.question]],
        _same_texts,
        "应当是一个列表：原问题和假设文档，各一条",
    ),
    "query_variants": Freedom(
        f"几条的先后；{_OR_QUESTION}",
        lambda scene: [[scene.question]],
        _same_texts,
        "应当是一个列表：原问题和答复里的头两条说法，不重复",
    ),
    "multi_query_search": Freedom(
        "检索的先后；分数末位的误差",
        same=_same_ranking,
        told="融合的结果不对：每个片段的分数是 Σ 1/(60+名次)，名次从 1 起，同分按编号，一条也不少",
        in_order=False,
    ),
    "step_back_query": Freedom(
        f"提示词；{_OR_QUESTION}",
        lambda scene: [scene.question],
        told="后退提问是模型答复里的第一条，去掉编号、引号和标签",
        request=_own_prompt,
    ),
    "step_back_queries": Freedom(
        f"两条的先后；{_OR_QUESTION}",
        lambda scene: [[scene.question]],
        _same_texts,
        "应当是一个列表：原问题和更一般的问题，相同时只留一条",
        request=_own_prompt,
    ),
    "classify": Freedom(
        "答复不能用时，让错误抛出去或者返回 single-hop 都可以",
        lambda scene: ["single-hop"],
        told="标签要整条相同才算数；判不了的一律走单跳",
    ),
    "bridge_query": Freedom(
        f"片段可以多于三段；{_OR_QUESTION}",
        lambda scene: [scene.question],
        told="桥接查询是模型答复里的第一条",
        request=_at_least_three,
    ),
    "route": Freedom(
        "direct 的预算写 0；single-hop 自己先检索一次原问题；答复不能用时抛出去或者走 single-hop；桥接的片段多于三段",
        _single_hop,
        _same_route,
        "路由的结果不对：意图、预算，以及两次检索",
        request=_at_least_three,
        searches=_once_at_most,
    ),
    "first_object": Freedom(told="第一个完整的 JSON 对象取错了"),
    "understand": Freedom(
        "调用失败时，让错误抛出去或者返回 Understanding.fallback 都可以；修补可以记得更细",
        lambda scene: [Understanding.fallback(scene.question)],
        _same_understanding,
        "理解的结果不对：合法的值原样用上，越界的退回默认，修补过的都记在 salvaged 里",
    ),
    "raise_complexity": Freedom(
        "signals 里写什么；练习没有点名的句式",
        same=_same_complexity,
        told="复杂度不对，或者动了别的字段：只升不降，看句式不看词",
    ),
    "tier0": Freedom("练习没有点名的寒暄和自我介绍：漏了只多一次调用", same=_equal, told="tier 0 判错了"),
    "choose_path": Freedom(told="路选错了"),
    "sub_questions": Freedom(
        _OR_QUESTION,
        lambda scene: [[scene.question]],
        told="子问题不对：每行一个，照答复里的先后，最多 3 个，放在列表里",
    ),
    "search_parts": Freedom(
        "列表或元组；互不相干的检索和调用谁先谁后",
        same=_same_searches,
        told="返回的检索不对：原问题在最前，填不上的丢掉，别的都留着",
        in_order=False,
    ),
    "check_drift": Freedom("理由的写法", same=_same_verdict, told="判断不对"),
    "cache_key": Freedom(
        "键的写法：至少 32 个字符，里面读不出对话",
        same=_key,
        told="键应当是散列值（SHA-256 的 64 位十六进制），不能带着对话的原文",
    ),
    "may_share": Freedom("真假可以用 None、0、1", same=_same_truth, told="能不能共用一条改写，判断不对"),
}


# ── the comparison ──────────────────────────────────────────────────────────────────────────────
def difference(scene: Scene, right: Observation, seen: Observation) -> Difference | None:
    """Find the first difference that is not free."""
    freedom = FREEDOMS[scene.function]
    if seen.changed is not None:
        return Difference("传进来的参数不能改：调用的人还要用", seen.changed[1], seen.changed[0])
    return (
        _in_requests(scene, freedom, right, seen)
        or _in_searches(scene, freedom, right, seen)
        or _in_outcome(scene, freedom, right, seen)
    )


def _in_requests(scene: Scene, freedom: Freedom, right: Observation, seen: Observation) -> Difference | None:
    if len(seen.requests) != len(right.requests):
        asked = [f"{_task(request)}「{handed_in.question_of(request)}」" for request in seen.requests]
        return Difference("调用模型的次数不对", f"{len(seen.requests)} 次：{asked}", f"{len(right.requests)} 次")
    ours, theirs = map(freedom.request, right.requests), map(freedom.request, seen.requests)
    pairs = list(zip(*(list(ours), list(theirs)) if freedom.in_order else _in_one_order(ours, theirs), strict=True))
    for expected, got in pairs:
        if expected == got:
            continue
        if _task(expected) != _task(got):
            return Difference("用错了提示词", f"prompts.{_task(got)}", f"prompts.{_task(expected)}(…)")
        for name in [*expected, *got]:
            if expected.get(name) != got.get(name):
                return Difference(*_parted(name, expected.get(name), got.get(name)))
    return None


def _in_one_order(*lists: Any) -> list[list[dict[str, Any]]]:
    return [sorted(requests, key=repr) for requests in lists]


def _task(request: dict[str, Any]) -> str:
    system = request.get("system")
    task = prompts.task_of(system) if isinstance(system, str) else None
    return task.name if task else "别的提示词"


def _parted(name: str, expected: Any, got: Any) -> tuple[str, Any, Any]:
    """Show a request's differing argument: of messages only what the model is given to read."""
    if name != "messages" or not isinstance(got, list):
        return f"请求里的 {name} 不对：用 prompts 造请求，不要自己改", _cut(got), _cut(expected)
    shown = [
        [f"{item.name}{f'（{item.attribute}）' if item.attribute else ''}：{item.text}" for item in _fields(messages)]
        for messages in (got, expected)
    ]
    if shown[0] == shown[1]:
        return "交给模型的内容不对：用 prompts 造请求，不要自己改", _cut(got), _cut(expected)
    first = next((i for i, pair in enumerate(zip(*shown, strict=False)) if pair[0] != pair[1]), min(map(len, shown)))
    what = "交给模型的内容不对（对话要从旧到新，段落要从好到差，问题要原样）"
    return what, [_cut(item) for item in shown[0][first:]], [_cut(item) for item in shown[1][first:]]


def _fields(messages: list[Any]) -> list[prompts.Field]:
    contents = [message.get("content") for message in messages if isinstance(message, dict)]
    return [item for content in contents if isinstance(content, str) for item in prompts.read_fields(content)]


def _cut(value: Any) -> str:
    shown = value if isinstance(value, str) else repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _in_searches(scene: Scene, freedom: Freedom, right: Observation, seen: Observation) -> Difference | None:
    same = (
        freedom.searches(right.searches, seen.searches, scene)
        if freedom.searches
        else seen.searches == right.searches
        if freedom.in_order
        else Counter(seen.searches) == Counter(right.searches)
    )
    return None if same else Difference("检索的句子不对", seen.searches, right.searches)


def _in_outcome(scene: Scene, freedom: Freedom, right: Observation, seen: Observation) -> Difference | None:
    if isinstance(right.raised, ModelError):
        if isinstance(seen.raised, ModelError):
            return None
        allowed = freedom.instead(scene)
        if seen.raised is None and any(_as_instead(item, seen.returned, freedom, scene) for item in allowed):
            return None
        what = "答复不能用时，应当让 reply 的错误抛出去" + (f"，或者返回 {_cut(allowed[0])}" if allowed else "")
        return Difference(what, _outcome(seen), _outcome(right))
    if right.raised is not None:
        if type(right.raised) is type(seen.raised):
            return None
        what = "取消不能被接住（不要写 except BaseException，也不要光秃秃的 except）"
        return Difference(what, _outcome(seen), type(right.raised).__name__)
    if seen.raised is not None:
        if isinstance(seen.raised, ModelError):
            return Difference("这个答复能用，不该当作失败", _outcome(seen), _outcome(right))
        raise seen.raised
    if not (freedom.same or _equal)(right.returned, seen.returned, scene):
        told = [seen.returned, right.returned]
        if all(isinstance(item, Understanding) for item in told):
            shown = [_only_where(item, told) for item in told]
        else:
            shown = [_plainly(item) for item in told]
        return Difference(freedom.told, shown[0], repr(scene.also) if scene.function == "needs_rewrite" else shown[1])
    return None


def _only_where(one: Understanding, both: list[Understanding]) -> str:
    """Show of an understanding what the two do not have in common."""
    names = [item.name for item in fields(one) if len({repr(getattr(other, item.name)) for other in both}) > 1]
    return _cut("，".join(f"{name}={getattr(one, name)!r}" for name in names))


def _plainly(value: Any) -> str:
    """Show searches by their queries, a key by its beginning, anything else as it is."""
    searches = value.searches if isinstance(value, Routed) else value
    if isinstance(searches, list | tuple) and searches and all(isinstance(item, Search) for item in searches):
        queries = [item.query for item in searches]
        return _cut(f"{value.intent}，预算 {value.budget}，检索 {queries}" if isinstance(value, Routed) else queries)
    return _cut(value if isinstance(value, str) else repr(value))


def _as_instead(allowed: Any, got: Any, freedom: Freedom, scene: Scene) -> bool:
    return (
        (freedom.same or _equal)(allowed, got, scene) if isinstance(allowed, Routed | Understanding) else allowed == got
    )


def _outcome(seen: Observation) -> str:
    return _cut(seen.returned) if seen.raised is None else f"{type(seen.raised).__name__}: {_cut(str(seen.raised))}"
