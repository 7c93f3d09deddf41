"""How common terms are in partitions on PostgreSQL: counted once, and again when a partition has drifted."""

import dataclasses
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, select, text

from memu_py.records.scope import Scope
from memu_py.storage.postgres_words import count_holding
from memu_py.storage.schema import item_vectors
from memu_py.storage.scoping import within
from memu_py.storage.search import Census

DRIFT = 0.1
"""Share by which a partition may grow or shrink before its terms are counted anew."""
MANY = 10_000
"""Items from which on a partition is asked for its size only now and then."""
FRESH_S = 10.0
"""How long the size of such a partition counts."""
KEPT_COUNTS = 100_000
"""Counts of terms that one process remembers."""


@dataclasses.dataclass(slots=True)
class _Count:
    """A count, and how many items the partition had when it was taken."""

    count: int
    texts: int

    def fits(self, texts: int) -> bool:
        return abs(texts - self.texts) <= DRIFT * self.texts


@dataclasses.dataclass(slots=True)
class _Size:
    """How many items a partition had, where its log was when they were counted, and when that was looked at."""

    texts: int
    seq: int
    at: float

    def fits(self, seq: int) -> bool:
        return abs(seq - self.seq) <= DRIFT * self.texts


class Counts:
    """How many items partitions have, and how many hold a term; counted again when a partition has drifted.

    Args:
        secured: whether the server holds partitions apart, too.
    """

    def __init__(self, *, secured: bool) -> None:
        self._secured = secured
        self._texts: OrderedDict[bytes, _Size] = OrderedDict()
        self._terms: OrderedDict[tuple[bytes, str], _Count] = OrderedDict()
        self._lock = threading.Lock()

    def texts(self, connection: Connection, scope: Scope) -> int:
        """Return how many items a partition has, about: what the log grew by since says when to count again."""
        key, now = scope.partition_hash, time.monotonic()
        with self._lock:
            known = self._texts.get(key)
        if known is not None and known.texts > MANY and now - known.at < FRESH_S:
            return known.texts
        seq = connection.scalar(_LAST_SEQ, {"hash": key, "partition": scope.partition}) or 0
        texts = known.texts if known is not None and known.fits(seq) else _size(connection, scope)
        with self._lock:
            counted = known.seq if known is not None and known.fits(seq) else seq
            self._texts[key] = _Size(texts, counted, now)
            _shorten(self._texts)
        return texts

    def census(self, connection: Connection, scope: Scope, terms: Sequence[str]) -> Census:
        """Return how common terms are."""
        texts = self.texts(connection, scope)
        return Census(
            texts=texts, holding={term: self._term(connection, scope, term, texts) for term in terms}
        )

    def _term(self, connection: Connection, scope: Scope, term: str, texts: int) -> int:
        key = (scope.partition_hash, term)
        with self._lock:
            known = self._terms.get(key)
        if known is not None and known.fits(texts):
            return known.count
        count = count_holding(connection, scope, term, secured=self._secured)
        with self._lock:
            self._terms[key] = _Count(count, texts)
            _shorten(self._terms)
        return count


def _size(connection: Connection, scope: Scope) -> int:
    mine = within(item_vectors, scope, attributes=False)
    return connection.scalar(select(func.count()).select_from(item_vectors).where(mine)) or 0


_LAST_SEQ = text(
    "SELECT seq FROM changes WHERE partition_hash = :hash AND partition = :partition ORDER BY seq DESC LIMIT 1"
)


def _shorten(counts: OrderedDict[Any, Any]) -> None:
    while len(counts) > KEPT_COUNTS:
        counts.popitem(last=False)
