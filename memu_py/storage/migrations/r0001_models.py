"""The first schema's tables of what models gave and what they cost; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_models() -> None:
    """Create the tables and their indexes."""
    _create_answers()
    _create_embedding_cache()
    _create_usage()


def _create_answers() -> None:
    op.create_table(
        "answers",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "key"),
    )
    op.create_index("ix_answers_at", "answers", ["at"], unique=False)


def _create_embedding_cache() -> None:
    op.create_table(
        "embedding_cache",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "key"),
    )


def _create_usage() -> None:
    op.create_table(
        "usage",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("chat_calls", sa.BigInteger(), nullable=False),
        sa.Column("repaired_calls", sa.BigInteger(), nullable=False),
        sa.Column("cached_calls", sa.BigInteger(), nullable=False),
        sa.Column("estimated_calls", sa.BigInteger(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "day", "profile", "purpose"),
    )
