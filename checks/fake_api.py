"""A server on 127.0.0.1 that speaks ``POST /v1/messages``, and misbehaves on demand.

The real SDK is tested against it over real HTTP. It refuses what the API refuses, watches how many
calls are in flight, and plays faults in the order they are given::

    with FakeAPI(faults=[status(429, retry_after_ms=5)]) as api: ...

It also answers with the offline rules, so that notebook 10 can be run without a network::

    python -m checks.fake_api -- jupyter lab                     # runs a command with MOCK=0 set up for it
    python -m checks.fake_api --port 8765                        # or only serves, and prints what to set

Replies of this server are the rules', whatever model is asked for: they prove the code path.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

KEY = "sk-ant-local-test-key-0123456789"
"""The one key that this server accepts; it opens nothing else."""

OLD_MODELS = ("claude-haiku-4-5",)
"""Models that still take a budget for thinking; newer ones refuse it."""


# ── What the server can do instead of answering ─────────────────────────────────────────────────
@dataclass(frozen=True)
class Fault:
    """One way to answer: a status with a body, with pauses and cuts.

    Attributes:
        status, body, content_type, headers: the response; a ``body`` of None is the good reply.
        change: alters the good reply, a dictionary, in place.
        wait: seconds before the answer begins.
        cut: send half of the body, then close the connection.
        drip: seconds between pieces of the body.
    """

    status: int = 200
    body: bytes | None = None
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    change: Callable[[dict[str, Any]], None] | None = None
    wait: float = 0.0
    cut: bool = False
    drip: float = 0.0


_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def status(code: int, message: str = "as ordered", retry_after_ms: int | None = None, **headers: str) -> Fault:
    """Answer with an error status, in the API's own form."""
    if retry_after_ms is not None:
        headers["retry-after-ms"] = str(retry_after_ms)
    return Fault(code, _error(code, message), headers=headers)


def _error(code: int, message: str) -> bytes:
    error = {"type": _TYPES.get(code, "api_error"), "message": message}
    return json.dumps({"type": "error", "error": error}, ensure_ascii=False).encode("utf-8")


def altered(**values: Any) -> Fault:
    """Answer with a good reply in which some fields are replaced."""
    return Fault(change=lambda reply: reply.update(values))


def hang(seconds: float) -> Fault:
    """Say nothing for some seconds, then answer."""
    return Fault(wait=seconds)


def drip(seconds: float) -> Fault:
    """Answer byte by byte, with a pause after each."""
    return Fault(drip=seconds)


def garbage(body: bytes, content_type: str = "application/json") -> Fault:
    """Answer 200 with something that is no message."""
    return Fault(body=body, content_type=content_type)


def _thinking_first(reply: dict[str, Any]) -> None:
    reply["content"].insert(0, {"type": "thinking", "thinking": "先想一想", "signature": "c2ln"})


OK = Fault()
CUT = Fault(cut=True)
EMPTY = altered(content=[])
REFUSAL = altered(content=[], stop_reason="refusal")
TRUNCATED = altered(stop_reason="max_tokens")
PAUSED = altered(stop_reason="pause_turn")
THINKING_FIRST = Fault(change=_thinking_first)
THINKING_ONLY = altered(content=[{"type": "thinking", "thinking": "先想一想", "signature": "c2ln"}])


# ── The server ──────────────────────────────────────────────────────────────────────────────────
Answer = Callable[[dict[str, Any]], dict[str, Any]]
"""From a request's body to the reply's body, both as plain data."""


@dataclass(frozen=True)
class Seen:
    """One HTTP request that came in."""

    body: dict[str, Any]
    headers: dict[str, str]
    retry: int


