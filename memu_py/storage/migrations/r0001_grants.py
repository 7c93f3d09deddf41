"""The first schema's table of grants; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_grants() -> None:
    """Create the table."""
    op.create_table(
        "grants",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("from_agent", sa.Text(), nullable=False),
        sa.Column("to_agent", sa.Text(), nullable=False),
        sa.Column("writes", sa.Boolean(), nullable=False),
        sa.Column("given_at", sa.BigInteger(), nullable=False),
        sa.Column("given_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index("uq_grants_agents", "grants", ["partition_hash", "to_agent", "from_agent"], unique=True)
