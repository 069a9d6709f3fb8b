"""``record export`` and ``record import``: a live run's SQLite file as a recording, and a recording as such a file."""

import argparse

from querylab.commands.record_add import asked
from querylab.commands.record_missing import lacking
from querylab.commands.said import Said
from querylab.models import recording
from querylab.models.exchange import to_sqlite, to_text
from querylab.models.recording import NoRecording, RecordedClient
from querylab.models.replay import ReplayStore


def export(options: argparse.Namespace) -> Said:
    """Write a live run's replies into a recording; what that one holds already stays."""
    path = recording.path_of(options.to, options.corpus)
    held = recording.load(path) if path.is_file() else {}
    with ReplayStore(options.file, read_only=True) as store:
        found = {reply.key: reply for reply in to_text(store, options.model, options.family)}
        others = len(store) - len(store.asked())
    recording.write(path, (found | held).values())
    new = len(found.keys() - held.keys())
    return Said(
        f"{path}: {new} new, {len(found | held)} in all",
        {"new": new, "held": len(found | held), "left_out": others},
        (f"  {others} replies were made with another version of the prompts and left out",) if others else (),
    )


def bring_in(options: argparse.Namespace) -> Said:
    """Write a recording as a SQLite file. Its requests are made again, by running the rows on it."""
    if options.to.exists():
        raise NoRecording(f"{options.to} exists already and is not overwritten. Choose another name.")
    replies = recording.load(recording.path_of(options.name, options.corpus))
    listening = RecordedClient(options.name, replies, heard={})
    lacking(listening, options, answers=True)
    requests = list(listening.heard.values())
    if options.requests:
        requests += asked(options.requests).values()
    with ReplayStore(options.to) as store:
        count = to_sqlite(store, replies, requests)
    estimated = sum(reply.usage is None for reply in replies.values())
    text = f"{options.to}: {count} of {len(replies)} replies. To replay it:  MOCK=replay LAB_REPLAY={options.to}"
    if estimated:
        text += (
            f"\n  tokens of {estimated} replies were never counted and are estimates; times stand only where measured"
        )
    others = len(replies) - count
    unasked = f"  {others} belong to requests that no row makes: name these with --requests FILE"
    data = {"written": count, "held": len(replies), "estimated": estimated}
    return Said(text, data, (unasked,) if others else ())
