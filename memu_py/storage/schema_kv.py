"""The table of values by name."""

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, Table, Text, text

from memu_py.storage.columns import Bytes, JsonText, UtcMicros
from memu_py.storage.shapes import attributes, metadata, partition

EXPIRING = "expires_at IS NOT NULL"

kv = Table(
    "kv",
    metadata,
    *partition(),
    *attributes(),
    # Of all attributes, namespace and key: short enough for every index, whatever they are.
    Column("place", Bytes(16), nullable=False),
    # All attributes as one text: a value belongs to exactly these.
    Column("attributes", Text, nullable=False),
    Column("namespace", Text, nullable=False),
    Column("key", Text, nullable=False),
    # Nothing is JSON's null.
    Column("value", JsonText),
    Column("version", Integer, nullable=False),
    Column("updated_at", UtcMicros, nullable=False),
    Column("expires_at", UtcMicros),
    PrimaryKeyConstraint("partition_hash", "place"),
    Index("ix_kv_namespace", "partition_hash", "namespace"),
)
Index(
    "ix_kv_expires_at",
    kv.c.partition_hash,
    kv.c.expires_at,
    sqlite_where=text(EXPIRING),
    postgresql_where=text(EXPIRING),
)
