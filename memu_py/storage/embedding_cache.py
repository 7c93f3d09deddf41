"""Embeddings by content, a partition's own."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, delete, select

from memu_py.records.batch import Vector
from memu_py.records.scope import Scope
from memu_py.storage.bulk import insert_rows
from memu_py.storage.schema import embedding_cache
from memu_py.storage.scoping import partition_values, within
from memu_py.storage.unit import Unit, chunks


def load_vectors(connection: Connection, scope: Scope, keys: Sequence[bytes]) -> dict[bytes, Vector]:
    """Return the known vectors by key."""
    found: dict[bytes, Vector] = {}
    for part in chunks(list(dict.fromkeys(keys))):
        statement = select(embedding_cache.c.key, embedding_cache.c.vector).where(
            within(embedding_cache, scope), embedding_cache.c.key.in_(part)
        )
        found.update((bytes(key), vector) for key, vector in connection.execute(statement))
    return found


def save_vectors(unit: Unit, vectors: Mapping[bytes, Vector]) -> None:
    """Keep vectors; a key that is known gets the new one."""
    for part in chunks(list(vectors)):
        statement = delete(embedding_cache).where(
            within(embedding_cache, unit.scope), embedding_cache.c.key.in_(part)
        )
        unit.connection.execute(statement)
    owner = partition_values(unit.scope)
    rows = [{**owner, "key": key, "vector": vector} for key, vector in vectors.items()]
    insert_rows(unit.connection, embedding_cache, rows)
