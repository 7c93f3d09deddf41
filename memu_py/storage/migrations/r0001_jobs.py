"""The first schema's table of jobs; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_jobs() -> None:
    """Create the table and its indexes."""
    op.create_table(
        "jobs",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("session", sa.Text()),
        sa.Column("custom", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary()),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("lock", sa.Text()),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("error_type", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("result", sa.Text()),
        sa.Column("lease_id", sa.Text()),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("not_before", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index("uq_jobs_run", "jobs", ["partition_hash", "run_id"], unique=True)
    op.create_index("ix_jobs_status", "jobs", ["status", "id"], unique=False)
    running = sa.text("status = 'running'")
    op.create_index(
        "uq_jobs_lock",
        "jobs",
        ["partition_hash", "lock"],
        unique=True,
        sqlite_where=running,
        postgresql_where=running,
    )
