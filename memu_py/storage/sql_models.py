"""What models cost and have said, over a database."""

from collections.abc import Mapping, Sequence
from datetime import date

from memu_py.records.batch import Vector
from memu_py.records.scope import Scope
from memu_py.records.usage import UsageRow
from memu_py.storage import answer_rows, embedding_cache, usage_rows
from memu_py.storage.units import Units

CACHE = "cache"
USAGE = "usage"


class SqlCache:
    """`EmbeddingCache` over a database."""

    def __init__(self, units: Units) -> None:
        self._units = units

    async def load(self, scope: Scope, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """See `EmbeddingCache.load`."""
        return await self._units.read_for(scope, lambda c: embedding_cache.load_vectors(c, scope, keys))

    async def save(self, scope: Scope, vectors: Mapping[bytes, Vector]) -> None:
        """See `EmbeddingCache.save`."""
        if vectors:
            await self._units.write(scope, CACHE, lambda unit: embedding_cache.save_vectors(unit, vectors))


class SqlAnswers:
    """`AnswerStore` over a database."""

    def __init__(self, units: Units) -> None:
        self._units = units

    async def load(self, scope: Scope, key: bytes) -> str | None:
        """See `AnswerStore.load`."""
        return await self._units.read_for(scope, lambda c: answer_rows.load_answer(c, scope, key))

    async def save(self, scope: Scope, key: bytes, text: str) -> None:
        """See `AnswerStore.save`."""
        await self._units.write(scope, CACHE, lambda unit: answer_rows.save_answer(unit, key, text))


class SqlUsage:
    """`UsageStore` over a database."""

    def __init__(self, units: Units) -> None:
        self._units = units

    async def add(self, scope: Scope, rows: Sequence[UsageRow]) -> None:
        """See `UsageStore.add`."""
        if rows:
            await self._units.write(scope, USAGE, lambda unit: usage_rows.add_usage(unit, rows))

    async def since(self, scope: Scope, day: date) -> list[UsageRow]:
        """See `UsageStore.since`."""
        return await self._units.read_for(scope, lambda c: usage_rows.usage_since(c, scope, day))

    async def tokens(self, scope: Scope, day: date) -> int:
        """See `UsageStore.tokens`."""
        return await self._units.read_for(scope, lambda c: usage_rows.tokens_on(c, scope, day))
