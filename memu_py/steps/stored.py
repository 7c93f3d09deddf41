"""From drafts to items, and from items to what the store keeps for the indexes."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from memu_py import _core
from memu_py.embedding.embedder import Matrix
from memu_py.features.forgetting import expiry_of
from memu_py.records.batch import StoredItem
from memu_py.records.identity import item_identity
from memu_py.records.item import Item, ItemDraft
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources


def make_item(draft: ItemDraft, scope: Scope, now: datetime, *, identity: str | None = None) -> Item:
    """Return a draft as a new item of a scope.

    Args:
        draft: what it says.
        scope: whose it will be.
        now: when it is made, UTC.
        identity: of the draft in the scope, where it is known already.
    """
    return Item(
        id=draft.id,
        type=draft.type,
        text=draft.text,
        speaker=draft.speaker,
        said_at=draft.said_at,
        happened=draft.happened,
        entities=draft.entities,
        relations=draft.relations,
        attribution=draft.attribution,
        importance=draft.importance,
        emotion=draft.emotion,
        sources=draft.sources,
        expires_at=draft.expires_at or expiry_of(draft.metadata),
        metadata=draft.metadata,
        scope=scope,
        identity=identity or item_identity(scope, draft),
        created_at=now,
        updated_at=now,
        mentions=max(len(draft.sources), 1),
    )


def settled_relations(drafts: Sequence[ItemDraft], resources: MemoryResources) -> list[ItemDraft]:
    """Return drafts whose relations have the names that stand for their predicates."""
    known = resources.settings.graph.known() if any(draft.relations for draft in drafts) else None
    return [
        draft.evolve(relations=known.settled(draft.relations)) if known and draft.relations else draft
        for draft in drafts
    ]


def index_tokens(items: Sequence[ItemDraft]) -> list[list[str]]:
    """Return the index tokens of items: those of the speaker's name, then those of the text.

    With the name among its words, what somebody said is found by who said it, and the name of somebody who speaks often
    weighs little.
    """
    return _core.tokenize([f"{item.speaker or ''}\n{item.text}" for item in items])


def stored_items(items: Sequence[Item], vectors: Sequence[Matrix]) -> list[StoredItem]:
    """Pair items with their vectors and index tokens.

    Args:
        items: any number.
        vectors: one for each, (d,).
    """
    return [
        StoredItem(item=item, vector=np.ascontiguousarray(vector, dtype=np.float32), tokens=tuple(words))
        for item, vector, words in zip(items, vectors, index_tokens(items), strict=True)
    ]
