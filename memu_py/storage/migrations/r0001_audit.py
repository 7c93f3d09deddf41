"""The first schema's table of erasures; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_audit() -> None:
    """Create the table."""
    op.create_table(
        "audit",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("op", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
