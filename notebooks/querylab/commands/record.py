"""``python -m querylab record``: what a recording lacks, and putting replies into it.

Requests leave and replies come back in the format of the Message Batches API, so any model can be asked by any means.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.models import recording, requests
from querylab.models.recording import RecordedClient, Reply

ROWS = ("named", "understanding", "heavier", "controls")


def add_parser(commands: Any) -> None:
    """Add ``record`` and its verbs to the command line."""
    parser = commands.add_parser("record", help="what a recording lacks, and putting replies into it")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    lacks = verbs.add_parser("missing", help="write the requests that a recording has no reply to")
    lacks.add_argument("--corpus", type=Path, default=settings.CORPUS_DIR, metavar="DIR")
    lacks.add_argument("--recording", default="a", metavar="NAME")
    lacks.add_argument("--track", default="solution", metavar="NAME")
    lacks.add_argument("--rows", action="append", choices=ROWS, metavar="NAME", help=f"{', '.join(ROWS)}; default: all")
    lacks.add_argument("--set", action="append", metavar="NAME", help="a question set, or dialogues; default: all")
    lacks.add_argument("--answers", action="store_true", help="also the answers")
    lacks.add_argument("--out", type=Path, required=True, metavar="FILE")
    lacks.set_defaults(command=missing)
    takes = verbs.add_parser("add", help="put the results of a batch into a recording")
    takes.add_argument("results", type=Path, metavar="RESULTS")
    takes.add_argument("--requests", type=Path, required=True, metavar="FILE", help="what ``missing`` wrote")
    takes.add_argument("--to", required=True, metavar="NAME")
    takes.add_argument("--corpus", type=Path, default=settings.CORPUS_DIR, metavar="DIR")
    takes.add_argument("--family", default="", help="the model's family, where the results do not say it")
    takes.add_argument("--date", default=date.today().isoformat(), help="day of recording, ISO 8601")
    takes.set_defaults(command=add)


# ── missing ─────────────────────────────────────────────────────────────────────────────────────
def missing(options: argparse.Namespace) -> int:
    """Write what a recording lacks as batch requests, and say how many of each task."""
    from querylab.measure.unrecorded import question_sets, unrecorded
    from querylab.pipeline.config import MORE_ROWS
    from querylab.pipeline.lab import Lab

    path = recording.path_of(options.recording, options.corpus)
    client = RecordedClient(options.recording, recording.load(path) if path.is_file() else {})
    lab = Lab.open(options.corpus, options.track, client=client)
    rows = {"named": lab.configs(), **MORE_ROWS}
    configs = [config for name in options.rows or ROWS for config in rows.get(name, ())]
    sets = options.set or [*question_sets(lab.corpus), "dialogues"]
    asked = asyncio.run(
        unrecorded(
            lab,
            list(dict.fromkeys(configs)),
            [name for name in sets if name != "dialogues"],
            "dialogues" in sets,
            options.answers,
        )
    )
    lines = [json.dumps({"custom_id": key, "params": request}, ensure_ascii=False) for key, request in asked.items()]
    options.out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    counts = Counter(requests.task_name(request) for request in asked.values())
    print(f"{path} holds {len(client.replies)} replies and lacks {len(asked)}; written to {options.out}")
    for task, count in sorted(counts.items()):
        print(f"  {task:24} {count:5}")
    return 0


# ── add ─────────────────────────────────────────────────────────────────────────────────────────
def add(options: argparse.Namespace) -> int:
    """Put batch results into a recording; list those that could not be used. Exit code 1 when there are any."""
    asked = {row["custom_id"]: row["params"] for row in _rows(options.requests)}
    path = recording.path_of(options.to, options.corpus)
    held = recording.load(path) if path.is_file() else {}
    new, unusable = 0, []
    for row in _rows(options.results):
        name = row.get("custom_id")
        if name not in asked:
            unusable.append(f"{name}: not among the requests in {options.requests}")
            continue
        reply, fault = _reply(asked[name], row.get("result") or {}, options)
        if reply is None:
            unusable.append(f"{name}: {fault}")
        elif held.setdefault(reply.key, reply) is reply:
            new += 1
        elif (held[reply.key].text, held[reply.key].tool_use) != (reply.text, reply.tool_use):
            unusable.append(f"{name}: recorded already with another reply; the first one stays")
    recording.write(path, held.values())
    print(f"{path}: {new} new, {len(held)} in all, {len(unusable)} not used")
    for line in unusable:
        print(f"  {line}", file=sys.stderr)
    return 1 if unusable else 0


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: not JSON ({error}).") from None


def _reply(request: dict[str, Any], result: dict[str, Any], options: argparse.Namespace) -> tuple[Reply | None, str]:
    """Read one result of a batch: a reply, or why there is none."""
    kind = result.get("type")
    if kind != "succeeded":
        error = (result.get("error") or {}).get("error") or result.get("error") or {}
        return None, f"{kind}: {error.get('message', 'no reply')}" if kind == "errored" else str(kind)
    message = result.get("message") or {}
    content = message.get("content")
    if not isinstance(content, list):
        return None, "succeeded, but its message has no content"
    reply = Reply(
        key=recording.key(request),
        task=requests.task_name(request),
        about=requests.question(request),
        text="".join(block.get("text", "") for block in content if block.get("type") == "text"),
        tool_use=tuple(block.get("input") or {} for block in content if block.get("type") == "tool_use"),
        stop_reason=message.get("stop_reason") or "end_turn",
        family=options.family or str(message.get("model") or ""),
        date=options.date,
    )
    return reply, ""
