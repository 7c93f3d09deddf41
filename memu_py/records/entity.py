"""Entity: a name that items of a partition carry."""

import dataclasses
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memu_py._core import normalize_text
from memu_py.records.record import Record

PERSON = "person"
"""The kind of who takes part in a conversation; nothing else tells what a name is the name of."""

KNOWN_KEYS = 65_536
"""Keys that are kept at hand: the same names come again and again."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Entity(Record):
    """A person, place or thing by name, once in a partition.

    Attributes:
        id: UUIDv7.
        name: as it was first written.
        key: what it is unique by, see `entity_key`.
        kind: what it is, such as `person`; None where nobody knows.
        vector: (d,), the embedding of its name by what fills the store; None where it is still to be made.
    """

    id: str
    name: str
    key: str
    kind: str | None = None
    vector: NDArray[np.float32] | None = None


@lru_cache(maxsize=KNOWN_KEYS)
def entity_key(name: str) -> str:
    """Return what makes two spellings one name: NFKC, case folded, white space as one space, no closing marks.

    >>> entity_key(" New  York") == entity_key("new york")
    True
    """
    return normalize_text(name)


def names_by_key(named: Iterable[Iterable[str]]) -> Mapping[str, str]:
    """Return the names of items by key, as each is first written; what has no letter to it is left out.

    Args:
        named: the names of each item.
    """
    found: dict[str, str] = {}
    for names in named:
        for name in names:
            found.setdefault(entity_key(name), name)
    found.pop("", None)
    return found
