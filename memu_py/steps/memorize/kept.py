"""A kept conversation as memorize reads it, and what is new in messages that are handed over."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any, NamedTuple

from memu_py.modality.alignment import align
from memu_py.modality.conversation import ConversationParser
from memu_py.modality.messages import TIME_KEYS
from memu_py.modality.parser import Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.records.conversation import Conversation, Kept, WholeConversation

Entry = Mapping[str, Any] | str


class News(NamedTuple):
    """What is new in messages that are handed over.

    Attributes:
        added: new ones, in order.
        edits: those that are known with another text, by the known one's id.
    """

    added: tuple[Entry, ...]
    edits: Mapping[str, Entry]


def conversation_id(url: str) -> str:
    """Return the id in a `conversation://` address."""
    return url.partition("://")[2]


def kept_of(conversation: Conversation) -> Kept:
    """Return which conversation this is, and how far."""
    return Kept(id=conversation.id, key=conversation.key, version=conversation.version)


def entries_of(whole: WholeConversation) -> list[dict[str, Any]]:
    """Return the messages of a conversation for a reader: each with its id, and one without a time with its own.

    By their ids they are known again whatever they say; by their times "yesterday" counts from when one was added.
    """
    found = []
    for message in whole.messages:
        entry = message.entry
        told = {"role": "user", "content": entry} if isinstance(entry, str) else dict(entry)
        if all(told.get(key) in (None, "") for key in TIME_KEYS):
            told = {key: value for key, value in told.items() if key not in TIME_KEYS}
            told["created_at"] = message.added_at.isoformat()
        found.append({**told, "id": message.id})
    return found


def read_messages(entries: Sequence[Any], zone: tzinfo) -> Parsed:
    """Read messages as they came.

    Raises:
        InvalidInput: none of them says anything, or one is not usable.
    """
    raw = Raw(data=b"", messages=tuple(entries))
    return ConversationParser().parse(raw, options=ParseOptions(zone=zone))


def news(known: WholeConversation | None, entries: Sequence[Entry], zone: tzinfo) -> News:
    """Compare messages with those that are kept: a growing, re-sent or edited chat is not doubled.

    Args:
        known: the conversation; None for none yet.
        entries: what is handed over.
        zone: of times that carry none.

    Raises:
        InvalidInput: the messages are not usable.
    """
    given = read_messages(entries, zone)
    if known is None or not known.messages:
        return News(added=tuple(entries), edits={})
    kept = read_messages([message.entry for message in known.messages], zone)
    alignment = align(kept.segments, given.segments, growing=True)
    owners = {one.start: owner for one, owner in zip(given.segments, given.owners, strict=True)}
    pairs = (*alignment.kept, *alignment.changed)
    ids = {owners[pair.new.start]: known.messages[kept.owners[pair.old.ordinal]].id for pair in pairs}
    changed = {owners[pair.new.start] for pair in alignment.changed}
    fresh = dict.fromkeys(owners[one.start] for one in alignment.added)
    # A message of several segments, of which one is known, is that message, however long it is now.
    edited = sorted(changed | (fresh.keys() & ids.keys()))
    return News(
        added=tuple(entries[one] for one in fresh if one not in ids),
        edits={ids[one]: entries[one] for one in edited},
    )
