"""``python -m querylab lost``: say where each question's evidence was lost."""

import argparse
import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from querylab.commands.said import Said, add_lab, open_lab
from querylab.corpus.model import Question
from querylab.measure.evaluate import evaluate
from querylab.pipeline.config import BASELINE
from querylab.pipeline.trace import Trace, where_lost

HELP = "say where each question's evidence was lost"


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_lab(parser)
    parser.add_argument("--config", metavar="NAME", help="a ledger row's name (default: baseline)")


def run(options: argparse.Namespace) -> Said:
    """Evaluate one configuration, and follow every evidence document."""
    lab = open_lab(options)
    config = lab.config(options.config) if options.config else BASELINE
    report = asyncio.run(evaluate(config, lab=lab, progress=True))
    gates = lab.corpus.require_gates()
    pairs = zip(report.questions, report.traces, strict=True)
    rows = [row for question, trace in pairs for row in _rows(question, trace)]
    head = f"{config.name}: gates bm25 >= {gates.bm25} or cosine >= {gates.cosine}"
    text = "\n".join([head, "", *map(_line, rows)])
    return Said(text, {"config": config.name, "gates": asdict(gates), "rows": rows})


def _rows(question: Question, trace: Trace) -> Iterator[dict[str, Any]]:
    for doc_id, place in where_lost(trace, question).items():
        answering = question.answering(doc_id)
        hits = [hit for search in trace.searches for hit in search.hits if hit.chunk.id in answering]
        yield {
            "question": question.id,
            "tier": question.tier,
            "document": doc_id,
            "place": place,
            "rank": min((hit.rank for hit in hits), default=None),
            "bm25": max((hit.bm25 for hit in hits), default=None),
            "cosine": max((hit.cosine for hit in hits), default=None),
        }
    if not question.answerable:
        place = "refused" if trace.refused else "answered"
        yield {"question": question.id, "tier": question.tier, "place": place}


def _line(row: dict[str, Any]) -> str:
    scores = ""
    if row.get("rank"):
        scores = f"rank {row['rank']:2}  bm25 {row['bm25']:7.3f}  cosine {row['cosine']:.3f}"
    return f"  {row['question']:5} {row['tier']:13} {row['place']:9} {row.get('document', ''):28} {scores}"
