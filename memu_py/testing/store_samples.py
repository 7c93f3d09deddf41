"""Sample records for tests of stores."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from memu_py.records.batch import Batch, Committed, StoredItem, Vector
from memu_py.records.block import Block
from memu_py.records.category import Category
from memu_py.records.identity import item_identity
from memu_py.records.ids import new_id
from memu_py.records.item import Item, Source
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.storage.index_rows import IndexRow
from memu_py.storage.store import Store

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
ANN = Scope(user="ann")
BOB = Scope(user="bob")
DIMENSION = 4

_seeds = itertools.count(1)


def vector(*numbers: float) -> Vector:
    """Return a vector of these numbers; without any, one of length 1 that no other sample has."""
    if numbers:
        return np.array(numbers, dtype=np.float32)
    drawn = np.random.default_rng(next(_seeds)).standard_normal(DIMENSION).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)


def item(scope: Scope, text: str, **fields: Any) -> Item:
    """Return an item with this text; its identity fits."""
    usual: dict[str, Any] = {"id": new_id(), "type": "fact", "created_at": NOW, "updated_at": NOW}
    made = Item(**usual | fields, scope=scope, text=text, identity="")
    return made.evolve(identity=item_identity(scope, made))


def stored(scope: Scope, text: str, **fields: Any) -> StoredItem:
    """Return an item with a vector, and its words as tokens."""
    return StoredItem(item=item(scope, text, **fields), vector=vector(), tokens=tuple(text.lower().split()))


def reworded(known: Item, text: str, **fields: Any) -> Item:
    """Return an item with another text and the identity that fits."""
    changed = known.evolve(text=text, **fields)
    return changed.evolve(identity=item_identity(changed.scope, changed))


def resource(scope: Scope, **fields: Any) -> Resource:
    """Return a resource; its content hash and blob follow from its id."""
    identifier = fields.get("id", new_id())
    usual: dict[str, Any] = {
        "id": identifier,
        "modality": "conversation",
        "content_hash": f"hash-{identifier}",
        "blob": f"blob-{identifier}",
        "size": 10,
        "media_type": "text/plain",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Resource(**usual | fields, scope=scope)


def segment(ordinal: int, text: str, **fields: Any) -> Segment:
    """Return a segment; equal texts have equal hashes."""
    usual: dict[str, Any] = {
        "kind": "turn",
        "start": ordinal * 100,
        "end": ordinal * 100 + len(text),
        "hash": f"hash of {text}",
        "outcome": "stored",
    }
    return Segment(**usual | fields, ordinal=ordinal, text=text)


def source(of: Resource, ordinal: int, **fields: Any) -> Source:
    """Return a source: the first ten characters of a segment."""
    return Source(resource_id=of.id, ordinal=ordinal, start=ordinal * 100, end=ordinal * 100 + 10, **fields)


def category(scope: Scope, name: str, **fields: Any) -> Category:
    """Return a category of the scope's partition."""
    usual: dict[str, Any] = {"id": new_id(), "created_at": NOW, "updated_at": NOW}
    return Category(**usual | fields, scope=scope.owner, name=name)


def block(scope: Scope, name: str, **fields: Any) -> Block:
    """Return a block."""
    usual: dict[str, Any] = {"id": new_id(), "text": "x", "max_chars": 100, "created_at": NOW}
    return Block(**usual | fields, scope=scope, name=name, updated_at=NOW)


def in_category(member: StoredItem, topic: Category) -> Link:
    """Return the link of an item to a category."""
    return Link(source_id=member.item.id, target_id=topic.id, kind=IN_CATEGORY)


def batch(**fields: Any) -> Batch:
    """Return a batch of a run of its own."""
    usual: dict[str, Any] = {"run_id": new_id(), "actor": "memorize", "read_seq": 0}
    return Batch(**usual | fields)


async def keep(store: Store, scope: Scope, *members: StoredItem, **fields: Any) -> Committed:
    """Commit items."""
    seq = await store.seq(scope)
    return await store.commit(scope, batch(items=members, read_seq=seq, **fields))


async def index_rows(store: Store, scope: Scope, ids: Sequence[str] | None = None) -> list[IndexRow]:
    """Return what an index needs, item by item."""
    return [row for rows in await store.index_rows(scope, ids) for row in rows]


async def converse(store: Store, scope: Scope, *texts: str, **fields: Any) -> Resource:
    """Commit a conversation of these messages that makes no items."""
    made = resource(scope, **fields)
    segments = tuple(segment(ordinal, text) for ordinal, text in enumerate(texts))
    committed = await store.commit(
        scope, batch(resource=made, segments=segments, read_seq=await store.seq(scope))
    )
    return committed.resource or made
