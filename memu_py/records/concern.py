"""Concern: whose memories an outside event is about."""

import dataclasses

from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.record import Record
from memu_py.records.scope import Scope


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Concern(Record):
    """A user whom an event concerns.

    Attributes:
        scope: the user.
        score: of the best item, in [0, 1].
        items: the user's own items that say so, best first; never empty.
    """

    scope: Scope
    score: float
    items: tuple[Hit[Item], ...]
