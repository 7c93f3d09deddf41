"""Keys to the server, as rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, insert, select, update

from memu_py.records.api_key import ApiKey
from memu_py.records.plain import plain
from memu_py.records.scope import Scope
from memu_py.storage.database import Database
from memu_py.storage.schema_keys import api_keys
from memu_py.storage.unit import Unit


class SqlKeys:
    """`KeyStore` over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: ApiKey, digest: bytes) -> None:
        """See `KeyStore.add`."""
        await self._database.write(lambda connection: _add(connection, key, digest))

    async def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """See `KeyStore.find`."""
        return await self._database.read(lambda connection: _find(connection, key_id))

    async def all(self) -> Sequence[ApiKey]:
        """See `KeyStore.all`."""
        return await self._database.read(_all)

    async def end(
        self, key_id: str, *, revoked_at: datetime | None = None, expires_at: datetime | None = None
    ) -> bool:
        """See `KeyStore.end`."""
        named = {"revoked_at": revoked_at, "expires_at": expires_at}
        values = {name: moment for name, moment in named.items() if moment is not None}
        statement = update(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
        return await self._database.write(
            lambda connection: connection.execute(statement.values(values)).rowcount > 0
        )


def _add(connection: Connection, key: ApiKey, digest: bytes) -> None:
    values: dict[str, Any] = {name: getattr(key, name) for name in ("id", "name", "role", "created_at")}
    scope = None if key.scope is None else plain(key.scope)
    connection.execute(insert(api_keys).values(**values, hash=digest, scope=scope, expires_at=key.expires_at))


def _find(connection: Connection, key_id: str) -> tuple[ApiKey, bytes] | None:
    row = connection.execute(select(api_keys).where(api_keys.c.id == key_id)).mappings().first()
    return None if row is None else (_key(row), bytes(row["hash"]))


def _all(connection: Connection) -> list[ApiKey]:
    statement = select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)
    return [_key(row) for row in connection.execute(statement).mappings()]


def _key(row: RowMapping) -> ApiKey:
    return ApiKey(
        id=row["id"],
        name=row["name"],
        role=row["role"],
        scope=None if row["scope"] is None else Scope.of(**row["scope"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )


def drop_keys_of(unit: Unit) -> int:
    """Remove the keys that open a partition or a part of it; a key that is only ended would still name whose it was.

    Returns:
        How many there were.
    """
    mine = [
        key.id
        for key in _all(unit.connection)
        if key.scope is not None and key.scope.partition == unit.scope.partition
    ]
    for key_id in mine:
        unit.connection.execute(delete(api_keys).where(api_keys.c.id == key_id))
    return len(mine)
