"""The categories of a partition, and categories as texts to embed."""

from datetime import datetime

from memu_py.records.category import Category
from memu_py.records.ids import new_id
from memu_py.records.page import MAX_PAGE, Query
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources


def describe(category: Category) -> str:
    """Return the text by which a category is embedded: its name and what belongs in it."""
    return f"{category.name}: {category.description}" if category.description else category.name


def new_category(scope: Scope, name: str, now: datetime, *, description: str = "") -> Category:
    """Return a category that was found in the data."""
    return Category(
        id=new_id(),
        scope=scope.owner,
        name=name,
        description=description,
        origin="auto",
        created_at=now,
        updated_at=now,
    )


async def partition_categories(scope: Scope, resources: MemoryResources, now: datetime) -> list[Category]:
    """Return the partition's categories; the configured ones are made at first use.

    Args:
        scope: whose.
        resources: what the run works with.
        now: when they are made, UTC.
    """
    store = resources.store
    page = await store.categories.page(scope.owner, Query(limit=MAX_PAGE))
    names = {category.name.casefold() for category in page}
    configured = resources.settings.categories.defaults
    missing = [topic for topic in configured if topic.name.casefold() not in names]
    if not missing or any(category.origin == "config" for category in page):
        return list(page)
    wanted = [
        new_category(scope, topic.name, now, description=topic.description).evolve(origin="config")
        for topic in missing
    ]
    return [*page, *await store.add_categories(scope.owner, wanted)]


def room_for_topics(resources: MemoryResources, there: int) -> int:
    """Return how many categories a model may add in one run to those that are there."""
    settings = resources.settings.categories
    return max(min(settings.new_per_run, settings.max_per_user - there), 0)
