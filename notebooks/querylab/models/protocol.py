"""What a model client is: whatever answers ``await client.messages.create(...)`` with a Message of the SDK.

The offline rules, a recording and the live model are clients; so are the wrappers round them (meter, cache), which is
why a technique cannot tell who answers.
"""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from anthropic.types import Message


class Messages(Protocol):
    """The part of a client that is used."""

    async def create(self, **request: Any) -> "Message":
        """Answer one request; keyword arguments as ``AsyncAnthropic().messages.create`` takes them."""
        ...


class Client(Protocol):
    """A model client. Its durations are modelled when it has a true attribute ``modelled``."""

    messages: Messages


def modelled(client: Client) -> bool:
    """Say whether a client's durations are made up by rule instead of measured."""
    return bool(getattr(client, "modelled", False))


def answers(client: Client) -> str:
    """Name who answers (the rules, the API, another server)."""
    return getattr(client, "answers", type(client).__name__)
