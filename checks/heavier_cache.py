"""Acceptance of notebook 09's rewrite cache: the key of a call, the rule for sharing, and both on a stream."""

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

from querylab import prompts
from querylab.pipeline.lab import Lab
from querylab.types import Turn

from checks import handed_in
from checks.verdict import Wrong

STREAM_LENGTH = 200


async def rewrite_cache(lab: Lab) -> str:
    """Judge ``cache_key`` and ``may_share``, alone and then on a stream of questions."""
    key = handed_in.function(lab, "cache_key", "request, corpus, user")
    _keys(_Namer(key, handed_in.look(lab, "rewrite_cache", "cache_key")))
    may_share = handed_in.function(lab, "may_share", "question, other")
    look = handed_in.look(lab, "rewrite_cache", "may_share")
    _sharing(may_share, look)
    return await _on_a_stream(lab, look)


# ── keys ────────────────────────────────────────────────────────────────────────────────────────
_PAST: list[Turn] = [{"role": "user", "content": "泳镜怎么借"}, {"role": "assistant", "content": "押金50元。"}]
_ROUND: list[dict[str, Any]] = [
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "泳镜 A"}}],
    },
    {"role": "user", "content": "泳镜押金50元。"},
]
_CORPUS, _USER = "corpus-a", "ann"
_SEPARATORS = (*"|:;,/\\-_.+#&=~\n\t \0\"'", "\x1f", "||", "::", "--", ", ", " | ", "\n\n")


def _requests() -> dict[str, dict[str, Any]]:
    return {
        "改写，有对话": prompts.rewrite(_PAST, "能续借 A 吗"),
        "改写，没有对话": prompts.rewrite([], "能续借 A 吗"),
        "查询理解": prompts.understand(_PAST, "能续借 A 吗", ["泳池守则"]),
        "检索规划": prompts.agent("能续借 A 吗", _ROUND),
        "假设文档": prompts.hyde("能续借 A 吗"),
    }


@dataclass
class _Namer:
    """The student's function, and all the keys that it has given so far, with the call of each."""

    key: Callable[..., Any]
    look: str
    given: dict[str, str] = field(default_factory=dict)

    def name(self, what: str, request: Mapping[str, Any], corpus: str = _CORPUS, user: str = _USER) -> str:
        """Name one call; the request must come back untouched."""
        before = copy.deepcopy(request)
        try:
            got = handed_in.called(self.key, request, corpus, user)
        except UnicodeError as error:
            raise Wrong(
                "有的文字写不成 UTF-8（半个表情符号），也要有键：encode 时用 surrogatepass，或者让 json 转义",
                asked=what,
                got=repr(error)[:120],
                expected="一个键",
                look=self.look,
            ) from error
        if not isinstance(got, str) or not got:
            raise Wrong(
                "cache_key 应当返回一个字符串",
                asked=what,
                got=f"{got!r:.100}",
                expected="64 位十六进制",
                look=self.look,
            )
        if request != before:
            raise Wrong(
                "request 不能改：它接着还要发给模型",
                asked=what,
                got=_first_change(before, request),
                expected="原样",
                look=self.look,
            )
        return got

    def new(self, what: str, request: Mapping[str, Any], corpus: str = _CORPUS, user: str = _USER) -> None:
        """Name a call that differs from all before it."""
        name = self.name(what, request, corpus, user)
        if name in self.given:
            raise Wrong(
                "两次不同的调用得到了同一个键，就会拿到别人的改写",
                asked=f"「{self.given[name]}」与「{what}」",
                got=f"同一个键 {name[:16]}…",
                expected="两个键",
                look=self.look,
            )
        self.given[name] = what

    def same(self, why: str, what: str, expected: str, request: Mapping[str, Any]) -> None:
        """Name a call that was named before."""
        got = self.name(what, request)
        if got != expected:
            raise Wrong(
                f"同一次调用，键要一样：{why}",
                asked=what,
                got=f"{got[:16]}…",
                expected=f"{expected[:16]}…",
                look=self.look,
            )


