"""Item: one fact, event, preference, skill … with its provenance."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.ids import new_id
from memu_py.records.record import PRIVATE, Record
from memu_py.records.relation import RelationDraft
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan

Attribution = Literal["user", "agent"]
"""Who stated something: a person, or an agent, which may also have done it."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Source(Record):
    """Where an item was found: a span of characters of one segment.

    Attributes:
        resource_id: the resource.
        ordinal: the segment's place in it.
        start: first character in the resource's text.
        end: character after its last.
        said_at: the segment's own time, UTC.
        session: the session it came from.
        metadata: the segment's, such as the turn's own `id`.
        own: whether the person whose memory it is said it there; kept when the segment goes, None while that tells it.
    """

    resource_id: str
    ordinal: int
    start: int
    end: int
    said_at: datetime | None = None
    session: str | None = None
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    own: bool | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Emotion(Record):
    """A feeling.

    Attributes:
        valence: from −1 (bad) to 1 (good).
        arousal: from 0 (calm) to 1 (stirred).
        label: its name, if any.
    """

    valence: float
    arousal: float
    label: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ItemDraft(Record):
    """An item before it is stored.

    Attributes:
        id: UUIDv7, the id it will be stored under.
        type: one of the configured item types.
        text: the memory itself, in its own language.
        speaker: who said it.
        said_at: the message's own time, UTC.
        happened: when the thing itself was, where the text says so.
        entities: names of people, places and things in it, as written.
        importance: 1 to 10, None where nobody judged.
        emotion: the feeling in it, where known.
        relations: between names in it, where known.
        attribution: whether a person said it or an agent stated or did it, where known.
        sources: where it was found.
        expires_at: from when on nobody needs it any more, UTC; None for never.
        metadata: the caller's own, and the segment's.
    """

    id: str = dataclasses.field(default_factory=new_id)
    type: str
    text: str
    speaker: str | None = None
    said_at: datetime | None = None
    happened: TimeSpan | None = None
    entities: tuple[str, ...] = ()
    importance: float | None = None
    emotion: Emotion | None = None
    relations: tuple[RelationDraft, ...] = ()
    attribution: Attribution | None = None
    sources: tuple[Source, ...] = ()
    expires_at: datetime | None = None
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Item(ItemDraft):
    """One stored memory.

    Attributes:
        scope: whose it is and who wrote it.
        identity: hash of partition, speaker, type, normalised text and, for events, the date; hex; unique among
            live items of a partition.
        created_at: when we stored it, UTC.
        updated_at: when it last changed, UTC.
        mentions: how often it was said, at least 1.
        last_reinforced_at: when it was last said again, UTC.
        access_count: how often it was retrieved.
        last_accessed_at: when it was last retrieved, UTC.
        valid_to: when it stopped being true, UTC; None while it holds.
        superseded_by: the item that took its place.
        archived_at: when it was put away, UTC: it still holds, but is found no more until it is restored or said again.
        archived_because: why, such as `faded`.
        version: grows by one with every change.
    """

    scope: Scope
    identity: str = dataclasses.field(metadata=PRIVATE)
    created_at: datetime
    updated_at: datetime
    mentions: int = 1
    last_reinforced_at: datetime | None = None
    access_count: int = 0
    last_accessed_at: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    archived_at: datetime | None = None
    archived_because: str | None = None
    version: int = 1

    @property
    def ended(self) -> bool:
        """Whether it holds no longer."""
        return self.valid_to is not None or self.superseded_by is not None

    def away(self, now: datetime) -> bool:
        """Tell whether it is put away, or has expired."""
        return self.archived_at is not None or (self.expires_at is not None and self.expires_at <= now)
