"""Categories as rows."""

import functools
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, RowMapping, ScalarSelect, Select, and_, func, select

from memu_py.records.category import Category
from memu_py.records.link import IN_CATEGORY
from memu_py.records.scope import Scope
from memu_py.storage.item_rows import live
from memu_py.storage.plain import clean_text, plain, record_fields
from memu_py.storage.schema import categories, items, links
from memu_py.storage.scoping import beside, owner_of, partition_values, within
from memu_py.storage.unit import chunks

UNLOGGED = frozenset({"id", "scope", "version", "updated_at", "item_count", "stale"})
"""`item_count` and `stale` follow from other rows, which are in the log themselves."""

_SAME = (
    "name",
    "description",
    "summary",
    "origin",
    "stale",
    "metadata",
    "version",
    "created_at",
    "updated_at",
)


def name_key(name: str) -> str:
    """Return what makes two names the same name."""
    return clean_text(name).casefold()


def item_count() -> ScalarSelect[int]:
    """Return the number of live items of a category, as a column of a select of categories."""
    counted = (
        select(func.count())
        .select_from(links)
        .join(items, and_(beside(items, links), items.c.id == links.c.source_id))
        .where(
            beside(links, categories),
            links.c.target_id == categories.c.id,
            links.c.kind == IN_CATEGORY,
            live(),
        )
    )
    return counted.correlate(categories).scalar_subquery()


@functools.cache
def select_categories() -> Select[Any]:
    """Return the select of categories with their number of items: put together once, which takes longer than a read."""
    return select(categories, item_count().label("item_count"))


def storable_category(scope: Scope, category: Category) -> Category:
    """Return a category as it will be read again: of the whole partition, with clean text.

    Raises:
        InvalidInput: it holds metadata that cannot be stored.
    """
    return category.evolve(
        scope=scope.owner,
        name=clean_text(category.name),
        description=clean_text(category.description),
        summary=clean_text(category.summary),
        metadata=plain(category.metadata, where="metadata"),
    )


def category_values(category: Category) -> dict[str, Any]:
    """Return the columns of a category's row."""
    return {
        **partition_values(category.scope),
        "id": category.id,
        "name_key": name_key(category.name),
        **{name: getattr(category, name) for name in _SAME},
    }


def category_of(row: RowMapping) -> Category:
    """Return the category of a row."""
    return Category(
        id=row["id"],
        scope=owner_of(row["partition"]),
        item_count=row["item_count"],
        **{name: row[name] for name in _SAME},
    )


def load_categories(connection: Connection, scope: Scope, ids: Iterable[str]) -> dict[str, Category]:
    """Return categories of a partition by id."""
    found: dict[str, Category] = {}
    for part in chunks(list(dict.fromkeys(ids))):
        statement = select_categories().where(within(categories, scope), categories.c.id.in_(part))
        rows = connection.execute(statement).mappings()
        found.update((row["id"], category_of(row)) for row in rows)
    return found


def logged_category(category: Category) -> dict[str, Any]:
    """Return a category as plain data for the change log."""
    return record_fields(category, leave_out=UNLOGGED)
