"""`conversations`: chats that are kept, when they are memorized, and what is left of the older part in a prompt."""

from typing import Literal

from pydantic import Field

from memu_py.config.database import DatabaseSettings
from memu_py.config.section import Section, subsection

Trigger = Literal["message", "count", "idle", "close", "never"]


class AutoMemorize(Section):
    """When kept messages are memorized without being asked for."""

    by: Trigger = Field(
        default="count",
        description="message, count, idle, close, never; what is left is due when idle or closed",
    )
    count: int = Field(default=10, ge=1, description="messages that make a memorize due")
    idle_s: float = Field(
        default=1800.0, gt=0, description="seconds without a message after which a conversation is idle"
    )


class WorkingMemory(Section):
    """What a conversation's context holds."""

    max_tokens: int = Field(
        default=2000, ge=1, description="tokens of messages beyond the newest from which these are summed up"
    )
    keep_messages: int = Field(
        default=10, ge=1, description="newest messages that stay as they are, however long"
    )
    summary_tokens: int = Field(default=400, ge=20, description="size of the running summary")
    profile: str = Field(
        default="default", description="the chat model that writes it; without one it is extracted"
    )


class ConversationSettings(Section):
    """Conversations."""

    auto_memorize: AutoMemorize = subsection("when messages are memorized")
    working_memory: WorkingMemory = subsection("the running summary")
    database: DatabaseSettings | None = Field(
        default=None,
        description="a database of their own, with the keys of `database`; left out, they lie with the memory",
    )
