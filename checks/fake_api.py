"""A server on 127.0.0.1 that speaks ``POST /v1/messages``, and misbehaves on demand.

The real SDK is tested against it over real HTTP. It refuses what the API refuses, watches how many
calls are in flight, and plays faults in the order they are given::

    with FakeAPI(faults=[status(429, retry_after_ms=5)]) as api: ...

It also answers with the offline rules, so that notebook 12 can be run without a network::

    python -m checks.fake_api -- jupyter lab                     # runs a command with MOCK=0 set up for it
    python -m checks.fake_api --port 8765                        # or only serves, and prints what to set

Replies of this server are the rules', whatever model is asked for: they prove the code path.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from checks.fake_batches import Batches
from checks.fake_faults import (
    CUT,
    EMPTY,
    OK,
    PAUSED,
    REFUSAL,
    THINKING_FIRST,
    THINKING_ONLY,
    TRUNCATED,
    Fault,
    altered,
    drip,
    garbage,
    hang,
    status,
)  # fmt: skip
from checks.fake_replies import by_rule, echo, message, what_is_wrong

__all__ = [
    "CUT", "EMPTY", "KEY", "OK", "PAUSED", "REFUSAL", "THINKING_FIRST", "THINKING_ONLY", "TRUNCATED", "Answer",
    "FakeAPI", "Fault", "Seen", "altered", "by_rule", "drip", "echo", "garbage", "hang", "message", "running", "status",
    "what_is_wrong",
]  # fmt: skip

KEY = "sk-ant-local-test-key-0123456789"
"""The one key that this server accepts; it opens nothing else."""


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
        batches: the batches it was sent, and how it is to answer them.
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
        self.batches = Batches(self.answer)
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

    def do_GET(self) -> None:
        """Show a batch, or its results."""
        self._answer({})

    def do_POST(self) -> None:
        """Answer one request."""
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        self._answer(body)

    def _answer(self, body: Any) -> None:
        api = self.server.api
        headers = {name.lower(): value for name, value in self.headers.items()}
        fault = api.enter(Seen(body or {}, headers, int(headers.get("x-stainless-retry-count", 0))))
        try:
            own = self._refusal(api, headers, body)
            if (
                own is not None and own.status == 200
            ):  # a batch: its answer, with the fault's pauses and cuts, or the fault
                own = fault if fault.body is not None else replace(fault, body=own.body, content_type=own.content_type)
            self._send(own or fault, api, body)
        finally:
            api.leave()

    def _refusal(self, api: FakeAPI, headers: dict[str, str], body: Any) -> Fault | None:
        if api.key is not None and headers.get("authorization") != f"Bearer {api.key}":
            return status(401, "invalid bearer token")
        path = self.path.partition("?")[0]
        if path.startswith("/v1/messages/batches"):
            return api.batches.respond(self.command, path, body, api.url)
        if path != "/v1/messages" or self.command != "POST":
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
