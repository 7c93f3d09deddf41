"""The vectors of many users in one pass, without an index of anybody."""

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, and_, or_, select, tuple_, type_coerce

from memu_py.records.record import Record
from memu_py.records.scope import Scope
from memu_py.storage.columns import FLOAT32, VectorBytes
from memu_py.storage.index_rows import mismatch
from memu_py.storage.item_rows import live
from memu_py.storage.schema import item_vectors, items
from memu_py.storage.scoping import beside, owner_of, within

Place = tuple[str, bytes]
"""Where a page ended: an id and the partition's hash, since two partitions may hold one id."""

USERS = '["user",'
"""How the text of a user's partition begins."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class VectorPage(Record):
    """Live items of several partitions.

    Attributes:
        ids: of the items, in order.
        owners: whose they are.
        matrix: their vectors, (n, d) float32.
        after: where the next page begins; None on the last.
    """

    ids: tuple[str, ...]
    owners: tuple[Scope, ...]
    matrix: NDArray[np.float32]
    after: Place | None


def scan_vectors(
    connection: Connection,
    scopes: Sequence[Scope] | None,
    after: Place | None,
    limit: int,
    *,
    users_only: bool,
) -> VectorPage:
    """Return one page; see `Maintenance.scan_vectors`."""
    statement = (
        select(
            items.c.id,
            items.c.partition_hash,
            items.c.partition,
            type_coerce(item_vectors.c.vector, VectorBytes),
        )
        .join(item_vectors, and_(beside(item_vectors, items), item_vectors.c.item_id == items.c.id))
        .where(live())
        .order_by(items.c.id, items.c.partition_hash)
        .limit(limit)
    )
    if scopes is not None:
        statement = statement.where(or_(*(within(items, scope) for scope in scopes)))
    if users_only:
        statement = statement.where(items.c.partition.startswith(USERS, autoescape=True))
    if after is not None:
        statement = statement.where(tuple_(items.c.id, items.c.partition_hash) > tuple_(*after))
    rows = connection.execute(statement).all()
    full = len(rows) == limit
    return VectorPage(
        ids=tuple(row[0] for row in rows),
        owners=tuple(owner_of(row[2]) for row in rows),
        matrix=_matrix([row[3] for row in rows]),
        after=(rows[-1][0], rows[-1][1]) if full else None,
    )


def _matrix(blobs: Sequence[bytes]) -> NDArray[np.float32]:
    for blob in blobs:
        if len(blob) != len(blobs[0]):
            raise mismatch(len(blob) // FLOAT32.itemsize, len(blobs[0]) // FLOAT32.itemsize)
    return np.frombuffer(b"".join(blobs), dtype=FLOAT32).reshape(len(blobs), -1 if blobs else 0)


def owners(connection: Connection) -> list[Scope]:
    """Return the partitions that have a live item; see `Maintenance.owners`."""
    statement = select(items.c.partition).where(live()).distinct().order_by("partition")
    return [owner_of(partition) for partition in connection.scalars(statement)]


def dated_owners(connection: Connection) -> list[Scope]:
    """Return the partitions that have a live item with a date; see `Maintenance.dated_owners`."""
    statement = (
        select(items.c.partition)
        .where(live(), items.c.happened_at.is_not(None))
        .distinct()
        .order_by("partition")
    )
    return [owner_of(partition) for partition in connection.scalars(statement)]
