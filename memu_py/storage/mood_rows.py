"""Moods as rows: moved by what is written of items, read by day."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.dialects import postgresql, sqlite

from memu_py.records.entity import names_by_key
from memu_py.records.item import Emotion, Item
from memu_py.records.mood import MoodKey, Tally
from memu_py.records.scope import Scope
from memu_py.storage.item_rows import fetch_items, holding
from memu_py.storage.plain import clean_text, to_micros
from memu_py.storage.schema import entities, entity_links, items
from memu_py.storage.schema_moods import SUMS, moods
from memu_py.storage.scoping import beside, owner_of, partition_values, within
from memu_py.storage.unit import Unit, chunks

KEY = ("partition_hash", "day", "speaker", "part", "name")
MOST_AT_ONCE = 500
"""Rows of one statement: below every database's limit on bound values."""

FETCH = 1000
"""Rows that are taken from the database at once."""

Change = tuple[Item | None, Item | None]
"""An item as it was and as it is; None where it was not, or is no more."""


def parts_of(item: Item) -> dict[MoodKey, Tally]:
    """Return what an item adds to the moods: nothing if it has no feeling, holds no longer or was put away expired.

    One that faded still adds its part: what was felt was felt, whether recall still finds it or not.
    """
    away, expiry = item.archived_at, item.expires_at
    expired = away is not None and expiry is not None and expiry <= away
    if item.emotion is None or item.ended or expired:
        return {}
    return _parts(item.emotion, item.said_at or item.created_at, item.speaker, item.entities)


def counts() -> ColumnElement[bool]:
    """Return the condition that an item with a feeling adds its part."""
    away, expiry = items.c.archived_at, items.c.expires_at
    lasting = or_(away.is_(None), expiry.is_(None), expiry > away)
    return and_(items.c.valence.is_not(None), holding(), lasting)


def _parts(
    emotion: Emotion, at: datetime, said_by: str | None, entities: Sequence[str]
) -> dict[MoodKey, Tally]:
    tally = Tally.of(emotion)
    day, speaker = at.astimezone(UTC).date(), clean_text(said_by or "")
    keys = [MoodKey(day=day, speaker=speaker)]
    label = clean_text(emotion.label or "").strip().casefold()
    if label:
        keys.append(MoodKey(day=day, speaker=speaker, part="label", name=label))
    names = names_by_key([map(clean_text, entities)])
    keys += [MoodKey(day=day, speaker=speaker, part="entity", name=name) for name in names]
    return dict.fromkeys(keys, tally)


def move_moods(unit: Unit, changes: Iterable[Change]) -> None:
    """Take what items were out of the moods of their partition, and put what they are in."""
    moved: dict[MoodKey, Tally] = {}
    for before, after in changes:
        for item, sign in ((before, -1), (after, 1)):
            for key, tally in parts_of(item).items() if item is not None else ():
                moved[key] = moved.get(key, Tally()).plus(tally, sign)
    # In one order, so that two writers do not wait for each other.
    rows = [_values(unit.scope, key, moved[key]) for key in sorted(moved) if moved[key] != Tally()]
    for part in chunks(rows, MOST_AT_ONCE):
        _add(unit, part)
    if any(tally.count <= 0 for tally in moved.values()):
        gone = delete(moods).where(within(moods, unit.scope), moods.c["count"] == 0)
        unit.connection.execute(gone)


def _values(scope: Scope, key: MoodKey, tally: Tally) -> dict[str, object]:
    sums = {name: getattr(tally, name) for name in SUMS}
    return {
        **partition_values(scope),
        "day": key.day.isoformat(),
        "speaker": key.speaker,
        "part": key.part,
        "name": key.name,
        **sums,
    }


def _add(unit: Unit, rows: Iterable[Mapping[str, object]]) -> None:
    dialect = sqlite if unit.connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(moods).values(list(rows))
    grown = {name: moods.c[name] + statement.excluded[name] for name in SUMS}
    unit.connection.execute(statement.on_conflict_do_update(index_elements=KEY, set_=grown))