class FakeAPI:
    """The server; a context manager that starts and stops it.

    Attributes:
        url: its address, for ``ANTHROPIC_BASE_URL``.
        faults: played one per request, the first first; when they are used up, ``always``.
        seen: every request, in order of arrival.
        most_in_flight: how many were being answered at once, at most.
    """

    def __init__(
        self,
        faults: Sequence[Fault] = (),
        always: Fault = OK,
        answer: Answer | None = None,
        key: str | None = KEY,
        port: int = 0,
    ) -> None:
        """Bind to 127.0.0.1.

        Args:
            faults, always: see the class.
            answer: gives the good reply; the echo of the question when None.
            key: the accepted key; any when None.
            port: a free one when 0.
        """
        self.faults = list(faults)
        self.always = always
        self.answer = answer or echo
        self.key = key
        self.seen: list[Seen] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.api = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "FakeAPI":
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()

    def enter(self, seen: Seen) -> Fault:
        """Note a request and choose how it is answered."""
        with self._lock:
            self.seen.append(seen)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            return self.faults.pop(0) if self.faults else self.always

    def leave(self) -> None:
        """Note that a request has been answered."""
        with self._lock:
            self._in_flight -= 1


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # a burst of connections is not refused
    daemon_threads = True
    block_on_close = False
    api: FakeAPI

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent when a client hangs up: timeouts and cut lines are what is tested."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else small answers wait 40 ms for the other side's acknowledgement
    server: _Server

    def do_POST(self) -> None:
        """Answer one request."""
        api = self.server.api
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        fault = api.enter(Seen(body or {}, headers, int(headers.get("x-stainless-retry-count", 0))))
        try:
            self._send(self._refusal(api, headers, body) or fault, api, body or {})
        finally:
            api.leave()

    def _refusal(self, api: FakeAPI, headers: dict[str, str], body: Any) -> Fault | None:
        if api.key is not None and headers.get("authorization") != f"Bearer {api.key}":
            return status(401, "invalid bearer token")
        if self.path.partition("?")[0] != "/v1/messages":
            return status(404, f"no such address: {self.path}")
        fault = what_is_wrong(body)
        return status(400, fault) if fault else None

    def _send(self, fault: Fault, api: FakeAPI, body: dict[str, Any]) -> None:
        payload = fault.body
        if payload is None:
            reply = api.answer(body)
            if fault.change:
                fault.change(reply)
            payload = json.dumps(reply, ensure_ascii=False).encode("utf-8")
        time.sleep(fault.wait)
        self.send_response(fault.status)
        self.send_header("content-type", fault.content_type)
        self.send_header("content-length", str(len(payload)))
        self.send_header("request-id", f"req_local_{len(api.seen)}")
        for name, value in fault.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if fault.cut:
            self.wfile.write(payload[: len(payload) // 2])
            self.close_connection = True
        elif fault.drip:
            for index in range(len(payload)):
                self.wfile.write(payload[index : index + 1])
                time.sleep(fault.drip)
        else:
            self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


# ── What the API refuses, and what it answers ───────────────────────────────────────────────────
def what_is_wrong(body: Any) -> str:
    """Say why the API would refuse a request's body with 400; nothing when it would not.

    Written from the API's documentation, apart from what the mock refuses: the contract test compares
    the two.
    """
    if not isinstance(body, dict):
        return "the request body is not valid JSON"
    for name in ("temperature", "top_p", "top_k"):
        if name in body:
            return f"{name}: this model does not take sampling parameters"
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "model: Field required"
    limit = body.get("max_tokens")
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        return "max_tokens: Input should be greater than or equal to 1"
    if "system" in body and not isinstance(body["system"], str | list):
        return "system: Input should be a valid string or list"
    thinking = body.get("thinking")
    if thinking is not None:
        kind = thinking.get("type") if isinstance(thinking, dict) else None
        old = body["model"].startswith(OLD_MODELS)
        if kind not in ("disabled", "enabled" if old else "adaptive"):
            return f"thinking.type: {kind!r} is not supported by this model"
    return _wrong_messages(body.get("messages"))


def _wrong_messages(messages: Any) -> str:
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            return f"messages.{index}.role: Input should be 'user' or 'assistant'"
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
        if not blocks or any(not isinstance(text, str) or not text.strip() for text in texts):
            return f"messages.{index}: text content blocks must contain non-whitespace text"
    if messages[-1]["role"] != "user":
        return "This model does not support assistant message prefill. The conversation must end with a user message."
    return ""


def message(body: dict[str, Any], text: str, **usage: int) -> dict[str, Any]:
    """Build a good reply to a request."""
    return {
        "id": "msg_local",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20} | usage,
    }


def echo(body: dict[str, Any]) -> dict[str, Any]:
    """Answer with the question itself, so that whatever is searched stays the question."""
    from querylab.models import requests

    return message(body, requests.question(body))


def by_rule(body: dict[str, Any]) -> dict[str, Any]:
    """Answer as the offline rules do, under the name of the model that was asked."""
    from querylab.rules.client import MockClient

    reply = asyncio.run(MockClient().messages.create(**body))
    return json.loads(reply.to_json()) | {"model": body["model"]}


@contextmanager
def running(wait: float = 0.02, port: int = 0) -> Iterator[dict[str, str]]:
    """Serve the rules' answers, and give the environment variables under which the lab asks this server.

    Args:
        wait: seconds that each answer takes.
        port: a free one when 0.
    """
    with FakeAPI(always=hang(wait), answer=by_rule, port=port) as api, tempfile.TemporaryDirectory() as folder:
        yield {
            "MOCK": "0",
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": KEY,
            "LAB_REPLAY": str(Path(folder) / "replay.sqlite"),
        }


# ── Command line ────────────────────────────────────────────────────────────────────────────────
def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted, or run one command against the server and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m checks.fake_api", description=__doc__.split("\n\n")[0])
    parser.add_argument("--port", type=int, default=0, help="a free one when left out")
    parser.add_argument("--wait", type=float, default=0.02, metavar="SECONDS", help="how long each answer takes")
    parser.add_argument("command", nargs="*", metavar="-- COMMAND", help="run this with MOCK=0, key and address set")
    options = parser.parse_args(arguments)
    with running(options.wait, options.port) as settings:
        if options.command:
            return subprocess.run(options.command, env=os.environ | settings, check=False).returncode
        for name, value in settings.items():
            print(f"export {name}={value}")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
