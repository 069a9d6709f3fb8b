"""Two clocks with one face: a virtual one for modelled durations, a wall clock for measured ones.

The virtual clock is a small discrete-event simulation inside asyncio. ``sleep`` costs no real time;
the clock moves on only when everything that can still run at this instant has run. So two calls one
after the other take the *sum* of their durations, two calls under ``asyncio.gather`` the *maximum*:
the same as they would against a real model, with the same figures on every machine.
"""

import asyncio
import heapq
import itertools
import time
from typing import Protocol

_QUIET_TURNS = 64
"""Event-loop turns without a new sleeper after which the clock moves on although others still want turns."""


class Clock(Protocol):
    """What the meter needs of a clock; ``modelled`` says whether durations are made up by rule."""

    modelled: bool

    def now(self) -> float:
        """Seconds since the clock began."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let a modelled duration pass."""
        ...


class WallClock:
    """Real seconds, from the moment the clock is made."""

    modelled = False

    def __init__(self) -> None:
        self._zero = time.perf_counter()

    def now(self) -> float:
        """Real seconds since the clock was made."""
        return time.perf_counter() - self._zero

    async def sleep(self, seconds: float) -> None:
        """Do nothing: on the wall clock the work itself takes the time."""


class VirtualClock:
    """Modelled seconds: starts at 0 and moves only by :meth:`sleep`."""

    modelled = True

    def __init__(self) -> None:
        self._now = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._driver: asyncio.Task[None] | None = None

    def now(self) -> float:
        """Modelled seconds slept so far."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Wait for modelled seconds.

        Raises:
            ValueError: for a negative duration.
        """
        if seconds < 0:
            raise ValueError(f"A duration is 0 seconds or more, found {seconds}.")
        done = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._order), done))
        if self._driver is None or self._driver.done():
            self._driver = asyncio.create_task(self._drive())
        await done

    async def _drive(self) -> None:
        while self._sleepers:
            await self._settle()
            when, _, done = heapq.heappop(self._sleepers)
            if not done.cancelled():
                self._now = max(self._now, when)
                done.set_result(None)

    async def _settle(self) -> None:
        """Let everything run that can still run at this instant.

        That is over when nobody else waits for a turn: asyncio's own queue says so. A loop that hides
        its queue, or that somebody keeps busy for good (another virtual clock), is given some turns.
        """
        queue = getattr(asyncio.get_running_loop(), "_ready", None)
        known, quiet = len(self._sleepers), 0
        while quiet < _QUIET_TURNS:
            await asyncio.sleep(0)
            if queue is not None and not queue:
                return
            quiet = quiet + 1 if len(self._sleepers) == known else 0
            known = len(self._sleepers)
