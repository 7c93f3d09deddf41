"""Trying again after a failure that may pass."""

import asyncio
import dataclasses
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from memu_py.llm.provider_error import ProviderError

T = TypeVar("T")

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 8.0
LONGEST_WISH_S = 60.0
"""A provider that asks for a longer wait is not called again."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """How often and after which pauses; the pauses double, with jitter so that many callers do not come back at once.

    Attributes:
        attempts: repetitions at most.
        sleep: waits so many seconds.
        jitter: a number in [0, 1).
    """

    attempts: int
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do some work, again if need be.

        Args:
            work: raises a `ProviderError` when it fails.

        Raises:
            ProviderError: the last failure; a note says how often it was tried.
        """
        for attempt in range(self.attempts):
            try:
                return await work()
            except ProviderError as error:
                if not _worth_it(error):
                    raise
                await self.sleep(self._pause(attempt, error))
        try:
            return await work()
        except ProviderError as error:
            error.add_note(f"tried {self.attempts + 1} times")
            raise

    def _pause(self, attempt: int, error: ProviderError) -> float:
        if error.retry_after_s is not None:
            return error.retry_after_s
        longest = min(FIRST_PAUSE_S * 2.0**attempt, LONGEST_PAUSE_S)
        return longest * (1 - self.jitter() / 2)


def _worth_it(error: ProviderError) -> bool:
    return error.transient and (error.retry_after_s or 0) <= LONGEST_WISH_S
