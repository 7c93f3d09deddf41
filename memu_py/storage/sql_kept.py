"""Conversations over a database."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, select, true

from memu_py.records.conversation import (
    Conversation,
    Kept,
    RunningSummary,
    SessionCount,
    WholeConversation,
)
from memu_py.records.page import Page, Query
from memu_py.records.scope import Scope
from memu_py.storage import kept_rows, summary_rows
from memu_py.storage.collection import Shape, SqlCollection
from memu_py.storage.database import Database
from memu_py.storage.fields import CONVERSATION_FIELDS
from memu_py.storage.kept import Entry
from memu_py.storage.schema_conversations import conversations
from memu_py.storage.scoping import within
from memu_py.storage.settings import Clock
from memu_py.storage.unit import Unit
from memu_py.storage.units import Units

ACTOR = "conversations"

CONVERSATIONS: Shape[Conversation] = Shape(
    name="conversation",
    table=conversations,
    fields=CONVERSATION_FIELDS,
    columns=lambda: select(conversations),
    live=true,
    at_hand=lambda _: true(),
    load=kept_rows.load_conversations,
    build=lambda _connection, _scope, rows: [kept_rows.conversation_of(row) for row in rows],
)


class SqlConversations(Units):
    """`KeptConversations` over a database; made as `Units` is."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        super().__init__(database, clock=clock)
        self._pages = SqlCollection(database, CONVERSATIONS, clock=clock)

    async def add(
        self,
        scope: Scope,
        conversation_id: str,
        entries: Sequence[Entry],
        *,
        edits: Mapping[str, Entry] | None = None,
        version: int | None = None,
    ) -> Conversation:
        """See `KeptConversations.add`."""
        work = kept_rows.add_messages
        return await self.write(
            scope, ACTOR, lambda unit: work(unit, conversation_id, entries, edits or {}, version)
        )

    async def get(self, scope: Scope, conversation_id: str) -> Conversation | None:
        """See `KeptConversations.get`."""
        load = kept_rows.load_conversation
        return await self.read_for(scope, lambda c: load(c, scope, conversation_id, attributes=True))

    async def read_whole(
        self, scope: Scope, conversation_id: str, *, first: int = 0
    ) -> WholeConversation | None:
        """See `KeptConversations.read_whole`."""

        def work(connection: Connection) -> WholeConversation | None:
            found = kept_rows.load_conversation(connection, scope, conversation_id, attributes=True)
            if found is None:
                return None
            said = kept_rows.load_messages(connection, scope, conversation_id, first)
            return WholeConversation(conversation=found, messages=said)

        return await self.read_for(scope, work)

    async def page(self, scope: Scope, query: Query) -> Page[Conversation]:
        """See `KeptConversations.page`."""
        return await self._pages.page(scope, query)

    async def sessions(self, scope: Scope) -> list[SessionCount]:
        """See `KeptConversations.sessions`."""
        return await self.read_for(scope, lambda c: kept_rows.sessions(c, scope))

    async def close_one(self, scope: Scope, conversation_id: str) -> Conversation | None:
        """See `KeptConversations.close_one`."""
        work = kept_rows.close_conversation
        return await self.write(scope, ACTOR, lambda unit: work(unit, conversation_id))

    async def delete(self, scope: Scope, conversation_id: str) -> bool:
        """See `KeptConversations.delete`."""

        def work(unit: Unit) -> bool:
            mine = within(conversations, scope)
            statement = delete(conversations).where(mine, conversations.c.id == conversation_id)
            return unit.connection.execute(statement).rowcount > 0

        return await self.write(scope, ACTOR, work)

    async def ask(self, scope: Scope, kept: Kept) -> None:
        """See `KeptConversations.ask`."""
        await self.write(scope, ACTOR, lambda unit: kept_rows.note_asked(unit, kept))

    async def mark(self, scope: Scope, kept: Kept, but: Sequence[str] = ()) -> bool:
        """See `KeptConversations.mark`."""
        return await self.write(scope, ACTOR, lambda unit: kept_rows.mark_memorized(unit, kept, but))

    async def waiting(self, before: datetime) -> list[tuple[Scope, str]]:
        """See `KeptConversations.waiting`."""
        return await self.read(lambda c: kept_rows.waiting(c, before))

    async def summary(self, scope: Scope, conversation_id: str) -> RunningSummary | None:
        """See `KeptConversations.summary`."""
        return await self.read_for(scope, lambda c: summary_rows.load_summary(c, scope, conversation_id))

    async def keep_summary(self, scope: Scope, kept: Kept, summary: RunningSummary) -> bool:
        """See `KeptConversations.keep_summary`."""
        return await self.write(scope, ACTOR, lambda unit: summary_rows.write_summary(unit, kept, summary))
