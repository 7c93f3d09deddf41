"""A limit on how many calls begin within a minute."""

import asyncio
import collections
import time
from collections.abc import Awaitable, Callable

WINDOW_S = 60.0


class Pace:
    """Lets callers wait for their turn, in order.

    Args:
        per_minute: turns within any minute; None for any number.
        timer: seconds that only grow.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        *,
        per_minute: int | None,
        timer: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._begun: collections.deque[float] = collections.deque(maxlen=per_minute)
        self._per_minute = per_minute
        self._timer = timer
        self._sleep = sleep
        self._queue = asyncio.Lock()

    async def turn(self) -> None:
        """Return when the next call may begin."""
        if self._per_minute is None:
            return
        async with self._queue:
            if len(self._begun) == self._per_minute:
                pause = self._begun[0] + WINDOW_S - self._timer()
                if pause > 0:
                    await self._sleep(pause)
            self._begun.append(self._timer())
