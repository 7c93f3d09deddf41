"""Grants: a person lets one agent see, or also change, what another one wrote."""

from collections.abc import Sequence
from typing import Any, Unpack, get_args

from memu_py.errors import InvalidInput, InvalidScope, NotFound
from memu_py.nearest import unknown
from memu_py.records.grant import Grant, Right
from memu_py.records.ids import new_id
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.retry import settled
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker

RIGHTS = get_args(Right)
PERSON = "person"
NAME_BYTES = 256
"""Of who gives or revokes, in UTF-8."""


@checks_arguments
class Grants:
    """What the agents of a user may see and change of one another's memory.

    Calls name the user and nothing narrower, so that no agent grants itself anything.
    """

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def list(self, *, of: str | None = None, **keys: Unpack[ScopeKeys]) -> tuple[Grant, ...]:
        """Return the grants of a user, in order of the agents' names.

        Args:
            of: only those that this agent gave or got.
            **keys: whose: `user`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidScope: the scope is an agent's, or otherwise narrower than a user.
        """
        scope = self._person(**keys)
        await self._runtime.open()
        found = await self._runtime.store.grants.all(scope)
        return tuple(one for one in found if of is None or of in (one.from_agent, one.to_agent))

    async def give(
        self,
        from_agent: str,
        to_agent: str,
        *,
        rights: Sequence[str] = ("read",),
        by: str = PERSON,
        **keys: Unpack[ScopeKeys],
    ) -> Grant:
        """Let an agent see what another one of the same user wrote, and writes from now on.

        Given again, it has the new rights instead of those before.

        Args:
            from_agent: whose memory.
            to_agent: who may see it.
            rights: `("read",)`, or `("read", "write")`: to update, correct, link and delete too.
            by: who gives it, for the history.
            **keys: whose: `user`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidScope: the scope is an agent's, or otherwise narrower than a user; or a name is no id.
            InvalidInput: both agents are the same, or there is no such right.
        """
        scope = self._person(**keys)
        _check_agents(scope, from_agent, to_agent)
        wanted = Grant(
            id=new_id(),
            scope=scope,
            from_agent=from_agent,
            to_agent=to_agent,
            rights=_rights(rights),
            given_at=self._runtime.clock(),
            given_by=self._runtime.masker.text(_name(by)),
        )
        await self._runtime.open()
        return await settled(lambda: self._runtime.store.grants.give(scope, wanted))

    async def revoke(
        self, from_agent: str, to_agent: str, *, by: str = PERSON, **keys: Unpack[ScopeKeys]
    ) -> Grant:
        """Take a grant back, from the next call on, in every process. `give` with fewer rights takes back only some.

        Args:
            from_agent: whose memory.
            to_agent: who sees it.
            by: who takes it back, for the history.
            **keys: whose: `user`.

        Returns:
            What was taken back.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidScope: the scope is an agent's, or otherwise narrower than a user; or a name is no id.
            NotFound: there is no such grant.
        """
        scope = self._person(**keys)
        _check_agents(scope, from_agent, to_agent)
        actor = self._runtime.masker.text(_name(by))
        await self._runtime.open()
        gone = await self._runtime.store.grants.revoke(scope, from_agent, to_agent, actor=actor)
        if gone is None:
            msg = f"agent {to_agent!r} was granted nothing of agent {from_agent!r}"
            raise NotFound(msg)
        return gone

    def _person(self, **keys: Unpack[ScopeKeys]) -> Scope:
        scope = self._scopes.make(**keys)
        if scope.user is None or scope.attributes:
            named = ", ".join(scope.attributes) or scope.partition_kind
            msg = f"grants are given by a user, and this scope is of: {named}"
            raise InvalidScope(
                msg, hint="name the user alone; a view or key that is bound to an agent cannot"
            )
        return scope


def _check_agents(scope: Scope, from_agent: Any, to_agent: Any) -> None:
    if from_agent is None or to_agent is None:
        msg = "a grant names two agents"
        raise InvalidInput(msg)
    scope.evolve(agent=from_agent)
    scope.evolve(agent=to_agent)
    if from_agent == to_agent:
        msg = f"agent {to_agent!r} sees its own memory anyway"
        raise InvalidInput(msg)


def _rights(given: Any) -> tuple[Right, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        msg = "`rights` is a list of `read` and `write`"
        raise InvalidInput(msg)
    for one in given:
        if one not in RIGHTS:
            raise InvalidInput(unknown("right", str(one), RIGHTS))
    if "read" not in given:
        msg = "who may write may read: name `read` too"
        raise InvalidInput(msg)
    return tuple(one for one in RIGHTS if one in given)


def _name(by: Any) -> str:
    if not isinstance(by, str) or not by.strip() or len(by.encode(errors="replace")) > NAME_BYTES:
        msg = f"`by` is a name of at most {NAME_BYTES} bytes"
        raise InvalidInput(msg)
    return by
