"""Whole partitions over a database, table by table."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Table, select

from memu_py.records.audit import AuditLine
from memu_py.records.scope import Scope
from memu_py.storage import audit_rows, restoring
from memu_py.storage.fingerprint import read_fingerprint
from memu_py.storage.rights import Belongings, Rows, Take
from memu_py.storage.row_forms import OWNER, told
from memu_py.storage.schema import resources
from memu_py.storage.scoping import within
from memu_py.storage.tables import PARTITIONED
from memu_py.storage.units import Units

IMPORT = "import"
FETCH = 500
"""Rows that are taken from the database at once."""


class SqlRights(Units):
    """`Rights` over a database; made as `Units` is."""

    async def export(self, scope: Scope, take: Take) -> Belongings:
        """See `Rights.export`."""
        return await self.read_for(scope, lambda connection: _export(connection, scope, take))

    async def restore(
        self, scope: Scope, rows: Rows, *, run_id: str, summary: Mapping[str, Any]
    ) -> Mapping[str, int]:
        """See `Rights.restore`."""
        return await self.write(scope, IMPORT, lambda unit: restoring.restore(unit, rows, run_id, summary))

    async def audit(self, limit: int) -> list[AuditLine]:
        """See `Rights.audit`."""
        return await self.read(lambda connection: audit_rows.read_lines(connection, limit))


def _export(connection: Connection, scope: Scope, take: Take) -> Belongings:
    for table in PARTITIONED:
        take(table.name, _rows(connection, scope, table))
    statement = select(resources.c.blob).where(within(resources, scope)).distinct().order_by(resources.c.blob)
    return Belongings(fingerprint=read_fingerprint(connection), blobs=tuple(connection.scalars(statement)))


def _rows(connection: Connection, scope: Scope, table: Table) -> Iterator[Mapping[str, Any]]:
    # What an erasure left in the log is nobody's.
    mine = within(table, scope), table.c.partition == scope.partition
    columns = [column for column in table.c if column.name not in OWNER]
    statement = select(*columns).where(*mine).order_by(*table.primary_key)
    found = connection.execute(statement, execution_options={"yield_per": FETCH})
    return (told(table, dict(row)) for row in found.mappings())
