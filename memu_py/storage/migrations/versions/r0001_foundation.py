"""The first schema.

A migration is frozen: it says what the schema was then, and shares no code with what it is now.
"""

import sqlalchemy as sa
from alembic import op

from memu_py.storage.migrations.r0001_accesses import create_accesses
from memu_py.storage.migrations.r0001_audit import create_audit
from memu_py.storage.migrations.r0001_blocks import create_blocks
from memu_py.storage.migrations.r0001_conversations import create_conversations
from memu_py.storage.migrations.r0001_facets import create_facets
from memu_py.storage.migrations.r0001_foresight import create_foresight
from memu_py.storage.migrations.r0001_grants import create_grants
from memu_py.storage.migrations.r0001_graph import create_graph
from memu_py.storage.migrations.r0001_jobs import create_jobs
from memu_py.storage.migrations.r0001_keys import create_keys
from memu_py.storage.migrations.r0001_kv import create_kv
from memu_py.storage.migrations.r0001_logs import create_changes, create_runs, create_usage
from memu_py.storage.migrations.r0001_moods import create_moods
from memu_py.storage.migrations.r0001_reflections import create_reflections

revision = "0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None


class _Vector(sa.types.UserDefinedType[object]):
    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "vector"


VECTOR = sa.LargeBinary().with_variant(_Vector(), "postgresql")


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    _create_answers()
    _create_categories()
    create_changes()
    _create_embedding_cache()
    _create_entities()
    _create_items()
    create_accesses()
    create_jobs()
    create_keys()
    create_audit()
    _create_meta()
    _create_resources()
    create_runs()
    create_usage()
    _create_entity_links()
    _create_item_vectors()
    _create_links()
    _create_segments()
    _create_sources()
    create_foresight()
    create_moods()
    create_grants()
    create_conversations()
    create_blocks()
    create_graph()
    create_kv()
    create_facets()
    create_reflections()


def downgrade() -> None:
    msg = "there is nothing below the first schema; delete the database instead"
    raise NotImplementedError(msg)


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


