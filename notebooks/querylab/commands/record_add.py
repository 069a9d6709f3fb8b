"""``record add``: the results of a batch put into a recording, whatever their order and however often they come."""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from querylab.commands.said import Said
from querylab.models import recording
from querylab.models.exchange import from_message
from querylab.models.judged import faults
from querylab.models.recording import NoRecording, Reply
from querylab.text import whole


@dataclass(frozen=True)
class Added:
    """What became of results.

    Attributes:
        path: the recording.
        new: replies that it did not hold before; how many it holds now stands in ``held``.
        failures: of the new ones, those that their task cannot use: key → why. They are kept.
        unusable: results that are not in the recording, each with the reason.
    """

    path: Path
    new: int
    held: int
    failures: Mapping[str, str]
    unusable: tuple[str, ...]

    def said(self) -> Said:
        """Put it into words; exit code 1 when something could not be used."""
        kept = f", {len(self.failures)} of them failures, kept as they are" if self.failures else ""
        return Said(
            f"{self.path}: {self.new} new{kept}; {self.held} in all; {len(self.unusable)} not used",
            {"new": self.new, "held": self.held, "failures": dict(self.failures), "unusable": list(self.unusable)},
            (
                *(f"  kept as a failure: {name}: {why}" for name, why in sorted(self.failures.items())),
                *(f"  not used: {line}" for line in self.unusable),
            ),
            1 if self.unusable else 0,
        )


Maker = Mapping[str, Mapping[str, Any] | Reply]
"""custom_id → the request, or the reply that another recording holds to it."""


def add(options: argparse.Namespace) -> Said:
    """Put batch results into a recording; list those that could not be used. Exit code 1 when there are any."""
    known = asked(options.requests) if options.requests else recorded(options.corpus)
    path = recording.path_of(options.to, options.corpus)
    where = str(options.requests) if options.requests else "another recording of this corpus: name them with --requests"
    return put(path, known, list(rows(options.results)), options.family, options.date, where).said()


def asked(path: Path) -> dict[str, Mapping[str, Any]]:
    """Read requests as ``record missing`` writes them: custom_id → request.

    Raises:
        NoRecording: for a line that is no request.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for row in rows(path):
        if not isinstance(row.get("params"), Mapping) or not isinstance(row.get("custom_id"), str):
            raise NoRecording(f"{path} holds a line without custom_id and params; ``record missing`` writes them.")
        found[row["custom_id"]] = row["params"]
    return found


def recorded(corpus: Path) -> dict[str, Reply]:
    """All replies that any recording of a corpus holds, by key: they say what each request was about."""
    found: dict[str, Reply] = {}
    for name in recording.names(corpus):
        found = recording.load(recording.path_of(name, corpus)) | found
    return found


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read JSON objects, one a line.

    Raises:
        NoRecording: when there is no such file, or a line is no object; names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise NoRecording(f"{path} cannot be read ({error.strerror}).") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as error:
                raise NoRecording(f"{path}, line {number}: not JSON ({error}).") from None
            if not isinstance(row, dict):
                raise NoRecording(f"{path}, line {number}: not an object.")
            yield row


def put(
    path: Path, known: Maker, results: Iterable[Mapping[str, Any]], family: str, day: str, where: str = "the requests"
) -> Added:
    """Put results into a recording.

    The order of the results does not matter. A request whose result stands there twice counts once, and one that
    failed and then succeeded counts as succeeded. Where two replies to one request differ, the recording's own stays;
    between two new ones nobody chooses: neither is taken, and both are named.

    Args:
        path: the recording; made when missing.
        known: custom_id → what was asked.
        results: rows with ``custom_id`` and ``result``.
        family: the model's family; the message's model when empty.
        day: ISO 8601.
        where: where ``known`` comes from, for messages.
    """
    held = recording.load(path) if path.is_file() else {}
    came: dict[str, dict[tuple[str, str], Reply]] = {}
    wrong: dict[str, str] = {}
    for row in results:
        name = str(row.get("custom_id"))
        reply, why = _reply(known[name], row.get("result"), family, day) if name in known else (None, f"not in {where}")
        if reply is None:
            wrong.setdefault(name, why)
        else:
            came.setdefault(name, {})[reply.text, repr(reply.tool_use)] = reply
    unusable = {name: why for name, why in wrong.items() if name not in came}
    new: dict[str, Reply] = {}
    for name, replies in came.items():
        reply = next(iter(replies.values()))
        before = held.get(reply.key) or new.get(reply.key)
        if before is not None:
            if any((before.text, before.tool_use) != (other.text, other.tool_use) for other in replies.values()):
                unusable[name] = "recorded already with another reply; that one stays"
        elif len(replies) > 1:
            unusable[name] = f"{len(replies)} different replies to one request; take all but one out"
        else:
            new[reply.key] = reply
    if new:
        recording.write(path, [*held.values(), *new.values()])
    listed = tuple(f"{name}: {why}" for name, why in sorted(unusable.items()))
    return Added(path, len(new), len(held) + len(new), faults(new.values()), listed)


def _reply(request: Mapping[str, Any] | Reply, result: Any, family: str, day: str) -> tuple[Reply | None, str]:
    """Read one result of a batch: a reply, or why there is none."""
    result = result if isinstance(result, Mapping) else {}
    kind = result.get("type")
    if kind != "succeeded":
        outer = result.get("error")
        inner = outer.get("error", outer) if isinstance(outer, Mapping) else None
        words = inner.get("message") if isinstance(inner, Mapping) else None
        return None, f"{kind or 'no result'}{f': {words}' if words else ''}"
    said = result.get("message")
    if not isinstance(said, Mapping) or not isinstance(said.get("content"), list):
        return None, "succeeded, but its message has no content"
    asked_for = {} if isinstance(request, Reply) else request
    reply = from_message(asked_for, said, family or str(said.get("model") or ""), day)
    reply = replace(reply, text=whole(reply.text))
    if isinstance(request, Reply):
        reply = replace(reply, key=request.key, task=request.task, about=request.about)
    try:
        recording.message({}, reply)
    except ValueError:
        return None, f"succeeded, but its message is none (stop_reason {reply.stop_reason!r})"
    return reply, ""


def count_kinds(results: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Count results by kind: succeeded, errored, canceled, expired."""
    return Counter(str((row.get("result") or {}).get("type")) for row in results)
