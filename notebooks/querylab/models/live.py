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
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.models import facts, money, reply, requests
from querylab.models.replay import Recorded, RecordingError, ReplayStore
from querylab.models.reply import BrokenReply, CallFailed, KeyRefused, LastingFailure, ModelError, NotRecorded

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
            _certificates()  # also imports the SDK: half a second that the first measured call should not pay for
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


@dataclass
class _Tries:
    """HTTP requests of one call, and how many of them may have cost money without a usable reply."""

    sent: int = 0
    unsettled: int = 0


_TRIES: ContextVar[_Tries] = ContextVar("querylab_tries")


async def _count_tries(request: Any, call_next: Any) -> Any:
    """Count one HTTP request; middleware of the SDK, which runs inside its retry loop."""
    import httpx2

    tries = _TRIES.get()
    tries.sent += 1
    tries.unsettled += 1
    try:
        response = await call_next(request)
    except Exception as error:
        if isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout):
            tries.unsettled -= 1  # nothing was sent
        raise
    tries.unsettled -= 1  # an error status is free, a reply is paid by its usage figures
    return response


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
        client, tries = self._client, _Tries()
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
            message, error = None, _in_words(caught)
        return _Outcome(message, error, tries.sent)

    async def _send(self, line: _Line, request: dict[str, Any], tries: _Tries) -> Any:
        _TRIES.set(tries)  # this runs in a task, and so in a context, of its own
        try:
            async with asyncio.timeout(self._client.call_seconds):
                value = await line.sdk.messages.create(**request)
        except TimeoutError:
            raise CallFailed(f"no complete reply within {self._client.call_seconds:g} s, retries included") from None
        except (ValueError, RecursionError) as error:  # a body that is no JSON though it says so, or no UTF-8
            tries.unsettled += 1
            raise BrokenReply(f"the reply is not JSON ({type(error).__name__})") from None
        fault = _fault(value)
        if fault:
            tries.unsettled += 1
            raise BrokenReply(f"the reply is not a message: {fault}")
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
            sdk = self._sdk()
            line = _Line(sdk, asyncio.Semaphore(self._client.in_flight), _close_with_loop(sdk))
            self._lines[loop] = line
            await anext(line.closing)
        return self._lines[loop]

    def _sdk(self) -> Any:
        import anthropic

        try:
            return anthropic.AsyncAnthropic(
                api_key=settings.api_key(),
                timeout=anthropic.Timeout(self._client.read_seconds, connect=self._client.connect_seconds),
                max_retries=self._client.retries,
                http_client=anthropic.DefaultAsyncHttpxClient(verify=_certificates()),
                middleware=[_count_tries],
            )
        except settings.SettingError as error:  # taken out of the environment since the client was made
            raise KeyRefused(str(error)) from None


@cache
def _certificates() -> Any:
    """Load the certificates that servers are checked against, once and not for every event loop."""
    import anthropic  # noqa: F401
    import httpx2

    return httpx2.create_ssl_context()


async def _close_with_loop(sdk: Any) -> AsyncIterator[None]:
    """Close the SDK's connections when the event loop ends: ``asyncio.run`` closes every generator begun in it."""
    try:
        yield
    finally:
        await sdk.close()


# ── What came back ──────────────────────────────────────────────────────────────────────────────
def _fault(value: Any) -> str:
    """Say what keeps a value from being a complete message; nothing when it is one.

    The SDK does not look: a 200 with other JSON inside becomes a ``Message`` full of None, one with a
    web page becomes a string.
    """
    from anthropic.types import Message

    if not isinstance(value, Message):
        return f"the body holds {type(value).__name__} instead"
    if value.type != "message" or value.role != "assistant" or not isinstance(value.stop_reason, str):
        return "type, role or stop_reason is missing"
    if not isinstance(value.content, list):
        return "it has no content blocks"
    for block in value.content:
        kind = getattr(block, "type", None)
        if not isinstance(kind, str) or (kind == "text" and not isinstance(getattr(block, "text", None), str)):
            return "a content block is none"
    counts = [getattr(value.usage, name, None) for name in ("input_tokens", "output_tokens")]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return "it does not say how many tokens it used"
    return ""


def _in_words(error: Exception) -> Exception:
    """Make an error fit to be shown: with its cause in words, and cut off from the frames beneath.

    Those frames belong to the SDK and hold the request's headers, and with them the key: a verbose
    traceback would print them.
    """
    import anthropic

    if isinstance(error, anthropic.APIStatusError) and _lasting(error):
        words = " ".join(str(error.api_message or error.message).split())[:200]
        error = _refused(error.status_code, words)
    elif isinstance(error, anthropic.APIConnectionError) and error.__cause__ is not None:
        cause = error.__cause__
        timed_out = isinstance(error, anthropic.APITimeoutError)
        words = "no answer in time" if timed_out else "no connection, or it broke off"
        error.message = f"{words} ({type(cause).__name__}{f': {cause}' if str(cause) else ''})"
        error.args = (error.message,)
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _lasting(error: Any) -> bool:
    return error.status_code in (401, 402, 403, 404) or "credit balance" in str(error.api_message)


def _refused(status: int, words: str) -> LastingFailure:
    if status in (401, 403):
        return KeyRefused(
            f"the API does not accept the key ({status}: {words}). Check ANTHROPIC_API_KEY, and that it belongs to "
            "the server in ANTHROPIC_BASE_URL if that is set"
        )
    if status == 404:
        return LastingFailure(f"the API does not know the model or the address ({status}: {words}). Check LAB_MODEL")
    return LastingFailure(f"the account does not pay for this call ({status}: {words})")
