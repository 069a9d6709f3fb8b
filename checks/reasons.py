"""The product of the day: a default configuration, and a reason for every technique that it leaves off."""

import re
from collections.abc import Iterator
from dataclasses import replace

from querylab import settings
from querylab.measure.evaluate import evaluate
from querylab.pipeline.config import BASELINE, NAMED
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import Techniques
from querylab.rules.client import MockClient

from checks import handed_in
from checks.verdict import Wrong

TECHNIQUES = ("rewrite", "hyde", "multi_query", "step_back", "router")
SHORTEST = 8
"""Characters below which a sentence gives no reason."""
LEDGER_WORDS = re.compile(
    r"召回|ndcg|mrr|拒答|该拒|误拒|错拒|检索|调用|上下文|token|输出|成本|花费|费用|延迟|时延|毫秒|秒|账本|门槛|预算|排名|候选|变慢|更慢|贵",
    re.IGNORECASE,
)
"""What a ledger shows; a reason speaks of some of it."""
FIGURE = re.compile(r"(?<![\d.])\d+(?:\.(\d+))?")


async def check_reasons(lab: Lab) -> str:
    """Return one sentence when the lab's ``DEFAULT_CONFIG`` and ``REASONS`` fit together.

    Raises:
        Unfinished: when either is not yet written.
        Wrong: when nothing was left off, a technique that is off has no reason, or one that is on is said to be off;
            when a reason speaks of nothing that a ledger shows, or all its figures are ones that no ledger shows.
    """
    look = handed_in.look(lab, "default_config")
    config = lab.default_config()
    reasons = lab.techniques.get("REASONS")
    if not isinstance(reasons, dict):
        raise Wrong("REASONS 应当是一个字典：技术名 → 理由", got=repr(reasons)[:80], look=look)
    on = [name for name in TECHNIQUES if getattr(config, name) not in (False, "off")]
    off = [name for name in TECHNIQUES if name not in on]
    if not off:
        raise Wrong(
            "全部打开就是没有选：看账本里哪一种没有带来好处，关掉它，写下理由",
            got=f"打开的：{'、'.join(on)}",
            expected="至少关掉一种，并写一句理由",
            look=look,
        )
    for name in off:
        reason = reasons.get(name)
        if not isinstance(reason, str) or len(reason.strip()) < SHORTEST:
            raise Wrong(
                f"没有打开 {name}，就要写一句理由（至少 {SHORTEST} 个字，最好引用账本里的数字）",
                got=repr(reason),
                expected=f'REASONS["{name}"] = "……"',
                look=look,
            )
    for name in off:
        if not LEDGER_WORDS.search(reasons[name]):
            raise Wrong(
                f"不开 {name} 的理由没有说到账本：召回、检索次数、调用次数、输出、延迟……哪一项让你不开它",
                got=reasons[name],
                expected="说出账本里的一项，最好带上数字",
                look=look,
            )
    await _figures_are_in_a_ledger(lab, {name: reasons[name] for name in off}, look)
    for name in reasons:
        if name not in off:
            known = "、".join(off)
            raise Wrong(
                f"REASONS 里的 {name} 并不是关着的技术", got=list(reasons), expected=f"只写关着的：{known}", look=look
            )
    return f"打开的：{'、'.join(on) or '没有'}；不开的 {len(off)} 种都写了理由"


async def _figures_are_in_a_ledger(lab: Lab, reasons: dict[str, str], look: str) -> None:
    """Turn down a reason whose figures are all invented; one that is found is enough, since own rows may differ."""
    known: list[float] = []
    for name, reason in reasons.items():
        figures = [(float(found[0]), len(found[1] or "")) for found in FIGURE.finditer(reason)]
        if figures and not known:
            known = [*await _ledger(lab)]
        if figures and not any(
            abs(figure - shown) <= 0.51 * 10**-digits for figure, digits in figures for shown in known
        ):
            raise Wrong(
                f"不开 {name} 的理由里，没有一个数字是账本里有的",
                got=reason,
                expected="账本里的数字：python -m querylab ledger",
                look=look,
            )


async def _ledger(lab: Lab) -> Iterator[float]:
    """Every figure of the ledger as it may be quoted: as it is, in per cent, in thousandths, and as a difference."""
    reference = replace(lab, techniques=Techniques(settings.SOLUTION_DIR), client=MockClient())
    rows = [(await evaluate(config, None, reference)).row() for config in (BASELINE, *NAMED)]
    columns = [[row[name] for row in rows if isinstance(row[name], int | float)] for name in rows[0]]
    values = {abs(one - other) for column in columns for one in (*column,) for other in (0, *column)}
    return (value * scale for value in values for scale in (1, 100, 1000))
