"""One message of a conversation, in whatever format it arrived."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.record import Record

Role = Literal["user", "assistant", "system", "tool"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Message(Record):
    """One message.

    Attributes:
        role: who speaks, in the words of the chat APIs.
        text: what was said; for tool calls and results, their JSON text.
        speaker: a name, where the format gives one.
        said_at: the message's own time, UTC.
        id: the message's own id, where it has one.
        context: true for what is kept but makes no memories (system text, tool calls and results).
        metadata: whatever else came with it.
    """

    role: Role
    text: str
    speaker: str | None = None
    said_at: datetime | None = None
    id: str | None = None
    context: bool = False
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)
