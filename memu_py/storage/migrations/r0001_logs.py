"""The first schema's tables of what happened: changes, runs, usage; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_changes() -> None:
    """Create the table of changes and its indexes."""
    op.create_table(
        "changes",
        sa.Column(
            "seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("session", sa.Text()),
        sa.Column("custom", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("op", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("before", sa.Text()),
        sa.Column("after", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("gap", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_changes_partition", "changes", ["partition_hash", "seq"], unique=False)
    op.create_index("ix_changes_record", "changes", ["partition_hash", "record_id"], unique=False)


def create_runs() -> None:
    """Create the table of runs and its indexes."""
    op.create_table(
        "runs",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("session", sa.Text()),
        sa.Column("custom", sa.Text(), nullable=False),
        sa.Column("resource_id", sa.Text()),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )


def create_usage() -> None:
    """Create the table of usage and its indexes."""
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
