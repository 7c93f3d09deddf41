"""The one schema of all dialects.

Every table but `meta`, `api_keys` and `audit` belongs to partitions: a row carries the hash of the partition, which is
indexed, and its text, which is compared too. Rows that are narrowed by agent, session and custom keys carry those as
well. `storage/scoping.py` is the only place that turns a scope into a condition.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)

from memu_py.storage.columns import Bytes, JsonText, TokenText, UtcMicros, VectorBlob
from memu_py.storage.shapes import attributes, belongs_to, metadata, partition, versioned

LIVE = "valid_to IS NULL AND superseded_by IS NULL"
"""What makes an item hold, put away or not, as the condition of a partial index."""

RUNNING = "status = 'running'"
"""Which jobs hold their lock, as the condition of a partial index."""

meta = Table(
    "meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", JsonText, nullable=False),
)

resources = Table(
    "resources",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    *attributes(),
    # All attributes as one text, for "exactly these".
    Column("attributes", Text, nullable=False),
    # Those but the session, for "this agent's, in whatever session".
    Column("writer", Text, nullable=False),
    Column("modality", Text, nullable=False),
    Column("url", Text),
    Column("content_hash", Text, nullable=False),
    Column("blob", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("reason", Text),
    Column("segment_count", Integer, nullable=False),
    Column("read_with", Text, nullable=False),
    *versioned(),
    PrimaryKeyConstraint("partition_hash", "id"),
)
Index(
    "uq_resources_url",
    resources.c.partition_hash,
    resources.c.url,
    resources.c.writer,
    unique=True,
    sqlite_where=text("url IS NOT NULL"),
    postgresql_where=text("url IS NOT NULL"),
)
Index(
    "uq_resources_content",
    resources.c.partition_hash,
    resources.c.content_hash,
    resources.c.attributes,
    unique=True,
    sqlite_where=text("url IS NULL"),
    postgresql_where=text("url IS NULL"),
)

segments = Table(
    "segments",
    metadata,
    *partition(),
    Column("resource_id", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("hash", Text, nullable=False),
    Column("speaker", Text),
    Column("role", Text),
    Column("said_at", UtcMicros),
    Column("outcome", Text, nullable=False),
    Column("reason", Text),
    Column("metadata", JsonText, nullable=False),
    PrimaryKeyConstraint("partition_hash", "resource_id", "ordinal"),
    belongs_to("resource_id", "resources"),
    # `find_conversation` follows hashes from resource to resource without reading a segment's text.
    Index("ix_segments_hash", "partition_hash", "hash", "resource_id", "ordinal"),
)

items = Table(
    "items",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    *attributes(),
    Column("type", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("speaker", Text),
    Column("said_at", UtcMicros),
    Column("happened_at", UtcMicros),
    Column("happened_until", UtcMicros),
    Column("precision", Text),
    Column("happened_words", Text),
    Column("entities", JsonText, nullable=False),
    Column("relations", JsonText),
    Column("attribution", Text),
    Column("importance", Float),
    Column("valence", Float),
    Column("arousal", Float),
    Column("emotion", Text),
    Column("identity", Text, nullable=False),
    Column("mentions", Integer, nullable=False),
    Column("last_reinforced_at", UtcMicros),
    Column("access_count", Integer, nullable=False),
    Column("last_accessed_at", UtcMicros),
    Column("valid_to", UtcMicros),
    Column("superseded_by", Text),
    Column("expires_at", UtcMicros),
    Column("archived_at", UtcMicros),
    Column("archived_because", Text),
    *versioned(),
    PrimaryKeyConstraint("partition_hash", "id"),
    # `scan_items` reads across partitions.
    Index("ix_items_id", "id"),
)
Index(
    "uq_items_identity",
    items.c.partition_hash,
    items.c.identity,
    unique=True,
    sqlite_where=text(LIVE),
    postgresql_where=text(LIVE),
)
Index(
    "ix_items_superseded_by",
    items.c.partition_hash,
    items.c.superseded_by,
    sqlite_where=text("superseded_by IS NOT NULL"),
    postgresql_where=text("superseded_by IS NOT NULL"),
)

item_vectors = Table(
    "item_vectors",
    metadata,
    *partition(),
    Column("item_id", Text, nullable=False),
    Column("vector", VectorBlob, nullable=False),
    Column("tokens", TokenText, nullable=False),
    PrimaryKeyConstraint("partition_hash", "item_id"),
    belongs_to("item_id", "items"),
)

sources = Table(
    "sources",
    metadata,
    *partition(),
    Column("item_id", Text, nullable=False),
    # From 0 without a gap; the first is where an index looks for an item's neighbours.
    Column("position", Integer, nullable=False),
    Column("resource_id", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("said_at", UtcMicros),
    Column("session", Text),
    Column("metadata", JsonText, nullable=False),
    # Whether the person himself said it there, when its segment is gone and tells it no more.
    Column("own", Boolean),
    PrimaryKeyConstraint("partition_hash", "item_id", "position"),
    belongs_to("item_id", "items"),
    belongs_to("resource_id", "resources"),
    Index("ix_sources_resource", "partition_hash", "resource_id"),
)

categories = Table(
    "categories",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("stale", Boolean, nullable=False),
    *versioned(),
    PrimaryKeyConstraint("partition_hash", "id"),
    Index("uq_categories_name", "partition_hash", "name_key", unique=True),
)

links = Table(
    "links",
    metadata,
    *partition(),
    Column("source_id", Text, nullable=False),
    Column("target_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("score", Float, nullable=False),
    # Of an item in a category: its summary tells of the item as it is.
    Column("told", Boolean, nullable=False, default=False),
    Column("created_at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "source_id", "target_id", "kind"),
    belongs_to("source_id", "items"),
    Index("ix_links_target", "partition_hash", "target_id", "kind"),
)

entities = Table(
    "entities",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    # As it was first written, and what it is unique by.
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("kind", Text),
    # By what fills the store, as the vectors of items are.
    Column("vector", VectorBlob),
    Column("created_at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "id"),
    Index("uq_entities_name", "partition_hash", "name_key", unique=True),
)

entity_links = Table(
    "entity_links",
    metadata,
    *partition(),
    Column("item_id", Text, nullable=False),
    Column("entity_id", Text, nullable=False),
    PrimaryKeyConstraint("partition_hash", "item_id", "entity_id"),
    belongs_to("item_id", "items"),
    belongs_to("entity_id", "entities"),
    Index("ix_entity_links_entity", "partition_hash", "entity_id", "item_id"),
)

changes = Table(
    "changes",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    *partition(),
    *attributes(),
    Column("kind", Text, nullable=False),
    Column("record_id", Text, nullable=False),
    Column("op", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("at", UtcMicros, nullable=False),
    Column("before", JsonText),
    Column("after", JsonText),
    # Why, where somebody said so.
    Column("reason", Text),
    # Rows of the partition before this one were removed: who is behind it must read everything again.
    Column("gap", Boolean, nullable=False),
    Index("ix_changes_partition", "partition_hash", "seq"),
    Index("ix_changes_record", "partition_hash", "record_id"),
    # A number is never used twice, also after rows were removed: readers keep their place by it.
    sqlite_autoincrement=True,
)

embedding_cache = Table(
    "embedding_cache",
    metadata,
    *partition(),
    Column("key", Bytes, nullable=False),
    Column("vector", VectorBlob, nullable=False),
    PrimaryKeyConstraint("partition_hash", "key"),
)

answers = Table(
    "answers",
    metadata,
    *partition(),
    Column("key", Bytes, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "key"),
    # Old ones are dropped across partitions.
    Index("ix_answers_at", "at"),
)

USAGE_COUNTERS = (
    "chat_calls",
    "repaired_calls",
    "cached_calls",
    "estimated_calls",
    "prompt_tokens",
    "completion_tokens",
)

usage = Table(
    "usage",
    metadata,
    *partition(),
    # An ISO date, UTC.
    Column("day", Text, nullable=False),
    Column("profile", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    *(Column(name, BigInteger, nullable=False) for name in USAGE_COUNTERS),
    PrimaryKeyConstraint("partition_hash", "day", "profile", "purpose"),
)

runs = Table(
    "runs",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    *attributes(),
    Column("resource_id", Text),
    Column("seq", BigInteger, nullable=False),
    Column("summary", JsonText, nullable=False),
    Column("at", UtcMicros, nullable=False),
    PrimaryKeyConstraint("partition_hash", "id"),
)

jobs = Table(
    "jobs",
    metadata,
    *partition(),
    Column("id", Text, nullable=False),
    *attributes(),
    Column("kind", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    # What the work starts from; gone when it is done.
    Column("payload", JsonText, nullable=False),
    Column("content", Bytes),
    Column("size", BigInteger, nullable=False),
    Column("lock", Text),
    Column("priority", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("max_attempts", Integer, nullable=False),
    Column("error_type", Text),
    Column("error", Text),
    Column("result", JsonText),
    # A lease that was lost is never valid again: each attempt has another id.
    Column("lease_id", Text),
    Column("lease_until", UtcMicros),
    Column("not_before", UtcMicros, nullable=False),
    Column("created_at", UtcMicros, nullable=False),
    Column("updated_at", UtcMicros, nullable=False),
    Column("finished_at", UtcMicros),
    PrimaryKeyConstraint("partition_hash", "id"),
    Index("uq_jobs_run", "partition_hash", "run_id", unique=True),
    # Workers look across partitions, for the oldest that waits.
    Index("ix_jobs_status", "status", "id"),
)
Index(
    "uq_jobs_lock",
    jobs.c.partition_hash,
    jobs.c.lock,
    unique=True,
    sqlite_where=text(RUNNING),
    postgresql_where=text(RUNNING),
)