def mood_sums(
    connection: Connection, scope: Scope, first: date | None, last: date | None, speaker: str | None
) -> dict[MoodKey, Tally]:
    """Return the sums of some days; see `Moods.sums`."""
    if scope.attributes:
        return _sums_of(connection, _felt(scope, first, last, speaker))
    statement = select(moods).where(within(moods, scope))
    if first is not None:
        statement = statement.where(moods.c.day >= first.isoformat())
    if last is not None:
        statement = statement.where(moods.c.day <= last.isoformat())
    if speaker is not None:
        statement = statement.where(moods.c.speaker == clean_text(speaker))
    return {
        MoodKey(
            day=date.fromisoformat(row["day"]), speaker=row["speaker"], part=row["part"], name=row["name"]
        ): Tally(**{name: row[name] for name in SUMS})
        for row in connection.execute(statement).mappings()
    }


def _sums_of(connection: Connection, felt: ColumnElement[bool]) -> dict[MoodKey, Tally]:
    """Return the sums over items of which a condition is true; nothing else of them is read."""
    at = func.coalesce(items.c.said_at, items.c.created_at, type_=items.c.created_at.type).label("at")
    statement = select(
        at, items.c.speaker, items.c.entities, items.c.valence, items.c.arousal, items.c.emotion
    ).where(felt)
    sums: dict[MoodKey, Tally] = {}
    for row in connection.execute(statement, execution_options={"yield_per": FETCH}):
        emotion = Emotion(valence=row.valence, arousal=row.arousal, label=row.emotion)
        for key, tally in _parts(emotion, row.at, row.speaker, row.entities).items():
            sums[key] = sums.get(key, Tally()).plus(tally)
    return sums


def cited(
    connection: Connection,
    scope: Scope,
    first: date | None,
    last: date | None,
    speaker: str | None,
    entity: str | None,
    limit: int,
) -> list[Item]:
    """Return the items of the strongest feelings; see `Moods.cited`."""
    felt = _felt(scope, first, last, speaker)
    statement = select(items).where(felt if entity is None else and_(felt, _names(entity)))
    strongest = statement.order_by(func.abs(items.c.valence).desc(), items.c.id.desc()).limit(limit)
    return fetch_items(connection, scope, strongest)


def _felt(scope: Scope, first: date | None, last: date | None, speaker: str | None) -> ColumnElement[bool]:
    said = type_coerce(func.coalesce(items.c.said_at, items.c.created_at), BigInteger)
    wanted = [within(items, scope), counts()]
    wanted += [] if first is None else [said >= _start(first)]
    wanted += [] if last is None else [said < _start(last + timedelta(days=1))]
    wanted += [] if speaker is None else [func.coalesce(items.c.speaker, "") == clean_text(speaker)]
    return and_(*wanted)


def _start(day: date) -> int:
    return to_micros(datetime.combine(day, time(), UTC))


def _names(key: str) -> ColumnElement[bool]:
    named = and_(
        beside(entity_links, items),
        entity_links.c.item_id == items.c.id,
        entities.c.name_key == key,
    )
    return exists(
        select(entity_links.c.item_id)
        .join(entities, and_(beside(entities, entity_links), entities.c.id == entity_links.c.entity_id))
        .where(named)
    )


def faulty_moods(connection: Connection) -> Iterator[str]:
    """Yield a line for each partition whose moods are not those of its items; the whole database is read."""
    felt = select(items.c.partition).where(items.c.valence.is_not(None)).distinct()
    kept = select(moods.c.partition).distinct()
    for partition in sorted({*connection.scalars(felt), *connection.scalars(kept)}):
        scope = owner_of(partition)
        wanted = _sums_of(connection, _felt(scope, None, None, None))
        if mood_sums(connection, scope, None, None, None) != wanted:
            yield f"moods: the sums of partition {partition} are not those of its items"
