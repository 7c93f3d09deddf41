"""The first schema's table of reflections; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_reflections() -> None:
    """Create the table."""
    op.create_table(
        "reflections",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash"),
    )
