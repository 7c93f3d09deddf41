"""The two clients: the same methods, as plain calls or as coroutines."""

import copy
from types import TracebackType
from typing import Self

import httpx2

from memu_py.client.exchange import Patience
from memu_py.client.methods import (
    BlockMethods,
    ConversationMethods,
    EmotionMethods,
    GrantMethods,
    GraphMethods,
    JobMethods,
    KeyValueMethods,
    Methods,
    ProfileMethods,
    TimelineMethods,
)
from memu_py.client.transport import InLoop, Plain
from memu_py.records.scope import Scope, ScopeId
from memu_py.service.scopes import Custom

TIMEOUT_S = 330.0
"""A little more than a server lets a request take."""


class PlainJobs(JobMethods, Plain):
    """`client.jobs`, with plain calls."""


class PlainBlocks(BlockMethods, Plain):
    """`client.blocks`, with plain calls."""


class PlainConversations(ConversationMethods, Plain):
    """`client.conversations`, with plain calls."""


class PlainEmotions(EmotionMethods, Plain):
    """`client.emotions`, with plain calls."""


class EmotionsInLoop(EmotionMethods, InLoop):
    """`client.emotions`, with coroutines."""


class PlainGrants(GrantMethods, Plain):
    """`client.grants`, with plain calls."""


class GrantsInLoop(GrantMethods, InLoop):
    """`client.grants`, with coroutines."""


class PlainGraph(GraphMethods, Plain):
    """`client.graph`, with plain calls."""


class PlainKeyValues(KeyValueMethods, Plain):
    """`client.kv`, with plain calls."""


class PlainProfile(ProfileMethods, Plain):
    """`client.profile`, with plain calls."""


class PlainTimeline(TimelineMethods, Plain):
    """`client.timeline`, with plain calls."""


class JobsInLoop(JobMethods, InLoop):
    """`client.jobs`, with coroutines."""


class BlocksInLoop(BlockMethods, InLoop):
    """`client.blocks`, with coroutines."""


class ConversationsInLoop(ConversationMethods, InLoop):
    """`client.conversations`, with coroutines."""


class GraphInLoop(GraphMethods, InLoop):
    """`client.graph`, with coroutines."""


class KeyValuesInLoop(KeyValueMethods, InLoop):
    """`client.kv`, with coroutines."""


class ProfileInLoop(ProfileMethods, InLoop):
    """`client.profile`, with coroutines."""


class TimelineInLoop(TimelineMethods, InLoop):
    """`client.timeline`, with coroutines."""


class Views:
    """What makes a client one of somebody's memory."""

    scope: Scope | None

    def for_user(
        self,
        user: ScopeId,
        *,
        agent: ScopeId | None = None,
        session: ScopeId | None = None,
        custom: Custom | None = None,
    ) -> Self:
        """Return a view of this client that is bound to a user; closing one closes both."""
        return self.for_scope(Scope.of(user=user, agent=agent, session=session, custom=custom))

    def for_scope(self, scope: Scope) -> Self:
        """Return a view of this client that is bound to a scope; closing one closes both."""
        view = copy.copy(self)
        view.scope = scope
        return view


class MemoryClient(Views, Methods, Plain):
    """A `MemoryService` at a distance: the same methods and arguments, as plain calls.

    They return the same records and raise the same errors; `StoreUnreachable` where the server does not answer. What is
    busy is asked again. Any number of threads may use one.

    Args:
        url: of the server, such as `http://127.0.0.1:8765`.
        key: of `memu keys create`; None for a server that asks for none.
        timeout_s: how long an answer may take.
        retries: how often a call is repeated where the server is busy, away, or asks to wait.
    """

    def __init__(
        self, url: str, *, key: str | None = None, timeout_s: float = TIMEOUT_S, retries: int = 3
    ) -> None:
        http = httpx2.Client(base_url=url, headers=_headers(key), timeout=timeout_s)
        super().__init__(http, Patience(retries=retries))

    @property
    def jobs(self) -> PlainJobs:
        """Work that outlives the call."""
        return PlainJobs(self._http, self.patience, self.scope)

    @property
    def blocks(self) -> PlainBlocks:
        """Small texts that stand in every prompt."""
        return PlainBlocks(self._http, self.patience, self.scope)

    @property
    def conversations(self) -> PlainConversations:
        """Conversations that are kept before they are memorized."""
        return PlainConversations(self._http, self.patience, self.scope)

    @property
    def emotions(self) -> PlainEmotions:
        """How users feel, and what about."""
        return PlainEmotions(self._http, self.patience, self.scope)

    @property
    def grants(self) -> PlainGrants:
        """What agents may see and change of one another's memory."""
        return PlainGrants(self._http, self.patience, self.scope)

    @property
    def graph(self) -> PlainGraph:
        """Relations between names."""
        return PlainGraph(self._http, self.patience, self.scope)

    @property
    def kv(self) -> PlainKeyValues:
        """Values by name, beside memories."""
        return PlainKeyValues(self._http, self.patience, self.scope)

    @property
    def profile(self) -> PlainProfile:
        """What is known of a person."""
        return PlainProfile(self._http, self.patience, self.scope)

    @property
    def timeline(self) -> PlainTimeline:
        """What happened when."""
        return PlainTimeline(self._http, self.patience, self.scope)

    def close(self) -> None:
        """Let go of the connections; idempotent."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncMemoryClient(Views, Methods, InLoop):
    """A `MemoryService` at a distance: the same methods and arguments, as coroutines; see `MemoryClient`.

    Args:
        url: of the server, such as `http://127.0.0.1:8765`.
        key: of `memu keys create`; None for a server that asks for none.
        timeout_s: how long an answer may take.
        retries: how often a call is repeated where the server is busy, away, or asks to wait.
    """

    def __init__(
        self, url: str, *, key: str | None = None, timeout_s: float = TIMEOUT_S, retries: int = 3
    ) -> None:
        http = httpx2.AsyncClient(base_url=url, headers=_headers(key), timeout=timeout_s)
        super().__init__(http, Patience(retries=retries))

    @property
    def jobs(self) -> JobsInLoop:
        """Work that outlives the call."""
        return JobsInLoop(self._http, self.patience, self.scope)

    @property
    def blocks(self) -> BlocksInLoop:
        """Small texts that stand in every prompt."""
        return BlocksInLoop(self._http, self.patience, self.scope)

    @property
    def conversations(self) -> ConversationsInLoop:
        """Conversations that are kept before they are memorized."""
        return ConversationsInLoop(self._http, self.patience, self.scope)

    @property
    def emotions(self) -> EmotionsInLoop:
        """How users feel, and what about."""
        return EmotionsInLoop(self._http, self.patience, self.scope)

    @property
    def grants(self) -> GrantsInLoop:
        """What agents may see and change of one another's memory."""
        return GrantsInLoop(self._http, self.patience, self.scope)

    @property
    def graph(self) -> GraphInLoop:
        """Relations between names."""
        return GraphInLoop(self._http, self.patience, self.scope)

    @property
    def kv(self) -> KeyValuesInLoop:
        """Values by name, beside memories."""
        return KeyValuesInLoop(self._http, self.patience, self.scope)

    @property
    def profile(self) -> ProfileInLoop:
        """What is known of a person."""
        return ProfileInLoop(self._http, self.patience, self.scope)

    @property
    def timeline(self) -> TimelineInLoop:
        """What happened when."""
        return TimelineInLoop(self._http, self.patience, self.scope)

    async def close(self) -> None:
        """Let go of the connections; idempotent."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _headers(key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}
