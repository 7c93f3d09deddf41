"""The table of reflections: up to where in its log a partition's items were looked at together."""

from sqlalchemy import BigInteger, Column, PrimaryKeyConstraint, Table

from memu_py.storage.columns import UtcMicros
from memu_py.storage.shapes import metadata, partition

reflections = Table(
    "reflections",
    metadata,
    *partition(),
    # A place in the change log.
    Column("seq", BigInteger, nullable=False),
    Column("at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash"),
)