def _create_categories() -> None:
    op.create_table(
        "categories",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("stale", sa.Boolean(), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index("uq_categories_name", "categories", ["partition_hash", "name_key"], unique=True)


def _create_embedding_cache() -> None:
    op.create_table(
        "embedding_cache",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("vector", VECTOR, nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "key"),
    )


def _create_entities() -> None:
    op.create_table(
        "entities",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text()),
        sa.Column("vector", VECTOR),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index("uq_entities_name", "entities", ["partition_hash", "name_key"], unique=True)


def _create_items() -> None:
    op.create_table(
        "items",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("session", sa.Text()),
        sa.Column("custom", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("speaker", sa.Text()),
        sa.Column("said_at", sa.BigInteger()),
        sa.Column("happened_at", sa.BigInteger()),
        sa.Column("happened_until", sa.BigInteger()),
        sa.Column("precision", sa.Text()),
        sa.Column("happened_words", sa.Text()),
        sa.Column("entities", sa.Text(), nullable=False),
        sa.Column("relations", sa.Text()),
        sa.Column("attribution", sa.Text()),
        sa.Column("importance", sa.Float()),
        sa.Column("valence", sa.Float()),
        sa.Column("arousal", sa.Float()),
        sa.Column("emotion", sa.Text()),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("mentions", sa.Integer(), nullable=False),
        sa.Column("last_reinforced_at", sa.BigInteger()),
        sa.Column("access_count", sa.Integer(), nullable=False),
        sa.Column("last_accessed_at", sa.BigInteger()),
        sa.Column("valid_to", sa.BigInteger()),
        sa.Column("superseded_by", sa.Text()),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("archived_at", sa.BigInteger()),
        sa.Column("archived_because", sa.Text()),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    _index_items()


def _index_items() -> None:
    op.create_index("ix_items_id", "items", ["id"], unique=False)
    op.create_index(
        "ix_items_superseded_by",
        "items",
        ["partition_hash", "superseded_by"],
        unique=False,
        sqlite_where=sa.text("superseded_by IS NOT NULL"),
        postgresql_where=sa.text("superseded_by IS NOT NULL"),
    )
    op.create_index(
        "uq_items_identity",
        "items",
        ["partition_hash", "identity"],
        unique=True,
        sqlite_where=sa.text("valid_to IS NULL AND superseded_by IS NULL"),
        postgresql_where=sa.text("valid_to IS NULL AND superseded_by IS NULL"),
    )


def _create_meta() -> None:
    op.create_table(
        "meta",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _create_resources() -> None:
    op.create_table(
        "resources",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("session", sa.Text()),
        sa.Column("custom", sa.Text(), nullable=False),
        sa.Column("attributes", sa.Text(), nullable=False),
        sa.Column("writer", sa.Text(), nullable=False),
        sa.Column("modality", sa.Text(), nullable=False),
        sa.Column("url", sa.Text()),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("blob", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("segment_count", sa.Integer(), nullable=False),
        sa.Column("read_with", sa.Text(), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("partition_hash", "id"),
    )
    op.create_index(
        "uq_resources_content",
        "resources",
        ["partition_hash", "content_hash", "attributes"],
        unique=True,
        sqlite_where=sa.text("url IS NULL"),
        postgresql_where=sa.text("url IS NULL"),
    )
    op.create_index(
        "uq_resources_url",
        "resources",
        ["partition_hash", "url", "writer"],
        unique=True,
        sqlite_where=sa.text("url IS NOT NULL"),
        postgresql_where=sa.text("url IS NOT NULL"),
    )


def _create_entity_links() -> None:
    op.create_table(
        "entity_links",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("entity_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["partition_hash", "item_id"],
            ["items.partition_hash", "items.id"],
            name="fk_items_item_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["partition_hash", "entity_id"],
            ["entities.partition_hash", "entities.id"],
            name="fk_entities_entity_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("partition_hash", "item_id", "entity_id"),
    )
    op.create_index(
        "ix_entity_links_entity", "entity_links", ["partition_hash", "entity_id", "item_id"], unique=False
    )


def _create_item_vectors() -> None:
    op.create_table(
        "item_vectors",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("vector", VECTOR, nullable=False),
        sa.Column("tokens", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["partition_hash", "item_id"],
            ["items.partition_hash", "items.id"],
            name="fk_items_item_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("partition_hash", "item_id"),
    )


def _create_links() -> None:
    op.create_table(
        "links",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("target_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["partition_hash", "source_id"],
            ["items.partition_hash", "items.id"],
            name="fk_items_source_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("partition_hash", "source_id", "target_id", "kind"),
    )
    op.create_index("ix_links_target", "links", ["partition_hash", "target_id", "kind"], unique=False)


def _create_segments() -> None:
    op.create_table(
        "segments",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("resource_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("speaker", sa.Text()),
        sa.Column("role", sa.Text()),
        sa.Column("said_at", sa.BigInteger()),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["partition_hash", "resource_id"],
            ["resources.partition_hash", "resources.id"],
            name="fk_resources_resource_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("partition_hash", "resource_id", "ordinal"),
    )
    op.create_index(
        "ix_segments_hash", "segments", ["partition_hash", "hash", "resource_id", "ordinal"], unique=False
    )


def _create_sources() -> None:
    op.create_table(
        "sources",
        sa.Column("partition_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("resource_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("said_at", sa.BigInteger()),
        sa.Column("session", sa.Text()),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("own", sa.Boolean()),
        sa.ForeignKeyConstraint(
            ["partition_hash", "item_id"],
            ["items.partition_hash", "items.id"],
            name="fk_items_item_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["partition_hash", "resource_id"],
            ["resources.partition_hash", "resources.id"],
            name="fk_resources_resource_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("partition_hash", "item_id", "position"),
    )
    op.create_index("ix_sources_resource", "sources", ["partition_hash", "resource_id"], unique=False)
