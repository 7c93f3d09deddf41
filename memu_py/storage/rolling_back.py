"""Memory put back to as it was at a position of the log, as changes like any others.

Resources, their segments and originals stay: they are what came in. Their titles, addresses and metadata go back.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from memu_py.errors import Conflict
from memu_py.records.batch import StoredItem, Vector
from memu_py.records.item import Item, Source
from memu_py.records.rollback import Moment, Rollback, Undo
from memu_py.records.scope import Scope
from memu_py.storage import change_log
from memu_py.storage.category_undoing import category_undos, put_back_categories, remove_new_categories
from memu_py.storage.deletion import remove_items
from memu_py.storage.entity_writes import keep_entities, relink_items, storable_names
from memu_py.storage.item_rows import load_items, logged_item
from memu_py.storage.item_writes import (
    check_dimensions,
    insert_items,
    replace_vectors,
    storable,
    update_items,
)
from memu_py.storage.link_rows import categories_of, mark_stale, mark_untold
from memu_py.storage.link_undoing import link_undos, put_back_links
from memu_py.storage.realignment import NOWHERE
from memu_py.storage.resource_rows import load_resources
from memu_py.storage.resource_undoing import lost_resources, put_back_resources, resource_undos
from memu_py.storage.schema import items, segments
from memu_py.storage.scoping import within
from memu_py.storage.undoing import Undone, items_then, position, undone
from memu_py.storage.unit import Unit, chunks


class Plan(NamedTuple):
    """What a rollback does to items.

    Attributes:
        gone: ids of those that were not there then.
        changed: those that are there, as they are and as they were.
        back: those that are not there any more, as they were.
    """

    gone: Sequence[str]
    changed: Sequence[tuple[Item, Item]]
    back: Sequence[Item]


def rehearse(connection: Connection, scope: Scope, to: Moment) -> tuple[Rollback, list[Item]]:
    """Return what would be done; see `Past.rehearse`."""
    seq = position(connection, scope, to)
    last = change_log.last_seq(connection, scope)
    found = undone(connection, scope, seq)
    plan = _plan(connection, scope, found)
    done = Rollback(
        to_seq=seq,
        from_seq=last,
        seq=last,
        undone=_told(connection, scope, found, plan),
        lost=lost_resources(found),
        dry_run=True,
    )
    return done, _wanted(plan)


def _wanted(plan: Plan) -> list[Item]:
    """Return the items whose vectors a rollback needs."""
    reworded = [after for before, after in plan.changed if _needs_vector(before, after)]
    return [*plan.back, *reworded]


def _needs_vector(before: Item, after: Item) -> bool:
    return (before.text, before.speaker) != (after.text, after.speaker)


def _plan(connection: Connection, scope: Scope, found: Undone) -> Plan:
    then = items_then(connection, scope, found)
    now = load_items(connection, scope, then, attributes=False)
    places = _Places(connection, scope, found, [item for item in then.values() if item])
    changed, back = [], []
    for item_id, item in then.items():
        if item is None:
            continue
        known = now.get(item_id)
        sourced = item.evolve(sources=places.of(item, known))
        if known is None:
            back.append(sourced.evolve(version=found["item", item_id].changes + 1))
        elif logged_item(sourced) != logged_item(known):
            changed.append((known, sourced))
    gone = [item_id for item_id, item in then.items() if item is None and item_id in now]
    return Plan(gone=gone, changed=changed, back=back)


class _Places:
    """Where items were found, in resources that may have changed since."""

    def __init__(self, connection: Connection, scope: Scope, found: Undone, then: Iterable[Item]) -> None:
        named = {source.resource_id for item in then for source in item.sources}
        self._resources = load_resources(connection, scope, sorted(named), attributes=False)
        edited = {
            one.record_id for one in found.values() if one.kind == "resource" and "content_hash" in one.fields
        }
        self._edited = edited & self._resources.keys()
        self._ends = {one: _ordinals(connection, scope, one) for one in self._edited}

    def of(self, item: Item, known: Item | None) -> tuple[Source, ...]:
        """Return the places of an item then, as far as they are still there.

        Args:
            item: as it was then.
            known: as it is now, if it is there.
        """
        there = known.sources if known else ()
        placed = (self._place(source, there) for source in item.sources)
        # Two places may have become one.
        return tuple({_span(one): one for one in placed if one is not None}.values())

    def _place(self, source: Source, there: Sequence[Source]) -> Source | None:
        if source.resource_id not in self._resources:
            return None
        # Whose words it was is known only by the place of now when the segment has gone since.
        own = next((one.own for one in there if _span(one) == _span(source)), source.own)
        source = source.evolve(own=own)
        if source.resource_id not in self._edited or source in there:
            return source
        moved = [one for one in there if one.resource_id == source.resource_id]
        if moved:
            return moved[0]
        grown = self._resources[source.resource_id].modality == "conversation"
        return source if grown and source.ordinal in self._ends[source.resource_id] else _nowhere(source)


def _nowhere(source: Source) -> Source:
    return source.evolve(ordinal=NOWHERE)


def _span(source: Source) -> tuple[str, int, int, int]:
    return source.resource_id, source.ordinal, source.start, source.end


def _ordinals(connection: Connection, scope: Scope, resource_id: str) -> set[int]:
    mine = within(segments, scope), segments.c.resource_id == resource_id
    return set(connection.scalars(select(segments.c.ordinal).where(*mine)))


def _told(connection: Connection, scope: Scope, found: Undone, plan: Plan) -> tuple[Undo, ...]:
    now = load_items(connection, scope, plan.gone, attributes=False)
    told = [Undo(kind="item", record_id=one, op="delete", text=now[one].text) for one in plan.gone]
    told += [Undo(kind="item", record_id=item.id, op="create", text=item.text) for item in plan.back]
    told += [_changed(before, after) for before, after in plan.changed]
    told += category_undos(connection, scope, found)
    told += resource_undos(connection, scope, found)
    told += link_undos(connection, scope, found)
    return tuple(told)


def _changed(before: Item, after: Item) -> Undo:
    old, new = logged_item(before), logged_item(after)
    fields = tuple(name for name, value in new.items() if old[name] != value and name != "identity")
    return Undo(kind="item", record_id=after.id, op="update", text=after.text, fields=fields)


def rollback(unit: Unit, to: int, stored: Mapping[str, StoredItem], names: Mapping[str, Vector]) -> Rollback:
    """Put memory back; see `Past.rollback`."""
    rehearsed, wanted = rehearse(unit.connection, unit.scope, to)
    _check(wanted, stored)
    named = storable_names(names)
    check_dimensions(unit.connection, [*(one.vector for one in stored.values()), *named.values()])
    found = undone(unit.connection, unit.scope, to)
    # First what was not there: it may bear a name, or say a thing, that what comes back is to have.
    remove_new_categories(unit, found)
    new = _plan(unit.connection, unit.scope, found).gone
    remove_items(unit, load_items(unit.connection, unit.scope, new, attributes=False))
    put_back_resources(unit, found)
    _put_back_items(unit, _plan(unit.connection, unit.scope, found), stored, named)
    put_back_categories(unit, found)
    put_back_links(unit, found)
    return rehearsed.evolve(seq=change_log.last_seq(unit.connection, unit.scope), dry_run=False)


def _check(wanted: Sequence[Item], stored: Mapping[str, StoredItem]) -> None:
    """Check that vectors are there, of the texts that come back.

    Raises:
        Conflict: somebody changed something since.
    """
    for item in wanted:
        known = stored.get(item.id)
        if known is None or _needs_vector(known.item, item):
            msg = f"item {item.id} changed since the rollback was prepared; prepare it again"
            raise Conflict(msg)


def _put_back_items(
    unit: Unit, plan: Plan, stored: Mapping[str, StoredItem], names: Mapping[str, Vector]
) -> None:
    pairs = [(now, _next(unit, now, then)) for now, then in plan.changed]
    _free_identities(unit, [now for now, then in pairs if now.identity != then.identity])
    update_items(unit, pairs)
    reworded = [then for now, then in pairs if _needs_vector(now, then)]
    replace_vectors(unit, [_stored(unit, then, stored) for then in reworded])
    back = [_next(unit, item, item) for item in plan.back]
    insert_items(unit, [_stored(unit, item, stored) for item in back])
    keep_entities(unit, back, names)
    relink_items(unit, pairs, names)
    mark_stale(unit, categories_of(unit.connection, unit.scope, [then.id for _, then in pairs]))
    mark_untold(unit, [then.id for then in reworded])


def _next(unit: Unit, now: Item, then: Item) -> Item:
    return then.evolve(version=now.version + 1, updated_at=unit.now)


def _stored(unit: Unit, item: Item, given: Mapping[str, StoredItem]) -> StoredItem:
    return storable(given[item.id].evolve(item=item), unit.scope)


def _free_identities(unit: Unit, given: Sequence[Item]) -> None:
    """Let go of what items are unique by: one may get what another still has."""
    for part in chunks([item.id for item in given]):
        mine = within(items, unit.scope, attributes=False), items.c.id.in_(part)
        unit.connection.execute(update(items).where(*mine).values(identity="~" + items.c.id))
