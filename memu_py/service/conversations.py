"""Conversations that are kept before they are memorized, under `conversation://` addresses."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from memu_py.errors import InvalidInput
from memu_py.records.resource import Resource
from memu_py.service.retry import settled
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker
from memu_py.steps.memorize.keep import keep_conversation

SCHEME = "conversation://"


class Conversations:
    """Store messages under an id; `memorize(resource_url="conversation://<id>")` then takes them in."""

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def add(
        self, conversation_id: str, messages: Sequence[Mapping[str, Any] | str], **keys: Unpack[ScopeKeys]
    ) -> Resource:
        """Add messages to a conversation; those that it has already, in a growing or re-sent chat, are not doubled.

        Args:
            conversation_id: any text; unique for a user.
            messages: as of the chat APIs, or plain strings.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            The conversation's resource, `partial` until it is memorized.

        Raises:
            InvalidInput: the id or the messages are empty or not usable.
        """
        scope = self._scopes.make(**keys)
        if not conversation_id:
            msg = "a conversation needs an id"
            raise InvalidInput(msg)
        await self._runtime.open()
        url = SCHEME + conversation_id
        # A new look at the store with each attempt: somebody else may add to the same conversation.
        return await settled(
            lambda: keep_conversation(
                url, messages, scope, self._runtime.resources(scope), self._runtime.clock
            )
        )
