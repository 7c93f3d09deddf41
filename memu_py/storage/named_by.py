"""What rows name together with given ids."""

from collections.abc import Sequence

from sqlalchemy import Column, select

from memu_py.storage.scoping import within
from memu_py.storage.unit import Unit, chunks


def named_by(unit: Unit, wanted: Column[str], by: Column[str], ids: Sequence[str]) -> list[str]:
    """Return the values of one column in the scope's rows whose other column holds one of the ids, each once.

    Args:
        unit: the transaction.
        wanted: what is returned.
        by: of the same table.
        ids: what `by` may hold.
    """
    found: dict[str, None] = {}
    for part in chunks(ids):
        statement = select(wanted).where(within(wanted.table, unit.scope), by.in_(part)).distinct()
        found |= dict.fromkeys(unit.connection.scalars(statement))
    return list(found)
