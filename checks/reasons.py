"""The product of the day: a default configuration, and a reason for every technique that it leaves off."""

from querylab.pipeline.lab import Lab

from checks import handed_in
from checks.verdict import Wrong

TECHNIQUES = ("rewrite", "hyde", "multi_query", "step_back", "router")
SHORTEST = 8
"""Characters below which a sentence gives no reason."""


async def check_reasons(lab: Lab) -> str:
    """Return one sentence when the lab's ``DEFAULT_CONFIG`` and ``REASONS`` fit together.

    Raises:
        Unfinished: when either is not yet written.
        Wrong: when a technique that is off has no reason, or one that is on is said to be off.
    """
    look = handed_in.look(lab, "default_config")
    config = lab.default_config()
    reasons = lab.techniques.get("REASONS")
    if not isinstance(reasons, dict):
        raise Wrong("REASONS 应当是一个字典：技术名 → 理由", got=repr(reasons)[:80], look=look)
    on = [name for name in TECHNIQUES if getattr(config, name) not in (False, "off")]
    off = [name for name in TECHNIQUES if name not in on]
    for name in off:
        reason = reasons.get(name)
        if not isinstance(reason, str) or len(reason.strip()) < SHORTEST:
            raise Wrong(
                f"没有打开 {name}，就要写一句理由（至少 {SHORTEST} 个字，最好引用账本里的数字）",
                got=repr(reason),
                expected=f'REASONS["{name}"] = "……"',
                look=look,
            )
    for name in reasons:
        if name not in off:
            known = "、".join(off)
            raise Wrong(
                f"REASONS 里的 {name} 并不是关着的技术", got=list(reasons), expected=f"只写关着的：{known}", look=look
            )
    return f"打开的：{'、'.join(on) or '没有'}；不开的 {len(off)} 种都写了理由"
