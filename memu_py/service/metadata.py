"""The caller's own data: plain JSON values under text keys."""

import math
from collections.abc import Mapping
from typing import Any

from memu_py.errors import InvalidInput

MAX_DEPTH = 20


def check_metadata(metadata: Any) -> dict[str, Any]:
    """Check that metadata is plain JSON data, and return a copy of it that nobody else can change.

    Args:
        metadata: a mapping, or None for an empty one.

    Raises:
        InvalidInput: it is no mapping, a key is no text, or a value cannot be stored.
    """
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        msg = f"metadata is a mapping, not {type(metadata).__name__}"
        raise InvalidInput(msg)
    return {_key("metadata", key): _value(str(key), value) for key, value in metadata.items()}


def _key(where: str, key: Any) -> str:
    if isinstance(key, str):
        return key
    msg = f"{where}: a key is text, not {type(key).__name__}"
    raise InvalidInput(msg)


def _value(path: str, value: Any, depth: int = 1) -> Any:
    if depth > MAX_DEPTH:
        msg = f"metadata `{path.partition('.')[0]}` nests more than {MAX_DEPTH} deep"
        raise InvalidInput(msg)
    if isinstance(value, Mapping):
        return {
            _key(f"metadata `{path}`", key): _value(f"{path}.{key}", part, depth + 1)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_value(path, part, depth + 1) for part in value]
    finite = not isinstance(value, float) or math.isfinite(value)
    if finite and (value is None or isinstance(value, str | int | float | bool)):
        return value
    what = type(value).__name__ if finite else str(value)
    msg = f"metadata `{path}`: only plain JSON values can be stored, not {what}"
    raise InvalidInput(msg)
