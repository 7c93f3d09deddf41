"""A secret, which shows itself to nobody who does not ask for it."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, GetCoreSchemaHandler
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


def _concealed(value: Any) -> Any:
    """Return plain data with each text in it as a secret."""
    if isinstance(value, Mapping):
        return {key: _concealed(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_concealed(part) for part in value]
    return _validate(value) if isinstance(value, str | Unresolved | Malformed) else value


def revealed(value: Any, needed_by: str = "") -> Any:
    """Return plain data with the secrets in it as texts.

    Args:
        value: of `SecretOptions`.
        needed_by: the key of the configuration that holds it, for the error.

    Raises:
        MissingKey: one waits for a variable; names it.

    >>> revealed({"key": Secret("sk-1"), "anon": False})
    {'key': 'sk-1', 'anon': False}
    """
    if isinstance(value, Mapping):
        return {key: revealed(part, needed_by) for key, part in value.items()}
    if isinstance(value, list):
        return [revealed(part, needed_by) for part in value]
    return value.reveal(needed_by) if isinstance(value, Secret) else value


SecretOptions = Annotated[dict[str, Any], AfterValidator(_concealed)]
"""Options of a library, of which nobody knows here which are secret: every text shows a mask."""
