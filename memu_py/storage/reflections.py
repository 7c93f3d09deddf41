"""The store's contract for what was reflected on; the watermark itself moves with a `Batch`."""

from typing import Protocol

from memu_py.records.insight import Waiting, Watermark
from memu_py.records.scope import Scope


class Reflections(Protocol):
    """Up to where a partition's items were looked at together."""

    async def watermark(self, scope: Scope) -> Watermark:
        """Return where the watermark of a partition stands."""
        ...

    async def waiting(self, scope: Scope, limit: int) -> Waiting:
        """Return the items at hand behind the watermark, the first `limit` of them; insights apart."""
        ...

    async def count(self, scope: Scope, most: int) -> int:
        """Return how many wait, counted up to `most`."""
        ...
