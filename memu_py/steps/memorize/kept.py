"""A kept conversation as memorize reads it, and what is new in messages that are handed over."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any, NamedTuple

from memu_py.modality.alignment import align
from memu_py.modality.conversation import ConversationParser
from memu_py.modality.messages import TIME_KEYS
from memu_py.modality.parser import Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.records.conversation import Conversation, Kept, WholeConversation
from memu_py.records.resource import Segment

Entry = Mapping[str, Any] | str

Said = Sequence[Segment]
"""The segments of one message."""


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

    A message is an edit of a known one with the same id, or of the one in its place between two that are known.
    Likeness alone makes none: several may add to a conversation, and what one says must not take another one's place.

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
    places, whole = _places(kept, given)
    before, after = _said(kept), _said(given)
    sure = {
        one
        for one, place in places.items()
        if one in whole or _is_named(before[place], after[one]) or _is_grown(before[place], after[one])
    }
    first, last = min(sure, default=len(entries)), max(sure, default=-1)
    same = {one: place for one, place in places.items() if one in sure or first < one < last}
    moved = _moved(before, after, same)
    return News(
        added=tuple(entries[one] for one in after if one not in same and one not in moved),
        edits={known.messages[place].id: entries[one] for one, place in same.items() if one not in whole},
    )


def _said(parsed: Parsed) -> dict[int, list[Segment]]:
    """Return what each message says that says anything, by its place."""
    found: dict[int, list[Segment]] = {}
    for segment, owner in zip(parsed.segments, parsed.owners, strict=True):
        found.setdefault(owner, []).append(segment)
    return found


def _places(kept: Parsed, given: Parsed) -> tuple[dict[int, int], set[int]]:
    """Return which messages may be which known ones, and those of them that say nothing else."""
    alignment = align(kept.segments, given.segments, growing=True)
    owners = {one.start: owner for one, owner in zip(given.segments, given.owners, strict=True)}
    pairs = (*alignment.changed, *alignment.kept)
    places = {owners[pair.new.start]: kept.owners[pair.old.ordinal] for pair in pairs}
    other = {owners[one.start] for one in (*(pair.new for pair in alignment.changed), *alignment.added)}
    whole = places.keys() - other
    counts = Counter(places.values())
    # Of two that may be one message neither takes its place.
    return {one: place for one, place in places.items() if one in whole or counts[place] == 1}, whole


def _moved(before: Mapping[int, Said], after: Mapping[int, Said], same: Mapping[int, int]) -> set[int]:
    """Return which messages stand before a known one here, and behind it there: they were added already."""
    taken = set(same.values())
    left = {_key(said): place for place, said in before.items() if place not in taken}
    found: set[int] = set()
    following = len(before)
    for one in sorted(after, reverse=True):
        if one in same:
            following = same[one]
        elif left.get(_key(after[one]), -1) > following:
            found.add(one)
    return found


def _is_named(before: Said, after: Said) -> bool:
    """Tell whether two messages have one id."""
    ids = before[0].metadata.get("id"), after[0].metadata.get("id")
    return None not in ids and str(ids[0]) == str(ids[1])


def _is_grown(before: Said, after: Said) -> bool:
    """Tell whether a message of several segments goes on where it ended: nothing of what it said is lost."""
    same = {one.hash for one in before} & {one.hash for one in after}
    return bool(same) and _letters(after).startswith(_letters(before))


def _letters(said: Said) -> str:
    return "".join("".join(one.text.split()) for one in said)


def _key(said: Said) -> tuple[object, ...]:
    """Return what is equal for two messages that are one."""
    return tuple((one.hash, one.said_at, str(one.metadata.get("id"))) for one in said)
