"""The SDK's client as the lab makes it: the key from the environment, certificates read once, tries counted.

Comes in: waits and tries. Goes out: an ``anthropic.AsyncAnthropic``, or a word on what in the environment keeps one
from being made. The key is handed to the SDK's constructor and kept nowhere else.
"""

import os
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from querylab import settings
from querylab.models.reply import KeyRefused, LastingFailure

if TYPE_CHECKING:
    import ssl

    from anthropic import AsyncAnthropic


class NoConnection(LastingFailure, settings.SettingError):
    """The environment names a proxy or certificates that cannot be used; the message says which and what to do."""


@dataclass
class Tries:
    """HTTP requests of one call, and how many of them may have cost money without a usable reply."""

    sent: int = 0
    unsettled: int = 0


TRIES: ContextVar[Tries | None] = ContextVar("querylab_tries", default=None)


async def count_tries(request: Any, call_next: Any) -> Any:
    """Count one HTTP request; middleware of the SDK, which runs inside its retry loop."""
    import httpx2

    tries = TRIES.get() or Tries()  # a batch is not counted so: nobody reads this one
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


def sdk(read_seconds: float, connect_seconds: float, retries: int) -> "AsyncAnthropic":
    """Make the SDK's client for one event loop.

    Args:
        read_seconds, connect_seconds: longest wait for the next bytes of a reply, and for a connection.
        retries: tries after the first one.

    Raises:
        KeyRefused: when there is no key (any more).
        NoConnection: when the proxy or the certificates that the environment names cannot be used.
    """
    import anthropic

    verify = certificates()
    try:
        transport = anthropic.DefaultAsyncHttpxClient(verify=verify)
    except (ImportError, ValueError) as error:
        raise NoConnection(_proxy(error)) from None
    try:
        return anthropic.AsyncAnthropic(
            api_key=settings.api_key(),
            timeout=anthropic.Timeout(read_seconds, connect=connect_seconds),
            max_retries=retries,
            http_client=transport,
            middleware=[count_tries],
        )
    except settings.SettingError as error:  # taken out of the environment since the client was made
        raise KeyRefused(str(error)) from None


@cache
def certificates() -> "ssl.SSLContext":
    """Load the certificates that servers are checked against, once and not for every event loop.

    Raises:
        NoConnection: when ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names something that cannot be read.
    """
    import anthropic  # noqa: F401  imports the SDK: half a second that the first measured call should not pay for
    import httpx2

    try:
        return httpx2.create_ssl_context()
    except OSError as error:  # ssl.SSLError is one
        named = _named("SSL_CERT_FILE", "SSL_CERT_DIR")
        raise NoConnection(
            f"the certificates cannot be read ({error.strerror or error}). The environment says "
            f"{named or 'nothing about them'}: name a file that exists, or unset it, and start again"
        ) from None


def _proxy(error: Exception) -> str:
    """Say why the proxy that the environment names cannot be used, without the password that may stand in it."""
    named = [name for name in ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY") if _value(name)]
    where = f"The environment sets {', '.join(named)}." if named else "The system's settings name one."
    if isinstance(error, ImportError):
        return (
            f"a SOCKS proxy needs the package socksio. {where} Either  python -m pip install socksio, or unset the "
            "proxy, and start again"
        )
    return (
        f"the proxy cannot be used: its address is not understood. {where} Write it like http://host:port, or unset it"
    )


def _value(name: str) -> str:
    return os.environ.get(name, "") or os.environ.get(name.lower(), "")


def _named(*names: str) -> str:
    return ", ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))
