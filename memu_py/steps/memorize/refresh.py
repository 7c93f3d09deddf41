"""Summaries drawn from their items without a model, and what of a summary must go at once."""

from collections.abc import Awaitable, Callable, Sequence

from memu_py.errors import Conflict, NotFound
from memu_py.records.category import Category
from memu_py.records.cited import citations
from memu_py.records.item import Item
from memu_py.records.page import MAX_PAGE, Page, Query
from memu_py.records.scope import Scope
from memu_py.steps.memorize.patching import without_items
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
    store, chars = resources.store, resources.settings.categories.summary_chars

    async def write(current: Category) -> Category:
        items = await store.category_items(scope.owner, current.id)
        return await store.summarize(scope.owner, current, summarize(items, max_chars=chars))

    return await _swapped(scope, category, resources, write, attempts)


async def unsay(scope: Scope, items: Sequence[Item], resources: MemoryResources) -> None:
    """Take what was deleted, ended or worded anew out of the summaries that say it; others wait for the next memorize.

    Of a summary with citations the lines go that cite it. No model is asked.

    Args:
        scope: whose summaries.
        items: as they were.
        resources: what the call works with.
    """
    gone = {item.id for item in items}

    async def strike(current: Category) -> Category:
        left = without_items(current.summary, gone)
        return await resources.store.summarize(scope.owner, current, left, told={})

    for category in await stale_categories(scope, resources) if items else ():
        if gone & set(citations(category.summary)):
            await _swapped(scope, category, resources, strike, ATTEMPTS)
        elif any(says(category.summary, item.text) for item in items):
            await refresh(scope, category, resources)


async def _swapped(
    scope: Scope,
    category: Category,
    resources: MemoryResources,
    write: Callable[[Category], Awaitable[Category]],
    attempts: int,
) -> Category | None:
    """Write a category as often as somebody else was first, each time as it is by then."""
    current: Category | None = category
    for _ in range(attempts):
        if current is None:
            return None
        try:
            return await write(current)
        except (Conflict, NotFound):
            found = await resources.store.categories.get(scope.owner, [current.id])
            current = found.get(current.id)
    return current
