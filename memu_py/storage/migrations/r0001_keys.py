"""The first schema's table of keys to the server; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_keys() -> None:
    """Create the table."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id"),
    )
