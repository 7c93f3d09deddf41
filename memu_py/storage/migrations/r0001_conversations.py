"""The first schema's tables of conversations; frozen, as its migration is."""

import sqlalchemy as sa
from alembic import op


def create_conversations() -> None:
    """Create the tables."""
    op.create_table(
        "conversations",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("session", sa.Text()),
        sa.Column("custom", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.Column("memorized", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index("ix_conversations_last", "conversations", ["last_at"], unique=False)
    op.create_table(
        "messages",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.Column("memorized_at", sa.BigInteger()),
        _of_a_conversation(),
        sa.PrimaryKeyConstraint("partition_hash", "conversation_id", "ordinal"),
    )
    op.create_index("uq_messages_id", "messages", ["partition_hash", "conversation_id", "id"], unique=True)
    op.create_table(
        "running_summaries",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.Column("through", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        _of_a_conversation(),
        sa.PrimaryKeyConstraint("partition_hash", "conversation_id"),
    )


def _of_a_conversation() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["partition_hash", "conversation_id"],
        ["conversations.partition_hash", "conversations.id"],
        name="fk_conversations_conversation_id",
        ondelete="CASCADE",
    )
