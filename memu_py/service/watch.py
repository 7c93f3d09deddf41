"""A conversation that is followed: what is new is memorized, and what may come next is told."""

import dataclasses
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from typing import Any, Unpack

from memu_py.errors import InvalidInput
from memu_py.records.conversation import SCHEME
from memu_py.records.intent import Intent
from memu_py.records.record import Record
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.memorize import MemorizeMixin
from memu_py.service.predict import PredictMixin
from memu_py.service.results import MemorizeResult
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.proactive.situation import LAST_TURNS, Context

Turns = bytes | str | Mapping[str, Any] | Sequence[Mapping[str, Any] | str]
"""What is new of a conversation: a message or several; or all of it as it is now, as text or bytes of any format."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Watched(Record):
    """What came of new turns. Its `str()` is the intent.

    Attributes:
        memorized: what was taken in.
        intent: what is likely to be wanted next.
    """

    memorized: MemorizeResult
    intent: Intent

    def __str__(self) -> str:
        return str(self.intent)


@checks_arguments
class WatchMixin(MemorizeMixin, PredictMixin):
    """Follow conversations."""

    async def watch(
        self,
        turns: AsyncIterable[Turns],
        *,
        conversation: str,
        modality: str | None = None,
        timezone: str | None = None,
        context: Mapping[str, Any] | None = None,
        top_k: int = 3,
        max_tokens: int | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> AsyncIterator[Watched]:
        """Follow a conversation: memorize what comes, and tell after each piece what is likely to be wanted next.

        The conversation is one resource that grows. What was watched before, under the same name, is not doubled.

        Args:
            turns: pieces as they come: new messages, or the whole conversation as it is now as text or bytes.
            conversation: its name, or an address such as `file:///chat.json`.
            modality: of text and bytes, as in `memorize`.
            timezone: of times that carry none.
            context: what else is known of the situation, for each prediction.
            top_k: as in `predict_intent`.
            max_tokens: as in `predict_intent`.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Yields:
            One result for each piece.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the name is empty, or a piece is not usable; what came before it stays.
        """
        if not conversation:
            msg = "a conversation needs a name"
            raise InvalidInput(msg)
        scope = self._scopes.make(**keys)
        url = conversation if "://" in conversation else SCHEME + conversation
        messages: list[Mapping[str, Any] | str] = []
        async for piece in turns:
            content = _content(piece, messages)
            memorized = await self.memorize(
                **content, resource_url=url, modality=modality, timezone=timezone, **keys
            )
            situation: Context = {**(context or {}), "messages": await self._last_turns(scope, memorized)}
            intent = await self.predict_intent(situation, top_k=top_k, max_tokens=max_tokens, **keys)
            yield Watched(memorized=memorized, intent=intent)

    async def _last_turns(self, scope: Scope, memorized: MemorizeResult) -> list[dict[str, str]]:
        resource = memorized.resource
        first = max(0, resource.segment_count - LAST_TURNS)
        store = self._runtime.store
        segments = await store.passage(scope.owner, resource.id, first, resource.segment_count)
        return [
            {"role": one.speaker or one.role or "", "content": one.text} for one in segments[-LAST_TURNS:]
        ]


def _content(piece: Turns, before: list[Mapping[str, Any] | str]) -> dict[str, Any]:
    """Return a piece as `memorize` takes it: all messages so far, so that one said twice is two."""
    if isinstance(piece, bytes):
        return {"data": piece}
    if isinstance(piece, str):
        return {"text": piece}
    before.extend([piece] if isinstance(piece, Mapping) else piece)
    if not before:
        msg = "the first piece of a conversation has a message in it"
        raise InvalidInput(msg)
    return {"messages": list(before)}
