"""What one memorize hands to the store, to be written in one transaction; and what came of it."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memu_py.records.conversation import Kept
from memu_py.records.insight import Moved
from memu_py.records.item import Item, Source
from memu_py.records.job import Lease
from memu_py.records.link import Link
from memu_py.records.record import Record
from memu_py.records.resource import Resource, Segment
from memu_py.records.tool import ToolUse

Vector = NDArray[np.float32]
"""One embedding: float32, shape (dimension,), normalised to length 1."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StoredItem(Record):
    """An item with what the indexes need.

    Attributes:
        item: the record.
        vector: its embedding.
        tokens: its index tokens in order, repeats kept.
    """

    item: Item
    vector: Vector
    tokens: tuple[str, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Reinforcement(Record):
    """An existing item was said again.

    Attributes:
        item_id: the item.
        at: when, UTC.
        count: by how much its mentions grow.
        sources: where it was said again.
        replacement: the same item with a fuller text, its vector and tokens; None keeps the text.
        over: the text that the replacement was made from: over any other one it is a conflict.
        reason: why, for its history.
        use: further uses of the tool that the item tells of.
    """

    item_id: str
    at: datetime
    count: int = 1
    sources: tuple[Source, ...] = ()
    replacement: StoredItem | None = None
    over: str | None = None
    reason: str | None = None
    use: ToolUse | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Supersession(Record):
    """An item stopped being true.

    Attributes:
        item_id: the item.
        at: its end, UTC.
        by: the item in its place, if any.
        reason: why, for its history.
    """

    item_id: str
    at: datetime
    by: str | None = None
    reason: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Archival(Record):
    """An item is put away: it still holds, but is not found any more.

    Attributes:
        item_id: the item.
        at: when, UTC.
        because: why, for the item and its history.
        version: that was read; over any other one it is a conflict, since somebody said it again or changed it.
    """

    item_id: str
    at: datetime
    because: str
    version: int


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Move(Record):
    """A known segment stands at another place in the new version of its resource.

    Attributes:
        old: its ordinal so far.
        new: its ordinal from now on.
        start: its first character in the new text.
        end: the character after its last.
        metadata: the segment's from now on, such as the page it stands on; None leaves what it has.
    """

    old: int
    new: int
    start: int
    end: int
    metadata: Mapping[str, Any] | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Batch(Record):
    """All that one transaction writes.

    Attributes:
        run_id: a run with the same id is written once.
        actor: for the change log.
        resource: new, or the changed version of an existing one (its `version` is the one that was read).
        segments: new ones, and those that replace the segment of the same ordinal.
        moves: of known segments, done before `segments` are written; the sources of their items follow. Segments from
            ordinal `resource.segment_count` on are removed.
        items: new items.
        reinforcements: of existing items.
        supersessions: of existing items.
        archivals: of existing items.
        links: between items, and from items to categories.
        entity_vectors: of the names in items, by `entity_key`; those of names that the store knows are not needed.
        read_seq: the change log's position when the run read the store.
        replaced: id of an item that the recheck dropped → id of the item in its place; goes into `Committed.replaced`.
        summary: plain data kept with the run, returned when the same run comes again.
        lease: of the job that the run is for: without it nothing is written.
        kept: the conversation that the run has read, whose messages are marked in the same transaction; without it
            nothing is written.
        moved: the watermark of reflection, in the same transaction.
    """

    run_id: str
    actor: str
    read_seq: int
    resource: Resource | None = None
    segments: tuple[Segment, ...] = ()
    moves: tuple[Move, ...] = ()
    items: tuple[StoredItem, ...] = ()
    reinforcements: tuple[Reinforcement, ...] = ()
    supersessions: tuple[Supersession, ...] = ()
    archivals: tuple[Archival, ...] = ()
    links: tuple[Link, ...] = ()
    entity_vectors: Mapping[str, Vector] = dataclasses.field(default_factory=dict)
    replaced: Mapping[str, str] = dataclasses.field(default_factory=dict)
    summary: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    lease: Lease | None = None
    kept: Kept | None = None
    moved: Moved | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Committed(Record):
    """What a transaction wrote.

    Attributes:
        resource: as stored, if there was one.
        added: the new items, as stored.
        reinforced: items said again, as stored after it.
        replaced: id of a new item that was not needed → id of the live item with the same identity.
        seq: the change log's position after it.
        freed: the blob that the resource had before, if none uses it any more.
    """

    resource: Resource | None
    added: tuple[Item, ...]
    reinforced: tuple[Item, ...]
    replaced: Mapping[str, str]
    seq: int
    freed: tuple[str, ...] = ()
