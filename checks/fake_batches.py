"""The batches of the local server: made, looked at, fetched, as ``/v1/messages/batches`` has it.

Comes in: a method, a path, a body. Goes out: the response. Everything is kept in memory; a batch ends after a number of
looks, and its results come in the reverse order, since the API promises none.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from checks.fake_faults import Fault, status
from checks.fake_replies import what_is_wrong

PLACE = "/v1/messages/batches"
_DAY = "2026-01-01T00:00:00Z"


@dataclass
class Batches:
    """All batches of one server.

    Attributes:
        answer: gives the good reply to one request.
        looks: how often a batch is looked at before it has ended.
        kinds: custom_id → errored, canceled or expired; every other request succeeds.
        made: batch id → its requests, in the order of arrival.
        looked: how often each was looked at.
    """

    answer: Callable[[dict[str, Any]], dict[str, Any]]
    looks: int = 0
    kinds: Mapping[str, str] = field(default_factory=dict)
    made: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    looked: dict[str, int] = field(default_factory=dict)

    def respond(self, method: str, path: str, body: Any, url: str) -> Fault:
        """Answer one HTTP request."""
        if method == "POST" and path == PLACE:
            return self._make(body, url)
        name, _, rest = path.removeprefix(f"{PLACE}/").partition("/")
        if method != "GET" or name not in self.made or rest not in ("", "results"):
            return status(404, f"no such batch: {path}")
        if rest:
            lines = [json.dumps(self._result(row), ensure_ascii=False) for row in reversed(self.made[name])]
            return Fault(
                body="".join(f"{line}\n" for line in lines).encode("utf-8"), content_type="application/x-jsonl"
            )
        self.looked[name] += 1
        return self._show(name, url)

    def _make(self, body: Any, url: str) -> Fault:
        requests = body.get("requests") if isinstance(body, dict) else None
        if not isinstance(requests, list) or not requests:
            return status(400, "requests: at least one request is required")
        names = [row.get("custom_id") for row in requests]
        if len(set(names)) < len(names):
            return status(400, "custom_id: must be unique")
        name = f"msgbatch_{len(self.made) + 1}"
        self.made[name], self.looked[name] = requests, 0
        return self._show(name, url)

    def _show(self, name: str, url: str) -> Fault:
        ended = self.looked[name] > self.looks
        kinds = [self.kinds.get(row["custom_id"], "succeeded") for row in self.made[name]]
        counts = {kind: kinds.count(kind) if ended else 0 for kind in ("succeeded", "errored", "canceled", "expired")}
        shown = {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts | {"processing": 0 if ended else len(kinds)},
            "created_at": _DAY,
            "expires_at": _DAY,
            "ended_at": _DAY if ended else None,
            "results_url": f"{url}{PLACE}/{name}/results" if ended else None,
        }
        return Fault(body=json.dumps(shown).encode("utf-8"))

    def _result(self, row: dict[str, Any]) -> dict[str, Any]:
        kind = self.kinds.get(row["custom_id"], "succeeded")
        wrong = what_is_wrong(row["params"])
        if kind == "errored" or wrong:
            error = {"type": "invalid_request_error", "message": wrong or "made to fail"}
            result = {"type": "errored", "error": {"type": "error", "error": error, "request_id": "req_local"}}
        elif kind == "succeeded":
            result = {"type": kind, "message": self.answer(row["params"])}
        else:
            result = {"type": kind}
        return {"custom_id": row["custom_id"], "result": result}
