"""Messages as JSON: read from a list, from lines, or from mappings that hold one; written canonically.

Accepted are `[message, …]`, `{"messages": [message, …], …}` (or `turns`, or `sessions` of either), one message, lists
of such mappings, and JSON Lines of any of these. What a mapping around messages says of all of them (`session`, a time)
goes to each that does not say it itself.
"""

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from memu_py.errors import InvalidInput
from memu_py.records.record import Record

MAX_DEPTH = 64
"""Deeper JSON is refused: nobody writes it, and it is a way to break a parser."""
TIME_KEYS = ("created_at", "timestamp", "date_time")
CONTENT_KEYS = ("content", "text")
SPEAKER_KEYS = ("role", "speaker", "name")
CALL_KEYS = ("tool_calls", "function_call")

_LISTS = ("messages", "turns", "sessions")
"""Keys under which a mapping holds messages, or mappings that hold them."""
_INHERITED = ("session", *TIME_KEYS)
_TITLES = ("title", "name")
_OPENING = re.compile(r"\s*[\[{]")
_MESSAGE_KEY = re.compile(r'"(?:role|content|messages)"\s*:')
_KEY_WINDOW = 4096


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Entries(Record):
    """Messages as they came.

    Attributes:
        entries: mappings or plain strings, in order.
        title: of the conversation, where it has one.
        lines: they came as JSON Lines.
    """

    entries: tuple[Any, ...]
    title: str | None = None
    lines: bool = False


def looks_like_messages(text: str) -> bool:
    """Tell whether a text is, or was meant to be, messages in JSON; broken JSON counts when it has their keys."""
    if not _OPENING.match(text):
        return False
    try:
        document, _ = _document(text)
    except InvalidInput:
        return _MESSAGE_KEY.search(text[:_KEY_WINDOW]) is not None
    return _holds_messages(document)


def load_messages(text: str) -> Entries:
    """Read messages from JSON or JSON Lines.

    Raises:
        InvalidInput: it is no JSON, too deep, or holds no messages; says where.
    """
    document, lines = _document(text)
    if not _holds_messages(document):
        msg = 'this JSON holds no messages: expected a list of {"role": …, "content": …}'
        raise InvalidInput(msg)
    heading = next((document[key] for key in _TITLES if _is_envelope(document) and key in document), None)
    return Entries(
        entries=tuple(_flat(document, {})), title=heading if isinstance(heading, str) else None, lines=lines
    )


def plain_messages(messages: Sequence[Mapping[str, Any] | str]) -> tuple[Any, ...]:
    """Return messages that a program hands over as JSON would give them back.

    Raises:
        InvalidInput: it is no list, empty, too deep, or holds what JSON cannot say.
    """
    given: Any = messages
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        msg = f"messages is a list of mappings or strings, not {type(given).__name__}"
        raise InvalidInput(msg, hint="one text is given as `text`, one message as a list of one")
    entries = list(given)
    if not entries:
        msg = "there are no messages"
        raise InvalidInput(msg)
    for place, entry in enumerate(entries, 1):
        if not isinstance(entry, str | Mapping):
            msg = f"message {place} is a mapping or a string, not {type(entry).__name__}"
            raise InvalidInput(msg)
    loaded: list[Any] = json.loads(dump_messages(entries))
    _check_depth(loaded)
    return tuple(_flat(loaded, {}))


def dump_messages(entries: Sequence[Any]) -> bytes:
    """Return messages as canonical JSON in UTF-8: equal messages give equal bytes, whatever the order of their keys.

    Raises:
        InvalidInput: they hold what JSON cannot say.
    """
    try:
        text = json.dumps(
            entries,
            ensure_ascii=False,
            allow_nan=False,
            sort_keys=True,
            separators=(",", ":"),
            default=_as_json,
        )
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"messages hold what JSON cannot say: {error}"
        raise InvalidInput(msg) from error
    # A lone surrogate can only stand within a string, where its backslash form is JSON's own.
    return text.encode("utf-8", "backslashreplace")


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [part for one in level for part in _parts(one)]
        if not level:
            return
    msg = f"JSON nested deeper than {MAX_DEPTH} levels is not read"
    raise InvalidInput(msg)


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def _as_json(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    msg = f"a value of type {type(value).__name__}"
    raise TypeError(msg)


def _document(text: str) -> tuple[Any, bool]:
    """The JSON value of a text, or the list of its lines' values; and whether it was lines."""
    try:
        return _json(text), False
    except json.JSONDecodeError as error:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) > 1 and _is_json(lines[0][1]):
            return [_json_line(number, line) for number, line in lines], True
        msg = f"not well-formed JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        raise InvalidInput(msg) from error


def _json_line(number: int, line: str) -> Any:
    try:
        return _json(line)
    except json.JSONDecodeError as error:
        msg = f"not well-formed JSON Lines: {error.msg} at line {number}, column {error.colno}"
        raise InvalidInput(msg) from error


def _is_json(line: str) -> bool:
    try:
        _json(line)
    except json.JSONDecodeError:
        return False
    return True


def _json(text: str) -> Any:
    """Read JSON; NaN and infinities, which JSON does not have, become None."""
    try:
        value = json.loads(text, parse_constant=lambda _: None, parse_float=finite)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        msg = f"JSON nested deeper than {MAX_DEPTH} levels is not read"
        raise InvalidInput(msg) from error
    except ValueError as error:
        msg = f"not usable JSON: {error}"
        raise InvalidInput(msg) from error
    _check_depth(value)
    return value


def finite(digits: str) -> float | None:
    """Return a number of a JSON text; None for one that is too large to be any."""
    number = float(digits)
    return number if math.isfinite(number) else None


def _held(value: Any) -> list[Any] | None:
    """The list that a mapping around messages holds; None for what is no such mapping."""
    if not isinstance(value, Mapping):
        return None
    return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)


def _is_envelope(value: Any) -> bool:
    return _held(value) is not None


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and any(key in value for key in SPEAKER_KEYS)
        and any(key in value for key in (*CONTENT_KEYS, *CALL_KEYS))
    )


def _holds_messages(document: Any) -> bool:
    if _is_envelope(document) or _is_message(document):
        return True
    if not isinstance(document, list):
        return False
    meant = sum(_is_envelope(entry) or _is_message(entry) for entry in document)
    return meant > 0 or (bool(document) and all(isinstance(entry, str) for entry in document))


def _flat(document: Any, inherited: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(document, list):
        for entry in document:
            yield from _flat(entry, inherited)
    elif _is_envelope(document):
        own = {key: document[key] for key in _INHERITED if document.get(key) is not None}
        yield from _flat(_held(document), _over(inherited, own))
    elif isinstance(document, Mapping):
        yield _over(inherited, document)
    else:
        yield document


def _over(inherited: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """A message's own time, under whichever key, goes before one it inherits."""
    timed = any(own.get(key) is not None for key in TIME_KEYS)
    kept = {key: value for key, value in inherited.items() if not (timed and key in TIME_KEYS)}
    return kept | dict(own)
