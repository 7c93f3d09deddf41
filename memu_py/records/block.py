"""Block: a small named text that stands in every prompt."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memu_py.records.record import Record
from memu_py.records.scope import Scope


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Block(Record):
    """One block.

    Attributes:
        id: UUIDv7; its history is found by it.
        scope: whose it is: a user's, or one agent's of a user.
        name: unique for its owner.
        text: what stands in the prompt.
        description: what it is for, for whoever edits it.
        max_chars: how long it may become.
        max_tokens: the same in tokens; None for no such limit.
        read_only: agents cannot change it.
        shared_with: agents of the same user that see and edit it as if it were theirs.
        version: grows by one with every change; for compare-and-swap.
        created_at: UTC.
        updated_at: UTC.
    """

    id: str
    scope: Scope
    name: str
    text: str
    description: str = ""
    max_chars: int
    max_tokens: int | None = None
    read_only: bool = False
    shared_with: tuple[str, ...] = ()
    version: int = 1
    created_at: datetime
    updated_at: datetime

    @property
    def agent(self) -> str | None:
        """The agent whose it is; None for a block of the user, which all agents see."""
        return self.scope.agent if self.scope.user is not None else None

    @property
    def told(self) -> Mapping[str, Any]:
        """What the history tells of it."""
        names = ("name", "text", "description", "max_chars", "max_tokens", "read_only")
        return {name: getattr(self, name) for name in names} | {"shared_with": list(self.shared_with)}
