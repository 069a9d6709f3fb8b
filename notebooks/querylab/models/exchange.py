"""A live run's SQLite file and a recording's text file, from the one to the other.

The SQLite file keeps whole requests and whole messages, for the model that was asked; the text form keeps what the
model was shown (as a key) and what it replied. Tokens and times that somebody counted are carried over; where nobody
did, the text form leaves them out, and the SQLite file holds the lab's estimate, marked as one, and no time.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from querylab.models import recording, requests
from querylab.models.recording import NoRecording, Reply
from querylab.models.replay import ReplayStore

ESTIMATED = "estimated"
"""Stands in a message whose tokens nobody counted."""


def to_text(store: ReplayStore, model: str | None = None, family: str = "") -> list[Reply]:
    """Read a live run's file as replies of a recording.

    Args:
        store: an open file.
        model: whose replies, when the file holds those of several.
        family: the model's family; the model's name when empty.

    Returns:
        One reply for each request made with this version of the prompts.

    Raises:
        NoRecording: when the file holds several models and none, or another one, is named.
    """
    kept = store.asked()
    models = sorted({found.model for _, found in kept})
    if model is None and len(models) > 1:
        raise NoRecording(f"{store.path} holds replies of {', '.join(models)}; say whose with --model.")
    if model is not None and model not in models:
        raise NoRecording(f"{store.path} holds no reply of {model}, only of: {', '.join(models) or 'nobody'}.")
    return [
        from_message(
            json.loads(form),
            json.loads(found.reply),
            family or found.model,
            found.recorded[:10],
            found.seconds if found.attempts else None,
        )
        for form, found in kept
        if model in (None, found.model)
    ]


def from_message(
    request: Mapping[str, Any], said: Mapping[str, Any], family: str, day: str, seconds: float | None = None
) -> Reply:
    """Make a recorded reply of a request and a message as the API sends it.

    Args:
        request: arguments of ``messages.create``.
        said: the message as plain data.
        family: the model's family.
        day: when, ISO 8601.
        seconds: how long the call took, where that was measured.
    """
    blocks = [block for block in said.get("content") or () if isinstance(block, Mapping)]
    usage = said.get("usage") or {}
    counts = (usage.get("input_tokens"), usage.get("output_tokens"))
    counted = not said.get(ESTIMATED) and all(isinstance(count, int) and count > 0 for count in counts)
    return Reply(
        key=recording.key(request),
        task=requests.task_name(dict(request)),
        about=requests.question(dict(request)),
        text="".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text"),
        tool_use=tuple(block.get("input") or {} for block in blocks if block.get("type") == "tool_use"),
        stop_reason=said.get("stop_reason") or "end_turn",
        family=family,
        date=day,
        usage=counts if counted else None,
        seconds=seconds,
    )


def to_sqlite(store: ReplayStore, replies: Mapping[str, Reply], asked: Iterable[Mapping[str, Any]]) -> int:
    """Write a recording's replies into a file that ``MOCK=replay LAB_REPLAY=FILE`` replays.

    Args:
        store: an open file; what it holds already stays.
        replies: key → reply.
        asked: whole requests, because the text form keeps only their keys; those without a reply are passed over.

    Returns:
        How many replies were found for these requests.
    """
    written: set[str] = set()
    for request in asked:
        name, form = recording.key(request), requests.canonical(dict(request))
        reply = replies.get(name)
        if reply is None or form is None or name in written:
            continue
        said = json.loads(recording.message(request, reply).to_json(indent=None))
        if reply.usage is None:
            said[ESTIMATED] = True
        measured = reply.seconds is not None
        store.put(
            form,
            reply.task,
            request["model"],
            json.dumps(said, ensure_ascii=False),
            reply.seconds or 0.0,
            int(measured),
            reply.date or None,
        )
        written.add(name)
    return len(written)
