"""``python -m querylab ledger | ask | calibrate | lost | replay | kernels``: the lab from the command line."""

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from typing import Any

from querylab import settings
from querylab.commands import record
from querylab.corpus.load import CorpusError, load_corpus
from querylab.measure import drifting
from querylab.measure.calibrate import Calibration, calibrate, write_gates
from querylab.measure.evaluate import COLUMNS, Report, evaluate
from querylab.pipeline.run import BASELINE, MORE_ROWS, Config, Lab
from querylab.pipeline.techniques import Unfinished
from querylab.pipeline.trace import Trace, where_lost
from querylab.retrieval.retriever import Retriever


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 on success, 2 when something it was given cannot be used."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except (CorpusError, settings.SettingError, KeyError, ValueError, Unfinished) as error:
        words = error.args[0] if isinstance(error, KeyError) and error.args else error
        print(f"querylab: {words}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m querylab", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function: Any, text: str, track: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=function)
        if track:
            sub.add_argument("--corpus", default=settings.CORPUS_DIR, metavar="DIR", help="a corpus folder")
            sub.add_argument("--track", default="solution", metavar="NAME", help="solution, starter, or a folder")
            sub.add_argument("--json", action="store_true", help="machine-readable output")
        return sub

    ledger = command("ledger", _ledger, "evaluate every configuration and print the ledger")
    ledger.add_argument(
        "--config", action="append", metavar="NAME", help="only this row beside the baseline; repeatable"
    )
    ledger.add_argument(
        "--rows", action="append", choices=MORE_ROWS, metavar="NAME", help=f"other rows instead: {', '.join(MORE_ROWS)}"
    )
    ledger.add_argument(
        "--fresh", action="store_true", help="MOCK=0: ask anew what is recorded, to measure its latency; paid for again"
    )
    ask = command("ask", _ask, "ask one question and show its path")
    ask.add_argument("question")
    ask.add_argument("--config", metavar="NAME", help="a ledger row's name (default: the track's default)")
    ask.add_argument(
        "--before", action="append", default=[], metavar="TEXT", help="earlier turn, user and assistant in turn"
    )
    fit = command("calibrate", _calibrate, "fit the gates on the labelled single-hop questions")
    fit.add_argument("--write", action="store_true", help="store them in the corpus's manifest.toml")
    lost = command("lost", _lost, "say where each question's evidence was lost")
    lost.add_argument("--config", metavar="NAME", help="a ledger row's name (default: baseline)")
    replay = command("replay", _replay, "show what a recording of a live run holds, or copy it", track=False)
    replay.add_argument("file", nargs="?", metavar="FILE", help="default: LAB_REPLAY, or the lab's own")
    replay.add_argument("--export", metavar="FILE", help="write a copy to hand to a class")
    replay.add_argument("--json", action="store_true", help="machine-readable output")
    kernels = command("kernels", _kernels, 'install the Jupyter kernel "querylab solution"', track=False)
    kernels.add_argument("--remove", action="store_true", help="remove it again")
    record.add(command("record", _record, record.HELP, track=False))
    return parser


# ── ledger ──────────────────────────────────────────────────────────────────────────────────────
def _ledger(options: argparse.Namespace) -> int:
    if options.fresh and settings.mode() != "live":
        raise settings.SettingError("--fresh measures the live model's latency: set MOCK=0 with it.")
    lab = Lab.open(options.corpus, options.track, progress=True)
    if options.fresh:
        lab.client.fresh = True
    chosen = [config for name in options.rows or () for config in MORE_ROWS[name]]
    chosen += map(lab.config, options.config or ())
    configs = [BASELINE, *chosen] if chosen else lab.configs()
    reports = asyncio.run(_evaluate_all(lab, list(dict.fromkeys(configs)), "heavier" in (options.rows or ())))
    if options.json:
        _print_json(
            {"rows": [report.row() for report in reports], "n": reports[0].counts, "modelled": reports[0].modelled}
        )
    else:
        print(ledger_text(reports))
    return 0


async def _evaluate_all(lab: Lab, configs: list[Config], drift: bool) -> list[Report]:
    reports = [await evaluate(config, lab=lab, progress=True) for config in configs]
    return [*reports, *(await drifting.rows(lab) if drift else ())]


