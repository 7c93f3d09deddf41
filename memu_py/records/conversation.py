"""Conversation: messages that are kept, each until it is memorized and after it."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.record import PRIVATE, Record
from memu_py.records.scope import Scope

SCHEME = "conversation://"
ConversationStatus = Literal["open", "closed"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Conversation(Record):
    """One conversation, without its messages.

    Attributes:
        id: of the caller's choice; unique in a partition.
        scope: whose it is, with the session that it belongs to.
        key: another one for each conversation, also for one that is begun again under the same id.
        messages: how many it has.
        memorized: how many of them are memorized.
        version: grows with every message that is added or edited, by one for each call.
        asked: the version up to which a memorize was asked for.
        waiting: how many messages nobody has asked for.
        last_at: when its last message came, UTC.
        closed_at: when it was closed, UTC; None while it is open.
        created_at: UTC.
    """

    id: str
    scope: Scope
    key: str = dataclasses.field(metadata=PRIVATE)
    messages: int
    memorized: int
    version: int
    asked: int = dataclasses.field(default=0, metadata=PRIVATE)
    waiting: int = dataclasses.field(default=0, metadata=PRIVATE)
    last_at: datetime
    closed_at: datetime | None = None
    created_at: datetime

    @property
    def status(self) -> ConversationStatus:
        """Whether it is open or closed."""
        return "open" if self.closed_at is None else "closed"

    @property
    def url(self) -> str:
        """The address that `memorize` reads it at."""
        return SCHEME + self.id

    @property
    def unread(self) -> int:
        """How many messages are not memorized yet."""
        return self.messages - self.memorized


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class KeptMessage(Record):
    """One message of a conversation.

    Attributes:
        ordinal: its place, from 0.
        id: its own, or one that it was given.
        entry: the message as it came: a mapping of the chat APIs, or a text that the user said.
        added_at: when it was added or last edited, UTC.
        memorized_at: when it was memorized, UTC; None for not yet.
    """

    ordinal: int
    id: str
    entry: Mapping[str, Any] | str
    added_at: datetime
    memorized_at: datetime | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class WholeConversation(Record):
    """A conversation with its messages.

    Attributes:
        conversation: the conversation.
        messages: in order.
    """

    conversation: Conversation
    messages: tuple[KeptMessage, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Kept(Record):
    """Which conversation a memorize reads, and how far: what came later is not its.

    Attributes:
        id: of the conversation.
        key: the conversation's.
        version: of the conversation when it was read.
    """

    id: str
    key: str
    version: int


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class SessionCount(Record):
    """One session of a user.

    Attributes:
        session: its id.
        conversations: how many it has.
        messages: how many these have.
        last_at: when the last of them came, UTC.
    """

    session: str
    conversations: int
    messages: int
    last_at: datetime


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Line(Record):
    """One sentence of a running summary, with the messages that say it.

    Attributes:
        ordinals: of the messages, growing.
        speaker: who says it, or the role; empty for what a model says of several.
        text: what is said.
    """

    ordinals: tuple[int, ...]
    speaker: str
    text: str

    def __str__(self) -> str:
        """Write it as it stands in a prompt, such as `[3] Ann: I moved to Lisbon.`."""
        cited = ", ".join(map(str, self.ordinals))
        return f"[{cited}] {self.speaker}: {self.text}" if self.speaker else f"[{cited}] {self.text}"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class RunningSummary(Record):
    """What the older messages of a conversation say, in short.

    Attributes:
        lines: in order.
        through: messages before this ordinal are told.
        version: of the conversation when it was written: an edit of what is told has it written anew.
        by: `extract`, or the model's profile.
        made_at: UTC.
    """

    lines: tuple[Line, ...]
    through: int
    version: int
    by: str
    made_at: datetime


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ConversationContext(Record):
    """What a prompt needs of a conversation.

    Attributes:
        text: the block: the summary of what is older, then the newest messages; empty where nothing was said.
        summary: the lines of the summary that are in it; the numbers are those of messages, from 0.
        first: ordinal of the first message that stands in it whole; those between the summary and it did not fit.
        tokens: what the block is likely to cost.
        by: who wrote the summary: `extract`, or the profile of a model; empty without one.
    """

    text: str
    summary: tuple[Line, ...]
    first: int
    tokens: int
    by: str = ""

    def __str__(self) -> str:
        """Write the block."""
        return self.text
