"""Items as rows: what is written, what is read, and what the change log says of them."""

import functools
import operator
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    bindparam,
    or_,
    select,
)

from memu_py.records.item import Emotion, Item, Source
from memu_py.records.relation import RelationDraft
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.storage.plain import clean_optional, clean_text, finite, plain, record_fields
from memu_py.storage.schema import items, sources
from memu_py.storage.scoping import CACHED_SCOPES, owner_values, partition_values, scope_of, within
from memu_py.storage.settings import Clock
from memu_py.storage.unit import chunks

UNLOGGED = frozenset({"id", "scope", "access_count", "last_accessed_at", "version", "updated_at"})
"""Fields that are never in the log: what its row says, counters of reads, and what changes every time."""

IDS = "ids"
SOME: BindParameter[str] = bindparam(IDS, expanding=True)
"""The ids of a statement that is put together before they are known."""


def holding() -> ColumnElement[bool]:
    """Return the condition that an item holds, put away or not."""
    return and_(items.c.valid_to.is_(None), items.c.superseded_by.is_(None))


def live() -> ColumnElement[bool]:
    """Return the condition that an item holds and is not put away; one that expires stays until it is put away."""
    return and_(holding(), items.c.archived_at.is_(None))


def at_hand(now: Any) -> ColumnElement[bool]:
    """Return the condition that an item is neither put away nor has expired.

    Args:
        now: the moment, or a parameter that gives it.
    """
    return and_(items.c.archived_at.is_(None), or_(items.c.expires_at.is_(None), items.c.expires_at > now))


def there(clock: Clock) -> ColumnElement[bool]:
    """Return the condition that an item holds and is at hand when the statement runs, however long it was kept."""
    return and_(holding(), at_hand(_now(clock)))


def gone(clock: Clock) -> ColumnElement[bool]:
    """Return the opposite, as an index of the few that are gone knows it."""
    ended = items.c.valid_to.is_not(None), items.c.superseded_by.is_not(None)
    return or_(*ended, items.c.archived_at.is_not(None), items.c.expires_at <= _now(clock))


def _now(clock: Clock) -> BindParameter[Any]:
    return bindparam("now", callable_=clock, type_=items.c.expires_at.type)


def storable_item(item: Item) -> Item:
    """Return an item as it will be read again.

    Raises:
        InvalidInput: it holds a number, a time or metadata that cannot be stored.
    """
    _check_numbers(item)
    values: dict[str, Any] = {
        "text": clean_text(item.text),
        "type": clean_text(item.type),
        "speaker": clean_optional(item.speaker),
        "entities": _all_clean(item.entities),
        "relations": _all_clean_relations(item.relations),
        "sources": _all_storable(item.sources),
        "metadata": plain(item.metadata, where="metadata"),
    }
    if item.happened is not None:
        values["happened"] = item.happened.evolve(words=clean_text(item.happened.words))
    if item.emotion is not None:
        values["emotion"] = item.emotion.evolve(label=clean_optional(item.emotion.label))
    return _with_changed(item, values)


R = TypeVar("R", Item, Source)


def _with_changed(record: R, values: Mapping[str, Any]) -> R:
    # Ten thousand items come at once, and almost all are storable as they are.
    changed = {name: value for name, value in values.items() if value is not getattr(record, name)}
    return record.evolve(**changed) if changed else record


def _all_clean(texts: tuple[str, ...]) -> tuple[str, ...]:
    if not texts:
        return texts
    clean = tuple(map(clean_text, texts))
    return texts if clean == texts else clean


def _all_clean_relations(given: tuple[RelationDraft, ...]) -> tuple[RelationDraft, ...]:
    if not given:
        return given
    return tuple(
        one.evolve(
            subject=clean_text(one.subject),
            predicate=clean_text(one.predicate),
            object=clean_text(one.object),
            confidence=min(max(finite(one.confidence, where="confidence"), 0.0), 1.0),
        )
        for one in given
    )


def _all_storable(given: tuple[Source, ...]) -> tuple[Source, ...]:
    if not given:
        return given
    found = tuple(map(storable_source, given))
    return given if all(map(operator.is_, found, given)) else found


def _check_numbers(item: Item) -> None:
    if item.importance is not None:
        finite(item.importance, where="importance")
    if item.emotion is not None:
        finite(item.emotion.valence, where="emotion.valence")
        finite(item.emotion.arousal, where="emotion.arousal")


def storable_source(source: Source) -> Source:
    """Return a source as it will be read again.

    Raises:
        InvalidInput: it holds a time or metadata that cannot be stored.
    """
    session, metadata = clean_optional(source.session), plain(source.metadata, where="metadata")
    return _with_changed(source, {"session": session, "metadata": metadata})


def item_values(item: Item) -> dict[str, Any]:
    """Return the columns of an item's row."""
    return {
        **owner_values(item.scope),
        **mutable_values(item),
        "id": item.id,
        "created_at": item.created_at,
        "access_count": item.access_count,
        "last_accessed_at": item.last_accessed_at,
    }


def mutable_values(item: Item) -> dict[str, Any]:
    """Return the columns that a change of the item may write: not its owner, not its counters of reads."""
    happened, emotion = item.happened, item.emotion
    return {
        "type": item.type,
        "text": item.text,
        "speaker": item.speaker,
        "said_at": item.said_at,
        "happened_at": happened.start if happened else None,
        "happened_until": happened.until if happened else None,
        "precision": happened.precision if happened else None,
        "happened_words": happened.words if happened else None,
        "entities": item.entities,
        "relations": [_relation_values(one) for one in item.relations] or None,
        "attribution": item.attribution,
        "importance": item.importance,
        "valence": emotion.valence if emotion else None,
        "arousal": emotion.arousal if emotion else None,
        "emotion": emotion.label if emotion else None,
        "identity": item.identity,
        "mentions": item.mentions,
        "last_reinforced_at": item.last_reinforced_at,
        "valid_to": item.valid_to,
        "superseded_by": item.superseded_by,
        "expires_at": item.expires_at,
        "archived_at": item.archived_at,
        "archived_because": item.archived_because,
        "metadata": item.metadata,
        "version": item.version,
        "updated_at": item.updated_at,
    }


