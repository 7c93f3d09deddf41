"""The table of blocks, which stand in every prompt."""

from sqlalchemy import Boolean, Column, Index, Integer, PrimaryKeyConstraint, Table, Text

from memu_py.storage.columns import JsonText, UtcMicros
from memu_py.storage.shapes import metadata, partition

blocks = Table(
    "blocks",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    # The agent whose it is; empty for the user's own.
    Column("holder", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("max_chars", Integer, nullable=False),
    Column("max_tokens", Integer),
    Column("read_only", Boolean, nullable=False),
    Column("shared_with", JsonText, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcMicros, nullable=False),
    Column("updated_at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "id"),
    Index("uq_blocks_name", "partition_hash", "holder", "name", unique=True),
)
