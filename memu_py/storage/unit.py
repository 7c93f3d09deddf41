"""A unit of work: what every function that writes is given."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from sqlalchemy import Connection

from memu_py.records.record import Record
from memu_py.records.scope import Scope
from memu_py.storage.database import Database
from memu_py.storage.settings import Clock

T = TypeVar("T")

CHUNK = 500
"""Values in one IN list: well below every database's limit on bound values."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Unit(Record):
    """One transaction on behalf of somebody.

    Attributes:
        connection: inside its transaction.
        scope: whose rows.
        actor: for the change log.
        now: the moment of the change, UTC.
    """

    connection: Connection
    scope: Scope
    actor: str
    now: datetime


async def written(
    database: Database, scope: Scope, work: Callable[[Unit], T], *, actor: str, clock: Clock
) -> T:
    """Run a unit of work that writes, on behalf of somebody, and return what it gives."""

    def run(connection: Connection) -> T:
        return work(Unit(connection=connection, scope=scope, actor=actor, now=clock()))

    return await database.write(run, partition=scope.partition_hash)


def chunks(values: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Cut a sequence into pieces.

    >>> list(chunks([1, 2, 3], 2))
    [[1, 2], [3]]
    """
    return (values[start : start + size] for start in range(0, len(values), size))
