"""A deadline on the question's own clock: virtual offline, the wall's live."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from querylab.models.clock import Clock
from querylab.models.reply import CallFailed


class TooLate(CallFailed):
    """A step that took longer than it was given; it was stopped, and what it had spent is spent."""


async def within(clock: Clock, seconds: float | None, call: Awaitable[Any]) -> Any:
    """Await something for so long and no longer.

    Args:
        clock: the question's clock.
        seconds: how long; None for as long as it takes.
        call: a coroutine.

    Returns:
        What the call returns.

    Raises:
        TooLate: when the time is up. The call has been cancelled.
        Whatever the call raises.

    Limits: only what awaits can be stopped: code that computes, or that swallows its cancellation, goes on, and is
    waited for. On the virtual clock a call that waits for something real (a thread) is late at once.
    """
    if seconds is None:
        return await call
    task = asyncio.ensure_future(call)
    timer = asyncio.ensure_future(clock.sleep(seconds) if clock.modelled else asyncio.sleep(seconds))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise TooLate(f"it took longer than {seconds:g} s")
        return task.result()
    finally:
        for pending in (task, timer):
            pending.cancel()
        await asyncio.gather(task, timer, return_exceptions=True)
