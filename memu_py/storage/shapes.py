"""What tables of the schema have in common."""

from typing import Any

from sqlalchemy import Column, ForeignKeyConstraint, Integer, MetaData, Text

from memu_py.storage.columns import Bytes, JsonText, UtcMicros

metadata = MetaData()
"""All tables."""


def partition() -> list[Column[Any]]:
    """Return the columns that say whose a row is: the partition's hash and its text."""
    return [
        Column("partition_hash", Bytes(16), nullable=False),
        Column("partition", Text, nullable=False),
    ]


def attributes() -> list[Column[Any]]:
    """Return the columns of what narrows a scope."""
    return [Column("agent", Text), Column("session", Text), Column("custom", JsonText, nullable=False)]


def versioned() -> list[Column[Any]]:
    """Return the columns of a record that counts its changes."""
    return [
        Column("metadata", JsonText, nullable=False),
        Column("version", Integer, nullable=False),
        Column("created_at", UtcMicros, nullable=False),
        Column("updated_at", UtcMicros, nullable=False),
    ]


def belongs_to(column: str, table: str) -> ForeignKeyConstraint:
    """Return the bond of a row to one of another table, with which it goes."""
    return ForeignKeyConstraint(
        ["partition_hash", column],
        [f"{table}.partition_hash", f"{table}.id"],
        name=f"fk_{table}_{column}",
        ondelete="CASCADE",
    )
