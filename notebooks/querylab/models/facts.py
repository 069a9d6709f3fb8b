"""What a client knows about a call beyond its message: whether it was replayed, how many tries it took.

The reply itself stays the SDK's own ``Message``. The meter opens a record before a call; the client
that answers writes into it. A client that writes nothing (the rules, a stand-in in a test) answered
at the first try. The record travels in a context variable, so it reaches the client through whatever
a technique has wrapped around it, and two calls under ``asyncio.gather`` do not share one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class CallFacts:
    """One call.

    Attributes:
        attempts: HTTP requests sent for it; 0 when none was.
        replayed: True when the reply came from a recording, or from an equal call already in flight.
    """

    attempts: int = 1
    replayed: bool = False


_CURRENT: ContextVar[CallFacts | None] = ContextVar("querylab_call", default=None)


@contextmanager
def recording() -> Iterator[CallFacts]:
    """Open the record for one call."""
    facts = CallFacts()
    token = _CURRENT.set(facts)
    try:
        yield facts
    finally:
        _CURRENT.reset(token)


def current() -> CallFacts:
    """Return the open record, or one that nobody reads when the client is used without a meter."""
    return _CURRENT.get() or CallFacts()
