"""Whose memory it is.

A scope names a user, an agent, a session or several of them, and the custom keys that the configuration declares.
The **partition** is the part that no query crosses: the user; without a user, the agent; with neither, the session.
Everything else in a scope is an attribute: left out it means all values, named it means exactly that one.
"""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, Self

from memu_py.errors import InvalidScope, ScopeRequired
from memu_py.records.record import PRIVATE, Record

MAX_ID_BYTES = 1024

PartitionKind = Literal["user", "agent", "session"]
ScopeId = str | int | Mapping[str, Any]
"""An id, or a mapping that holds it under `id`."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Scope(Record):
    """Whose memory a read or a write is about.

    Attributes:
        user: the person remembered for.
        agent: the agent that wrote or owns it.
        session: the session or conversation it belongs to.
        custom: declared custom keys, as sorted (name, value) pairs.
        granted: other agents of the user whose records this call sees beside those of `agent`. It is worked out anew
            for each call, and is no part of what is written: not of the partition, the attributes or a row.

    Raises:
        ScopeRequired: none of user, agent and session is given.
        InvalidScope: an id is empty, longer than 1024 bytes of UTF-8, or not encodable.

    >>> Scope(user="ann").partition
    '["user","ann"]'
    >>> Scope(agent="helper", session="s1").partition
    '["agent","helper"]'
    """

    user: str | None = None
    agent: str | None = None
    session: str | None = None
    custom: tuple[tuple[str, str], ...] = ()
    granted: tuple[str, ...] = dataclasses.field(default=(), metadata=PRIVATE)

    def __post_init__(self) -> None:
        if self.user is None and self.agent is None and self.session is None:
            raise ScopeRequired
        for name in ("user", "agent", "session"):
            _check_id(name, getattr(self, name))
        for name, value in self.custom:
            _check_id(name, value)
        object.__setattr__(self, "custom", tuple(sorted(self.custom)))

    @classmethod
    def of(
        cls,
        *,
        user: ScopeId | None = None,
        agent: ScopeId | None = None,
        session: ScopeId | None = None,
        custom: Mapping[str, ScopeId] | None = None,
    ) -> Self:
        """Build a scope from ids in any accepted form.

        Args:
            user: an id, or a mapping such as `{"id": "user-456"}`.
            agent: the same for the agent.
            session: the same for the session.
            custom: values of declared custom keys.

        >>> Scope.of(user={"id": "user-456"}) == Scope.of(user="user-456")
        True
        """
        pairs = tuple((name, _plain_id(name, value)) for name, value in (custom or {}).items())
        return cls(
            user=None if user is None else _plain_id("user", user),
            agent=None if agent is None else _plain_id("agent", agent),
            session=None if session is None else _plain_id("session", session),
            custom=pairs,
        )

    @property
    def partition_kind(self) -> PartitionKind:
        """The key that makes the partition."""
        if self.user is not None:
            return "user"
        return "agent" if self.agent is not None else "session"

    @property
    def partition(self) -> str:
        """The canonical text of the partition: JSON of its kind and id."""
        kind = self.partition_kind
        return _canonical(kind, getattr(self, kind))

    @property
    def partition_hash(self) -> bytes:
        """16 bytes of BLAKE2b over the partition's text: short to index; the text is compared too."""
        return hashlib.blake2b(self.partition.encode(), digest_size=16).digest()

    @property
    def attributes(self) -> dict[str, str]:
        """The narrowing keys that are named beside the partition, custom keys included."""
        named = {"agent": self.agent, "session": self.session}
        kind = self.partition_kind
        found = {name: value for name, value in named.items() if value is not None and name != kind}
        return found | dict(self.custom)

    def admits(self, name: str, value: str | None) -> bool:
        """Tell whether a record with this value of an attribute lies in the scope.

        >>> Scope(user="ann", agent="cook", granted=("guide",)).admits("agent", "guide")
        True
        """
        wanted = self.attributes.get(name)
        return wanted is None or value == wanted or (name == "agent" and value in self.granted)

    def covers(self, other: "Scope") -> bool:
        """Tell whether a record of another scope lies in this one.

        >>> Scope(user="ann").covers(Scope(user="ann", agent="cook"))
        True
        >>> Scope(user="ann", agent="cook").covers(Scope(user="ann"))
        False
        """
        theirs = other.attributes
        return self.partition == other.partition and all(
            self.admits(name, theirs.get(name)) for name in self.attributes
        )

    @property
    def writer(self) -> "Scope":
        """The scope without its session, unless it is one: who writes, in whatever session."""
        return self if self.partition_kind == "session" else self.evolve(session=None)

    @property
    def owner(self) -> "Scope":
        """The scope of the whole partition, without attributes."""
        kind = self.partition_kind
        return Scope(**{kind: getattr(self, kind)})


@functools.lru_cache(maxsize=4096)
def _canonical(kind: PartitionKind, value: str) -> str:
    return json.dumps([kind, value], ensure_ascii=False, separators=(",", ":"))


def _plain_id(name: str, value: ScopeId) -> str:
    if isinstance(value, Mapping):
        if set(value) != {"id"}:
            msg = f"{name}: a mapping must hold exactly `id`, not {sorted(map(str, value))}"
            raise InvalidScope(msg)
        value = value["id"]
    if isinstance(value, bool) or not isinstance(value, str | int):
        msg = f"{name}: an id is text or a whole number, not {type(value).__name__}"
        raise InvalidScope(msg)
    return str(value)


def _check_id(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, str):
        msg = f"{name}: an id is text, not {type(value).__name__}"
        raise InvalidScope(msg)
    if not value:
        msg = f"{name}: an id cannot be empty"
        raise InvalidScope(msg)
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        msg = f"{name}: an id must be valid Unicode"
        raise InvalidScope(msg) from error
    if size > MAX_ID_BYTES or "\0" in value:
        msg = f"{name}: an id has at most {MAX_ID_BYTES} bytes and no NUL (this one has {size})"
        raise InvalidScope(msg)
