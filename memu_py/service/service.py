"""MemoryService: the three halves put together."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memu_py.config.settings import Settings
from memu_py.records.scope import Scope, ScopeId
from memu_py.service.api_keys import ApiKeys
from memu_py.service.blocks import Blocks
from memu_py.service.build import build_runtime
from memu_py.service.conversations import Conversations
from memu_py.service.correct import CorrectMixin
from memu_py.service.crud import CRUDMixin
from memu_py.service.emotions import Emotions
from memu_py.service.grants import Grants
from memu_py.service.graph import GraphPart
from memu_py.service.jobs import Jobs
from memu_py.service.kv import KeyValues
from memu_py.service.maintain import MaintainMixin
from memu_py.service.memorize_all import MemorizeAllMixin
from memu_py.service.operate import OperateMixin
from memu_py.service.past import PastMixin
from memu_py.service.proactive import ProactiveMixin
from memu_py.service.profile import Profiles
from memu_py.service.recall import RecallMixin
from memu_py.service.reflect import ReflectMixin
from memu_py.service.rights import RightsMixin
from memu_py.service.runtime import Accountant, Clock, Runtime, utc_now
from memu_py.service.scopes import Custom, ScopeMaker
from memu_py.service.timeline import Timelines
from memu_py.service.tools import ToolsMixin
from memu_py.workflow.book import WorkflowBook
from memu_py.workflow.interceptor import Interceptor

Config = Settings | Mapping[str, Any] | str | Path | None


class MemoryService(
    ProactiveMixin,
    MemorizeAllMixin,
    CorrectMixin,
    RecallMixin,
    CRUDMixin,
    PastMixin,
    RightsMixin,
    MaintainMixin,
    ReflectMixin,
    ToolsMixin,
    OperateMixin,
):
    """An agent's memory.

    Making one connects to nothing; the first call opens the store. Use it as `async with MemoryService(...)`, or call
    `close()` at the end. One service serves many users at once, from one event loop.

    Args:
        config: a path to a config.yaml, a mapping of the same form, ready settings, or None for the packaged defaults.
        clock: gives the present moment, aware; for tests and replays.

    Raises:
        ConfigError: the configuration, a plug-in or a workflow is wrong; every fault in one report.
    """

    def __init__(self, config: Config = None, *, clock: Clock = utc_now) -> None:
        self._runtime: Runtime = build_runtime(config, clock=clock)
        settings = self._runtime.settings.scope
        self._scopes = ScopeMaker(keys=tuple(settings.keys), default=settings.default_scope())

    @classmethod
    def from_config(cls, config: str | Path | None = None, *, clock: Clock = utc_now) -> Self:
        """Build a service from a config file; None takes the packaged defaults.

        Raises:
            ConfigError: the file is missing or wrong.
        """
        return cls(config, clock=clock)

    @property
    def settings(self) -> Settings:
        """The configuration in force."""
        return self._runtime.settings

    @property
    def scope(self) -> Scope | None:
        """The scope that this view is bound to."""
        return self._scopes.bound

    @property
    def conversations(self) -> Conversations:
        """Conversations that are kept before they are memorized."""
        return Conversations(self._runtime, self._scopes)

    @property
    def emotions(self) -> Emotions:
        """How users feel, and what about."""
        return Emotions(self._runtime, self._scopes)

    @property
    def blocks(self) -> Blocks:
        """Small texts that stand in every prompt."""
        return Blocks(self._runtime, self._scopes)

    @property
    def jobs(self) -> Jobs:
        """Work that outlives the call."""
        return Jobs(self._runtime, self._scopes)

    @property
    def grants(self) -> Grants:
        """What agents may see and change of one another's memory."""
        return Grants(self._runtime, self._scopes)

    @property
    def graph(self) -> GraphPart:
        """Relations between names."""
        return GraphPart(self._runtime, self._scopes)

    @property
    def profile(self) -> Profiles:
        """What is known of a person."""
        return Profiles(self._runtime, self._scopes)

    @property
    def timeline(self) -> Timelines:
        """What happened when."""
        return Timelines(self._runtime, self._scopes)

    @property
    def kv(self) -> KeyValues:
        """Values by name, beside memories."""
        return KeyValues(self._runtime, self._scopes)

    @property
    def keys(self) -> ApiKeys:
        """Keys to the server."""
        return ApiKeys(self._runtime)

    @property
    def workflows(self) -> WorkflowBook:
        """The workflows by name: their steps, edits and revisions."""
        return self._runtime.workflows

    def intercept(self, interceptor: Interceptor) -> None:
        """Add an interceptor around all later runs, their steps and chat models; the first one added is the outermost.

        A call's `kind` tells which it is: `run`, `step` or `chat`. One with `amend` may change what models are asked.
        """
        self._runtime.intercept(interceptor)

    def account(self, accountant: Accountant) -> None:
        """Have a function told what chat models cost: whenever a run or another call has ended, however it did.

        Answers that were of no use are among it. It gets rows by day, profile and purpose, as `usage` returns them.
        """
        self._runtime.account(accountant)

    def for_user(
        self,
        user: ScopeId,
        *,
        agent: ScopeId | None = None,
        session: ScopeId | None = None,
        custom: Custom | None = None,
    ) -> Self:
        """Return a view of this service that is bound to a user: its calls need name nobody, and cannot leave the user.

        Args:
            user: an id, or `{"id": …}`.
            agent: bound too when given.
            session: bound too when given.
            custom: bound too when given.
        """
        return self.for_scope(self._scopes.make(user=user, agent=agent, session=session, custom=custom))

    def for_scope(self, scope: Scope) -> Self:
        """Return a view of this service that is bound to a scope; it shares all else, and closing it closes both."""
        view = type(self).__new__(type(self))
        view._runtime = self._runtime
        view._scopes = self._scopes.bind(scope)
        return view

    async def open(self) -> None:
        """Open the store now rather than at the first call.

        Raises:
            StoreError: the database cannot be opened, or belongs to another version or embedder.
        """
        await self._runtime.open()

    async def close(self) -> None:
        """Write what is pending and let go of everything; idempotent."""
        await self._runtime.close()

    async def __aenter__(self) -> Self:
        try:
            await self.open()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
