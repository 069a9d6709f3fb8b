"""The one-page plan that a decision ends in: what to switch on, A/B test, log record, alarm, and the way back."""

import math
from collections.abc import Iterator

from querylab.measure.traffic import KINDS, Decision, Worth

POWER_FACTOR = (1.96 + 0.84) ** 2
"""(z of 95 % two-sided + z of 80 % power)², for the size of an A/B test."""

SMALLEST_EFFECT = 0.005
"""Half a percentage point: below it no test of reasonable size decides."""

_WORDS = {"follow-up": "追问", "chit-chat": "闲聊", "chain": "多跳", "fuzzy": "说法模糊", "plain": "普通"}
_SWITCH = {
    "rewrite (when needed)": 'rewrite="needed"',
    "HyDE": "hyde=True",
    "multi-query": "multi_query=True",
    "step-back": "step_back=True",
    "router + multi-hop budget": "router=True, wide_multi_hop=True",
    "sub-questions + multi-hop budget": "sub_questions=True, wide_multi_hop=True",
}


def sample_size(effect: float, base: float = 0.7) -> int:
    """Questions that each arm of an A/B test needs.

    Args:
        effect: difference of the share of answered questions that should be seen, 0 to 1.
        base: share answered today; the middle of the range needs the most.

    Returns:
        n per arm at 95 % confidence and 80 % power, by the normal approximation for two proportions.

    Raises:
        ValueError: for an effect of zero.
    """
    if not effect:
        raise ValueError("An effect of zero cannot be seen by any test.")
    later = min(max(base + effect, 0.0), 1.0)
    variance = base * (1 - base) + later * (1 - later)
    return math.ceil(POWER_FACTOR * variance / effect**2)


def plan(decision: Decision) -> str:
    """Write the plan as Markdown, in Chinese; every figure in it comes out of the decision."""
    return "\n".join(_lines(decision)) + "\n"


def _lines(decision: Decision) -> Iterator[str]:
    found = decision.shares
    whose = "真实模型的录音"
    if decision.source == "rules":
        whose = "离线规则（只证明路走得通，上线前要换成录音或真实模型）"
    yield "# 查询变换上线计划"
    yield ""
    yield (
        f"依据：自己的 {found.total} 句日志，收益量自带标注的问题集，作答的是{whose}。"
        f"多找齐一句按 ${decision.worth_usd:g} 计。"
    )
    yield ""
    yield "| 问题 | 占比 |\n|---|---|"
    for kind in KINDS:
        yield f"| {_WORDS[kind]} | {found.share(kind):.0%} |"
    yield ""
    yield "## 开什么"
    yield ""
    chosen = [line for line in decision.lines if line.net > 0 and line.shown]
    yield "| 技术 | 每千问多找齐证据 | 95% 区间 | 调用 | 花费 | 延迟 | 净值 | 决定 |\n|---|---|---|---|---|---|---|---|"
    for line in decision.lines:
        verdict = "开" if line in chosen else "区间跨零，先不开" if not line.shown else "不划算，不开"
        yield (
            f"| {line.config} | {line.answered:+.0f} | {line.low:+.0f} … {line.high:+.0f} | {line.calls:.0f} "
            f"| ${line.usd:.3f} | {line.seconds:+.2f} 秒 | ${line.net:+.2f} | {verdict} |"
        )
    yield ""
    yield "收益不能相加：两样技术救的常常是同一句。先开净值最高的一样，量过再加下一样。"
    yield ""
    if not chosen:
        yield "这份流量上没有一样技术的收益站得住，照基线上线，先积累带标注的问题。"
        return
    yield from _rollout(chosen[0])


def _rollout(first: Worth) -> Iterator[str]:
    effect = first.answered / 1000
    size = sample_size(effect) if abs(effect) >= SMALLEST_EFFECT else None
    yield "## 怎样上"
    yield ""
    yield f"1. **A/B**：先开 `Config({_SWITCH[first.config]})`。"
    yield (
        f"   要看出 {effect:+.1%} 的差别，每边约要 {size:,} 问（95% 置信、80% 功效）。"
        if size
        else "   预期差别不到半个百分点，A/B 很难看出来，改用标注问题离线比较。"
    )
    yield (
        "2. **日志**：每问记一行，有问题、改写、路由、检索几次、每次调用的 token 和时间、"
        "退回的原因、送进上下文的片段 id、是否拒答。"
    )
    yield (
        f"3. **报警**：退回原问题的比例一小时内超过平时两倍；每问调用超过 {first.calls / 1000 + 0.5:.1f} 次；"
        f"延迟中位多出 {max(first.seconds * 2, 0.5):.1f} 秒以上；拒答比例偏离平时三个标准差。"
    )
    yield "4. **退路**：把开关改回 `Config()` 就是基线。检索和索引都没有动过，不用重建，也不用重启别的服务。"
    yield "5. **复查**：四周后用新日志重跑这份计划，占比变了，次序也会变。"
