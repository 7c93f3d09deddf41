"""One operation of the server, as data."""

import dataclasses
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from memu_py.records.api_key import Role

Verb = Literal["GET", "POST", "PATCH", "DELETE"]

ANN: Mapping[str, Any] = {"user": "ann"}
"""Arguments of every example."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Operation:
    """One operation.

    Attributes:
        id: unique; the method's name, behind the name of its part where it has one.
        call: the method of the service.
        verb: of HTTP.
        path: with arguments in braces; the others come in the body of POST and PATCH, else in the query.
        tag: the group that it is shown in.
        role: what a key needs.
        stricter: arguments that need more of a key when they are given and true.
        whole: it concerns the whole store: only a key for everywhere opens it.
        narrowed: with this argument, it does not concern the whole store.
        status: of success.
        example: of the arguments.
    """

    id: str
    call: Callable[..., Awaitable[Any]]
    verb: Verb
    path: str
    tag: str
    role: Role = "read"
    stricter: Mapping[str, Role] = dataclasses.field(default_factory=dict)
    whole: bool = False
    narrowed: str | None = None
    status: int = 200
    example: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def part(self) -> str:
        """The part of the service that has the method; empty for the service itself."""
        return self.id.rpartition(".")[0]

    @property
    def in_path(self) -> tuple[str, ...]:
        """Names of the arguments that stand in the path."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    @property
    def has_body(self) -> bool:
        """Whether arguments come in a body."""
        return self.verb in ("POST", "PATCH")

    def role_for(self, given: Mapping[str, Any]) -> Role:
        """Return what a key needs for these arguments."""
        return next((role for name, role in self.stricter.items() if given.get(name)), self.role)

    def concerns_all(self, given: Mapping[str, Any]) -> bool:
        """Tell whether a call with these arguments concerns the whole store."""
        return self.whole and not (self.narrowed and given.get(self.narrowed))
