"""What is found of data that may not be kept as it is."""

import dataclasses
from typing import Literal

from memu_py.records.record import Record

Kind = Literal["key", "id_card", "bank_card", "email", "phone", "address"]
KINDS: tuple[Kind, ...] = ("key", "id_card", "bank_card", "email", "phone", "address")
"""Kinds, the surest first: where two overlap, the first one counts."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Finding(Record):
    """One piece of sensitive data in a text.

    Attributes:
        kind: what it is.
        start: its first character.
        end: the character after its last.
    """

    kind: Kind
    start: int
    end: int
