"""``record run --batch``: requests sent through the API's batches, at half the price, for a recording.

A break (a closed lid, a lost line, Ctrl-C) costs nothing: the same command goes on with the batch that was sent.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from querylab import settings
from querylab.commands import record_add
from querylab.commands.said import Said
from querylab.models import batch, recording
from querylab.models.reply import LastingFailure

if TYPE_CHECKING:
    from anthropic.types.messages import MessageBatch


def run(options: argparse.Namespace) -> Said:
    """Send, wait, fetch, and put into the recording. Exit code 1 when a request brought no reply."""
    settings.api_key()
    path = recording.path_of(options.to, options.corpus)
    known = record_add.asked(options.batch)
    state = batch.state_of(options.batch)
    asked = _unanswered(known, path)
    if not asked and not state.is_file():
        return Said(f"{path} holds a reply to every request in {options.batch}; nothing was sent", {"new": 0})
    if not state.is_file():
        most = batch.at_most_usd(asked)
        _tell(f"{len(asked)} requests, at most ${most:.4f} at half the price (ceiling ${settings.max_usd():g})")
    results = _fetched(asked, state, options)
    kept = batch.results_of(options.batch)
    batch.write_whole(kept, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in results))
    added = record_add.put(path, known, results, options.family, options.date, str(options.batch))
    state.unlink()  # only now: until here a break would fetch the results again, for nothing
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(record_add.count_kinds(results).items()))
    every = [{"custom_id": name, "params": request} for name, request in known.items()]
    paid = batch.paid_usd(every, results)
    said = added.said()
    text = f"{kinds}; ${paid:.4f} paid; the results stand in {kept}\n{said.text}"
    return replace(said, text=text, data={**said.data, "paid_usd": paid})


def _unanswered(known: Mapping[str, Mapping[str, Any]], path: Path) -> list[dict[str, Any]]:
    held = recording.load(path) if path.is_file() else {}
    return [
        {"custom_id": name, "params": dict(request)}
        for name, request in known.items()
        if recording.key(request) not in held
    ]


def _fetched(asked: Sequence[Mapping[str, Any]], state: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    try:
        return asyncio.run(batch.run(asked, state, options.to, _progress, options.every))
    except LastingFailure as error:
        raise settings.SettingError(str(error)) from None
    except KeyboardInterrupt:
        goes_on = f"the batch goes on at the server, and {state} names it. Run the same command again to fetch it."
        raise settings.SettingError(f"stopped; {goes_on if state.is_file() else 'nothing was sent.'}") from None


def _progress(found: "MessageBatch") -> None:
    counts = found.request_counts
    done = counts.succeeded + counts.errored + counts.canceled + counts.expired
    _tell(f"{found.id}: {found.processing_status}, {done} of {done + counts.processing} done")


def _tell(line: str) -> None:
    """Say something while the command still runs: on standard error, so that its output stays one piece."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
