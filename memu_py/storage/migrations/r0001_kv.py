"""The first schema's table of values by name; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_kv() -> None:
    """Create the table and its index."""
    op.create_table(
        "kv",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("session", sa.Text()),
        sa.Column("custom", sa.Text(), nullable=False),
        sa.Column("place", sa.LargeBinary(length=16), nullable=False),
        sa.Column("attributes", sa.Text(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("partition_hash", "place"),
    )
    op.create_index("ix_kv_namespace", "kv", ["partition_hash", "namespace"], unique=False)
    op.create_index(
        "ix_kv_expires_at",
        "kv",
        ["partition_hash", "expires_at"],
        unique=False,
        sqlite_where=sa.text("expires_at IS NOT NULL"),
        postgresql_where=sa.text("expires_at IS NOT NULL"),
    )
