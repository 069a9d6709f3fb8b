"""``record export`` and ``record import``: a live run's SQLite file as a recording, and a recording as such a file."""

import argparse
import sys

from querylab.commands.record_add import asked
from querylab.commands.record_missing import lacking
from querylab.models import recording
from querylab.models.exchange import to_sqlite, to_text
from querylab.models.recording import NoRecording, RecordedClient
from querylab.models.replay import ReplayStore


def export(options: argparse.Namespace) -> int:
    """Write a live run's replies into a recording; what that one holds already stays."""
    path = recording.path_of(options.to, options.corpus)
    held = recording.load(path) if path.is_file() else {}
    with ReplayStore(options.file, read_only=True) as store:
        found = {reply.key: reply for reply in to_text(store, options.model, options.family)}
        others = len(store) - len(store.asked())
    recording.write(path, (found | held).values())
    print(f"{path}: {len(found.keys() - held.keys())} new, {len(found | held)} in all")
    if others:
        print(f"  {others} replies were made with another version of the prompts and left out", file=sys.stderr)
    return 0


def bring_in(options: argparse.Namespace) -> int:
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
    print(f"{options.to}: {count} of {len(replies)} replies. To replay it:  MOCK=replay LAB_REPLAY={options.to}")
    if estimated:
        print(f"  tokens of {estimated} replies were never counted and are estimates; times stand only where measured")
    if count < len(replies):
        print(
            f"  {len(replies) - count} belong to requests that no row makes: name these with --requests FILE",
            file=sys.stderr,
        )
    return 0
