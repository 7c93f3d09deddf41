"""When two memories are one. Pure: the step and the store's last check use the same rules.

The same identity is the same memory. A near duplicate needs more than a cosine, in which "likes tea" and "does not like
tea" are close: the ordered content words of one text must contain the other's, with the same speaker, agent, custom
keys and date. Whatever else is near becomes a `similar` link.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np

from memu_py.embedding.embedder import Matrix
from memu_py.language.agreement import fuller, is_contained, signature
from memu_py.records.batch import Reinforcement, StoredItem, Vector
from memu_py.records.identity import item_identity
from memu_py.records.item import Item, ItemDraft, Source
from memu_py.records.link import SIMILAR, Link
from memu_py.records.scope import Scope
from memu_py.records.tool import ToolUse, with_uses
from memu_py.steps.stored import stored_items


def one_memory(draft: ItemDraft, scope: Scope, other: ItemDraft, other_scope: Scope) -> bool:
    """Tell whether a draft says what a near item, or another draft, says already."""
    return (
        owner_of(scope) == owner_of(other_scope)
        and _name(draft.speaker) == _name(other.speaker)
        and _when(draft) == _when(other)
        and is_contained(
            signature(draft.text, said_at=draft.said_at), signature(other.text, said_at=other.said_at)
        )
    )


def owner_of(scope: Scope) -> tuple[str, str | None, tuple[tuple[str, str], ...]]:
    """Return what two memories must share to be one: partition, agent and custom keys, not the session."""
    return scope.partition, scope.agent, scope.custom


def _name(speaker: str | None) -> str | None:
    return speaker.casefold() if speaker else None


def _when(draft: ItemDraft) -> datetime | None:
    return draft.happened.start if draft.happened else None


Holders = dict[str, str]
"""Id of a draft that is not needed → id of the draft or item that holds it."""


def merge_equal(drafts: Iterable[ItemDraft], scope: Scope) -> tuple[dict[str, ItemDraft], Holders]:
    """Join drafts of the same identity: the first one stays, with the sources of all.

    Returns:
        Drafts by identity, and who holds the others.
    """
    merged: dict[str, ItemDraft] = {}
    holders: Holders = {}
    for draft in drafts:
        identity = item_identity(scope, draft)
        first = merged.setdefault(identity, draft)
        if first is not draft:
            merged[identity] = join(first, draft)
            holders[draft.id] = first.id
    return merged, holders


def join(first: ItemDraft, again: ItemDraft) -> ItemDraft:
    """Return the first of two drafts that are one memory, with the sources and entities of both and the fuller text."""
    return first.evolve(
        text=fuller(first.text, again.text),
        sources=add_sources(first.sources, again.sources),
        entities=tuple(dict.fromkeys((*first.entities, *again.entities))),
        metadata=with_uses(first.metadata, ToolUse.of(again.metadata)),
    )


def add_sources(old: Sequence[Source], new: Sequence[Source]) -> tuple[Source, ...]:
    """Return all sources, each place once."""
    places = {(source.resource_id, source.ordinal): source for source in (*new, *old)}
    ordered = sorted(places.values(), key=lambda source: (source.resource_id, source.ordinal))
    first = [source for source in old if source in ordered]
    return tuple(first + [source for source in ordered if source not in first])


def merge_near(
    drafts: Sequence[ItemDraft],
    vectors: Matrix,
    scope: Scope,
    *,
    same: float,
    candidates: int,
    check: Callable[[], None] = lambda: None,
) -> tuple[list[ItemDraft], list[Link], Holders]:
    """Join near duplicates within one batch.

    Args:
        drafts: no two of the same identity.
        vectors: (len(drafts), d), rows of length 1.
        scope: whose they are.
        same: the cosine above which two texts may be near duplicates.
        candidates: nearest drafts to compare each one with.
        check: called before each draft; raises to stop.

    Returns:
        The drafts that remain, `similar` links between them, and who holds the others.
    """
    kept: list[int] = []
    known = np.empty_like(vectors)
    merged = list(drafts)
    links: list[Link] = []
    holders: Holders = {}
    for number, draft in enumerate(drafts):
        check()
        near = _near(vectors[number], known[: len(kept)], kept, same)[:candidates]
        target = next((row for row, _ in near if one_memory(draft, scope, merged[row], scope)), None)
        if target is None:
            links += [similar(draft.id, merged[row].id, cosine) for row, cosine in near]
            known[len(kept)] = vectors[number]
            kept.append(number)
        else:
            merged[target] = join(merged[target], draft)
            holders[draft.id] = merged[target].id
    return [merged[row] for row in kept], links, holders


def _near(vector: Matrix, known: Matrix, kept: Sequence[int], same: float) -> list[tuple[int, float]]:
    cosines = known @ vector
    found = [(kept[place], float(cosines[place])) for place in np.flatnonzero(cosines >= same).tolist()]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def similar(source_id: str, target_id: str, cosine: float) -> Link:
    """Return a link between two items that are near but not one memory."""
    return Link(source_id=source_id, target_id=target_id, kind=SIMILAR, score=min(max(cosine, 0.0), 1.0))


def reinforce(item: Item, draft: ItemDraft, vector: Vector, *, at: datetime) -> Reinforcement:
    """Say an item again: more mentions and sources, and the fuller text with its vector where that is the draft's.

    Args:
        item: as stored.
        draft: what says it again.
        vector: of the draft's text.
        at: now, UTC.
    """
    again = say_again(item, draft, at)
    if fuller(item.text, draft.text) == item.text:
        return again
    return again.evolve(replacement=reworded(item, draft, vector), over=item.text)


def reworded(item: Item, draft: ItemDraft, vector: Vector) -> StoredItem:
    """Return a stored item with the text of a draft in the place of its own, and the entities of both.

    Args:
        item: as stored.
        draft: with the new text.
        vector: of that text.
    """
    changed = item.evolve(text=draft.text, entities=tuple(dict.fromkeys((*item.entities, *draft.entities))))
    changed = changed.evolve(identity=item_identity(item.scope, changed))
    (stored,) = stored_items([changed], [vector])
    return stored


def say_again(item: Item, draft: ItemDraft, at: datetime, *, reason: str | None = None) -> Reinforcement:
    """Return that a stored item was said again by a draft, with its text as it is."""
    return Reinforcement(
        item_id=item.id,
        at=at,
        count=max(len(draft.sources), 1),
        sources=draft.sources,
        reason=reason,
        use=ToolUse.of(draft.metadata),
    )


def relinked(links: Iterable[Link], holders: Mapping[str, str]) -> tuple[Link, ...]:
    """Drop what a draft that is held by another would have linked; point links to it at its holder."""
    moved = (
        link.evolve(target_id=follow(link.target_id, holders))
        for link in links
        if link.source_id not in holders
    )
    return tuple(link for link in moved if link.source_id != link.target_id)


def follow(draft_id: str, holders: Mapping[str, str]) -> str:
    """Return what holds a draft in the end: itself, another draft, or an item."""
    while draft_id in holders:
        draft_id = holders[draft_id]
    return draft_id
