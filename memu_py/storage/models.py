"""The store's contract for what models gave and what they cost; rows go with their partition."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Protocol

from memu_py.records.batch import Vector
from memu_py.records.scope import Scope
from memu_py.records.usage import UsageRow


class EmbeddingCache(Protocol):
    """Embeddings by content; keys carry the partition and rows go with it."""

    async def load(self, scope: Scope, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Return the known vectors by key."""
        ...

    async def save(self, scope: Scope, vectors: Mapping[bytes, Vector]) -> None:
        """Keep vectors, in a transaction of their own."""
        ...


class AnswerStore(Protocol):
    """Answers of chat models by content; keys carry the partition and rows go with it."""

    async def load(self, scope: Scope, key: bytes) -> str | None:
        """Return the text of an answer, if it is known."""
        ...

    async def save(self, scope: Scope, key: bytes, text: str) -> None:
        """Keep an answer, in a transaction of its own; a key that is known gets the new one."""
        ...


class UsageStore(Protocol):
    """What chat models cost, by day, profile and purpose; of whole partitions."""

    async def add(self, scope: Scope, rows: Sequence[UsageRow]) -> None:
        """Add to the counters, all in one statement."""
        ...

    async def since(self, scope: Scope, day: date) -> list[UsageRow]:
        """Return the rows from a day on, the newest day first, then by profile and purpose."""
        ...

    async def tokens(self, scope: Scope, day: date) -> int:
        """Return the tokens of a day, sent and answered."""
        ...
