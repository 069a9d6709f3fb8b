"""``python -m querylab traffic LOG.jsonl``: what one's own questions ask for, and a one-page plan from it."""

import argparse
import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from querylab.commands.said import Said, add_lab, open_lab
from querylab.measure.plan import plan
from querylab.measure.traffic import KINDS, WORTH_USD, Asked, Decision, decide, shares
from querylab.models.recording import RecordedClient, write_requests
from querylab.pipeline.history import turns
from querylab.types import Turn

HELP = "shares of your own logged questions by kind, techniques ranked for them, and a plan; nothing leaves the machine"


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    parser.add_argument("log", type=Path, metavar="LOG.jsonl", help='{"question": …, "session": …, "answer": …} a line')
    add_lab(parser)
    parser.add_argument("--worth", type=float, default=WORTH_USD, metavar="USD", help="of one more answered question")
    parser.add_argument("--plan", type=Path, metavar="FILE.md", help="write the one-page plan")
    parser.add_argument("--missing", type=Path, metavar="FILE", help="with a recording: write the requests it lacks")


def run(options: argparse.Namespace) -> Said:
    """Read the log, name the kinds, weigh the techniques."""
    asked = read_log(options.log)
    lab = open_lab(options)
    found = asyncio.run(shares(lab, asked))
    beside = []
    if isinstance(lab.client, RecordedClient) and lab.client.missing:
        beside.append(f"{len(lab.client.missing)} requests are not in the recording; their questions are not counted.")
        if options.missing:
            write_requests(options.missing, lab.client.missing)
            beside.append(f"Written to {options.missing}; answer them, then: python -m querylab record add …")
    if not found.total:
        raise ValueError("Of no question could a kind be told. " + " ".join(beside))
    decision = asyncio.run(decide(lab, found, options.worth))
    if options.plan:
        options.plan.write_text(plan(decision), encoding="utf-8")
        beside.append(f"The plan stands in {options.plan}.")
    return Said("\n".join(_lines(decision)), _data(decision), tuple(beside))


def read_log(path: Path) -> list[Asked]:
    """Read logged questions, one a line.

    Args:
        path: JSON lines with ``question``, and either ``history`` (turns of the Messages API), or ``session``
            (questions of one session are one conversation, in the order of the file) with ``answer`` where it was
            logged; a line that is no JSON object is a question as it stands.

    Raises:
        ValueError: when nothing can be read, or a line has no question; names the line.
    """
    asked: list[Asked] = []
    sessions: dict[str, list[Turn]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if not line.strip():
            continue
        row = json.loads(line) if line.lstrip().startswith("{") else {"question": line.strip()}
        question = row.get("question")
        if not isinstance(question, str) or not question.strip():
            raise ValueError(f"{path}, line {number}: no 'question' in {sorted(row)}.")
        before = sessions.setdefault(str(row["session"]), []) if "session" in row else list(row.get("history") or ())
        asked.append(Asked(question, turns(before)))
        before.append({"role": "user", "content": question})
        if row.get("answer"):
            before.append({"role": "assistant", "content": str(row["answer"])})
    if not asked:
        raise ValueError(f"{path} holds no question.")
    return asked


def _lines(decision: Decision) -> Iterator[str]:
    found = decision.shares
    parts = [f"{kind} {found.share(kind):.0%}" for kind in KINDS]
    yield f"{found.total} questions: {', '.join(parts)}" + (f"; {found.unread} unread" if found.unread else "")
    yield f"per 1,000 of them, gains measured on {decision.source}, one more answer worth ${decision.worth_usd:g}:"
    yield f"  {'':34}{'answered':>9} {'95 %':>16}  {'':9}{'calls':>7}{'US$':>9}{'s':>7}{'net US$':>9}"
    for line in decision.lines:
        shown = "shown" if line.shown else "not shown"
        interval = f"{line.low:+.0f} to {line.high:+.0f}"
        yield (
            f"  {line.config:34}{line.answered:+9.0f} {interval:>16}  {shown:9}{line.calls:7.0f}{line.usd:9.3f}"
            f"{line.seconds:+7.2f}{line.net:+9.2f}"
        )


def _data(decision: Decision) -> dict[str, Any]:
    return {
        "shares": {kind: decision.shares.share(kind) for kind in KINDS},
        "questions": decision.shares.total,
        "unread": decision.shares.unread,
        "source": decision.source,
        "worth_usd": decision.worth_usd,
        "techniques": [asdict(line) | {"shown": line.shown} for line in decision.lines],
    }
