"""News for those who wait in this process."""

import asyncio
from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]


class Pulse:
    """Wakes everybody who waits for news. Take `next` before looking: news that come in between are not missed."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def next(self) -> asyncio.Event:
        """Set by the next news."""
        return self._event

    def beat(self) -> None:
        """Tell that something happened."""
        event, self._event = self._event, asyncio.Event()
        event.set()


async def first(event: asyncio.Event, sleep: Sleep, seconds: float) -> None:
    """Wait for an event, or so many seconds at most."""
    waiting = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(sleep(seconds))]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waiting:
            one.cancel()
