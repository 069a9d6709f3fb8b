"""``python -m querylab ask``: ask one question and show its path."""

import argparse
import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from querylab.commands.said import Said, add_lab, open_lab
from querylab.pipeline.config import Config
from querylab.pipeline.trace import Trace
from querylab.types import Turn

HELP = "ask one question and show its path"

REFUSALS = {
    "scope": "out of scope",
    "pool": "nothing was found",
    "gate": "nothing passed the gate",
    "budget": "what passed the gate is larger than the budget",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_lab(parser)
    parser.add_argument("question")
    parser.add_argument("--config", metavar="NAME", help="a ledger row's name (default: the track's default)")
    parser.add_argument(
        "--before", action="append", default=[], metavar="TEXT", help="earlier turn, user and assistant in turn"
    )
    parser.add_argument(
        "--document", action="append", default=[], metavar="ID", help="a document in view (id or title); repeatable"
    )


def run(options: argparse.Namespace) -> Said:
    """Ask, and tell the trace."""
    lab = open_lab(options)
    config = lab.config(options.config) if options.config else lab.default_config()
    history = [
        Turn(role="assistant" if place % 2 else "user", content=text) for place, text in enumerate(options.before)
    ]
    trace = asyncio.run(lab.ask(options.question, history, config, documents=options.document))
    return Said("\n".join(_lines(trace, config)), trace_json(trace, config))


def trace_json(trace: Trace, config: Config) -> dict[str, Any]:
    """Write a trace as plain data."""
    return {
        "question": trace.question,
        "config": config.name,
        "rewritten": trace.rewritten,
        "intent": trace.intent,
        "searches": [
            {
                "query": search.query,
                "hits": [
                    {"chunk": hit.chunk.id, "rank": hit.rank, "bm25": hit.bm25, "cosine": hit.cosine}
                    for hit in search.hits
                ],
            }
            for search in trace.searches
        ],
        "admitted": [chunk.id for chunk in trace.admitted],
        "context": [chunk.id for chunk in trace.context.chunks],
        "dropped": [chunk.id for chunk in trace.context.dropped],
        "cut": [chunk.id for chunk in trace.context.cut],
        "context_tokens": trace.context.tokens,
        "budget": trace.budget,
        "answer": trace.answer,
        "refused": trace.refused,
        "refusal": trace.refusal,
        "model_calls": trace.model_calls,
        "retrievals": trace.retrievals,
        "seconds": trace.seconds,
        "cost_usd": trace.cost_usd,
        "events": [asdict(event) for event in trace.events],
        "fallbacks": [asdict(fallback) for fallback in trace.fallbacks],
        "notes": list(trace.notes),
        "understanding": trace.understanding.row() if trace.understanding else None,
        "path": trace.path,
        "rounds": [asdict(item) for item in trace.rounds],
    }


def _lines(trace: Trace, config: Config) -> Iterator[str]:
    yield f"question   {trace.question}"
    if trace.rewritten != trace.question:
        yield f"rewritten  {trace.rewritten}"
    yield f"config     {config.name}" + (f", routed {trace.intent}" if trace.intent else "")
    if trace.understanding:
        fields = trace.understanding.row()
        yield "understood " + ", ".join(f"{name} {value}" for name, value in fields.items() if name != "rewritten")
        for repair in trace.understanding.salvaged:
            yield f"  repaired {repair}"
    if trace.path:
        yield f"path       {trace.path}"
    for item in trace.rounds:
        asked = " | ".join(item.queries) or "enough"
        yield f"round {item.number}    {asked}" + (f"   ({item.note})" if item.note else "")
    for number, search in enumerate(trace.searches, start=1):
        yield f"search {number}   {search.query}   ({len(search.hits)} in the pool)"
    packed = {chunk.id for chunk in trace.context.chunks}
    for chunk in trace.admitted:
        place = "cut" if chunk in trace.context.cut else "context" if chunk.id in packed else "no room"
        yield f"  {place:8} {chunk.id:32} {chunk.tokens:4} tokens  {chunk.title} / {chunk.heading}"
    yield f"context    {trace.context.tokens} of {trace.budget} tokens"
    yield from (f"note       {note}" for note in trace.notes)
    for fallback in trace.fallbacks:
        yield f"fallback   {fallback.step}: {fallback.reason} -> {fallback.used}"
    cost = f"{trace.model_calls} model calls, {trace.retrievals} retrievals, {trace.seconds:.2f} s"
    yield f"cost       {cost} (query side)"
    yield f"answer     {f'(refused: {REFUSALS[trace.refusal]})' if trace.refusal else trace.answer}"
