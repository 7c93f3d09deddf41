"""Facts about the database as a whole, by name."""

from typing import Any

from sqlalchemy import Connection, delete, insert, select

from memu_py.storage.schema import meta


def read_meta(connection: Connection, name: str) -> Any:
    """Return a value; None when there is none."""
    return connection.scalar(select(meta.c.value).where(meta.c.name == name))


def write_meta(connection: Connection, name: str, value: Any) -> None:
    """Set a value."""
    connection.execute(delete(meta).where(meta.c.name == name))
    connection.execute(insert(meta).values(name=name, value=value))
