"""Values of JSON that may be anything: each is what it should be, or empty."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping, or an empty one.

    >>> mapping({"a": 1}), mapping([1])
    ({'a': 1}, {})
    """
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings of a list; none of anything else."""
    return (one for one in (value if isinstance(value, list) else ()) if isinstance(one, Mapping))


def words(value: Any) -> str:
    """Return a text, or an empty one.

    >>> words("tea"), words(None), words(3)
    ('tea', '', '')
    """
    return value if isinstance(value, str) else ""


def key(value: Any) -> str:
    """Return an id, which may be written as a number; empty for none.

    >>> key(12), key("a-1"), key(None), key(True)
    ('12', 'a-1', '', '')
    """
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def number(value: Any) -> float:
    """Return a number, also one in digits; 0 for what is none.

    >>> number("1683554161.5"), number("x"), number(None)
    (1683554161.5, 0.0, 0.0)
    """
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0


def shown(value: Any) -> str:
    """Return any value as text.

    >>> shown({"city": "北京"}), shown(None)
    ('{"city": "北京"}', '')
    """
    if not value or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError):
        return ""
