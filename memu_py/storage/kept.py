"""The store's contract for conversations: messages that are kept, and marked when they are memorized."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from memu_py.records.conversation import (
    Conversation,
    Kept,
    RunningSummary,
    SessionCount,
    WholeConversation,
)
from memu_py.records.page import Page, Query
from memu_py.records.scope import Scope

Entry = Mapping[str, Any] | str
"""A message as it came."""


class KeptConversations(Protocol):
    """Conversations, which may lie in another database than the memory that is made of them."""

    async def add(
        self,
        scope: Scope,
        conversation_id: str,
        entries: Sequence[Entry],
        *,
        edits: Mapping[str, Entry] | None = None,
        version: int | None = None,
    ) -> Conversation:
        """Add messages behind those that are there, and begin the conversation if there is none, in one transaction.

        A message with an id of its own that another one has is the same message, and is not added again; unless
        `version` is given, as by somebody who has compared them. A closed conversation is open again.

        Args:
            scope: whose; the attributes and the session of one that is there stay, and they lie in the scope, but for
                the session.
            conversation_id: unique in the partition.
            entries: messages.
            edits: new texts of messages by id, which are to be memorized again.
            version: of the conversation that was read before, 0 for none.

        Returns:
            The conversation as it is now.

        Raises:
            Conflict: it has another version by now; read again and retry.
            NotFound: one of this id is there, of another agent or other custom keys.
            InvalidInput: an entry is no plain data.
        """
        ...

    async def get(self, scope: Scope, conversation_id: str) -> Conversation | None:
        """Return a conversation of the scope."""
        ...

    async def read_whole(
        self, scope: Scope, conversation_id: str, *, first: int = 0
    ) -> WholeConversation | None:
        """Return a conversation with its messages from an ordinal on, both of one moment; None where `get` is."""
        ...

    async def page(self, scope: Scope, query: Query) -> Page[Conversation]:
        """Return one page of conversations.

        Raises:
            InvalidFilter: `query.where`, its order or its cursor is not usable.
            InvalidInput: `query.limit` is outside 1 to 1000.
        """
        ...

    async def sessions(self, scope: Scope) -> list[SessionCount]:
        """Return the sessions that have conversations, the one with the newest message first."""
        ...

    async def close_one(self, scope: Scope, conversation_id: str) -> Conversation | None:
        """Close a conversation; again is a no-op. None when the scope has none of this id."""
        ...

    async def delete(self, scope: Scope, conversation_id: str) -> bool:
        """Delete a conversation with its messages. False when the scope has none of this id."""
        ...

    async def ask(self, scope: Scope, kept: Kept) -> None:
        """Note that a memorize was asked for of all up to a version; a no-op when it is another conversation."""
        ...

    async def mark(self, scope: Scope, kept: Kept, but: Sequence[str] = ()) -> bool:
        """Mark messages as memorized.

        Args:
            scope: whose.
            kept: which conversation, and up to which version: a message that was edited since stays as it is.
            but: ids of messages that could not be read.

        Returns:
            False when there is no such conversation any more.
        """
        ...

    async def waiting(self, before: datetime) -> list[tuple[Scope, str]]:
        """Return, of everybody, conversations whose last message is older and that hold what nobody has asked for.

        As the scope of the partition and the conversation's id.
        """
        ...

    async def summary(self, scope: Scope, conversation_id: str) -> RunningSummary | None:
        """Return the running summary; None where there is none, and where what it tells was edited since."""
        ...

    async def keep_summary(self, scope: Scope, kept: Kept, summary: RunningSummary) -> bool:
        """Write the running summary, unless one is there that tells of more, or the conversation is gone."""
        ...
