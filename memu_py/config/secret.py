"""A secret, which shows itself to nobody who does not ask for it."""

from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from memu_py.config.environment import Malformed, Unresolved
from memu_py.errors import MissingKey

MASK = "**********"


class Secret:
    """A key or password, or the promise of one in a variable that is not set yet.

    Its text form, its repr and every dump of the configuration show a mask.

    >>> Secret("sk-1")
    Secret('**********')
    >>> Secret("sk-1").reveal()
    'sk-1'
    """

    __slots__ = ("_value", "_variable")

    def __init__(self, value: str) -> None:
        self._value = value
        self._variable: str | None = None

    @classmethod
    def missing(cls, variable: str) -> Self:
        """Make a secret that is not there yet.

        Args:
            variable: the environment variable that should hold it.
        """
        secret = cls("")
        secret._variable = variable
        return secret

    @property
    def variable(self) -> str | None:
        """The variable that it waits for; None when it is there."""
        return self._variable

    def reveal(self, needed_by: str = "") -> str:
        """Return the secret itself.

        Args:
            needed_by: the key of the configuration that holds it, for the error.

        Raises:
            MissingKey: it waits for a variable; names it.
        """
        if self._variable is None:
            return self._value
        what = f"`{needed_by}` needs" if needed_by else "a key needs"
        msg = f"{what} the environment variable {self._variable}, which is not set"
        raise MissingKey(msg, hint=f"export {self._variable}=… and start again")

    def __bool__(self) -> bool:
        return bool(self._value or self._variable)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return (self._value, self._variable) == (other._value, other._variable)

    def __hash__(self) -> int:
        return hash((self._value, self._variable))

    def __repr__(self) -> str:
        return f"Secret('{MASK}')"

    def __str__(self) -> str:
        return MASK

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _validate, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )


def _validate(value: Any) -> Secret:
    if isinstance(value, Secret):
        return value
    if isinstance(value, Unresolved):
        return Secret.missing(value.variable)
    if isinstance(value, str):
        return Secret(value)
    detail = value.message if isinstance(value, Malformed) else "must be text; put it in quotes"
    raise PydanticCustomError("secret", "{detail}", {"detail": detail})
