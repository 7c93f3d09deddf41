"""The table of when items were retrieved; its rows go with the items."""

from sqlalchemy import Column, PrimaryKeyConstraint, Table, Text

from memu_py.storage.columns import UtcMoments
from memu_py.storage.shapes import belongs_to, metadata, partition

accesses = Table(
    "accesses",
    metadata,
    *partition(),
    Column("item_id", Text, nullable=False),
    # The newest few; how many there were in all is counted by the item.
    Column("moments", UtcMoments, nullable=False),
    PrimaryKeyConstraint("partition_hash", "item_id"),
    belongs_to("item_id", "items"),
)
