"""Answer: write it from the passages in the context; or without any, when the question was only talk."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from querylab import prompts
from querylab.models.protocol import Client
from querylab.models.reply import text
from querylab.pipeline.state import Run
from querylab.pipeline.trace import Trace

FIGURES = re.compile(r"\d|[零一二两三四五六七八九十百千万]+\s*(?:个)?(?:元|天|日|月|年|小时|分钟|工作日|周|次|级|%|％)")
"""What a direct reply may not contain: a figure, an amount, a date. It would be invented."""


async def answer(run: Run, trace: Trace) -> Trace:
    """Write the answer into a trace, from its context; None without a context, and when the call failed."""
    written: str | None = None
    if trace.context.chunks:
        passages = [(chunk.id, chunk.text) for chunk in trace.context.chunks]
        call = _said(run.meter.client, prompts.answer(trace.rewritten, passages))
        written = await run.attempt("answer", call, None, "no answer; the passages stand in the context")
    return replace(trace, answer=written, events=tuple(run.meter.events), fallbacks=tuple(run.fallbacks))


async def direct_reply(run: Run) -> str | None:
    """Answer talk without a search.

    Returns:
        None when that cannot be used, and the question is to be searched after all: the call failed, or, with the
        safety net, the reply tells figures that nobody can have known.
    """
    call = _said(run.meter.client, prompts.reply(run.history, run.question))
    said = await run.attempt("reply", call, None, "a search")
    if said is None or (run.config.safety_net and FIGURES.search(said)):
        run.notes.append("direct reply with figures or without text: searched after all")
        return None
    return said


async def _said(client: Client, request: Mapping[str, Any]) -> str:
    return text(await client.messages.create(**request))
