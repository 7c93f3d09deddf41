"""Writing categories."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from memu_py.errors import Conflict, InvalidScope, NotFound
from memu_py.records.category import Category
from memu_py.records.cited import citations
from memu_py.storage import change_log
from memu_py.storage.category_rows import (
    category_of,
    category_values,
    load_categories,
    logged_category,
    name_key,
    select_categories,
    storable_category,
)
from memu_py.storage.change_log import Entry
from memu_py.storage.item_rows import live
from memu_py.storage.link_rows import mark_told
from memu_py.storage.plain import clean_text
from memu_py.storage.schema import categories, items
from memu_py.storage.scoping import within
from memu_py.storage.unit import Unit, chunks


def add_categories(unit: Unit, given: Sequence[Category]) -> list[Category]:
    """Store categories; see `Store.add_categories`."""
    for category in given:
        _require_partition(unit, category)
    keys = [name_key(category.name) for category in given]
    known = _by_name(unit, keys)
    fresh: dict[str, Category] = {}
    for key, category in zip(keys, given, strict=True):
        if key not in known and key not in fresh:
            fresh[key] = storable_category(unit.scope, category).evolve(item_count=0)
    insert_categories(unit, list(fresh.values()))
    stored = known | fresh
    return [stored[key] for key in keys]


def _require_partition(unit: Unit, category: Category) -> None:
    if category.scope.partition != unit.scope.partition:
        msg = f"category {category.id} lies outside the scope of the call"
        raise InvalidScope(msg)


def _by_name(unit: Unit, keys: Iterable[str]) -> dict[str, Category]:
    found: dict[str, Category] = {}
    for part in chunks(sorted(set(keys))):
        statement = select_categories().where(within(categories, unit.scope), categories.c.name_key.in_(part))
        for row in unit.connection.execute(statement).mappings():
            found[row["name_key"]] = category_of(row)
    return found


def insert_categories(unit: Unit, fresh: Sequence[Category]) -> None:
    """Write new categories, as they are.

    Raises:
        Conflict: one is there already.
    """
    if not fresh:
        return
    try:
        unit.connection.execute(insert(categories), [category_values(category) for category in fresh])
    except IntegrityError as error:
        msg = "a category with one of these ids is stored under another name"
        raise Conflict(msg) from error
    change_log.append(
        unit,
        [
            Entry(scope=category.scope, kind="category", record_id=category.id, op="create")
            for category in fresh
        ],
    )


def summarize(
    unit: Unit, category: Category, summary: str, told: Mapping[str, int] | None = None
) -> Category:
    """Set a summary and clear `stale` where it tells of all; see `Store.summarize`."""
    before = _require(unit, category, version=told is None)
    if told is not None and before.summary != category.summary:
        msg = f"category {category.id} has another summary by now; read again and retry"
        raise Conflict(msg)
    cited = set(citations(summary)) if told is not None else set()
    holding = _holding(unit, {*cited, *(told or ())})
    if told is not None and told.keys() - holding:
        msg = f"an item that the summary of category {category.id} tells of is gone; read again and retry"
        raise Conflict(msg)
    whole = mark_told(unit, before.id, told) and cited <= holding
    return write_category(unit, before, before.evolve(summary=clean_text(summary), stale=not whole))


def _holding(unit: Unit, ids: Iterable[str]) -> set[str]:
    """Return which of some items still hold."""
    mine = select(items.c.id).where(within(items, unit.scope, attributes=False), live())
    return {
        found
        for part in chunks(sorted(ids))
        for found in unit.connection.scalars(mine.where(items.c.id.in_(part)))
    }


def update_category(unit: Unit, category: Category) -> Category:
    """Write the changed fields of a category; see `Store.update_category`."""
    before = _require(unit, category)
    return write_category(unit, before, storable_category(unit.scope, category))


def _require(unit: Unit, category: Category, *, version: bool = True) -> Category:
    before = load_categories(unit.connection, unit.scope, [category.id]).get(category.id)
    if before is None:
        msg = f"no category {category.id} in this scope"
        raise NotFound(msg)
    if version and before.version != category.version:
        msg = (
            f"category {category.id} has version {before.version} by now, not {category.version};"
            " read again and retry"
        )
        raise Conflict(msg)
    return before


def write_category(unit: Unit, before: Category, after: Category) -> Category:
    """Write a changed category over what was read of it, with a version of one more, and log what differs.

    Raises:
        Conflict: its new name is taken.
    """
    stored = after.evolve(
        version=before.version + 1,
        created_at=before.created_at,
        updated_at=after.updated_at if after.updated_at != before.updated_at else unit.now,
        item_count=before.item_count,
    )
    statement = (
        update(categories)
        .where(within(categories, unit.scope), categories.c.id == stored.id)
        .values(category_values(stored))
    )
    try:
        unit.connection.execute(statement)
    except IntegrityError as error:
        msg = f"there is another category with the name {stored.name}"
        raise Conflict(msg) from error
    entries = change_log.updated(
        stored.scope, "category", stored.id, logged_category(before), logged_category(stored)
    )
    change_log.append(unit, entries)
    return stored
