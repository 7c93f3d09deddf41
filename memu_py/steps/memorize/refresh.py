"""Bring the summaries of stale categories up to date."""

from collections.abc import Sequence

from memu_py.errors import Conflict, NotFound
from memu_py.records.category import Category
from memu_py.records.item import Item
from memu_py.records.page import MAX_PAGE, Page, Query
from memu_py.records.scope import Scope
from memu_py.steps.memorize.summary import says, summarize
from memu_py.steps.resources import MemoryResources

ATTEMPTS = 5
"""Tries when others change the same category; what is still stale then is caught up by the next memorize."""


async def stale_categories(scope: Scope, resources: MemoryResources) -> Page[Category]:
    """Return the categories of a partition whose summaries do not reflect all of their items."""
    return await resources.store.categories.page(scope.owner, Query(where={"stale": True}, limit=MAX_PAGE))


async def refresh(
    scope: Scope, category: Category, resources: MemoryResources, *, attempts: int = ATTEMPTS
) -> Category | None:
    """Summarise a category anew from its items, whoever wrote them.

    Returns:
        The category as it is now; None when it was deleted meanwhile.
    """
    store, owner = resources.store, scope.owner
    current: Category | None = category
    for _ in range(attempts):
        if current is None:
            return None
        items = await store.category_items(owner, current.id)
        text = summarize(items, max_chars=resources.settings.categories.summary_chars)
        try:
            return await store.summarize(owner, current, text)
        except (Conflict, NotFound):
            current = (await store.categories.get(owner, [current.id])).get(current.id)
    return current


async def unsay(scope: Scope, items: Sequence[Item], resources: MemoryResources) -> None:
    """Take what was deleted, ended or worded anew out of the summaries that say it; others wait for the next memorize.

    Args:
        scope: whose summaries.
        items: as they were.
        resources: what the call works with.
    """
    for category in await stale_categories(scope, resources) if items else ():
        if any(says(category.summary, item.text) for item in items):
            await refresh(scope, category, resources)
