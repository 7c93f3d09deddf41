"""The first schema's table of blocks; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_blocks() -> None:
    """Create the table."""
    op.create_table(
        "blocks",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("max_chars", sa.Integer(), nullable=False),
        sa.Column("max_tokens", sa.Integer()),
        sa.Column("read_only", sa.Boolean(), nullable=False),
        sa.Column("shared_with", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index("uq_blocks_name", "blocks", ["partition_hash", "holder", "name"], unique=True)
