"""What in-process indexes are made of."""

from typing import NamedTuple

from memu_py.records.batch import Vector


class IndexRow(NamedTuple):
    """What an in-process index holds of one item. There are as many as items, so this is a light record.

    Attributes:
        id: the item.
        resource_id: the resource of its first source, for its neighbours; None for items made by hand.
        ordinal: the segment of its first source.
        vector: its embedding.
        tokens: its index tokens, repeats kept.
        clock: when its age starts, UTC microseconds: `happened_at` for events and episodes, else the last
            reinforcement, else `said_at`, else `created_at`.
        importance: 1 to 10, NaN when unknown.
        arousal: 0 to 1, 0 when unknown.
        mentions: at least 1.
        access_count: how often it was retrieved.
        ended: superseded, or its `valid_to` is set.
        speaker: who said it.
        said_at: when it was said, UTC microseconds; None when nobody knows. What was said on another day is another
            session, and no neighbour.
        happened_at: when it happened, likewise.
        asks: it ends with a question.
    """

    id: str
    resource_id: str | None
    ordinal: int
    vector: Vector
    tokens: tuple[str, ...]
    clock: int
    importance: float
    arousal: float
    mentions: int
    access_count: int
    ended: bool
    speaker: str | None = None
    said_at: int | None = None
    happened_at: int | None = None
    asks: bool = False
