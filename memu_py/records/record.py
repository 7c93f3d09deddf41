"""What all records have in common: they are frozen, and `evolve` makes a changed copy."""

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

PRIVATE: Mapping[str, bool] = MappingProxyType({"private": True})
"""Marks a field, in its `metadata`, that is not told to others when a record is written as plain data."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """Base of the values that travel between the floors."""

    def evolve(self, **changes: Any) -> Self:
        """Return a copy with the named fields replaced.

        Args:
            **changes: new values by field name.

        Raises:
            TypeError: a name is not a field.
        """
        return dataclasses.replace(self, **changes)
