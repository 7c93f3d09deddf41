"""Values by name over a database."""

from datetime import datetime
from typing import Any

from memu_py.records.key_value import KeyValue
from memu_py.records.page import Page, Query
from memu_py.records.scope import Scope
from memu_py.storage import kv_rows
from memu_py.storage.plain import plain
from memu_py.storage.units import Units

KV = "kv"


class SqlKeyValues(Units):
    """`KeyValues` over a database; made as `Units` is."""

    async def get(self, scope: Scope, namespace: str, key: str) -> KeyValue | None:
        """See `KeyValues.get`."""
        return await self.read_for(scope, lambda c: kv_rows.get(c, scope, namespace, key, self._clock()))

    async def set(
        self,
        scope: Scope,
        namespace: str,
        key: str,
        value: Any,
        *,
        if_version: int | None = None,
        expires_at: datetime | None = None,
    ) -> KeyValue:
        """See `KeyValues.set`."""
        kept = plain(value, where=f"{namespace}/{key}")
        return await self.write(
            scope,
            KV,
            lambda unit: kv_rows.put(
                unit, namespace, key, kept, if_version=if_version, expires_at=expires_at
            ),
        )

    async def delete(self, scope: Scope, namespace: str, key: str, *, if_version: int | None = None) -> bool:
        """See `KeyValues.delete`."""
        return await self.write(scope, KV, lambda unit: kv_rows.remove(unit, namespace, key, if_version))

    async def page(
        self, scope: Scope, namespace: str, *, prefix: str = "", limit: int = 100, cursor: str | None = None
    ) -> Page[KeyValue]:
        """See `KeyValues.page`."""
        query = Query(limit=limit, cursor=cursor)
        return await self.read_for(
            scope, lambda c: kv_rows.page(c, scope, namespace, prefix, query, self._clock())
        )
