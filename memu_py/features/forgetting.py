"""Which memories have faded. Pure."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from memu_py.records.forgotten import PINNED, Fading
from memu_py.records.item import Item
from memu_py.records.presented import Presented
from memu_py.records.record import Record
from memu_py.scoring.activation import activations
from memu_py.scoring.importance import NEUTRAL, effective_importance

ACTIVATION = -2.95
"""Of what came up once, a year ago: -0.5 ln 365."""
IMPORTANCE = 4.5
"""What nobody judged counts 5.5; by rule a plain statement has 4, one with a name, a number or `I` at least 5."""
GRACE_DAYS = 30
EXPIRES_AT = "expires_at"
"""Metadata of what is memorized that says when its items expire."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Bars(Record):
    """What a memory must fall below, in all of them, to have faded.

    Attributes:
        activation: in natural logarithms, ages in days.
        importance: as use has moved it, 1 to 10.
        grace: since it was stored, said again or restored.
        kept_types: types that never fade.
    """

    activation: float = ACTIVATION
    importance: float = IMPORTANCE
    grace: timedelta = timedelta(days=GRACE_DAYS)
    kept_types: Collection[str] = ()


def expiry_of(metadata: Mapping[str, Any]) -> datetime | None:
    """Return when what carries some metadata expires, UTC; None where it says nothing, or nothing that can be read.

    >>> expiry_of({"expires_at": "2026-06-08T02:00:00+02:00"})
    datetime.datetime(2026, 6, 8, 0, 0, tzinfo=datetime.timezone.utc)
    """
    given = metadata.get(EXPIRES_AT)
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else None
        return moment.astimezone(UTC) if moment is not None and moment.utcoffset() is not None else None
    except (ValueError, OverflowError):
        return None


def may_fade(item: Item, now: datetime, bars: Bars) -> bool:
    """Tell whether an item is neither pinned nor of a kept type nor too young."""
    if item.type in bars.kept_types or item.metadata.get(PINNED):
        return False
    since = max(item.created_at, item.last_reinforced_at or item.created_at)
    return now - since >= bars.grace


def inactive(
    items: Sequence[Item], presented: Mapping[str, Presented], now: datetime, bars: Bars
) -> dict[str, float]:
    """Return the activation of those items that lie below the bar, by id.

    Args:
        items: that may fade.
        presented: when they came up; one that is not in it is gone.
        now: the present moment.
        bars: what they must fall below.
    """
    known = [item.id for item in items if item.id in presented]
    active = activations([presented[item_id] for item_id in known], now)
    return {
        item_id: value
        for item_id, value in zip(known, active.tolist(), strict=True)
        if value < bars.activation
    }


def faded(
    items: Sequence[Item], active: Mapping[str, float], reads: Mapping[str, int], bars: Bars
) -> list[Fading]:
    """Return which of some inactive items are not important either.

    Args:
        items: of which `active` tells.
        active: their activation.
        reads: how often each was read, and one, with what feedback adds and takes.
        bars: what they must fall below.
    """
    known = [item for item in items if item.id in active and item.id in reads]
    given = [np.nan if item.importance is None else item.importance for item in known]
    moved = effective_importance(
        np.array(given, dtype=np.float32),
        np.array([item.mentions for item in known], dtype=np.uint32),
        np.array([max(reads[item.id], 0) for item in known], dtype=np.uint32),
    )
    weights = np.where(np.isnan(moved), NEUTRAL, moved).tolist()
    return [
        Fading(item=item, because="faded", activation=active[item.id], importance=weight)
        for item, weight in zip(known, weights, strict=True)
        if weight < bars.importance
    ]