def _keys(namer: _Namer) -> None:
    requests = _requests()
    for what, request in requests.items():
        namer.new(what, request)
        name = namer.name(what, request)
        namer.same("再问一次", what, name, copy.deepcopy(request))
        namer.same("字典里的先后不算，里层的也不算", what, name, _reordered(request))
        _same_elsewhere(namer, what, name, request)
    for what, request in requests.items():
        for changed, other in _changes(request):
            namer.new(f"{what}，{changed}", other)
        namer.new(f"{what}，多了一个参数 stop_sequences", {**request, "stop_sequences": ["完"]})
        for user in ("Ann", "ann ", " ann", "bob", ""):
            namer.new(f"{what}，用户是 {user!r}", request, _CORPUS, user)
        for corpus in ("Corpus-a", "corpus-a ", "corpus-b", ""):
            namer.new(f"{what}，语料是 {corpus!r}", request, corpus)
    request = requests["改写，没有对话"]
    namer.new("语料与用户对调", request, _USER, _CORPUS)
    namer.new("语料与用户的分界不同（一）", request, "a", "bc")
    namer.new("语料与用户的分界不同（二）", request, "ab", "c")
    for mark in _SEPARATORS:
        for corpus, user in ((f"m{mark}n", "k"), ("m", f"n{mark}k"), ("k", f"m{mark}n"), (f"n{mark}k", "m")):
            namer.new(f"语料 {corpus!r}，用户 {user!r}", request, corpus, user)
    namer.name("问题里有半个表情符号", prompts.rewrite([], "泳镜\ud83d怎么借"))
    _versions(namer, request)


def _same_elsewhere(namer: _Namer, what: str, name: str, request: Mapping[str, Any]) -> None:
    """Another process (its own ``hash`` and ``id``, its own random numbers), and another day."""
    again = handed_in.loaded_again(namer.key, hash=lambda item: hash(item) ^ 5, id=lambda item: id(item) ^ 5)
    why = "重开一次程序也不能变（hash()、id()、随机数每次都不同，用 hashlib）"
    replace(namer, key=again).same(why, what, name, request)
    later = time.time() + 3 * 24 * 3600
    with mock.patch("time.time", lambda: later):
        days = replace(namer, key=handed_in.loaded_again(namer.key, days=3))
        days.same("过几天也不能变（不要放进时间）", what, name, request)


def _versions(namer: _Namer, request: Mapping[str, Any]) -> None:
    for version, corpus, user in (
        ("another", _CORPUS, _USER),
        ("8", "8c", "u"),
        ("88", "c", "u"),
        ("8", "c", "8u"),
        ("88", "c", "8u"),
    ):
        with mock.patch.object(prompts, "VERSION", version):
            there = replace(namer, key=handed_in.loaded_again(namer.key, VERSION=version))
            there.new(f"prompts.VERSION 是 {version!r}，语料 {corpus!r}，用户 {user!r}", request, corpus, user)


def _changes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Give every request that differs in one leaf, or in the order of one list, and say what was changed."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ((what, {**value, key: other}) for what, other in _changes(item, (*path, key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            changed = _changes(item, (*path, index))
            yield from ((what, [*value[:index], other, *value[index + 1 :]]) for what, other in changed)
        if value[::-1] != value:
            yield f"{_dotted(path)} 的先后倒过来", value[::-1]
    else:
        for how, other in _others(value):
            yield f"{_dotted(path)} {how}", other


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "取反", not value
    elif isinstance(value, int | float):
        yield "加 1", value + 1
    elif isinstance(value, str):
        half = len(value) // 2
        yield "后面多一个空格", f"{value} "
        yield "前面多一个字", f"甲{value}"
        yield "后面多一个数字 1", f"{value}1"
        yield "后面多一个全角的 １", f"{value}１"
        # Both outside of most old encodings: one question mark would stand for either.
        yield "中间多一个生僻字「𠀀」", f"{value[:half]}𠀀{value[half:]}"
        yield "中间多一个生僻字「𠀁」", f"{value[:half]}𠀁{value[half:]}"
        if value.swapcase() != value:
            yield "大小写对调", value.swapcase()


def _dotted(path: tuple[Any, ...]) -> str:
    return "request" + "".join(f"[{step!r}]" for step in path)


