"""Telegram: `result.json` of the desktop program, of one chat or of all."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from memu_py.importers.archive import Archive
from memu_py.importers.elements import elements
from memu_py.importers.fields import key, mapping, mappings, words
from memu_py.importers.importer import Conversation, Entry, message

_KINDS = (
    "personal_chat|bot_chat|saved_messages|verification_codes|replies"
    "|private_group|private_supergroup|public_supergroup|private_channel|public_channel"
)
_ONE = re.compile(
    rf'^[\s\xef\xbb\xbf]*\{{.*?"type"\s*:\s*"(?:{_KINDS})".*?"messages"\s*:\s*\['.encode("latin-1"), re.DOTALL
)
_ALL = re.compile(
    rb'^[\s\xef\xbb\xbf]*\{\s*(?:"about"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*)?'
    rb'"(?:personal_information|profile_pictures|stories|contacts|frequent_contacts|sessions|web_sessions|ips'
    rb'|other_data|chats|left_chats)"\s*:\s*\{'
)
_HEADS = re.compile(_ONE.pattern + b"|" + _ALL.pattern, re.DOTALL)
_LISTS = [
    (re.compile(rf'"{name}"\s*:\s*\{{'), re.compile(r'"list"\s*:\s*\[')) for name in ("chats", "left_chats")
]
SAVED, SAVED_TITLE = "saved_messages", "Saved Messages"
BOT = "bot_chat"
NOT_INCLUDED = "("
"""Begins what stands in place of the name of a file that was not exported."""
_FILES = ("photo", "file")
_FORWARDED = "forwarded_from"
_DETAILS = ("title", "text", "message_id", "duration_seconds", "discard_reason", "members")


class TelegramImporter:
    """Reads each chat. Calls, joins and other events are context; what was forwarded is said by its author."""

    def claims(self, archive: Archive) -> Collection[str]:
        """See `Importer.claims`."""
        return archive.beginning(".json", _HEADS)

    def conversations(self, archive: Archive) -> Iterator[Conversation]:
        """See `Importer.conversations`."""
        for name in archive.beginning(".json", _HEADS):
            for chat in _chats(archive, name):
                yield _conversation(mapping(chat))


def _chats(archive: Archive, name: str) -> Iterator[Any]:
    if not _ALL.search(archive.head(name)):
        yield archive.json(name)
        return
    for within in _LISTS:
        with archive.open(name) as stream:
            yield from elements(stream, archive.label_of(name), within=within)


def _conversation(chat: Mapping[str, Any]) -> Conversation:
    kind = words(chat.get("type"))
    title = words(chat.get("name")) or (SAVED_TITLE if kind == SAVED else "")
    own_id = key(chat.get("id")) or title
    said = (_message(one, chat) for one in mappings(chat.get("messages")))
    return Conversation(
        url=f"telegram:{own_id}",
        title=title,
        messages=tuple(one for one in said if one is not None),
        warnings=() if isinstance(chat.get("messages"), list) else ("it holds no `messages`",),
    )


def _message(given: Mapping[str, Any], chat: Mapping[str, Any]) -> Entry | None:
    at = given.get("date_unixtime") or given.get("date")
    own_id = key(given.get("id")) or None
    if given.get("type") == "service":
        return message("system", _event(given), at=at, own_id=own_id)
    sender, author = _named(given.get("from")), words(given.get(_FORWARDED))
    is_bot = chat.get("type") == BOT and sender == chat.get("name")
    return message(
        "assistant" if is_bot and not author else "user",
        _text(given.get("text")) or _other(given),
        name=author or sender or key(given.get("from_id")),
        at=at,
        own_id=own_id,
        attached=_attached(given),
        forwarded_by=sender if author else None,
        reply_to=given.get("reply_to_message_id"),
    )


def _named(given: Any) -> str:
    return words(given).strip()


def _text(given: Any) -> str:
    """Return a text, which is one string or a list of strings and entities; a hidden address is shown."""
    if isinstance(given, str):
        return given
    return "".join(map(_piece, given if isinstance(given, list) else ()))


def _piece(given: Any) -> str:
    if isinstance(given, str):
        return given
    text, address = words(mapping(given).get("text")), words(mapping(given).get("href"))
    return f"{text} ({address})" if address else text


def _other(given: Mapping[str, Any]) -> str:
    """Return what a message without text says in another way: a poll, a place, a contact."""
    poll, place = mapping(given.get("poll")), mapping(given.get("location_information"))
    contact = mapping(given.get("contact_information"))
    if poll:
        answers = [words(one.get("text")) for one in mappings(poll.get("answers"))]
        return f"{words(poll.get('question'))} {' / '.join(answers)}"
    if place:
        parts = (given.get("place_name"), given.get("address"), place.get("latitude"), place.get("longitude"))
        return " ".join(str(part) for part in parts if part)
    if contact:
        return " ".join(words(contact.get(name)) for name in ("first_name", "last_name", "phone_number"))
    return ""


def _attached(given: Mapping[str, Any]) -> list[str]:
    files = [words(given.get(name)) for name in _FILES]
    kept = [name.rpartition("/")[2] for name in files if name and not name.startswith(NOT_INCLUDED)]
    if not kept and any(files):
        kept = [words(given.get("file_name")) or words(given.get("media_type")) or "photo"]
    emoji = words(given.get("sticker_emoji"))
    return [f"{name} {emoji}" if emoji else name for name in kept]


def _event(given: Mapping[str, Any]) -> str:
    action = words(given.get("action")).replace("_", " ")
    details = (given.get(name) for name in _DETAILS)
    shown = [_text(one) if isinstance(one, str | list) else str(one) for one in details if one]
    return ": ".join(part for part in (words(given.get("actor")), " ".join([action, *shown])) if part.strip())
