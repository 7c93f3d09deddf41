"""Tables of conversations: their messages as they came, and what the older ones say in short."""

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, Table, Text

from memu_py.storage.columns import JsonText, UtcMicros
from memu_py.storage.shapes import attributes, belongs_to, metadata, partition

conversations = Table(
    "conversations",
    metadata,
    *partition(),
    # Of the caller's choice.
    Column("id", Text, nullable=False),
    *attributes(),
    # Another one for a conversation that is begun again under the same id.
    Column("key", Text, nullable=False),
    Column("messages", Integer, nullable=False),
    Column("memorized", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    # Up to which version a memorize was asked for, and how many messages came since.
    Column("asked", Integer, nullable=False),
    Column("waiting", Integer, nullable=False),
    Column("last_at", UtcMicros, nullable=False),
    Column("closed_at", UtcMicros),
    Column("created_at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "id"),
    # Workers look across partitions, for those where nobody has said anything for a while.
    Index("ix_conversations_last", "last_at"),
)

messages = Table(
    "messages",
    metadata,
    *partition(),
    Column("conversation_id", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("id", Text, nullable=False),
    # Canonical JSON.
    Column("entry", Text, nullable=False),
    # The conversation's version when it was added or last edited.
    Column("version", Integer, nullable=False),
    Column("added_at", UtcMicros, nullable=False),
    Column("memorized_at", UtcMicros),
    PrimaryKeyConstraint("partition_hash", "conversation_id", "ordinal"),
    Index("uq_messages_id", "partition_hash", "conversation_id", "id", unique=True),
    belongs_to("conversation_id", "conversations"),
)

running_summaries = Table(
    "running_summaries",
    metadata,
    *partition(),
    Column("conversation_id", Text, nullable=False),
    Column("lines", JsonText, nullable=False),
    Column("through", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("by", Text, nullable=False),
    Column("made_at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "conversation_id"),
    belongs_to("conversation_id", "conversations"),
)

TALKS = (conversations, messages, running_summaries)
"""What may lie in a database of its own."""
