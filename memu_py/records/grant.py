"""Grant: one agent of a user may read, or also change, what another one wrote."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.record import Record
from memu_py.records.scope import Scope

Right = Literal["read", "write"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Grant(Record):
    """What one agent was granted of another one's memory. It is not handed on, and has no way back.

    Attributes:
        id: UUIDv7; its history is found by it.
        scope: the user whose agents they are.
        from_agent: whose memory.
        to_agent: who sees it.
        rights: `read`, or `read` and `write`: to update, correct, link and delete.
        given_at: when, in this form, UTC.
        given_by: who gave it.
    """

    id: str
    scope: Scope
    from_agent: str
    to_agent: str
    rights: tuple[Right, ...] = ("read",)
    given_at: datetime
    given_by: str = "person"

    @property
    def told(self) -> Mapping[str, Any]:
        """What the history tells of it."""
        return {"from_agent": self.from_agent, "to_agent": self.to_agent, "rights": list(self.rights)}