def source_values(item: Item) -> list[dict[str, Any]]:
    """Return the rows of an item's sources, in order."""
    owner = partition_values(item.scope)
    return [
        {
            **owner,
            "item_id": item.id,
            "position": position,
            "resource_id": source.resource_id,
            "ordinal": source.ordinal,
            "start": source.start,
            "end": source.end,
            "said_at": source.said_at,
            "session": source.session,
            "metadata": source.metadata,
            "own": source.own,
        }
        for position, source in enumerate(item.sources)
    ]


def item_of(row: RowMapping, found: Sequence[Source] = ()) -> Item:
    """Return the item of a row, given its sources."""
    return Item(
        id=row["id"],
        scope=scope_of(row),
        type=row["type"],
        text=row["text"],
        speaker=row["speaker"],
        said_at=row["said_at"],
        happened=_span_of(row),
        entities=tuple(row["entities"]),
        relations=_relations_of(row),
        attribution=row["attribution"],
        importance=row["importance"],
        emotion=_emotion_of(row),
        sources=tuple(found),
        metadata=row["metadata"],
        identity=row["identity"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        mentions=row["mentions"],
        last_reinforced_at=row["last_reinforced_at"],
        access_count=row["access_count"],
        last_accessed_at=row["last_accessed_at"],
        valid_to=row["valid_to"],
        superseded_by=row["superseded_by"],
        expires_at=row["expires_at"],
        archived_at=row["archived_at"],
        archived_because=row["archived_because"],
        version=row["version"],
    )


def _span_of(row: RowMapping) -> TimeSpan | None:
    if row["happened_at"] is None:
        return None
    return TimeSpan(
        start=row["happened_at"],
        until=row["happened_until"],
        precision=row["precision"],
        words=row["happened_words"],
    )


def _relations_of(row: RowMapping) -> tuple[RelationDraft, ...]:
    return tuple(
        RelationDraft(
            subject=one[0],
            predicate=one[1],
            object=one[2],
            confidence=one[3],
            denied=bool(one[4]),
            single=bool(one[5]),
        )
        for one in row["relations"] or ()
    )


def _relation_values(one: RelationDraft) -> list[Any]:
    return [one.subject, one.predicate, one.object, one.confidence, int(one.denied), int(one.single)]


def _emotion_of(row: RowMapping) -> Emotion | None:
    if row["valence"] is None:
        return None
    return Emotion(valence=row["valence"], arousal=row["arousal"], label=row["emotion"])


def _source_of(row: RowMapping) -> Source:
    return Source(
        resource_id=row["resource_id"],
        ordinal=row["ordinal"],
        start=row["start"],
        end=row["end"],
        said_at=row["said_at"],
        session=row["session"],
        metadata=row["metadata"],
        own=row["own"],
    )


def fetch_items(
    connection: Connection, scope: Scope, statement: Select[Any], values: Mapping[str, Any] | None = None
) -> list[Item]:
    """Run a select of items and complete them with their sources; the order is kept.

    Args:
        connection: inside a transaction.
        scope: whose.
        statement: of whole rows.
        values: of its bound parameters.
    """
    rows = connection.execute(statement, values).mappings().all()
    found = sources_of(connection, scope, [row["id"] for row in rows])
    return [item_of(row, found.get(row["id"], ())) for row in rows]


def load_items(
    connection: Connection, scope: Scope, ids: Iterable[str], *, attributes: bool = True, lock: bool = False
) -> dict[str, Item]:
    """Return items of a scope by id.

    Args:
        connection: inside a transaction.
        scope: whose.
        ids: of the items; those that are not there are left out.
        attributes: false takes the whole partition.
        lock: keep others from changing them until the transaction ends.
    """
    found: dict[str, Item] = {}
    for part in chunks(list(dict.fromkeys(ids))):
        statement = _some_items(scope, attributes)
        statement = statement.with_for_update() if lock else statement
        found.update((item.id, item) for item in fetch_items(connection, scope, statement, {IDS: part}))
    return found


def sources_of(connection: Connection, scope: Scope, ids: Sequence[str]) -> Mapping[str, list[Source]]:
    """Return the sources of items, by item, in order."""
    found: defaultdict[str, list[Source]] = defaultdict(list)
    for part in chunks(ids):
        for row in connection.execute(_sources_of_some(scope), {IDS: part}).mappings():
            found[row["item_id"]].append(_source_of(row))
    return found


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _some_items(scope: Scope, attributes: bool) -> Select[Any]:
    """Return the select of the items `:ids`; to put it together takes as long as to run it."""
    return select(items).where(within(items, scope, attributes=attributes), items.c.id.in_(SOME))


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _sources_of_some(scope: Scope) -> Select[Any]:
    """Return the select of the sources of the items `:ids`, in order."""
    of_them = select(sources).where(within(sources, scope), sources.c.item_id.in_(SOME))
    return of_them.order_by(sources.c.item_id, sources.c.position)


def logged_item(item: Item) -> dict[str, Any]:
    """Return an item as plain data for the change log."""
    return record_fields(item, leave_out=UNLOGGED)
