"""Conversations and messages as rows: adding, reading, marking."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, case, func, insert, select, update

from memu_py.errors import Conflict, NotFound
from memu_py.records.conversation import Conversation, Kept, KeptMessage, SessionCount
from memu_py.records.ids import new_id
from memu_py.records.scope import Scope
from memu_py.storage.bulk import insert_rows
from memu_py.storage.kept import Entry
from memu_py.storage.plain import clean_text
from memu_py.storage.schema_conversations import conversations, messages
from memu_py.storage.scoping import owner_of, owner_values, partition_values, scope_of, within
from memu_py.storage.unit import Unit, chunks

_FIELDS = (
    "id",
    "key",
    "messages",
    "memorized",
    "version",
    "asked",
    "waiting",
    "last_at",
    "closed_at",
    "created_at",
)


_CHANGING = ("messages", "memorized", "version", "asked", "waiting", "last_at", "closed_at")


def conversation_of(row: RowMapping) -> Conversation:
    """Return the conversation of a row."""
    return Conversation(scope=scope_of(row), **{name: row[name] for name in _FIELDS})


def message_of(row: RowMapping) -> KeptMessage:
    """Return the message of a row."""
    return KeptMessage(
        ordinal=row["ordinal"],
        id=row["id"],
        entry=json.loads(row["entry"]),
        added_at=row["added_at"],
        memorized_at=row["memorized_at"],
    )


def load_conversations(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Conversation]:
    """Return conversations of the scope by id."""
    statement = select(conversations).where(within(conversations, scope), conversations.c.id.in_(ids))
    return {row["id"]: conversation_of(row) for row in connection.execute(statement).mappings()}


def load_conversation(
    connection: Connection, scope: Scope, conversation_id: str, *, attributes: bool
) -> Conversation | None:
    """Return a conversation; see `KeptConversations.get`."""
    if conversation_id != clean_text(conversation_id):
        return None
    where = _this(conversations, scope, conversation_id, attributes=attributes)
    row = connection.execute(select(conversations).where(where)).mappings().one_or_none()
    return None if row is None else conversation_of(row)


def load_messages(
    connection: Connection, scope: Scope, conversation_id: str, first: int = 0
) -> tuple[KeptMessage, ...]:
    """Return the messages of a conversation from an ordinal on; the caller has looked whether it is in the scope."""
    statement = (
        select(messages)
        .where(_of(scope, conversation_id), messages.c.ordinal >= first)
        .order_by(messages.c.ordinal)
    )
    return tuple(message_of(row) for row in connection.execute(statement).mappings())


def add_messages(
    unit: Unit,
    conversation_id: str,
    entries: Sequence[Entry],
    edits: Mapping[str, Entry],
    version: int | None,
) -> Conversation:
    """Add messages; see `KeptConversations.add`."""
    known = load_conversation(unit.connection, unit.scope, conversation_id, attributes=False)
    if known is not None and not unit.scope.writer.covers(known.scope):
        msg = f"no conversation {conversation_id!r} in this scope: the id is that of another agent's"
        raise NotFound(msg, hint="begin one under another id")
    if version is not None and version != (known.version if known else 0):
        msg = f"conversation {conversation_id!r} was changed since it was read; read again and retry"
        raise Conflict(msg)
    before = known or _begin(unit, conversation_id)
    now = before.version + 1
    taken = _taken(unit, conversation_id, entries)
    fresh = [one for one in entries if version is not None or own_id(one) not in taken]
    changed = sum(_edit(unit, conversation_id, one, entry, now) for one, entry in edits.items())
    insert_rows(unit.connection, messages, _rows(unit, before, fresh, taken, now))
    if known is not None and not fresh and not changed:
        return known
    after = before.evolve(
        messages=before.messages + len(fresh), version=now, last_at=unit.now, closed_at=None
    )
    return _counted(unit, after)


def _begin(unit: Unit, conversation_id: str) -> Conversation:
    scope = unit.scope.evolve(session=unit.scope.session or new_id(), granted=())
    begun = Conversation(
        id=conversation_id,
        scope=scope,
        key=new_id(),
        messages=0,
        memorized=0,
        version=0,
        last_at=unit.now,
        created_at=unit.now,
    )
    row = {**owner_values(scope), **{name: getattr(begun, name) for name in _FIELDS}}
    unit.connection.execute(insert(conversations), [row])
    return begun


def own_id(entry: Entry) -> str | None:
    """Return the id that a message came with."""
    given = entry.get("id") if isinstance(entry, Mapping) else None
    return None if given is None or isinstance(given, list | dict) else clean_text(str(given))


def _taken(unit: Unit, conversation_id: str, entries: Sequence[Entry]) -> set[str]:
    """Return which ids of new messages are given already."""
    wanted = [one for entry in entries if (one := own_id(entry)) is not None]
    found: set[str] = set()
    for part in chunks(wanted):
        statement = select(messages.c.id).where(_of(unit.scope, conversation_id), messages.c.id.in_(part))
        found.update(unit.connection.scalars(statement))
    return found


def _rows(
    unit: Unit, before: Conversation, fresh: Sequence[Entry], taken: set[str], version: int
) -> list[dict[str, Any]]:
    rows = []
    given = set(taken)
    for ordinal, entry in enumerate(fresh, before.messages):
        own = own_id(entry)
        message_id = new_id() if own is None or own in given else own
        given.add(message_id)
        rows.append(
            {
                **partition_values(unit.scope),
                "conversation_id": before.id,
                "ordinal": ordinal,
                "id": message_id,
                "entry": entry_text(entry),
                "version": version,
                "added_at": unit.now,
                "memorized_at": None,
            }
        )
    return rows


def entry_text(entry: Entry) -> str:
    """Return a message as JSON that every database can hold."""
    return json.dumps(entry, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def _edit(unit: Unit, conversation_id: str, message_id: str, entry: Entry, version: int) -> int:
    where = and_(_of(unit.scope, conversation_id), messages.c.id == message_id)
    values = {"entry": entry_text(entry), "version": version, "added_at": unit.now, "memorized_at": None}
    return unit.connection.execute(update(messages).where(where).values(values)).rowcount


def mark_memorized(unit: Unit, kept: Kept, but: Sequence[str]) -> bool:
    """Mark messages; see `KeptConversations.mark`."""
    known = load_conversation(unit.connection, unit.scope, kept.id, attributes=False)
    if known is None or known.key != kept.key:
        return False
    if not known.unread:
        return True
    read = and_(
        _of(unit.scope, kept.id),
        messages.c.version <= kept.version,
        messages.c.memorized_at.is_(None),
    )
    left = {clean_text(one) for one in but}
    ids = [one for one in unit.connection.scalars(select(messages.c.id).where(read)) if one not in left]
    done = 0
    for part in chunks(ids):
        marks = update(messages).where(read, messages.c.id.in_(part)).values(memorized_at=unit.now)
        done += unit.connection.execute(marks).rowcount
    if done:
        _counted(unit, known)
    return True


def _counted(unit: Unit, conversation: Conversation) -> Conversation:
    """Write what may change of a conversation, with its messages counted anew."""
    done = messages.c.memorized_at.is_not(None)
    new = messages.c.version > conversation.asked
    counts = select(
        func.count(case((done, 1))).label("memorized"),
        func.count(case((and_(~done, new), 1))).label("waiting"),
    ).where(_of(unit.scope, conversation.id))
    counted = conversation.evolve(**dict(unit.connection.execute(counts).mappings().one()))
    where = _this(conversations, unit.scope, conversation.id)
    values = {name: getattr(counted, name) for name in _CHANGING}
    unit.connection.execute(update(conversations).where(where).values(values))
    return counted


def note_asked(unit: Unit, kept: Kept) -> None:
    """Note what a memorize was asked for; see `KeptConversations.ask`."""
    known = load_conversation(unit.connection, unit.scope, kept.id, attributes=False)
    if known is not None and known.key == kept.key and known.asked < kept.version:
        _counted(unit, known.evolve(asked=kept.version))


def close_conversation(unit: Unit, conversation_id: str) -> Conversation | None:
    """Close a conversation; see `KeptConversations.close_one`."""
    known = load_conversation(unit.connection, unit.scope, conversation_id, attributes=True)
    if known is None or known.closed_at is not None:
        return known
    return _counted(unit, known.evolve(closed_at=unit.now))


def waiting(connection: Connection, before: datetime) -> list[tuple[Scope, str]]:
    """Return what nobody has asked for; see `KeptConversations.waiting`. Workers serve everybody."""
    statement = (
        select(conversations.c.partition, conversations.c.id)
        .where(conversations.c.last_at <= before, conversations.c.waiting > 0)
        .order_by(conversations.c.last_at, conversations.c.id)
    )
    return [(owner_of(row.partition), row.id) for row in connection.execute(statement)]


def sessions(connection: Connection, scope: Scope) -> list[SessionCount]:
    """Return sessions; see `KeptConversations.sessions`."""
    last = func.max(conversations.c.last_at, type_=conversations.c.last_at.type)
    statement = (
        select(
            conversations.c.session,
            func.count().label("conversations"),
            func.sum(conversations.c.messages).label("messages"),
            last.label("last_at"),
        )
        .where(within(conversations, scope))
        .group_by(conversations.c.session)
        .order_by(last.desc(), conversations.c.session)
    )
    return [
        SessionCount(
            session=row.session,
            conversations=row.conversations,
            messages=int(row.messages),
            last_at=row.last_at,
        )
        for row in connection.execute(statement)
    ]


def _of(scope: Scope, conversation_id: str) -> ColumnElement[bool]:
    return and_(within(messages, scope), messages.c.conversation_id == conversation_id)


def _this(table: Any, scope: Scope, conversation_id: str, *, attributes: bool = False) -> ColumnElement[bool]:
    return and_(within(table, scope, attributes=attributes), table.c.id == conversation_id)
