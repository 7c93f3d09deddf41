"""Links: written, removed and read; and the categories that they make stale."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, delete, not_, select, update

from memu_py.errors import InvalidInput, MemuError, NotFound
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.page import Direction
from memu_py.records.scope import Scope
from memu_py.storage import change_log
from memu_py.storage.bulk import insert_rows
from memu_py.storage.change_log import Entry
from memu_py.storage.item_rows import live
from memu_py.storage.plain import clean_text, finite, plain, to_micros
from memu_py.storage.schema import categories, items, links
from memu_py.storage.scoping import beside, partition_values, scope_of, within
from memu_py.storage.unit import Unit, chunks

Key = tuple[str, str, str]


def key_of(link: Link) -> Key:
    """Return what a link is unique by."""
    return link.source_id, link.target_id, link.kind


def link_id(link: Link) -> str:
    """Return the id that the change log knows a link by."""
    return f"{link.source_id}>{link.target_id}:{link.kind}"


def _link_of(row: RowMapping) -> Link:
    return Link(
        source_id=row["source_id"],
        target_id=row["target_id"],
        kind=row["kind"],
        score=row["score"],
        created_at=row["created_at"],
    )


def storable_links(given: Iterable[Link], unit: Unit) -> list[Link]:
    """Return links as they will be read again, each once: of equal ones the last.

    Raises:
        InvalidInput: a score is not finite, or an item is linked to itself.
    """
    found: dict[Key, Link] = {}
    for link in given:
        finite(link.score, where="score")
        if link.source_id == link.target_id:
            msg = f"item {link.source_id} cannot be linked to itself"
            raise InvalidInput(msg)
        created_at = link.created_at or unit.now
        to_micros(created_at, where="created_at")
        clean = link.evolve(kind=clean_text(link.kind), created_at=created_at)
        found[key_of(clean)] = clean
    return list(found.values())


def link_records(unit: Unit, given: Sequence[Link]) -> None:
    """Add links between records of the scope; see `Store.link`."""
    add_links(unit, storable_links(given, unit), missing=NotFound, attributes=True)


def add_links(unit: Unit, given: Sequence[Link], *, missing: type[MemuError], attributes: bool) -> None:
    """Write links; one that exists gets the new score. Categories become stale.

    Args:
        unit: the transaction.
        given: storable links.
        missing: the error to raise when an end is not there.
        attributes: whether items must lie in the whole scope, or only in its partition.

    Raises:
        MemuError: of the class `missing`.
    """
    owners = _require_ends(unit, given, missing=missing, attributes=attributes)
    known = load_links(unit.connection, unit.scope, given)
    fresh = [link for link in given if key_of(link) not in known]
    rescored = [link for link in given if key_of(link) in known and known[key_of(link)].score != link.score]
    insert_rows(unit.connection, links, (_values(unit.scope, link) for link in fresh))
    for link in rescored:
        statement = update(links).where(_is(unit.scope, link)).values(score=link.score)
        unit.connection.execute(statement)
    entries = [_entry(owners[link.source_id], link, "create") for link in fresh]
    for link in rescored:
        scores = {"score": known[key_of(link)].score}, {"score": link.score}
        entries += change_log.updated(owners[link.source_id], "link", link_id(link), *scores)
    change_log.append(unit, entries)
    mark_stale(unit, [link.target_id for link in (*fresh, *rescored) if link.kind == IN_CATEGORY])


def _entry(scope: Scope, link: Link, op: Any, *, before: dict[str, Any] | None = None) -> Entry:
    return Entry(scope=scope, kind="link", record_id=link_id(link), op=op, before=before)


def _values(scope: Scope, link: Link) -> dict[str, Any]:
    return {
        **partition_values(scope),
        "source_id": link.source_id,
        "target_id": link.target_id,
        "kind": link.kind,
        "score": link.score,
        "told": False,
        "created_at": link.created_at,
    }


def _is(scope: Scope, link: Link) -> Any:
    return and_(
        within(links, scope),
        links.c.source_id == link.source_id,
        links.c.target_id == link.target_id,
        links.c.kind == link.kind,
    )


def load_links(connection: Connection, scope: Scope, given: Sequence[Link]) -> dict[Key, Link]:
    """Return those of these links that are there, as they are."""
    wanted = {key_of(link) for link in given}
    found: dict[Key, Link] = {}
    for part in chunks(list({link.source_id for link in given})):
        statement = select(links).where(within(links, scope), links.c.source_id.in_(part))
        rows = map(_link_of, connection.execute(statement).mappings())
        found.update((key_of(link), link) for link in rows if key_of(link) in wanted)
    return found


def _require_ends(
    unit: Unit, given: Sequence[Link], *, missing: type[MemuError], attributes: bool
) -> dict[str, Scope]:
    targets = {link.target_id for link in given if link.kind == IN_CATEGORY}
    ends = {link.source_id for link in given}
    ends |= {link.target_id for link in given if link.kind != IN_CATEGORY}
    owners = item_scopes(unit.connection, unit.scope, ends, attributes=attributes)
    known = existing_categories(unit.connection, unit.scope, targets)
    lost = [f"item {end}" for end in sorted(ends - owners.keys())]
    lost += [f"category {end}" for end in sorted(targets - known)]
    if lost:
        msg = f"a link needs both its ends; not there: {', '.join(lost)}"
        raise missing(msg)
    return owners


def item_scopes(
    connection: Connection, scope: Scope, ids: Iterable[str], *, attributes: bool
) -> dict[str, Scope]:
    """Return the scopes of those of these items that exist, by id."""
    found: dict[str, Scope] = {}
    columns = (items.c.id, items.c.partition, items.c.agent, items.c.session, items.c.custom)
    for part in chunks(sorted(set(ids))):
        statement = select(*columns).where(within(items, scope, attributes=attributes), items.c.id.in_(part))
        rows = connection.execute(statement).mappings()
        found.update((row["id"], scope_of(row)) for row in rows)
    return found


def existing_categories(connection: Connection, scope: Scope, ids: Iterable[str]) -> set[str]:
    """Return those of these ids that are categories of the partition."""
    found: set[str] = set()
    for part in chunks(sorted(set(ids))):
        statement = select(categories.c.id).where(within(categories, scope), categories.c.id.in_(part))
        found.update(connection.scalars(statement))
    return found


def remove_links(unit: Unit, given: Sequence[Link]) -> int:
    """Remove links between records of the scope; returns how many there were. Categories become stale."""
    owners = item_scopes(unit.connection, unit.scope, {link.source_id for link in given}, attributes=True)
    known = load_links(unit.connection, unit.scope, [link for link in given if link.source_id in owners])
    for link in known.values():
        unit.connection.execute(delete(links).where(_is(unit.scope, link)))
    change_log.append(
        unit,
        [_deleted(owners[link.source_id], link) for link in known.values()],
    )
    mark_stale(unit, [link.target_id for link in known.values() if link.kind == IN_CATEGORY])
    return len(known)


def read_links(
    connection: Connection, scope: Scope, ids: Sequence[str], *, kind: str | None, direction: Direction
) -> list[Link]:
    """Return links from or to records; with attributes in the scope, both ends must lie in it."""
    near = links.c.source_id if direction == "out" else links.c.target_id
    found: list[Link] = []
    for part in chunks(list(dict.fromkeys(ids))):
        statement = select(links).where(within(links, scope), near.in_(part))
        statement = statement if kind is None else statement.where(links.c.kind == kind)
        ordered = statement.order_by(links.c.source_id, links.c.target_id, links.c.kind)
        found += map(_link_of, connection.execute(ordered).mappings())
    return _visible(connection, scope, found) if scope.attributes else found


def _visible(connection: Connection, scope: Scope, found: Sequence[Link]) -> list[Link]:
    ends = {link.source_id for link in found}
    ends |= {link.target_id for link in found if link.kind != IN_CATEGORY}
    seen = item_scopes(connection, scope, ends, attributes=True)
    return [
        link
        for link in found
        if link.source_id in seen and (link.kind == IN_CATEGORY or link.target_id in seen)
    ]


def drop_links_of(unit: Unit, ids: Sequence[str], *, logged: bool = True) -> None:
    """Remove all links from and to records that are being deleted.

    Args:
        unit: the transaction.
        ids: of the records.
        logged: have the log tell of them, so that they can come back.
    """
    for part in chunks(ids):
        # One after the other: an OR over both would read the whole partition.
        for end in (links.c.source_id, links.c.target_id):
            mine = within(links, unit.scope), end.in_(part)
            if logged:
                _log_dropped(
                    unit, list(map(_link_of, unit.connection.execute(select(links).where(*mine)).mappings()))
                )
            unit.connection.execute(delete(links).where(*mine))


def _log_dropped(unit: Unit, dropped: Sequence[Link]) -> None:
    ids = {link.source_id for link in dropped}
    owners = item_scopes(unit.connection, unit.scope, ids, attributes=False)
    change_log.append(unit, [_deleted(owners[link.source_id], link) for link in dropped])


def _deleted(scope: Scope, link: Link) -> Entry:
    return _entry(
        scope, link, "delete", before={"score": link.score, "created_at": plain(link.created_at, where="")}
    )


def categories_of(connection: Connection, scope: Scope, item_ids: Sequence[str]) -> set[str]:
    """Return the categories that these items are linked to."""
    found: set[str] = set()
    for part in chunks(item_ids):
        statement = (
            select(links.c.target_id)
            .where(within(links, scope), links.c.source_id.in_(part), links.c.kind == IN_CATEGORY)
            .distinct()
        )
        found.update(connection.scalars(statement))
    return found


def mark_stale(unit: Unit, category_ids: Iterable[str], **also: Any) -> None:
    """Mark categories stale; their version grows, so that no summary made before can be written.

    Args:
        unit: the transaction.
        category_ids: of the partition.
        **also: further columns to set.
    """
    for part in chunks(sorted(set(category_ids))):
        statement = (
            update(categories)
            .where(within(categories, unit.scope), categories.c.id.in_(part))
            .values(stale=True, version=categories.c.version + 1, **also)
        )
        unit.connection.execute(statement)


def mark_untold(unit: Unit, item_ids: Sequence[str]) -> None:
    """Note that the summaries of their categories do not tell of items as they are now."""
    for part in chunks(item_ids):
        mine = and_(within(links, unit.scope), links.c.kind == IN_CATEGORY, links.c.source_id.in_(part))
        unit.connection.execute(update(links).where(mine).values(told=False))


def mark_told(unit: Unit, category_id: str, told: Mapping[str, int] | None) -> bool:
    """Note of which items the summary of a category tells; None for one that was drawn from all, and notes nothing.

    Args:
        unit: the transaction.
        category_id: the category.
        told: versions by item: one that changed since it was read is still to be told of.

    Returns:
        Whether it stands for all that hold.
    """
    members = and_(within(links, unit.scope), links.c.kind == IN_CATEGORY, links.c.target_id == category_id)
    if told is None:
        unit.connection.execute(update(links).where(members, links.c.told).values(told=False))
        return True
    scopeless = select(items.c.id, items.c.version).where(within(items, unit.scope, attributes=False))
    for part in chunks(list(told)):
        found = unit.connection.execute(scopeless.where(items.c.id.in_(part)))
        same = [item_id for item_id, version in found if version == told[item_id]]
        unit.connection.execute(update(links).where(members, links.c.source_id.in_(same)).values(told=True))
    holding = and_(beside(items, links), items.c.id == links.c.source_id, live())
    rest = select(links.c.source_id).join(items, holding).where(members, not_(links.c.told)).limit(1)
    return unit.connection.scalar(rest) is None
