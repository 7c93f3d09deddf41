"""Writing items: rows, vectors, sources and log together."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, bindparam, delete, select, update

from memu_py.errors import BadVectors, EmbedderMismatch
from memu_py.records.batch import StoredItem, Vector
from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.storage import change_log
from memu_py.storage.bulk import insert_rows
from memu_py.storage.change_log import Entry
from memu_py.storage.fingerprint import read_fingerprint
from memu_py.storage.index_rows import TOKEN_SEPARATOR
from memu_py.storage.item_rows import (
    holding,
    item_values,
    load_items,
    logged_item,
    mutable_values,
    source_values,
    storable_item,
)
from memu_py.storage.json_member import listed
from memu_py.storage.mood_rows import move_moods
from memu_py.storage.plain import clean_text
from memu_py.storage.schema import item_vectors, items, sources
from memu_py.storage.scoping import partition_values, require_within, within
from memu_py.storage.unit import Unit, chunks


def storable(stored: StoredItem, scope: Scope) -> StoredItem:
    """Return an item with its vector as it will be read again.

    Raises:
        InvalidScope: it belongs to somebody else.
        InvalidInput: it holds something that cannot be stored.
        BadVectors: its vector is no list of finite numbers.
    """
    require_within(scope, stored.item.scope, f"item {stored.item.id}")
    vector = storable_vector(stored.vector, f"item {stored.item.id}")
    item, tokens = storable_item(stored.item), _storable_tokens(stored.tokens)
    if item is stored.item and vector is stored.vector and tokens is stored.tokens:
        return stored
    return StoredItem(item=item, vector=vector, tokens=tokens)


def storable_vector(given: Vector, what: str) -> Vector:
    """Return a vector as it will be read again.

    Args:
        given: the vector.
        what: whose it is, for the message.

    Raises:
        BadVectors: it is no list of finite numbers.
    """
    vector = np.ascontiguousarray(given, dtype=np.float32)
    if vector.ndim != 1 or not vector.size or not _is_finite(vector):
        msg = f"{what}: a vector is one row of finite numbers; this one has shape {vector.shape}"
        raise BadVectors(msg)
    return vector


def _is_finite(vector: Vector) -> bool:
    # A product is one quick pass; only where it overflows does it need a second look.
    return math.isfinite(vector.dot(vector)) or bool(np.isfinite(vector).all())


def _storable_tokens(tokens: tuple[str, ...]) -> tuple[str, ...]:
    joined = "".join(tokens)
    if all(tokens) and clean_text(joined) is joined and TOKEN_SEPARATOR not in joined:
        return tokens
    parts = (clean_text(token).replace(TOKEN_SEPARATOR, " ") for token in tokens)
    return tuple(part for part in parts if part)


def check_dimensions(connection: Connection, vectors: Iterable[Vector]) -> None:
    """Check that vectors are as long as those in the database, before any is written.

    Raises:
        EmbedderMismatch: the database was filled by another embedder.
        BadVectors: they differ among themselves.
    """
    lengths = {vector.size for vector in vectors}
    if not lengths:
        return
    if len(lengths) > 1:
        msg = f"vectors of one batch have different lengths: {', '.join(map(str, sorted(lengths)))}"
        raise BadVectors(msg)
    fingerprint = read_fingerprint(connection)
    if fingerprint is not None and lengths != {fingerprint.dimension}:
        msg = (
            f"the vectors have {lengths.pop()} numbers, but the store was filled by"
            f" `{fingerprint.embedder}` with {fingerprint.dimension}"
        )
        raise EmbedderMismatch(msg, hint="run `memu reindex` to change the embedder")


def insert_items(unit: Unit, stored: Sequence[StoredItem]) -> None:
    """Write new items."""
    records = [one.item for one in stored]
    insert_rows(unit.connection, items, map(item_values, records))
    insert_rows(unit.connection, item_vectors, map(_vector_values, stored))
    insert_sources(unit, records)
    move_moods(unit, ((None, item) for item in records))
    change_log.append(
        unit, [Entry(scope=item.scope, kind="item", record_id=item.id, op="create") for item in records]
    )


def insert_sources(unit: Unit, records: Iterable[Item]) -> None:
    """Write the sources of items that have none in the database."""
    insert_rows(
        unit.connection, sources, (row for item in records if item.sources for row in source_values(item))
    )


def _vector_values(stored: StoredItem) -> dict[str, object]:
    owner = partition_values(stored.item.scope)
    return {**owner, "item_id": stored.item.id, "vector": stored.vector, "tokens": stored.tokens}


def update_items(
    unit: Unit, pairs: Sequence[tuple[Item, Item]], reasons: Mapping[str, str] | None = None
) -> None:
    """Write changed items over what was read of them, with a version of one more, and log what differs.

    Args:
        unit: the transaction.
        pairs: each item as it is, and as it shall be (its version already grown).
        reasons: why, by item, for the log.
    """
    if not pairs:
        return
    statement = update(items).where(
        within(items, unit.scope, attributes=False), items.c.id == bindparam("row_id")
    )
    rows = [mutable_values(after) for _, after in pairs]
    named = {name: bindparam(f"new_{name}", type_=items.c[name].type) for name in rows[0]}
    renamed = [
        {"row_id": after.id} | {f"new_{name}": value for name, value in row.items()}
        for row, (_, after) in zip(rows, pairs, strict=True)
    ]
    unit.connection.execute(statement.values(named), renamed)
    replace_sources(unit, [after for before, after in pairs if before.sources != after.sources])
    move_moods(unit, pairs)
    why = reasons or {}
    entries = [entry for before, after in pairs for entry in _logged(before, after, why.get(after.id))]
    change_log.append(unit, entries)


def _logged(before: Item, after: Item, reason: str | None) -> list[Entry]:
    logged = logged_item(before), logged_item(after)
    return change_log.updated(after.scope, "item", after.id, *logged, reason=reason)


def replace_sources(unit: Unit, records: Sequence[Item]) -> None:
    """Write the sources of items over those in the database."""
    for part in chunks([item.id for item in records]):
        statement = delete(sources).where(within(sources, unit.scope), sources.c.item_id.in_(part))
        unit.connection.execute(statement)
    insert_sources(unit, records)


def replace_vectors(unit: Unit, stored: Sequence[StoredItem]) -> None:
    """Write vectors and tokens over those in the database."""
    for part in chunks([one.item.id for one in stored]):
        statement = delete(item_vectors).where(
            within(item_vectors, unit.scope), item_vectors.c.item_id.in_(part)
        )
        unit.connection.execute(statement)
    insert_rows(unit.connection, item_vectors, map(_vector_values, stored))


def load_stored(connection: Connection, scope: Scope, records: Mapping[str, Item]) -> list[StoredItem]:
    """Return items with their vectors and tokens, in the order of `records`."""
    found: dict[str, StoredItem] = {}
    for part in chunks(list(records)):
        statement = select(item_vectors.c.item_id, item_vectors.c.vector, item_vectors.c.tokens).where(
            within(item_vectors, scope), item_vectors.c.item_id.in_(part)
        )
        for item_id, vector, tokens in connection.execute(statement):
            found[item_id] = StoredItem(item=records[item_id], vector=vector, tokens=tokens)
    return [found[item_id] for item_id in records if item_id in found]


def live_identities(connection: Connection, scope: Scope, identities: Iterable[str]) -> dict[str, Item]:
    """Return the items of the partition that hold, put away or not, with these identities, by identity."""
    wanted = items.c.identity.in_(listed(set(identities)))
    ids = connection.scalars(
        select(items.c.id).where(within(items, scope, attributes=False), wanted, holding())
    )
    return {item.identity: item for item in load_items(connection, scope, ids, attributes=False).values()}
