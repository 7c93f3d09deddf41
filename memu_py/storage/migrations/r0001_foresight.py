"""The first schema's tables of what is foreseen and of what is said of memories; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_foresight() -> None:
    """Create the tables."""
    op.create_table(
        "feedback",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("used", sa.Boolean()),
        sa.Column("helpful", sa.Boolean()),
        sa.Column("at", sa.BigInteger(), nullable=False),
        _of_an_item(),
        sa.PrimaryKeyConstraint("partition_hash", "item_id", "run_id"),
    )
    op.create_table(
        "occasions",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("years", sa.Integer()),
        sa.Column("found_at", sa.BigInteger(), nullable=False),
        sa.Column("told_at", sa.BigInteger()),
        _of_an_item(),
        sa.PrimaryKeyConstraint("partition_hash", "item_id", "kind", "day"),
    )


def _of_an_item() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["partition_hash", "item_id"],
        ["items.partition_hash", "items.id"],
        name="fk_items_item_id",
        ondelete="CASCADE",
    )
