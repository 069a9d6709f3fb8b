"""``record missing``: the requests of the rows to which a recording holds no reply, ready to be sent."""

import argparse
import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from querylab.commands.said import Said
from querylab.models import recording, requests
from querylab.models.recording import RecordedClient

ROWS = ("named", "understanding", "heavier", "controls")


def missing(options: argparse.Namespace) -> Said:
    """Write what a recording lacks as batch requests, and say how many of each task."""
    path = recording.path_of(options.recording, options.corpus)
    client = RecordedClient(options.recording, recording.load(path) if path.is_file() else {})
    asked = lacking(client, options, options.answers)
    recording.write_requests(options.out, asked)
    counts = Counter(requests.task_name(request) for request in asked.values())
    head = f"{path} holds {len(client.replies)} replies and lacks {len(asked)}; written to {options.out}"
    return Said(
        "\n".join([head, *(f"  {task:24} {count:5}" for task, count in sorted(counts.items()))]),
        {"held": len(client.replies), "missing": dict(counts)},
    )


def lacking(client: RecordedClient, options: argparse.Namespace, answers: bool) -> dict[str, dict[str, Any]]:
    """Run the rows that a command line names on a recording; key → request it holds no reply to."""
    from querylab.measure.unrecorded import question_sets, unrecorded
    from querylab.pipeline.config import MORE_ROWS
    from querylab.pipeline.lab import Lab

    lab = Lab.open(Path(options.corpus), options.track, client=client)
    rows = {"named": lab.configs(), **MORE_ROWS}
    configs = [config for name in options.rows or ROWS for config in rows.get(name, ())]
    sets = options.set or [*question_sets(lab.corpus), "dialogues"]
    questions = [name for name in sets if name != "dialogues"]
    return asyncio.run(unrecorded(lab, list(dict.fromkeys(configs)), questions, "dialogues" in sets, answers))