def _reordered(value: Any) -> Any:
    """Give the same request with every dictionary's keys in the opposite order."""
    if isinstance(value, dict):
        return {key: _reordered(value[key]) for key in reversed(list(value))}
    return [_reordered(item) for item in value] if isinstance(value, list) else value


def _first_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    names = [
        name for name in {**before, **after} if name not in before or name not in after or before[name] != after[name]
    ]
    return f"调用之后，request 的 {'、'.join(map(repr, names))} 变了"


# ── sharing ─────────────────────────────────────────────────────────────────────────────────────
_SHARES: tuple[tuple[str, str, bool], ...] = (
    ("泳镜怎么借", "请问泳镜如何借", True),
    ("泳镜押金是多少", "泳镜押金多少", True),
    ("借三天要多少押金", "借3天要多少押金", True),
    ("借3天要多少押金", "借5天要多少押金", False),
    ("哪些人能进深水区", "哪些人不能进深水区", False),
    ("不能带饮料进场吗", "能带饮料进场吗", False),
    ("3月5日开门吗", "3月8日开门吗", False),
    ("上海馆几点开门", "北京馆几点开门", False),
    ("月卡能退吗", "年卡能退吗", False),
    ("最晚几点离场", "最早几点离场", False),
    ("《泳池守则》谁发布", "《食堂守则》谁发布", False),
    ("周一闭馆吗", "周三闭馆吗", False),
    ("泳镜押金是多少", "泳帽押金是多少", False),
    ("3天要交多少押金", "超过3天要交多少押金", False),
    ("变更单哪天提", "变更单最晚哪天提", False),
    ("泳镜押金上限是多少", "泳镜押金下限是多少", False),
    ("泳镜和泳帽的押金是多少", "泳镜的押金是多少", False),
    ("组长的组长是谁", "组长是谁", False),
    ("年课多少钱", "月课多少钱", False),
    ("VPN怎么连", "WiFi怎么连", False),
    ("初级3天高级5天怎么罚", "初级5天高级3天怎么罚", False),
    ("由谁致电读者", "何时致电读者", False),
    ("续借由谁审批", "续借由谁申请", False),
    ("典藏组的事能找布展组吗", "布展组的事能找典藏组吗", False),
    ("馆长的电话是多少", "馆长的邮箱是多少", False),
    # Who does what to whom.
    ("我投诉展馆找谁", "展馆投诉我找谁", False),
    ("我被罚款了怎么办", "我罚款了怎么办", False),
    ("退会我要提前几天通知泳池", "退会泳池要提前几天通知我", False),
)
"""Pairs of questions, and whether they may share a rewrite; each is asked in both orders."""


def _sharing(may_share: Callable[..., Any], look: str) -> None:
    for one, other, expected in _SHARES:
        for left, right in ((one, other), (other, one)):
            got = handed_in.called(may_share, left, right)
            if bool(got) != expected:
                raise Wrong(
                    "能不能共用一条改写，判断不对（两句的先后不算）",
                    asked=f"「{left}」与「{right}」",
                    got=got,
                    expected=expected,
                    look=look,
                )


async def _on_a_stream(lab: Lab, look: str) -> str:
    from checks import stream as streams  # here: it is a command of its own, too

    items = streams.stream(lab.corpus, STREAM_LENGTH)
    memory = await streams.measure("L1", lab, items, ("memory",))
    meaning = await streams.measure("L1 + L3", lab, items, ("memory", "meaning"))
    if meaning.false_joins:
        asked, given = meaning.false_joins[0]
        raise Wrong(
            "两个意思不同的问题共用了一条改写",
            asked=asked,
            got=f"「{given}」的改写",
            expected="自己的改写：may_share 为假",
            look=look,
        )
    if meaning.asked >= memory.asked:
        raise Wrong("按意思查找应当再省下一些调用", got=meaning.asked, expected=f"少于 {memory.asked} 次", look=look)
    return f"{len(items)} 问的流水：L1 省下 {memory.saved:.0%} 的调用，加上 L3 省下 {meaning.saved:.0%}，张冠李戴 0 次"
