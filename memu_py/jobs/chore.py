"""Work that comes round: what is to be done at the beginning of each period, by whoever is there."""

import asyncio
import dataclasses
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from memu_py.errors import StoreError
from memu_py.jobs.pulse import Sleep

logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Chore:
    """Something that workers see to; doing it twice in a period must change nothing.

    Attributes:
        name: for the log.
        every_s: length of a period in seconds, counted from 1970; 0 for never.
        do: does it.
    """

    name: str
    every_s: float
    do: Callable[[], Awaitable[object]]

    def period(self, now: float) -> int | None:
        """Return the number of the period of a moment, in seconds since 1970; None for never."""
        return int(now // self.every_s) if self.every_s else None

    async def attempt(self) -> None:
        """Do it; when the store is away, the next period tries again."""
        try:
            await self.do()
        except StoreError as error:
            logger.warning("%s could not be done; the next period tries again: %s", self.name, error)

    async def keep(self, clock: Callable[[], datetime], sleep: Sleep = asyncio.sleep) -> None:
        """Do it now, and at the beginning of each period, until cancelled."""
        while self.every_s:
            await self.attempt()
            await sleep(self.every_s - clock().timestamp() % self.every_s)


class Rounds:
    """What one process has seen to: each chore at its first look in a period, however late in it that comes."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    async def look(self, chores: Sequence[Chore], now: float) -> None:
        """Attempt the chores that this process has not attempted in the present period.

        Args:
            chores: of different names.
            now: in seconds since 1970.
        """
        for chore in chores:
            period = chore.period(now)
            if period is not None and self._last.get(chore.name) != period:
                # Before it is done: another look may come meanwhile.
                self._last[chore.name] = period
                await chore.attempt()
