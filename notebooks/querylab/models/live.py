"""The live model: the SDK's own client behind the lab's seam, with a recording, a purse and a limit.

One call goes: arguments checked → recording → the same request already in flight? → a place in flight
→ purse → SDK (with its retries) → is it a message at all? → pay → record when valid. What comes out is
the SDK's ``Message``, or one of its errors, or a :class:`~querylab.models.reply.ModelError`.

The key is read from the environment by the SDK's constructor call and kept nowhere else; errors are
cut off from the frames beneath, whose variables hold request headers.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.models import facts, money, reply, requests
from querylab.models.came_back import fault, in_words
from querylab.models.connection import TRIES, Tries, certificates, sdk
from querylab.models.replay import Recorded, RecordingError, ReplayStore
from querylab.models.reply import BrokenReply, CallFailed, ModelError, NotRecorded

log = logging.getLogger("querylab")


def make_live_client(mode: settings.Mode) -> "LiveClient":
    """Make the client for ``MOCK=0`` (``live``) or ``MOCK=replay`` (``replay``).

    Raises:
        SettingError: live without a key, replay without ``LAB_REPLAY``, or a ``LAB_MAX_USD`` that is no amount.
        RecordingError: when the recording cannot be used.
    """
    if mode == "replay":
        return LiveClient(settings.replay_file(must_be_named=True), offline=True)
    settings.api_key()
    settings.max_usd()
    return LiveClient(settings.replay_file())


class LiveClient:
    """Answers as ``anthropic.AsyncAnthropic`` does, from a recording first and then from the API.

    One client may be used from several event loops in turn (a notebook's, and those of the checks).

    Args:
        recording: the file of recorded replies.
        fresh: ask anew even what is recorded, to measure cold latency; the recording keeps its first reply.
        offline: replay only; what is not recorded raises ``NotRecorded``.
        purse: where money is counted; the process's own when None.
        retries: tries after the first one, made by the SDK.
        in_flight: calls at once.
        connect_seconds, read_seconds: longest wait for a connection, and for the next bytes of a reply.
        call_seconds: longest wait for one call with all its tries.
    """

    modelled = False

    def __init__(
        self,
        recording: Path | str,
        *,
        fresh: bool = False,
        offline: bool = False,
        purse: money.Purse | None = None,
        retries: int = settings.CALL_RETRIES,
        in_flight: int = settings.CALLS_IN_FLIGHT,
        connect_seconds: float = settings.CONNECT_SECONDS,
        read_seconds: float = settings.READ_SECONDS,
        call_seconds: float = settings.CALL_SECONDS,
    ) -> None:
        if not offline:
            certificates()
        self.fresh = fresh
        self.offline = offline
        self.store = ReplayStore(recording, read_only=offline)
        self.purse = purse or money.PURSE
        self.retries = retries
        self.in_flight = in_flight
        self.connect_seconds = connect_seconds
        self.read_seconds = read_seconds
        self.call_seconds = call_seconds
        self.messages = LiveMessages(self)

    @property
    def answers(self) -> str:
        """Who answers: a kept reply is only ever given in this one's name."""
        return settings.server()

    @property
    def spent_usd(self) -> float:
        """US dollars paid so far, by every client that shares this purse."""
        return self.purse.spent

    def close(self) -> None:
        """Close the recording. Connections are closed with the event loop they belong to."""
        self.store.close()

    def __repr__(self) -> str:
        return f"LiveClient(recording={str(self.store.path)!r}, offline={self.offline})"


@dataclass(frozen=True)
class _Outcome:
    """How one call ended: a message or an error, and the HTTP requests it took."""

    message: Any
    error: Exception | None
    attempts: int


@dataclass
class _Line:
    """What belongs to one event loop: the SDK's client, places in flight, and the calls now in flight."""

    sdk: Any
    places: asyncio.Semaphore
    closing: AsyncIterator[None]
    calls: dict[str, asyncio.Task[_Outcome]] = field(default_factory=dict)


class LiveMessages:
    """The part of the client that techniques use."""

    def __init__(self, client: LiveClient) -> None:
        self._client = client
        self._lines: dict[asyncio.AbstractEventLoop, _Line] = {}

    async def create(self, **request: Any) -> Any:
        """Answer one request.

        Returns:
            ``anthropic.types.Message``.

        Raises:
            TypeError: for arguments that the SDK does not take.
            anthropic.APIError: what the API or the network answered, after the SDK's retries.
            BudgetReached, KeyRefused, NotRecorded, RecordingError: failures that stay.
            CallFailed: no complete reply within ``call_seconds``.
            BrokenReply: a 200 that holds no message.
            SettingError: for a model without a price.
        """
        requests.check_arguments(request)
        note = facts.current()
        note.attempts = 0
        form = requests.canonical(request)
        found = self._client.store.get(form) if form and not self._client.fresh else None
        if found:
            note.replayed = True
            return self._message(found)
        if self._client.offline:
            raise self._not_recorded(request)

        line = await self._line()
        call = line.calls.get(form) if form else None
        note.replayed = call is not None  # an equal request is in flight: its reply serves both, paid once
        if call is None:
            call = asyncio.create_task(self._call(line, request, form))
            if form:
                line.calls[form] = call
                call.add_done_callback(lambda _: line.calls.pop(form, None))
        outcome = await asyncio.shield(call)  # cancelling a question does not throw away a reply being paid for
        note.attempts = 0 if note.replayed else outcome.attempts
        if outcome.error is not None:
            raise outcome.error from None
        return outcome.message

    # ── one call to the API ─────────────────────────────────────────────────────────────────────
    async def _call(self, line: _Line, request: dict[str, Any], form: str | None) -> _Outcome:
        client, tries = self._client, Tries()
        message, error, paid = None, None, 0.0
        try:
            most = money.at_most_usd(request)
            reserved = most * (1 + client.retries)
            async with line.places:
                client.purse.reserve(reserved)
                start = time.perf_counter()
                try:
                    message = await self._send(line, request, tries)
                    paid = money.cost_usd(request["model"], message.usage)
                finally:
                    client.purse.settle(reserved, paid, most * tries.unsettled)
            if form:
                self._record(request, form, message, time.perf_counter() - start, tries.sent)
        except Exception as caught:  # handed to everyone who waits for this call
            message, error = None, in_words(caught)
        return _Outcome(message, error, tries.sent)

    async def _send(self, line: _Line, request: dict[str, Any], tries: Tries) -> Any:
        TRIES.set(tries)  # this runs in a task, and so in a context, of its own
        try:
            async with asyncio.timeout(self._client.call_seconds):
                value = await line.sdk.messages.create(**request)
        except TimeoutError:
            raise CallFailed(f"no complete reply within {self._client.call_seconds:g} s, retries included") from None
        except (ValueError, RecursionError) as error:  # a body that is no JSON though it says so, or no UTF-8
            tries.unsettled += 1
            raise BrokenReply(f"the reply is not JSON ({type(error).__name__})") from None
        missing = fault(value)
        if missing:
            tries.unsettled += 1
            raise BrokenReply(f"the reply is not a message: {missing}")
        return value

    def _record(self, request: dict[str, Any], form: str, message: Any, seconds: float, attempts: int) -> None:
        try:
            if message.stop_reason != "tool_use":  # a tool call needs no text beside it
                reply.text(message)
        except ModelError:
            return  # refused, cut or empty: never replayed
        try:
            self._client.store.put(
                form, requests.task_name(request), request["model"], message.to_json(indent=None), seconds, attempts
            )
        except RecordingError as error:  # the reply is good all the same
            log.warning("a reply was not recorded: %s", error)

    def _message(self, found: Recorded) -> Any:
        from anthropic.types import Message

        try:
            return Message.model_validate_json(found.reply)
        except ValueError:
            raise RecordingError(
                f"The recording {self._client.store.path} holds a reply that is no message (made by another version "
                "of the SDK, or by hand). Move the file away, or name another one with LAB_REPLAY=FILE."
            ) from None

    def _not_recorded(self, request: dict[str, Any]) -> NotRecorded:
        store, model = self._client.store, request["model"]
        models = sorted({item.model for item in store.all()})
        hint = ""
        if models and model not in models:
            hint = f" It was made with {', '.join(models)}: set LAB_MODEL={models[0]}."
        return NotRecorded(
            f"the recording {store.path} has no reply for the task {requests.task_name(request)!r} with the model "
            f"{model} on: {requests.question(request)}.{hint}"
        )

    # ── one event loop ──────────────────────────────────────────────────────────────────────────
    async def _line(self) -> _Line:
        """Return the line of the running event loop; connections cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        if loop not in self._lines:
            self._lines = {other: line for other, line in self._lines.items() if not other.is_closed()}
            client = self._client
            made = sdk(client.read_seconds, client.connect_seconds, client.retries)
            line = _Line(made, asyncio.Semaphore(client.in_flight), _close_with_loop(made))
            self._lines[loop] = line
            await anext(line.closing)
        return self._lines[loop]


async def _close_with_loop(sdk: Any) -> AsyncIterator[None]:
    """Close the SDK's connections when the event loop ends: ``asyncio.run`` closes every generator begun in it."""
    try:
        yield
    finally:
        await sdk.close()
