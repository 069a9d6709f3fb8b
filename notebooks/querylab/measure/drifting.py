"""A model whose rewrites drift on purpose, to see what the guard is worth.

It stands between the lab and a model: every call is made (so it costs the same), and what comes back from a rewriting
task is then spoiled by rule, in one of the ways in which real rewriters go wrong: a number changed, a denial dropped, a
name or condition left out, the question widened to its topic, its asking part exchanged. No rule of the offline model
does any of this.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from querylab.guard import drift
from querylab.language import tagged
from querylab.measure.evaluate import evaluate
from querylab.measure.report import Report
from querylab.models import requests
from querylab.models.protocol import Client, answers, modelled
from querylab.pipeline.config import REWRITE_ALWAYS, Config
from querylab.pipeline.lab import Lab

SPOILED_TASKS = ("rewrite", "hyde", "multi_query", "step_back", "sub_questions", "understand")

DRIFTING = replace(REWRITE_ALWAYS, name="drifting rewriter")
DRIFTING_GUARDED = replace(REWRITE_ALWAYS, name="drifting rewriter + guard", guard=True)


class DriftingClient:
    """A model client that spoils the replies to some tasks, line by line."""

    def __init__(self, client: Client) -> None:
        self.messages = self
        self.modelled = modelled(client)
        self.answers = f"drifting {answers(client)}"
        self._client = client

    async def create(self, **request: Any) -> Any:
        """Ask, and let the reply drift."""
        message = await self._client.messages.create(**request)
        task = requests.task_name(request)
        if task not in SPOILED_TASKS:
            return message
        spoil = _understanding if task == "understand" else _lines
        content = [
            block.model_copy(update={"text": spoil(block.text)}) if block.type == "text" else block
            for block in message.content
        ]
        return message.model_copy(update={"content": content})


def drifting(lab: Lab) -> Lab:
    """Return the same lab with a model whose rewrites drift."""
    return replace(lab, client=DriftingClient(lab.client))


async def rows(lab: Lab, configs: Sequence[Config] = (DRIFTING, DRIFTING_GUARDED)) -> list[Report]:
    """Evaluate configurations with a model whose rewrites drift: the rewriter without and with the guard."""
    spoiled = drifting(lab)
    return [await evaluate(config, lab=spoiled) for config in configs]


def _lines(text: str) -> str:
    return "\n".join(drifted(line) for line in text.splitlines())


def _understanding(text: str) -> str:
    """Spoil the one field of an understanding that is searched; a reply that is no object stays as it is."""
    try:
        fields = json.loads(text)
    except ValueError:
        return text
    if not isinstance(fields, dict) or not isinstance(fields.get("rewritten"), str):
        return text
    return json.dumps(fields | {"rewritten": drifted(fields["rewritten"])}, ensure_ascii=False)


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
        if term.kind in ("title", "name", "code"):
            text = text.replace(term.text, "")
    return text


def _topic_only(text: str) -> str:
    topic = _topic(text)
    return f"公司关于{topic[:4]}的管理制度" if topic else text


def _asked_otherwise(text: str) -> str:
    topic = _topic(text)
    return f"{topic}的历史沿革" if topic else text


def _topic(text: str) -> str:
    """What a line is about: its nouns up to the first word that asks; without any there, all of its nouns."""
    words = tagged(text)
    asks = next((place for place, (_, tag) in enumerate(words) if tag.startswith("r")), len(words))
    nouns = [[word for word, tag in part if tag.startswith("n")] for part in (words[:asks], words)]
    return "".join(nouns[0] or nouns[1])
