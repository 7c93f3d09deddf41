"""The first schema's tables of what items claim of a person; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_facets() -> None:
    """Create the tables."""
    op.create_table(
        "facets",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("facet", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("ends", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["partition_hash", "item_id"],
            ["items.partition_hash", "items.id"],
            name="fk_items_item_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("partition_hash", "item_id", "place"),
    )
    op.create_table(
        "facet_marks",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash"),
    )
