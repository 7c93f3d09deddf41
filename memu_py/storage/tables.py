"""All tables of the schema, which lie in several modules, and its revisions."""

from memu_py.storage import (
    schema_accesses,
    schema_blocks,
    schema_conversations,
    schema_facets,
    schema_foresight,
    schema_grants,
    schema_graph,
    schema_kv,
    schema_moods,
    schema_reflections,
)
from memu_py.storage.schema import meta
from memu_py.storage.schema_audit import audit
from memu_py.storage.schema_keys import api_keys
from memu_py.storage.shapes import metadata

REVISIONS = ("0001",)
"""Every revision of the schema, oldest first; a test holds them equal to the migrations."""

HEAD = REVISIONS[-1]
"""The revision this code works with."""

OF_THE_WHOLE = (meta, api_keys, audit)
"""Tables of the database as a whole, which are nobody's."""

PARTITIONED = tuple(table for table in metadata.sorted_tables if table not in OF_THE_WHOLE)
"""Every table that `storage/scoping.py` must guard, those that are referred to first."""

_ELSEWHERE = (
    schema_accesses,
    schema_blocks,
    schema_conversations,
    schema_facets,
    schema_foresight,
    schema_grants,
    schema_graph,
    schema_kv,
    schema_moods,
    schema_reflections,
)
"""Modules whose tables count as the others do: who imports this one has all tables."""

__all__ = ["HEAD", "OF_THE_WHOLE", "PARTITIONED", "REVISIONS", "metadata"]
