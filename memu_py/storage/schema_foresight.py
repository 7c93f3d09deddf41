"""Tables of what is foreseen, and of what is said of memories; their rows go with the item that they are about."""

from sqlalchemy import Boolean, Column, Integer, PrimaryKeyConstraint, Table, Text

from memu_py.storage.columns import UtcMicros
from memu_py.storage.shapes import belongs_to, metadata, partition

occasions = Table(
    "occasions",
    metadata,
    *partition(),
    Column("item_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    # An ISO date in the user's time zone.
    Column("day", Text, nullable=False),
    Column("due_at", UtcMicros, nullable=False),
    # The item's date that it follows from: an item with another one has other days.
    Column("start", UtcMicros, nullable=False),
    Column("years", Integer),
    Column("found_at", UtcMicros, nullable=False),
    Column("told_at", UtcMicros),
    PrimaryKeyConstraint("partition_hash", "item_id", "kind", "day"),
    belongs_to("item_id", "items"),
)

feedback = Table(
    "feedback",
    metadata,
    *partition(),
    Column("item_id", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("used", Boolean),
    Column("helpful", Boolean),
    Column("at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "item_id", "run_id"),
    belongs_to("item_id", "items"),
)
