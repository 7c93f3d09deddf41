"""Work that comes round: what is to be done at the beginning of each period, by whoever is there."""

import asyncio
import dataclasses
import logging
from collections.abc import Awaitable, Callable
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

    def begins(self, after: float, until: float) -> bool:
        """Say whether a period begins after one moment and not after another, both in seconds since 1970."""
        return bool(self.every_s) and int(after // self.every_s) != int(until // self.every_s)

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
