"""From a call's arguments to a scope."""

from collections.abc import Mapping
from typing import TypedDict, Unpack

from memu_py.errors import InvalidScope, OutsideScope, ScopeRequired
from memu_py.nearest import unknown
from memu_py.records.scope import Scope, ScopeId

Custom = Mapping[str, ScopeId]


class ScopeKeys(TypedDict, total=False):
    """The arguments by which every call names a scope.

    Attributes:
        user: whose memory; an id or `{"id": …}`. A read that names a user alone sees all of that user's memory.
        agent: for a write, the agent that writes; for a read, narrows to it. Alone, what the agent owns itself.
        session: likewise for the session.
        custom: values of scope keys that the configuration declares.
    """

    user: ScopeId | None
    agent: ScopeId | None
    session: ScopeId | None
    custom: Custom | None


class ScopeMaker:
    """Builds the scope of a call from its arguments, the bound scope and the configured defaults.

    A bound scope is a fence: a call may narrow it, never leave it. Defaults only fill in for a call that names no user,
    agent or session.
    """

    def __init__(
        self, *, keys: tuple[str, ...] = (), default: Scope | None = None, bound: Scope | None = None
    ) -> None:
        self._keys = keys
        self._default = default
        self._bound = bound

    @property
    def bound(self) -> Scope | None:
        """The scope that calls are fenced in."""
        return self._bound

    def names(self, **keys: Unpack[ScopeKeys]) -> bool:
        """Tell whether a call is about somebody: named, bound or configured."""
        named = any(value is not None for value in keys.values())
        return named or self._bound is not None or self._default is not None

    def bind(self, scope: Scope) -> "ScopeMaker":
        """Return a maker fenced in a scope."""
        return ScopeMaker(keys=self._keys, default=None, bound=scope.evolve(granted=()))

    def make(
        self,
        *,
        user: ScopeId | None = None,
        agent: ScopeId | None = None,
        session: ScopeId | None = None,
        custom: Custom | None = None,
    ) -> Scope:
        """Build a scope.

        Raises:
            ScopeRequired: nothing is named, bound or configured.
            InvalidScope: an id is not usable, or a custom key is not declared.
            OutsideScope: the call leaves the bound scope.
        """
        for key in custom or {}:
            if key not in self._keys:
                raise InvalidScope(
                    unknown("custom scope key", key, self._keys), hint="declare it in `scope.keys`"
                )
        if user is None and agent is None and session is None:
            return self._narrow(self._base(), custom)
        if self._bound is None:
            return Scope.of(user=user, agent=agent, session=session, custom=custom)
        return self._inside(self._bound, user=user, agent=agent, session=session, custom=custom)

    def _base(self) -> Scope:
        base = self._bound or self._default
        if base is None:
            raise ScopeRequired
        return base

    @staticmethod
    def _narrow(base: Scope, custom: Custom | None) -> Scope:
        if not custom:
            return base
        wanted = dict(Scope.of(session="x", custom=custom).custom)
        for key, value in base.custom:
            if wanted.setdefault(key, value) != value:
                msg = f"this service is bound to {key}={value!r}"
                raise OutsideScope(msg)
        return base.evolve(custom=tuple(wanted.items()))

    def _inside(
        self,
        bound: Scope,
        *,
        user: ScopeId | None,
        agent: ScopeId | None,
        session: ScopeId | None,
        custom: Custom | None,
    ) -> Scope:
        asked = Scope.of(user=user, agent=agent, session=session)
        changes: dict[str, str] = {}
        for name in ("user", "agent", "session"):
            fenced, wanted = getattr(bound, name), getattr(asked, name)
            if wanted is None:
                continue
            if fenced is not None and fenced != wanted:
                msg = f"this service is bound to {name} {fenced!r}, and the call names {wanted!r}"
                raise OutsideScope(msg, hint="use the unbound service")
            changes[name] = wanted
        inside = bound.evolve(**changes)
        if inside.partition != bound.partition:
            msg = f"this service is bound to {bound.partition_kind} {bound.partition}; a call cannot leave it"
            raise OutsideScope(msg, hint="use the unbound service")
        return self._narrow(inside, custom)
