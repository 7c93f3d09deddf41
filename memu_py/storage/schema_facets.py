"""Tables of what items claim of a person; claims go with their item."""

from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, PrimaryKeyConstraint, Table, Text

from memu_py.storage.columns import UtcMicros
from memu_py.storage.shapes import belongs_to, metadata, partition

facets = Table(
    "facets",
    metadata,
    *partition(),
    Column("item_id", Text, nullable=False),
    # The claim's place among those of its item.
    Column("place", Integer, nullable=False),
    Column("facet", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("ends", Boolean, nullable=False),
    Column("at", UtcMicros, nullable=False),
    Column("confidence", Float, nullable=False),
    PrimaryKeyConstraint("partition_hash", "item_id", "place"),
    belongs_to("item_id", "items"),
)

facet_marks = Table(
    "facet_marks",
    metadata,
    *partition(),
    Column("seq", BigInteger, nullable=False),
    Column("rules", Text, nullable=False),
    PrimaryKeyConstraint("partition_hash"),
)
