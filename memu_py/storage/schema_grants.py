"""The table of grants: which agent of a user may read or change what another one wrote."""

from sqlalchemy import Boolean, Column, Index, PrimaryKeyConstraint, Table, Text

from memu_py.storage.columns import UtcMicros
from memu_py.storage.shapes import metadata, partition

grants = Table(
    "grants",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    # Whose memory, and who sees it.
    Column("from_agent", Text, nullable=False),
    Column("to_agent", Text, nullable=False),
    # To write is also to read.
    Column("writes", Boolean, nullable=False),
    Column("given_at", UtcMicros, nullable=False),
    Column("given_by", Text, nullable=False),
    PrimaryKeyConstraint("partition_hash", "id"),
    Index("uq_grants_agents", "partition_hash", "to_agent", "from_agent", unique=True),
)
