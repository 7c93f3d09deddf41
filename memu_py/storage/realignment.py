"""What a new version of a resource does to the places that items were found in.

A segment that moved takes the sources of its items along. A segment that is removed, or makes room for another text,
leaves its items without that source; an item that has no other keeps it with the ordinal `NOWHERE`, so that it still
belongs to its resource and goes with it, and with whose words it was.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from memu_py.records.batch import Batch, Move
from memu_py.records.item import Item, Source
from memu_py.records.record import Record
from memu_py.storage.item_rows import load_items
from memu_py.storage.own_words import own_ordinals
from memu_py.storage.schema import segments, sources
from memu_py.storage.scoping import within
from memu_py.storage.unit import Unit, chunks

NOWHERE = -1
"""Ordinal of a source whose segment is no part of the resource any more."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Realignment(Record):
    """How the segments of one resource change their places.

    Attributes:
        resource_id: the resource.
        moves: of segments that stay, by their old ordinal.
        starts: where the moved ones began so far, by their old ordinal.
        gone: old ordinals of segments that are no part of it any more.
        own: those among them in which the person himself spoke.
    """

    resource_id: str
    moves: Mapping[int, Move]
    starts: Mapping[int, int]
    gone: frozenset[int]
    own: frozenset[int]

    def items(self, unit: Unit) -> dict[str, Item]:
        """Return the items that were found in segments that move or go."""
        ids: dict[str, None] = {}
        for part in chunks(sorted(self.moves.keys() | self.gone)):
            statement = select(sources.c.item_id).where(
                within(sources, unit.scope),
                sources.c.resource_id == self.resource_id,
                sources.c.ordinal.in_(part),
            )
            ids |= dict.fromkeys(unit.connection.scalars(statement))
        return load_items(unit.connection, unit.scope, ids, attributes=False, lock=True)

    def sources(self, known: tuple[Source, ...]) -> tuple[Source, ...]:
        """Return where an item is found from now on."""
        left = [self._moved(one) for one in known if not self._is_gone(one)]
        return tuple(left) or (known[0].evolve(ordinal=NOWHERE, own=any(map(self._is_own, known))),)

    def metadata(self, item: Item) -> Mapping[str, Any]:
        """Return an item's metadata from now on: what it took from the segment it was found in follows that."""
        first = item.sources[0]
        move = self.moves.get(first.ordinal) if first.resource_id == self.resource_id else None
        if move is None or move.metadata is None:
            return item.metadata
        own = {key: value for key, value in item.metadata.items() if _differs(value, first.metadata, key)}
        return {**move.metadata, **own}

    def _is_gone(self, one: Source) -> bool:
        return one.resource_id == self.resource_id and (one.ordinal in self.gone or one.ordinal == NOWHERE)

    def _is_own(self, one: Source) -> bool:
        return bool(one.own) if one.ordinal == NOWHERE else one.ordinal in self.own

    def _moved(self, one: Source) -> Source:
        move = self.moves.get(one.ordinal) if one.resource_id == self.resource_id else None
        if move is None:
            return one
        by = move.start - self.starts[move.old]
        moved = one.evolve(ordinal=move.new, start=one.start + by, end=one.end + by)
        return moved if move.metadata is None else moved.evolve(metadata=move.metadata)


def _differs(value: Any, metadata: Mapping[str, Any], key: str) -> bool:
    return key not in metadata or metadata[key] != value


def realign(unit: Unit, batch: Batch) -> Realignment | None:
    """Return how a batch changes the places of a resource that is there; None when it has none."""
    if batch.resource is None:
        return None
    known = _hashes(unit, batch.resource.id)
    moves = {move.old: move for move in batch.moves if move.old in known}
    taken = {move.new for move in moves.values()}
    texts = {segment.ordinal: segment.hash for segment in batch.segments}
    gone = frozenset(
        ordinal
        for ordinal, (found, _) in known.items()
        if ordinal not in moves
        and (ordinal in taken or texts.get(ordinal, found) != found or _is_behind(ordinal, batch, texts))
    )
    starts = {ordinal: start for ordinal, (_, start) in known.items()}
    own = own_ordinals(unit.connection, unit.scope, batch.resource.id) & gone if gone else gone
    return Realignment(resource_id=batch.resource.id, moves=moves, starts=starts, gone=gone, own=own)


def _is_behind(ordinal: int, batch: Batch, texts: Mapping[int, str]) -> bool:
    return batch.resource is not None and ordinal >= batch.resource.segment_count and ordinal not in texts


def _hashes(unit: Unit, resource_id: str) -> dict[int, tuple[str, int]]:
    statement = select(segments.c.ordinal, segments.c.hash, segments.c.start).where(
        within(segments, unit.scope), segments.c.resource_id == resource_id
    )
    return {row.ordinal: (row.hash, row.start) for row in unit.connection.execute(statement)}
