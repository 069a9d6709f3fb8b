"""``python -m querylab ledger``: evaluate configurations and print the ledger."""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.commands.said import Said, add_lab, open_lab
from querylab.corpus.model import Question
from querylab.measure import drifting, trec
from querylab.measure.evaluate import evaluate
from querylab.measure.intervals import differences
from querylab.measure.recorded import Recorded, evaluate_recorded
from querylab.measure.report import COLUMNS, DEPTHS, Column, Report, ranking_row
from querylab.measure.unrecorded import MAIN, questions_of
from querylab.pipeline.config import BASELINE, MORE_ROWS, Config
from querylab.pipeline.lab import Lab

HELP = "evaluate every configuration and print the ledger"


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_lab(parser)
    parser.add_argument(
        "--config", action="append", metavar="NAME", help="only this row beside the baseline; repeatable"
    )
    parser.add_argument(
        "--rows", action="append", choices=MORE_ROWS, metavar="NAME", help=f"other rows instead: {', '.join(MORE_ROWS)}"
    )
    parser.add_argument(
        "--set", default=MAIN, metavar="NAME", help="another question file of the corpus, such as questions_kinds"
    )
    parser.add_argument(
        "--recorded", action="store_true", help="each row also on the recordings, with intervals of its differences"
    )
    parser.add_argument("--trec", type=Path, metavar="DIR", help="also write the rankings and labels in TREC's formats")
    parser.add_argument(
        "--fresh", action="store_true", help="MOCK=0: ask anew what is recorded, to measure its latency; paid for again"
    )


def run(options: argparse.Namespace) -> Said:
    """Evaluate the rows asked for; without ``--rows`` and ``--config`` the ledger's, with the track's default."""
    if options.fresh and settings.mode() != "live":
        raise settings.SettingError("--fresh measures the live model's latency: set MOCK=0 with it.")
    lab = open_lab(options)
    if options.fresh:
        lab.client.fresh = True
    chosen = [config for name in options.rows or () for config in MORE_ROWS[name]]
    chosen += map(lab.config, options.config or ())
    configs = [BASELINE, *chosen] if chosen else lab.configs()
    configs = list(dict.fromkeys(configs))
    questions = questions_of(lab.corpus, options.set)
    reports = asyncio.run(_evaluate_all(lab, configs, questions, "heavier" in (options.rows or ())))
    data = {"rows": [report.row() for report in reports], "n": reports[0].counts, "modelled": reports[0].modelled}
    text = ledger_text(reports)
    if "controls" in (options.rows or ()):
        data["rankings"] = [ranking_row(report) for report in reports]
        text += f"\n\nthe same rankings, read without gate and budget\n\n{_rankings_text(data['rankings'])}"
    if options.recorded:
        recorded = asyncio.run(_recorded(lab, configs, questions))
        data["recorded"] = [_recorded_json(row, recorded[0]) for row in recorded]
        text += f"\n\n{recorded_text(recorded)}"
    if options.trec:
        text += "\n\nwritten: " + ", ".join(str(path) for path in trec.write(options.trec, reports))
    return Said(text, data)


async def _recorded(lab: Lab, configs: Sequence[Config], questions: Sequence[Question]) -> list[Recorded]:
    return [await evaluate_recorded(config, questions, lab) for config in configs]


def _recorded_json(row: Recorded, first: Recorded) -> dict[str, Any]:
    values = {key: list(found) if found else None for key, found in row.row().items()}
    return (
        {"config": row.config.name, "recordings": len(row.reports), "missing": row.missing}
        | values
        | {
            "differences": {
                key: asdict(found) | {"shown": found.shown} for key, found in differences(first, row).items()
            }
        }
    )


def recorded_text(rows: Sequence[Recorded]) -> str:
    """Write the recorded rows as a Markdown table: lowest to highest, and what is shown against the first row."""
    head = ["configuration", *(column.label for column in COLUMNS), "shown against the first row (95 %)"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in rows:
        values = row.row()
        cells = [_spread(column, values[column.key]) for column in COLUMNS]
        shown = [
            f"{key} {found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
            for key, found in differences(rows[0], row).items()
            if found.shown
        ]
        told = f"{row.missing} requests not recorded" if row.missing else "; ".join(shown) or "nothing"
        lines.append(f"| {' | '.join([row.config.name, *cells, told])} |")
    count = len(rows[0].reports)
    return f"a real model's recorded replies, lowest to highest of {count} recordings; times modelled\n\n" + "\n".join(
        lines
    )


def _spread(column: Column, found: tuple[float, float] | None) -> str:
    if found is None:
        return "–"
    low, high = (column.format.format(value) for value in found)
    return low if low == high else f"{low}…{high}"


async def _evaluate_all(
    lab: Lab, configs: Sequence[Config], questions: Sequence[Question], drift: bool
) -> list[Report]:
    reports = [await evaluate(config, questions, lab, progress=True) for config in configs]
    return [*reports, *(await drifting.rows(lab) if drift else ())]


def ledger_text(reports: Sequence[Report]) -> str:
    """Write the ledger as a Markdown table, with what its figures are above it."""
    head = ["configuration", *(column.label for column in COLUMNS)]
    rows = [report.row() for report in reports]
    cells = [[row["config"], *(_cell(column.format, row[column.key]) for column in COLUMNS)] for row in rows]
    return ledger_note(*reports) + "\n\n" + _table(head, cells)


def _rankings_text(rows: Sequence[Mapping[str, Any]]) -> str:
    head = ["configuration", "nDCG@10", *(f"all evidence in {depth}" for depth in DEPTHS)]
    keys = ["ndcg_at_10", *(f"all_evidence_in_{depth}" for depth in DEPTHS)]
    return _table(head, [[row["config"], *(_cell("{:.3f}", row[key]) for key in keys)] for row in rows])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[index]) for line in (head, *rows)) for index in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in (head, *rows)
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


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
    if unseen := sum(not question.reviewed for question in reports[0].questions):
        parts.append(f"{unseen} of the questions were drafted by a model and nobody has looked at them")
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
