"""Tables of the graph: names, and the relations between them."""

from sqlalchemy import Boolean, Column, Float, Index, PrimaryKeyConstraint, Table, Text

from memu_py.storage.columns import UtcMicros
from memu_py.storage.shapes import attributes, belongs_to, metadata, partition

graph_names = Table(
    "graph_names",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    # As it was first written, and what it is unique by.
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    # Names of one family may mean the same: those with the same first word, or the same given name in Chinese.
    Column("family", Text, nullable=False),
    Column("person", Boolean, nullable=False),
    Column("speaks", Boolean, nullable=False),
    # The name that it is taken for, why, and the name that stands for it in the end: its own id where nobody else does.
    Column("same_as", Text),
    Column("tie", Text),
    Column("node", Text, nullable=False),
    PrimaryKeyConstraint("partition_hash", "id"),
    Index("uq_graph_names_name", "partition_hash", "name_key", unique=True),
    Index("ix_graph_names_family", "partition_hash", "family"),
    Index("ix_graph_names_node", "partition_hash", "node"),
)

relations = Table(
    "relations",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    *attributes(),
    Column("subject", Text, nullable=False),
    Column("subject_id", Text, nullable=False),
    Column("subject_node", Text, nullable=False),
    Column("predicate", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("object_id", Text, nullable=False),
    Column("object_node", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("single", Boolean, nullable=False),
    # It says that something ended, and is no edge itself.
    Column("denied", Boolean, nullable=False),
    # Without one it was added by hand.
    Column("item_id", Text),
    Column("said_by", Text),
    Column("valid_from", UtcMicros, nullable=False),
    # When somebody ended it, and when its item ended.
    Column("ended_at", UtcMicros),
    Column("item_ended_at", UtcMicros),
    # What follows from all of these, and from the other relations of the subject: those of everybody, and those of the
    # same agent and custom keys.
    Column("valid_to", UtcMicros),
    Column("own_valid_to", UtcMicros),
    Column("created_at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "id"),
    belongs_to("item_id", "items"),
    belongs_to("subject_id", "graph_names"),
    belongs_to("object_id", "graph_names"),
    Index("ix_relations_subject", "partition_hash", "subject_node", "predicate"),
    Index("ix_relations_object", "partition_hash", "object_node", "predicate"),
    Index("ix_relations_item", "partition_hash", "item_id"),
)