def ledger_text(reports: list[Report]) -> str:
    """Write the ledger as a Markdown table, with what its figures are above it."""
    head = ["configuration", *(column.label for column in COLUMNS)]
    rows = []
    for report in reports:
        row = report.row()
        rows.append([row["config"], *(_cell(column.format, row[column.key]) for column in COLUMNS)])
    widths = [max(len(line[index]) for line in (head, *rows)) for index in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in (head, *rows)
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return ledger_note(*reports) + "\n\n" + "\n".join(lines)


def ledger_note(*reports: Report) -> str:
    """Say what the ledger's figures are: n, the model, what was replayed, failed or broken off."""
    n = reports[0].counts
    models = sorted({report.model or "mock model (rules)" for report in reports})
    modelled = all(report.modelled for report in reports)
    calls = [event for report in reports for event in report.calls]
    replayed, failed = sum(event.replayed for event in calls), sum(event.error is not None for event in calls)
    parts = [
        f"n = {n['single']} single-hop, {n['multi']} multi-hop, {n['unanswerable']} unanswerable",
        ", ".join(models) + (", times modelled" if modelled else ", times measured"),
        "query side only",
    ]
    if not modelled:
        parts.append(f"${sum(report.paid_usd for report in reports):.4f} paid")
    if replayed:
        parts.append(f"{replayed} of {len(calls)} calls replayed (left out of latency)")
    if failed:
        parts.append(f"{failed} of {len(calls)} calls failed (fell back)")
    for report in reports:
        if report.stopped:
            parts.append(f"{report.config.name} stopped after {report.progress} questions: {report.stopped}")
    return "; ".join(parts)


def _cell(form: str, value: float | None) -> str:
    return "–" if value is None else form.format(value)


# ── ask ─────────────────────────────────────────────────────────────────────────────────────────
def _ask(options: argparse.Namespace) -> int:
    lab = Lab.open(options.corpus, options.track, progress=True)
    config = lab.config(options.config) if options.config else lab.default_config()
    roles = ("user", "assistant")
    history = [{"role": roles[index % 2], "content": text} for index, text in enumerate(options.before)]
    trace = asyncio.run(lab.ask(options.question, history, config))
    if options.json:
        _print_json(trace_json(trace, config))
    else:
        _print_trace(trace, config)
    return 0


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
        "context_tokens": trace.context.tokens,
        "budget": trace.budget,
        "answer": trace.answer,
        "refused": trace.refused,
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


def _print_trace(trace: Trace, config: Config) -> None:
    print(f"question   {trace.question}")
    if trace.rewritten != trace.question:
        print(f"rewritten  {trace.rewritten}")
    print(f"config     {config.name}" + (f", routed {trace.intent}" if trace.intent else ""))
    if trace.understanding:
        fields = trace.understanding.row()
        print("understood " + ", ".join(f"{name} {value}" for name, value in fields.items() if name != "rewritten"))
        for repair in trace.understanding.salvaged:
            print(f"  repaired {repair}")
        print(f"path       {trace.path}")
    for item in trace.rounds:
        asked = " | ".join(item.queries) or "enough"
        print(f"round {item.number}    {asked}" + (f"   ({item.note})" if item.note else ""))
    for number, search in enumerate(trace.searches, start=1):
        print(f"search {number}   {search.query}   ({len(search.hits)} in the pool)")
    for chunk in trace.admitted:
        place = "context" if chunk in trace.context.chunks else "no room"
        print(f"  {place:8} {chunk.id:32} {chunk.tokens:4} tokens  {chunk.title} / {chunk.heading}")
    print(f"context    {trace.context.tokens} of {trace.budget} tokens")
    for note in trace.notes:
        print(f"note       {note}")
    for fallback in trace.fallbacks:
        print(f"fallback   {fallback.step}: {fallback.reason} -> {fallback.used}")
    print(
        f"cost       {trace.model_calls} model calls, {trace.retrievals} retrievals, {trace.seconds:.2f} s (query side)"
    )
    print(f"answer     {'(refused: nothing passed the gate)' if trace.refused else trace.answer}")


# ── calibrate ───────────────────────────────────────────────────────────────────────────────────
def _calibrate(options: argparse.Namespace) -> int:
    corpus = load_corpus(options.corpus)
    found = calibrate(corpus, Retriever(corpus.chunks, progress=True))
    if options.write:
        write_gates(corpus.root / "manifest.toml", found)
    if options.json:
        _print_json(asdict(found) | {"written": options.write})
        return 0
    _print_calibration(found)
    where = f"written to {corpus.root / 'manifest.toml'}" if options.write else "not written; add --write to store them"
    print(f"\n{where}")
    return 0


def _print_calibration(found: Calibration) -> None:
    print("strictest gates at which no single-hop question loses its evidence, with their neighbours:\n")
    print("        bm25   cosine  admitted  refused rightly  refused wrongly")
    answerable = found.questions["single"] + found.questions["multi"]
    for setting in found.neighbours:
        mark = "->" if setting == found.chosen else "  "
        print(
            f"  {mark} {setting.gates.bm25:8.3f} {setting.gates.cosine:8.3f} {setting.admitted:9} "
            f"{setting.refused_rightly:8} of {found.questions['unanswerable']:<4} "
            f"{setting.refused_wrongly:10} of {answerable}"
        )
    print("\nmargin of each question's evidence over the gates (one of the two is 0 or more):\n")
    for margin in found.margins:
        print(f"  {margin.question:6} {margin.document:28} bm25 {margin.bm25:+8.3f}   cosine {margin.cosine:+.3f}")


# ── lost ────────────────────────────────────────────────────────────────────────────────────────
def _lost(options: argparse.Namespace) -> int:
    lab = Lab.open(options.corpus, options.track, progress=True)
    config = lab.config(options.config) if options.config else BASELINE
    report = asyncio.run(evaluate(config, lab=lab, progress=True))
    gates = lab.corpus.require_gates()
    rows = []
    for question, trace in zip(report.questions, report.traces, strict=True):
        for doc_id, place in where_lost(trace, question).items():
            hits = [
                hit for search in trace.searches for hit in search.hits if hit.chunk.id in question.answering(doc_id)
            ]
            rows.append(
                {
                    "question": question.id,
                    "tier": question.tier,
                    "document": doc_id,
                    "place": place,
                    "rank": min((hit.rank for hit in hits), default=None),
                    "bm25": max((hit.bm25 for hit in hits), default=None),
                    "cosine": max((hit.cosine for hit in hits), default=None),
                }
            )
        if not question.answerable:
            rows.append(
                {"question": question.id, "tier": question.tier, "place": "refused" if trace.refused else "answered"}
            )
    if options.json:
        _print_json({"config": config.name, "gates": asdict(gates), "rows": rows})
        return 0
    print(f"{config.name}: gates bm25 >= {gates.bm25} or cosine >= {gates.cosine}\n")
    for row in rows:
        scores = ""
        if row.get("rank"):
            scores = f"rank {row['rank']:2}  bm25 {row['bm25']:7.3f}  cosine {row['cosine']:.3f}"
        print(f"  {row['question']:5} {row['tier']:13} {row['place']:9} {row.get('document', ''):28} {scores}")
    return 0


# ── replay ──────────────────────────────────────────────────────────────────────────────────────
def _replay(options: argparse.Namespace) -> int:
    from querylab.models.replay import ReplayStore

    with ReplayStore(options.file or settings.replay_file(), read_only=True) as store:
        found = store.summary()
        copy = store.export(options.export) if options.export else None
    if options.json:
        _print_json({"file": str(store.path), "rows": found, "exported": str(copy) if copy else None})
        return 0
    print(f"{store.path}: {sum(row['replies'] for row in found)} replies\n")
    for row in found:
        print(
            f"  {row['model']:28} {row['task']:12} {row['replies']:4} replies   "
            f"p50 {_cell('{:.2f}', row['p50_s'])} s   p95 {_cell('{:.2f}', row['p95_s'])} s   "
            f"{row['first']} – {row['last']}"
        )
    if copy:
        print(f"\ncopied to {copy}. To replay it, offline and for nothing:  MOCK=replay LAB_REPLAY={copy}")
    return 0


# ── record ──────────────────────────────────────────────────────────────────────────────────────
def _record(options: argparse.Namespace) -> int:
    said = record.run(options)
    if getattr(options, "json", False):
        _print_json(said.data)
    else:
        print(said.text)
    for line in said.beside:
        print(line, file=sys.stderr)
    return said.code


# ── kernels ─────────────────────────────────────────────────────────────────────────────────────
def _kernels(options: argparse.Namespace) -> int:
    from querylab.lesson.kernels import install, remove

    print(remove() if options.remove else install())
    return 0


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")
    sys.exit(main())
