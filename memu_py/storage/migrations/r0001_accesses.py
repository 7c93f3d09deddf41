"""The first schema's table of when items were retrieved; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_accesses() -> None:
    """Create the table."""
    op.create_table(
        "accesses",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("moments", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "item_id"),
        sa.ForeignKeyConstraint(
            ["partition_hash", "item_id"],
            ["items.partition_hash", "items.id"],
            name="fk_items_item_id",
            ondelete="CASCADE",
        ),
    )
