"""A rewriter that drifts on purpose, to see what the guard is worth. ``python -m checks.drifting`` prints both rows.

It asks the model like the honest one (so it costs the same), and then spoils the reply by rule, one of the ways in
which real rewriters go wrong: a number changed, a denial dropped, a name or condition left out, the question widened
to its topic, its asking part exchanged. No rule of the offline model does any of this.
"""

import asyncio
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from querylab import drift, prompts
from querylab.evaluate import Report, evaluate
from querylab.models import reply
from querylab.models.rules import phrases
from querylab.pipeline import REWRITE_ALWAYS, Lab
from querylab.types import Turn

DRIFTING = replace(REWRITE_ALWAYS, name="drifting rewriter")
DRIFTING_GUARDED = replace(REWRITE_ALWAYS, name="drifting rewriter + guard", guard=True)


async def drifting_rewrite(client: Any, history: Sequence[Turn], question: str) -> str:
    """Rewrite a question, and let the rewrite drift. Takes the place of ``rewrite_query``."""
    message = await client.messages.create(**prompts.rewrite(history, question))
    return drifted(reply.line(message))


def drifted(text: str) -> str:
    """Spoil one line: the first of the ways that changes it, from a way that depends on the text alone."""
    ways = (_without_denial, _other_number, _without_terms, _topic_only, _asked_otherwise)
    first = sum(map(ord, text)) % len(ways)
    return next((new for way in (*ways[first:], *ways[:first]) if (new := way(text).strip()) and new != text), text)


def _without_denial(text: str) -> str:
    denied = [term for term in drift.core_terms(text) if term.kind == "negation"]
    return text.replace(denied[0].text, "", 1) if denied else text


def _other_number(text: str) -> str:
    return re.sub(
        r"\d+|[一二三四五六七八九](?=[天年月级楼次线])", lambda found: "2" if found[0] != "2" else "3", text, count=1
    )


def _without_terms(text: str) -> str:
    for term in drift.core_terms(text):
        if term.kind in ("title", "name", "code", "condition"):
            text = text.replace(term.text, "")
    return text


def _topic_only(text: str) -> str:
    topic = phrases.topic(text)
    return f"公司关于{topic[:4]}的管理制度" if topic else text


def _asked_otherwise(text: str) -> str:
    topic = phrases.topic(text)
    return f"{topic}的历史沿革" if topic else text


async def rows(lab: Lab) -> list[Report]:
    """Evaluate the drifting rewriter without and with the guard."""
    spoiled = lab.using(rewrite_query=drifting_rewrite)
    return [await evaluate(config, lab=spoiled) for config in (DRIFTING, DRIFTING_GUARDED)]


def main() -> int:
    """Print the baseline, the honest rewriter, and the drifting one without and with the guard."""
    from querylab.__main__ import ledger_text
    from querylab.pipeline import BASELINE

    lab = Lab.open(track="solution")

    async def every() -> list[Report]:
        honest = [await evaluate(config, lab=lab) for config in (BASELINE, REWRITE_ALWAYS)]
        return honest + await rows(lab)

    print(ledger_text(asyncio.run(every())))
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
