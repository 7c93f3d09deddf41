"""Plain data: what a database can hold and JSON can say.

Text that a database cannot keep (NUL, and halves of surrogate pairs) becomes U+FFFD. What cannot be kept at
all is refused before anything is written.
"""

import dataclasses
import json
import math
import re
from collections.abc import Container, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from memu_py.errors import InvalidInput
from memu_py.records.record import Record

REPLACEMENT = "\ufffd"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SECONDS_A_DAY = 86_400
_MICROS_A_SECOND = 1_000_000
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def clean_text(text: str) -> str:
    r"""Return the text with NUL and lone surrogates replaced.

    >>> clean_text("a\0b")
    'a�b'
    """
    if (text.isascii() and "\0" not in text) or not _UNSTORABLE.search(text):
        return text
    return _UNSTORABLE.sub(REPLACEMENT, text)


def clean_optional(text: str | None) -> str | None:
    """`clean_text` that lets None be."""
    return None if text is None else clean_text(text)


def plain(value: Any, *, where: str) -> Any:
    """Return a value as JSON would give it back: mappings, lists, text, numbers, true/false, None.

    Dates become ISO 8601 text, tuples and sets lists.

    Args:
        value: anything.
        where: what it belongs to, for the message.

    Raises:
        InvalidInput: JSON has no such value.

    >>> plain({"at": date(2024, 5, 1), "tags": ("a", "b")}, where="metadata")
    {'at': '2024-05-01', 'tags': ['a', 'b']}
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return finite(value, where=where)
    # `dict` by name: to ask whether something is a mapping takes longer.
    if isinstance(value, dict | Mapping):
        return _mapping(value, where)
    return _converted(value, where)


def _mapping(value: Mapping[Any, Any], where: str) -> dict[str, Any]:
    if not value:
        return value if isinstance(value, dict) else {}
    found = {_key(key, where): plain(part, where=where) for key, part in value.items()}
    # What is plain already is not copied: most metadata is.
    if isinstance(value, dict) and all(found.get(key) is part for key, part in value.items()):
        return value
    return found


def record_fields(record: Record, *, leave_out: Container[str] = ()) -> dict[str, Any]:
    """Return a record's fields as plain data, records in it as mappings.

    Args:
        record: a record.
        leave_out: names of its own fields that are not wanted.
    """
    names = [field.name for field in dataclasses.fields(record) if field.name not in leave_out]
    return {name: plain(getattr(record, name), where=name) for name in names}


def _converted(value: Any, where: str) -> Any:
    if isinstance(value, list | tuple):
        return [plain(part, where=where) for part in value]
    if isinstance(value, set | frozenset):
        return [plain(part, where=where) for part in sorted(value, key=repr)]
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, np.generic):
        return plain(value.item(), where=where)
    if isinstance(value, Record):
        return record_fields(value)
    msg = (
        f"{where}: {type(value).__name__} cannot be stored; use text, numbers, true/false, lists and mappings"
    )
    raise InvalidInput(msg)


def _key(key: Any, where: str) -> str:
    if isinstance(key, str):
        return clean_text(key)
    msg = f"{where}: a key is text, not {type(key).__name__}"
    raise InvalidInput(msg)


def finite(value: float, *, where: str) -> float:
    """Return the number, if it is one.

    Args:
        value: a number.
        where: what it belongs to, for the message.

    Raises:
        InvalidInput: it is not finite.
    """
    if not math.isfinite(value):
        msg = f"{where}: {value} is not a finite number"
        raise InvalidInput(msg)
    return value


def dump_json(value: Any) -> str:
    """Return plain data as compact JSON text, its order kept."""
    # Most columns are empty, and asking the encoder costs twenty times as much.
    if value == {}:
        return "{}"
    return "[]" if value == [] else _ENCODER.encode(value)


def load_json(text: str) -> Any:
    """Return the plain data of JSON text."""
    if text == "{}":
        return {}
    return [] if text == "[]" else json.loads(text)


def canonical_json(value: Any) -> str:
    """Return plain data as JSON text that is equal when the data is equal."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def to_micros(moment: datetime, *, where: str = "time") -> int:
    """Return microseconds since 1970 in UTC.

    Args:
        moment: an aware time.
        where: what it belongs to, for the message.

    Raises:
        InvalidInput: it has no time zone, or is outside the years 1 to 9999 in UTC.

    >>> to_micros(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    if moment.utcoffset() is None:
        msg = f"{where}: {moment.isoformat()} has no time zone; times are aware, such as datetime.now(UTC)"
        raise InvalidInput(msg)
    micros = _count(moment - EPOCH)
    if not MIN_MICROS <= micros <= MAX_MICROS:
        msg = f"{where}: {moment.isoformat()} is outside the years 1 to 9999 in UTC"
        raise InvalidInput(msg)
    return micros


def _count(span: timedelta) -> int:
    # Three times as fast as dividing by a microsecond.
    return (span.days * _SECONDS_A_DAY + span.seconds) * _MICROS_A_SECOND + span.microseconds


def from_micros(micros: int) -> datetime:
    """Return the time, in UTC, of microseconds since 1970."""
    return EPOCH + timedelta(microseconds=micros)


def iso_micros(text: str) -> int | None:
    """Return the microseconds of an ISO 8601 text, in UTC when it names no zone; None when it is no time.

    >>> iso_micros("1970-01-02")
    86400000000
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return _count(aware - EPOCH)


MIN_MICROS = _count(datetime.min.replace(tzinfo=UTC) - EPOCH)
MAX_MICROS = _count(datetime.max.replace(tzinfo=UTC) - EPOCH)
