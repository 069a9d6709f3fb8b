"""What the tests of the live model share: a clean environment, and clients for a server on this machine."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from querylab.models import facts, money
from querylab.models.live import LiveClient

from checks.fake_api import KEY, FakeAPI

Connect = Callable[..., LiveClient]


def ask(client: Any, **request: Any) -> tuple[Any, facts.CallFacts]:
    """Make one call; return its message (or the error it ended in) and what the client noted about it."""

    async def call() -> tuple[Any, facts.CallFacts]:
        with facts.recording() as noted:
            try:
                return await client.messages.create(**request), noted
            except Exception as error:
                return error, noted

    return asyncio.run(call())


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """Put the local server's key into the environment, and nothing else that the SDK would read."""
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    return KEY


@pytest.fixture
def connect(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """Make live clients for a local server: own recording, own purse, short waits."""
    made: list[LiveClient] = []

    def make(api: FakeAPI | None, **options: Any) -> LiveClient:
        if api is not None:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        waits = {"connect_seconds": 1.0, "read_seconds": 5.0, "call_seconds": 20.0, "purse": money.Purse(1.0)}
        recording = options.pop("recording", tmp_path / "replay.sqlite")
        made.append(LiveClient(recording, **(waits | options)))
        return made[-1]

    yield make
    for client in made:
        client.close()
