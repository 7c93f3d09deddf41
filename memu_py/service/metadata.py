"""The caller's own data: plain JSON values under text keys."""

from collections.abc import Mapping
from typing import Any

from memu_py.errors import InvalidInput


def check_metadata(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Check that metadata is plain JSON data.

    Raises:
        InvalidInput: a key is no text, or a value cannot be stored.
    """
    found: dict[Any, Any] = dict(metadata or {})
    for key, value in found.items():
        if not isinstance(key, str):
            msg = f"metadata: a key is text, not {type(key).__name__}"
            raise InvalidInput(msg)
        _check_value(key, value)
    return found


def _check_value(key: str, value: Any) -> None:
    if value is None or isinstance(value, str | int | float | bool):
        return
    if isinstance(value, list | tuple):
        for part in value:
            _check_value(key, part)
        return
    if isinstance(value, Mapping):
        for name, part in value.items():
            _check_value(f"{key}.{name}", part)
        return
    msg = f"metadata `{key}`: only plain JSON values can be stored, not {type(value).__name__}"
    raise InvalidInput(msg)
