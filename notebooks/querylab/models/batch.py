"""Many requests at once, at half the price: the Message Batches API, and a run that goes on after a break.

Comes in: requests as ``record missing`` writes them. Goes out: one result a request, as the API gives it. A small file
beside the requests names the batch, so that a second start waits for it instead of paying again.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from querylab import settings
from querylab.models import money
from querylab.models.came_back import in_words
from querylab.models.connection import sdk

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types.messages import MessageBatch

HALF = 0.5
"""What a token costs in a batch, times the ordinary price. Source: platform.claude.com, "Batch processing", pricing."""
MOST = 100_000
"""Requests in one batch. Source: the same page."""
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")

Progress = Callable[["MessageBatch"], None]


class BatchError(settings.SettingError):
    """A batch that cannot be sent or fetched; the message says what to do."""


@dataclass(frozen=True)
class Sent:
    """What the file beside the requests remembers.

    Attributes:
        batch: the batch's id; empty from just before the sending until the server has answered.
        server: the host it was sent to.
        to: the recording that its replies are for: two of them made from one batch would be copies.
    """

    batch: str
    server: str
    to: str

    @classmethod
    def read(cls, path: Path, to: str) -> "Sent | None":
        """Read the file; None when nothing was sent.

        Raises:
            BatchError: when it holds something else, does not know whether the batch arrived, or names another server
                or recording.
        """
        if not path.is_file():
            return None
        try:
            found = cls(**json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise BatchError(f"{path} does not say which batch was sent. Look at the console, and delete it.") from None
        if not found.batch:
            raise BatchError(
                f"Sending broke off before {found.server} had answered: a batch may have been made there, and be paid "
                f'for. Look at the list of batches; if it is there, write its id into {path} as "batch", else delete '
                "that file. Then run this again."
            )
        if found.server != settings.server():
            raise BatchError(
                f"{path} names a batch at {found.server}, but ANTHROPIC_BASE_URL says {settings.server()}. Set it as "
                "it was, or delete the file to send the requests anew, and pay for them again."
            )
        if found.to != to:
            raise BatchError(
                f"{path} names a batch for the recording {found.to}, not for {to}. Fetch that one first, with "
                f"--to {found.to}; each recording needs a batch of its own, else they are copies."
            )
        return found

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        write_whole(path, json.dumps(asdict(self), ensure_ascii=False) + "\n")


def state_of(asked: Path) -> Path:
    """Where a run notes which batch it has sent."""
    return asked.with_name(f"{asked.name}.batch.json")


def results_of(asked: Path) -> Path:
    """Where a run keeps what came back."""
    return asked.with_name(f"{asked.name}.results.jsonl")


def write_whole(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(text, encoding="utf-8", newline="\n")
    beside.replace(path)


# ── Money ───────────────────────────────────────────────────────────────────────────────────────
def at_most_usd(asked: Iterable[Mapping[str, Any]]) -> float:
    """Estimate what a batch can cost at most, at half the price.

    Raises:
        SettingError: for a model without a price.
    """
    return HALF * sum(money.at_most_usd(dict(row["params"])) for row in asked)


def paid_usd(asked: Iterable[Mapping[str, Any]], results: Iterable[Mapping[str, Any]]) -> float:
    """Add up what the results cost by their own usage figures, at half the price."""
    from anthropic.types import Usage

    models = {row["custom_id"]: row["params"]["model"] for row in asked}
    total = 0.0
    for row in results:
        usage = ((row.get("result") or {}).get("message") or {}).get("usage")
        if usage and row.get("custom_id") in models:
            total += money.cost_usd(models[row["custom_id"]], Usage.model_construct(**usage))
    return HALF * total


def check(asked: Sequence[Mapping[str, Any]]) -> None:
    """Refuse what the API would refuse, and what the ceiling has no room for, before anything is sent.

    Raises:
        BatchError: for too many requests, an id that is none or stands twice, or too much money.
        SettingError: for a model without a price.
    """
    if len(asked) > MOST:
        raise BatchError(f"A batch takes {MOST} requests, found {len(asked)}. Split the file.")
    names = [str(row["custom_id"]) for row in asked]
    bad = [name for name in names if not _ID.fullmatch(name)]
    if bad or len(set(names)) < len(names):
        twice = bad or sorted({name for name in names if names.count(name) > 1})
        raise BatchError(f"custom_id must be 1 to 64 letters, digits, - or _, each once; found {', '.join(twice[:3])}.")
    most, ceiling = at_most_usd(asked), settings.max_usd()
    if most > ceiling:
        raise BatchError(
            f"The ceiling is ${ceiling:g}, and this batch may cost up to ${most:.4f} (half the price, every reply as "
            "long as allowed). Nothing was sent. Raise the ceiling with LAB_MAX_USD, or send fewer requests."
        )


# ── The batch ───────────────────────────────────────────────────────────────────────────────────
async def run(
    asked: Sequence[Mapping[str, Any]], state: Path, to: str, progress: Progress, every_seconds: float
) -> list[dict[str, Any]]:
    """Send a batch, or find the one sent before; wait until it has ended; fetch its results.

    Args:
        asked: rows with ``custom_id`` and ``params``.
        state: see :func:`state_of`; whoever has put the results away deletes it.
        to: the recording that the replies are for.
        progress: called with the batch each time it was looked at.
        every_seconds: pause between two looks.

    Returns:
        Rows with ``custom_id`` and ``result``, in the order in which the API gives them.

    Raises:
        BatchError: see :func:`check` and :meth:`Sent.read`, and for what the API refuses.
        KeyRefused, NoConnection: see :func:`querylab.models.connection.sdk`.
    """
    sent = Sent.read(state, to)
    if sent is None:
        check(asked)
    client = sdk(settings.READ_SECONDS, settings.CONNECT_SECONDS, settings.CALL_RETRIES)
    async with client:
        try:
            sent = sent or await _send(client, asked, state, to)
            batch = await client.messages.batches.retrieve(sent.batch)
            while batch.processing_status != "ended":
                progress(batch)
                await asyncio.sleep(every_seconds)
                batch = await client.messages.batches.retrieve(sent.batch)
            progress(batch)
            lines = await client.messages.batches.results(sent.batch)
            return [json.loads(row.to_json(indent=None)) async for row in lines]
        except Exception as error:
            raise _words(error, state) from None


async def _send(client: "AsyncAnthropic", asked: Sequence[Mapping[str, Any]], state: Path, to: str) -> Sent:
    """Make the batch. Tried once only: a second try after a lost answer could make, and pay for, a second batch."""
    import anthropic

    server = settings.server()
    Sent("", server, to).write(state)
    try:
        batch = await client.with_options(max_retries=0).messages.batches.create(requests=list(asked))
    except anthropic.APIStatusError:  # the server answered: there is no batch
        state.unlink()
        raise
    sent = Sent(batch.id, server, to)
    sent.write(state)
    return sent


def _words(error: Exception, state: Path) -> Exception:
    import anthropic

    if isinstance(error, settings.SettingError):
        return error
    gone = isinstance(error, anthropic.NotFoundError) and state.is_file()
    said = in_words(error)
    if gone:
        return BatchError(f"The server does not know the batch that {state} names ({said}). Delete it to send anew.")
    again = " Run the same command again: it goes on with the batch that was sent." if state.is_file() else ""
    return BatchError(f"{said}.{again}")
