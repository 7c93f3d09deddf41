"""Values by name, as rows."""

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, func, insert, or_, select, update

from memu_py.errors import Conflict
from memu_py.records.key_value import KeyValue
from memu_py.records.page import Page, Query
from memu_py.records.scope import Scope
from memu_py.storage.fields import Field, Fields
from memu_py.storage.paging import Keyset
from memu_py.storage.plain import canonical_json, clean_text
from memu_py.storage.schema_kv import kv
from memu_py.storage.scoping import attribute_text, owner_values, within
from memu_py.storage.unit import Unit

_FIELDS: Fields = {"id": Field(kind="text", column=kv.c.key)}


def get(connection: Connection, scope: Scope, namespace: str, key: str, now: datetime) -> KeyValue | None:
    """Return a value; see `KeyValues.get`."""
    statement = select(kv).where(_one(scope, namespace, key), _lasting(now))
    row = connection.execute(statement).mappings().first()
    return None if row is None else _value(row)


def put(
    unit: Unit, namespace: str, key: str, value: Any, *, if_version: int | None, expires_at: datetime | None
) -> KeyValue:
    """Set a value; see `KeyValues.set`."""
    gone = and_(within(kv, unit.scope, attributes=False), kv.c.expires_at <= unit.now)
    unit.connection.execute(delete(kv).where(gone))
    version = _checked(unit, namespace, key, if_version) + 1
    values: dict[str, Any] = {
        "value": value,
        "version": version,
        "updated_at": unit.now,
        "expires_at": expires_at,
    }
    named: dict[str, Any] = {"namespace": clean_text(namespace), "key": clean_text(key)}
    if version > 1:
        unit.connection.execute(update(kv).where(_one(unit.scope, namespace, key)).values(values))
    else:
        owner = {
            **owner_values(unit.scope),
            "attributes": attribute_text(unit.scope),
            "place": _place(unit.scope, namespace, key),
        }
        unit.connection.execute(insert(kv).values(**owner, **named, **values))
    return KeyValue(**named, **values)


def remove(unit: Unit, namespace: str, key: str, if_version: int | None) -> bool:
    """Delete a value; see `KeyValues.delete`."""
    if not _checked(unit, namespace, key, if_version):
        return False
    unit.connection.execute(delete(kv).where(_one(unit.scope, namespace, key)))
    return True


def _checked(unit: Unit, namespace: str, key: str, if_version: int | None) -> int:
    """Return the version that there is, 0 for none.

    Raises:
        Conflict: another one was expected.
    """
    found = get(unit.connection, unit.scope, namespace, key, unit.now)
    version = 0 if found is None else found.version
    if if_version is not None and version != if_version:
        there = f"its version is {version}" if found else "it is not there"
        msg = f"{namespace}/{key} was expected in version {if_version}, and {there}"
        raise Conflict(msg, hint="read it again; version 0 stands for none")
    return version


def page(
    connection: Connection, scope: Scope, namespace: str, prefix: str, query: Query, now: datetime
) -> Page[KeyValue]:
    """Return one page of values; see `KeyValues.page`."""
    keyset = Keyset(query, _FIELDS, kind=f"kv {attribute_text(scope)} {namespace}/{prefix}")
    begin = clean_text(prefix)
    statement = select(kv, kv.c.key.label("id")).where(
        _mine(scope, namespace), func.substr(kv.c.key, 1, len(begin)) == begin, _lasting(now)
    )
    rows = connection.execute(keyset.apply(statement)).mappings().all()
    shown = rows[: query.limit]
    more = keyset.cursor(shown[-1]) if len(rows) > query.limit else None
    return Page(records=tuple(map(_value, shown)), next_cursor=more)


def _place(scope: Scope, namespace: str, key: str) -> bytes:
    named = canonical_json([attribute_text(scope), clean_text(namespace), clean_text(key)])
    return hashlib.blake2b(named.encode(), digest_size=16).digest()


def _one(scope: Scope, namespace: str, key: str) -> ColumnElement[bool]:
    place = kv.c.place == _place(scope, namespace, key)
    return and_(place, _mine(scope, namespace), kv.c.key == clean_text(key))


def _mine(scope: Scope, namespace: str) -> ColumnElement[bool]:
    exactly = kv.c.attributes == attribute_text(scope)
    return and_(within(kv, scope), exactly, kv.c.namespace == clean_text(namespace))


def _lasting(now: datetime) -> ColumnElement[bool]:
    return or_(kv.c.expires_at.is_(None), kv.c.expires_at > now)


def _value(row: RowMapping) -> KeyValue:
    names = ("namespace", "key", "value", "version", "updated_at", "expires_at")
    return KeyValue(**{name: row[name] for name in names})
