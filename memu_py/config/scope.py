"""`scope`: whose memory it is when a call does not say, and which custom keys there are."""

from pydantic import Field, field_validator, model_validator

from memu_py.config.section import Section, subsection
from memu_py.records.scope import Scope

BUILT_IN = ("user", "agent", "session")


class DefaultScope(Section):
    """The scope of calls that name none."""

    user: str | int | None = Field(default=None, description="id of a user")
    agent: str | int | None = Field(default=None, description="id of an agent")
    session: str | int | None = Field(default=None, description="id of a session")

    @model_validator(mode="after")
    def _usable(self) -> "DefaultScope":
        self.scope()
        return self

    def scope(self) -> Scope | None:
        """Return it as a scope; None when nothing is named.

        Raises:
            InvalidScope: an id is not usable.
        """
        if self.user is None and self.agent is None and self.session is None:
            return None
        return Scope.of(user=self.user, agent=self.agent, session=self.session)


class ScopeSettings(Section):
    """Scopes."""

    default: DefaultScope = subsection("user, agent, session of calls that name none; without it they must")
    keys: tuple[str, ...] = Field(
        default=(), description="custom keys beside user, agent and session, such as project"
    )

    @field_validator("keys")
    @classmethod
    def _names(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        for key in keys:
            if key in BUILT_IN or not key.isidentifier():
                msg = f"`{key}` cannot be a key: letters, digits and _, and none of {', '.join(BUILT_IN)}"
                raise ValueError(msg)
        if len(set(keys)) < len(keys):
            msg = "a key is there twice"
            raise ValueError(msg)
        return keys

    def default_scope(self) -> Scope | None:
        """Return the scope of calls that name none; None when they must name one."""
        return self.default.scope()
