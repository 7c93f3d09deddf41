"""Conversations that are kept, message by message, under `conversation://` addresses."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from memu_py.errors import InvalidInput, NotFound
from memu_py.language.zones import zone
from memu_py.modality.messages import plain_messages
from memu_py.records.conversation import (
    SCHEME,
    Conversation,
    ConversationContext,
    SessionCount,
    WholeConversation,
)
from memu_py.records.ids import new_id
from memu_py.records.page import Page, Query, Where
from memu_py.records.scope import MAX_ID_BYTES
from memu_py.service.arguments import checks_arguments
from memu_py.service.granting import to_write
from memu_py.service.keeping import enqueue, enqueue_idle, forget_source, is_due
from memu_py.service.retrieve import whole
from memu_py.service.retry import settled
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker
from memu_py.service.working_memory import context_of
from memu_py.steps.memorize.kept import news, read_messages
from memu_py.steps.memorize.refresh import unsay
from memu_py.storage.plain import clean_text

Message = Mapping[str, Any] | str


@checks_arguments
class Conversations:
    """Keep messages under an id; they are memorized when they are due, or by `memorize(resource_url="conversation://<id>")`."""

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def add(
        self, conversation_id: str, messages: Sequence[Message], **keys: Unpack[ScopeKeys]
    ) -> Conversation:
        """Add the messages of a chat as it is now: those that are known, in a growing or re-sent one, are not doubled.

        One whose text is another by now takes the place of what it was, and is memorized again: it comes under the same
        `id`, or known ones stand before and behind it. Any other is a new message, however like a known one it is.

        Args:
            conversation_id: any text; unique for a user. The conversation begins with its first message.
            messages: as of the chat APIs, or plain strings.
            **keys: whose memory: `user`, `agent`, `session`, `custom`. A conversation keeps the session that it was
                begun in; where none is named it gets one.

        Returns:
            The conversation as it is now.

        Raises:
            InvalidInput: the id or the messages are empty or not usable.
            NotFound: another agent has a conversation under this id.
        """
        scope = self._scopes.make(**keys)
        checked_id(conversation_id)
        entries = self._runtime.masker.data(plain_messages(messages))
        local = zone(self._runtime.settings.timezone_of(scope.user))
        read_messages(entries, local)
        scope = await to_write(self._runtime, scope)
        kept = self._runtime.conversations

        async def once() -> Conversation:
            known = await kept.read_whole(scope.writer, conversation_id)
            new = news(known, entries, local)
            version = known.conversation.version if known else 0
            if known is not None and not (new.added or new.edits):
                return known.conversation
            return await kept.add(scope, conversation_id, new.added, edits=new.edits, version=version)

        return await self._asked_for(await settled(once))

    async def add_message(
        self, message: Message, conversation_id: str | None = None, **keys: Unpack[ScopeKeys]
    ) -> Conversation:
        """Add one message behind the others, whatever it says: the same words twice are two messages.

        Any number of processes may add to one conversation at the same time. Under an `id` of its own a message is
        added once, however often it is sent.

        Args:
            message: as of the chat APIs, or a plain string, which the user says.
            conversation_id: any text; unique for a user; None begins a conversation under an id that it is given.
            **keys: whose memory: `user`, `agent`, `session`, `custom`. A conversation keeps the session that it was
                begun in; where none is named it gets one.

        Returns:
            The conversation as it is now.

        Raises:
            InvalidInput: the id is not usable, or the message says nothing.
            NotFound: another agent has a conversation under this id.
        """
        scope = self._scopes.make(**keys)
        name = new_id() if conversation_id is None else conversation_id
        checked_id(name)
        entries = self._runtime.masker.data(plain_messages([message]))
        read_messages(entries, zone(self._runtime.settings.timezone_of(scope.user)))
        scope = await to_write(self._runtime, scope)
        return await self._asked_for(await self._runtime.conversations.add(scope, name, entries))

    async def get(self, conversation_id: str, **keys: Unpack[ScopeKeys]) -> WholeConversation:
        """Return a conversation with its messages, each with when it was memorized.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        found = await self._runtime.conversations.read_whole(scope, conversation_id)
        if found is None:
            raise _missing(conversation_id)
        return found

    async def list(
        self,
        *,
        where: Where | None = None,
        order: str = "last_at",
        descending: bool = True,
        limit: int = 100,
        cursor: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Page[Conversation]:
        """Return one page of conversations without their messages, those with the newest message first.

        Args:
            where: conditions on fields, as in `list_items`; `{"closed_at": {"exists": False}}` for open ones.
            order: `last_at`, `created_at`, `id`, or another field.
            descending: newest or largest first.
            limit: conversations a page, 1 to 1000.
            cursor: `next_cursor` of the page before.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidFilter: a field, an operator or the cursor is not usable.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        query = Query(where=where, order=order, descending=descending, limit=limit, cursor=cursor)
        return await self._runtime.conversations.page(scope, query)

    async def sessions(self, **keys: Unpack[ScopeKeys]) -> tuple[SessionCount, ...]:
        """Return the sessions that have conversations, the one with the newest message first."""
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return tuple(await self._runtime.conversations.sessions(scope))

    async def context(
        self, conversation_id: str, *, max_tokens: int | None = None, **keys: Unpack[ScopeKeys]
    ) -> ConversationContext:
        """Return what a prompt needs of a conversation: a running summary of what is older, and the newest messages.

        The summary is written when the messages beyond the newest `conversations.working_memory.keep_messages` pass its
        `max_tokens`, and kept: the next time only what came since is read. A model writes it where one is configured;
        else it is sentences of the messages themselves. Either cites the numbers of messages.

        Args:
            conversation_id: the conversation.
            max_tokens: what the block may cost; None for the summary and all messages since.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope.
            InvalidInput: `max_tokens` is no whole number of at least 1.
        """
        scope = self._scopes.make(**keys)
        if max_tokens is not None:
            whole("max_tokens", max_tokens)
        await self._runtime.open()
        kept = self._runtime.conversations
        known = await kept.summary(scope, conversation_id)
        found = await kept.read_whole(scope, conversation_id, first=known.through if known else 0)
        if found is None:
            raise _missing(conversation_id)
        return await context_of(self._runtime, found, known, max_tokens)

    async def close(self, conversation_id: str, **keys: Unpack[ScopeKeys]) -> Conversation:
        """Close a conversation: what is not memorized yet is now due, but for `auto_memorize.by: never`.

        A further message opens it again.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        found = await self._runtime.conversations.close_one(scope, conversation_id)
        if found is None:
            raise _missing(conversation_id)
        return await self._asked_for(found)

    async def delete(
        self, conversation_id: str, *, keep_items: bool = True, **keys: Unpack[ScopeKeys]
    ) -> None:
        """Delete a conversation: its messages, its summary, and what the memory holds of its words.

        Items that were found in it stay and still say which message they came from; `locate` then shows that this is
        gone.

        Args:
            conversation_id: the conversation.
            keep_items: False deletes the items too that were found nowhere else.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        runtime, owner = self._runtime, scope.owner
        known = await runtime.conversations.get(scope, conversation_id)
        whose = scope if known is None else known.scope
        resource = await runtime.store.find_resource(whose, url=SCHEME + conversation_id)
        if known is None and (resource is None or not scope.covers(resource.scope)):
            raise _missing(conversation_id)
        # The messages first: what is gone cannot be memorized again, and called again this goes on.
        await runtime.conversations.delete(owner, conversation_id)
        if resource is None:
            return
        if keep_items:
            await forget_source(runtime, owner, resource)
            return
        ids = await runtime.store.items.ids(owner, {"resource_id": resource.id})
        items = await runtime.store.items.get(owner, ids)
        async with runtime.originals.of(scope):
            await runtime.blobs.delete(await runtime.store.delete_resources(owner, [resource.id]))
        resources = runtime.resources(scope)
        try:
            await unsay(scope, list(items.values()), resources)
        finally:
            await runtime.settle(resources)

    async def _asked_for(self, conversation: Conversation) -> Conversation:
        """Write down a memorize where one is due; where a conversation begins, also of those that fell silent."""
        if conversation.version == 1:
            await enqueue_idle(self._runtime)
        if is_due(self._runtime, conversation):
            await enqueue(self._runtime, conversation)
        return conversation


def checked_id(conversation_id: str) -> None:
    """Check the id of a conversation.

    Raises:
        InvalidInput: it is empty, too long, or no text that every database can hold.
    """
    if not conversation_id:
        msg = "a conversation needs an id"
        raise InvalidInput(msg)
    if conversation_id != clean_text(conversation_id) or len(conversation_id.encode()) > MAX_ID_BYTES:
        msg = f"the id of a conversation is text of at most {MAX_ID_BYTES} bytes without NUL"
        raise InvalidInput(msg)


def _missing(conversation_id: str) -> NotFound:
    return NotFound(f"no conversation {conversation_id!r} in this scope")
