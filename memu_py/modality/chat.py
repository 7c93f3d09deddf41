"""One entry of a conversation, in any of the forms of the chat APIs, as messages."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from memu_py.errors import InvalidInput
from memu_py.modality.encoding import storable
from memu_py.modality.messages import CALL_KEYS, CONTENT_KEYS, TIME_KEYS
from memu_py.modality.moment import moment
from memu_py.records.message import Message, Role

ROLES: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
"""Roles as they are written, and what they mean."""

CONTEXT_ROLES = frozenset({"system", "tool"})

_NAME_KEYS = ("name", "speaker")
_READ = frozenset({"role", "id", "metadata", *CONTENT_KEYS, *CALL_KEYS, *TIME_KEYS, *_NAME_KEYS})
_TOOL_PARTS = frozenset({"tool_use", "tool_result", "tool-call", "tool-result", "function_call"})


class Read(NamedTuple):
    """What one entry holds.

    Attributes:
        messages: none for an empty one; one for what was said and one for the tool calls beside it.
        warnings: what could not be read as it was probably meant.
    """

    messages: tuple[Message, ...]
    warnings: tuple[str, ...] = ()


class _Content(NamedTuple):
    said: str
    calls: list[Any]
    unread: list[str]


def read_entry(entry: Any, place: int, zone: tzinfo) -> Read:
    """Return the messages of one entry.

    Args:
        entry: a mapping with role and content, or a plain string, which the user says.
        place: of the entry, from 1, for what is said about it.
        zone: of times that carry none.

    Raises:
        InvalidInput: it has no content, or one that is no text.
    """
    if isinstance(entry, str):
        said = storable(entry).strip()
        return Read((Message(role="user", text=said),) if said else ())
    if not isinstance(entry, Mapping):
        msg = f"message {place} is a mapping or a string, not {_kind(entry)}"
        raise InvalidInput(msg)
    content = _content(entry, place)
    role, speaker = _who(entry, place)
    said_at, undated = _when(entry, place, zone)
    common = Message(
        role=role,
        text="",
        speaker=speaker,
        said_at=said_at,
        id=None if entry.get("id") is None else str(entry["id"]),
        context=role in CONTEXT_ROLES,
        metadata=_metadata(entry, dated=said_at is not None),
    )
    messages = tuple(_pieces(common, content))
    return Read(messages, tuple(_warnings(place, content, undated)))


def _pieces(common: Message, content: _Content) -> Iterator[Message]:
    if content.said:
        yield common.evolve(text=content.said)
    if content.calls:
        yield common.evolve(text=storable(_compact(content.calls)), context=True)


def _warnings(place: int, content: _Content, undated: str | None) -> Iterator[str]:
    if undated is not None:
        yield f"message {place}: {undated} is no time that is understood; it is kept in the metadata"
    if content.unread:
        kinds = ", ".join(dict.fromkeys(content.unread))
        yield f"message {place}: its parts of type {kinds} are kept in the original and not read"


def _who(entry: Mapping[str, Any], place: int) -> tuple[Role, str | None]:
    """The role, and the speaker where one is named; a role that is none is taken for a name."""
    given = entry.get("role")
    if given is not None and not isinstance(given, str):
        msg = f"message {place}: role is text, not {_kind(given)}"
        raise InvalidInput(msg)
    written = storable(given or "").strip()
    role = ROLES.get(written.casefold())
    named = next((entry[key] for key in _NAME_KEYS if isinstance(entry.get(key), str)), "")
    speaker = storable(named).strip() or (written if role is None else "")
    return role or "user", speaker or None


def _when(entry: Mapping[str, Any], place: int, zone: tzinfo) -> tuple[datetime | None, str | None]:
    given = next((entry[key] for key in TIME_KEYS if entry.get(key) not in (None, "")), None)
    if given is None:
        return None, None
    said_at = moment(given, zone)
    return said_at, None if said_at else repr(given)[:80]


def _metadata(entry: Mapping[str, Any], *, dated: bool) -> dict[str, Any]:
    nested = entry.get("metadata")
    own = dict(nested) if isinstance(nested, Mapping) else {} if nested is None else {"metadata": nested}
    own |= {key: value for key, value in entry.items() if key not in _READ}
    if not dated:
        own |= {key: entry[key] for key in TIME_KEYS if entry.get(key) not in (None, "")}
    if entry.get("id") is not None:
        own["id"] = entry["id"]
    return own


def _content(entry: Mapping[str, Any], place: int) -> _Content:
    calls = [entry[key] for key in CALL_KEYS if entry.get(key)]
    key = next((key for key in CONTENT_KEYS if key in entry), None)
    if key is None and not calls:
        msg = f"message {place} has no content"
        raise InvalidInput(msg, hint='a message is {"role": …, "content": …}')
    value = entry[key] if key else None
    if value is None or isinstance(value, str):
        return _Content(storable(value or "").strip(), calls, [])
    if not isinstance(value, list):
        msg = f"message {place}: content is text or a list of parts, not {_kind(value)}"
        raise InvalidInput(msg)
    return _of_parts(value, calls)


def _of_parts(parts: list[Any], calls: list[Any]) -> _Content:
    said: list[str] = []
    unread: list[str] = []
    for part in parts:
        if isinstance(part, str):
            said.append(part)
        elif not isinstance(part, Mapping):
            unread.append(_kind(part))
        elif part.get("type") in _TOOL_PARTS:
            calls.append(part)
        elif isinstance(part.get("text"), str):
            said.append(part["text"])
        else:
            unread.append(str(part.get("type", "unknown")))
    text = "\n".join(piece for one in said if (piece := storable(one).strip()))
    return _Content(text, calls, unread)


def _compact(calls: list[Any]) -> str:
    value = calls[0] if len(calls) == 1 else calls
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _kind(value: Any) -> str:
    return type(value).__name__
