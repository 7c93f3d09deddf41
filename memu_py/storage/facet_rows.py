"""Claims of items as rows, and what they are read from."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, case, delete, func, insert, or_, select

from memu_py.records.facet import FacetClaim, FacetMark, HeldClaim, Uttered
from memu_py.records.scope import Scope
from memu_py.storage.bulk import insert_rows
from memu_py.storage.own_words import is_name, is_own, speakers, whole
from memu_py.storage.plain import clean_text
from memu_py.storage.schema import items, resources, segments, sources
from memu_py.storage.schema_facets import facet_marks, facets
from memu_py.storage.scoping import beside, partition_values, within
from memu_py.storage.unit import Unit, chunks

STATED = "profile_facet"
"""The key of an item's metadata under which facets stand that were set by hand."""
MOST_TIMES = 20
"""How often an item that was said again and again counts: the first time, and the newest ones."""


def mark(connection: Connection, scope: Scope) -> FacetMark | None:
    """Return how far claims were read; see `Facets.mark`."""
    row = connection.execute(select(facet_marks).where(within(facet_marks, scope))).mappings().first()
    return None if row is None else FacetMark(seq=row["seq"], rules=row["rules"])


def uttered(connection: Connection, scope: Scope, ids: Sequence[str] | None) -> list[Uttered]:
    """Return what claims are read from; see `Facets.uttered`."""
    found: list[Uttered] = []
    for condition in [None] if ids is None else [items.c.id.in_(part) for part in chunks(ids)]:
        found += _uttered_where(connection, scope, condition)
    return sorted(found, key=lambda one: one.item_id)


def _uttered_where(
    connection: Connection, scope: Scope, condition: ColumnElement[bool] | None
) -> list[Uttered]:
    wanted = within(items, scope, attributes=False)
    wanted = wanted if condition is None else and_(wanted, condition)
    said = _said(connection, scope, wanted)
    columns = (
        items.c.id,
        items.c.text,
        items.c.speaker,
        items.c.metadata,
        items.c.happened_at,
        items.c.said_at,
        items.c.created_at,
        items.c.last_reinforced_at,
    )
    return [
        _one_uttered(row, said, scope)
        for row in connection.execute(select(*columns).where(wanted)).mappings()
    ]


def _said(connection: Connection, scope: Scope, wanted: ColumnElement[bool]) -> dict[str, list[datetime]]:
    """Return when items were said by the person himself, by item; those that were found nowhere are not in it."""
    same = and_(beside(sources, items), sources.c.item_id == items.c.id)
    segment = and_(
        beside(segments, sources),
        segments.c.resource_id == sources.c.resource_id,
        segments.c.ordinal == sources.c.ordinal,
    )
    resource = and_(beside(resources, sources), resources.c.id == sources.c.resource_id)
    found_in = select(sources.c.resource_id).select_from(items).join(sources, same).where(wanted)
    named = speakers(connection, scope, found_in)
    statement = (
        select(
            sources.c.item_id,
            func.coalesce(sources.c.said_at, resources.c.created_at, type_=sources.c.said_at.type).label(
                "at"
            ),
            sources.c.own,
            segments.c.ordinal.is_not(None).label("there"),
            segments.c.role,
            segments.c.speaker,
            resources.c.id.label("resource_id"),
            whole().label("whole"),
        )
        .select_from(items)
        .join(sources, same)
        .join(resources, resource)
        .outerjoin(segments, segment)
        .where(wanted)
    )
    found: dict[str, list[datetime]] = defaultdict(list)
    for row in connection.execute(statement).mappings():
        own = is_own(row, named, scope) if row["there"] else row["own"]
        # Somebody else's words make an entry too: only an item that was found nowhere was stored by hand.
        found[row["item_id"]] += [row["at"]] if own else []
    return found


def _one_uttered(row: RowMapping, said: dict[str, list[datetime]], scope: Scope) -> Uttered:
    heard = said.get(row["id"])
    if heard is not None:
        times = sorted(set(heard))
    elif row["speaker"] is None or is_name(row["speaker"], scope):
        first = row["said_at"] or row["created_at"]
        times = sorted({first, max(first, row["last_reinforced_at"] or first)})
    else:
        times = []
    stated = row["metadata"].get(STATED)
    return Uttered(
        item_id=row["id"],
        text=row["text"],
        times=(*times[:1], *times[1:][-MOST_TIMES:]),
        happened=row["happened_at"],
        speaker=row["speaker"],
        stated=stated if isinstance(stated, dict) else None,
    )


def keep(
    unit: Unit,
    claims: Sequence[FacetClaim],
    ids: Sequence[str] | None,
    new: FacetMark,
    over: FacetMark | None,
) -> bool:
    """Replace claims; see `Facets.keep`."""
    if mark(unit.connection, unit.scope) != over:
        return False
    mine = within(facets, unit.scope)
    conditions = [mine] if ids is None else [and_(mine, facets.c.item_id.in_(part)) for part in chunks(ids)]
    for condition in conditions:
        unit.connection.execute(delete(facets).where(condition))
    there = _there(unit, {claim.item_id for claim in claims})
    insert_rows(unit.connection, facets, _rows(unit, [one for one in claims if one.item_id in there]))
    unit.connection.execute(delete(facet_marks).where(within(facet_marks, unit.scope)))
    values = {**partition_values(unit.scope), "seq": new.seq, "rules": new.rules}
    unit.connection.execute(insert(facet_marks).values(values))
    return True


def _there(unit: Unit, ids: set[str]) -> set[str]:
    found: set[str] = set()
    for part in chunks(sorted(ids)):
        statement = select(items.c.id).where(
            within(items, unit.scope, attributes=False), items.c.id.in_(part)
        )
        found.update(unit.connection.scalars(statement))
    return found


def _rows(unit: Unit, claims: Sequence[FacetClaim]) -> list[dict[str, Any]]:
    places: dict[str, int] = defaultdict(int)
    rows = []
    for one in claims:
        row = {
            **partition_values(unit.scope),
            "item_id": one.item_id,
            "place": places[one.item_id],
            "facet": one.facet,
            "topic": clean_text(one.topic),
            "value": clean_text(one.value),
            "key": clean_text(one.key),
            "ends": one.ends,
            "at": one.at,
            "confidence": one.confidence,
        }
        places[one.item_id] += 1
        rows.append(row)
    return rows


def held(connection: Connection, scope: Scope, facet: str | None) -> list[HeldClaim]:
    """Return the claims of a scope; see `Facets.held`."""
    ended = case(
        (
            or_(items.c.valid_to.is_not(None), items.c.superseded_by.is_not(None)),
            func.coalesce(items.c.valid_to, items.c.updated_at, type_=items.c.valid_to.type),
        ),
        else_=None,
    )
    statement = (
        select(facets, ended.label("ended_at"))
        .join(items, and_(beside(items, facets), items.c.id == facets.c.item_id))
        .where(within(facets, scope), within(items, scope))
        .order_by(facets.c.at, facets.c.item_id, facets.c.place)
    )
    if facet is not None:
        statement = statement.where(facets.c.facet == facet)
    return [_held(row) for row in connection.execute(statement).mappings()]


def _held(row: RowMapping) -> HeldClaim:
    names = ("item_id", "facet", "topic", "value", "key", "ends", "at", "confidence")
    return HeldClaim(claim=FacetClaim(**{name: row[name] for name in names}), ended_at=row["ended_at"])
