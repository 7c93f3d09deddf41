"""How often a key may be used: a bucket of tokens for each, in this process."""

import time
from collections.abc import Callable

from memu_py.errors import RateLimited

MINUTE_S = 60.0


class RateLimiter:
    """Lets every key through so often a minute; all of a minute's calls may come at once.

    Args:
        per_minute: how often; None for any number.
        timer: seconds that only grow.
    """

    def __init__(self, per_minute: int | None, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._timer = timer
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key_id: str) -> None:
        """Count one call.

        Args:
            key_id: of a key that is known, so that nobody fills the memory with names.

        Raises:
            RateLimited: there were too many; says when the next one is allowed.
        """
        if self._per_minute is None:
            return
        now, rate = self._timer(), self._per_minute / MINUTE_S
        left, since = self._buckets.get(key_id, (float(self._per_minute), now))
        left = min(float(self._per_minute), left + (now - since) * rate)
        if left < 1:
            self._buckets[key_id] = (left, now)
            msg = f"this key may be used {self._per_minute} times a minute"
            raise RateLimited(
                msg, retry_after_s=(1 - left) / rate, hint="wait, or raise `server.rate_per_minute`"
            )
        self._buckets[key_id] = (left - 1, now)
