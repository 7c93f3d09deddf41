"""The first schema's tables of the graph; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_graph() -> None:
    """Create the tables."""
    _create_names()
    op.create_table(
        "relations",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("session", sa.Text()),
        sa.Column("custom", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Text(), nullable=False),
        sa.Column("subject_node", sa.Text(), nullable=False),
        sa.Column("predicate", sa.Text(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("object_id", sa.Text(), nullable=False),
        sa.Column("object_node", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("single", sa.Boolean(), nullable=False),
        sa.Column("denied", sa.Boolean(), nullable=False),
        sa.Column("item_id", sa.Text()),
        sa.Column("said_by", sa.Text()),
        sa.Column("valid_from", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("item_ended_at", sa.BigInteger()),
        sa.Column("valid_to", sa.BigInteger()),
        sa.Column("own_valid_to", sa.BigInteger()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _bond("item_id", "items"),
        _bond("subject_id", "graph_names"),
        _bond("object_id", "graph_names"),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index("ix_relations_subject", "relations", ["partition_hash", "subject_node", "predicate"])
    op.create_index("ix_relations_object", "relations", ["partition_hash", "object_node", "predicate"])
    op.create_index("ix_relations_item", "relations", ["partition_hash", "item_id"])


def _create_names() -> None:
    op.create_table(
        "graph_names",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("person", sa.Boolean(), nullable=False),
        sa.Column("speaks", sa.Boolean(), nullable=False),
        sa.Column("same_as", sa.Text()),
        sa.Column("tie", sa.Text()),
        sa.Column("node", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index("uq_graph_names_name", "graph_names", ["partition_hash", "name_key"], unique=True)
    op.create_index("ix_graph_names_family", "graph_names", ["partition_hash", "family"])
    op.create_index("ix_graph_names_node", "graph_names", ["partition_hash", "node"])


def _bond(column: str, table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["partition_hash", column],
        [f"{table}.partition_hash", f"{table}.id"],
        name=f"fk_{table}_{column}",
        ondelete="CASCADE",
    )
