"""Items as they were known at a moment."""

import heapq
from collections.abc import Iterator, Mapping
from datetime import datetime

from memu_py.errors import InvalidInput
from memu_py.records.item import Item
from memu_py.records.page import MAX_PAGE, Page, Query
from memu_py.records.scope import Scope
from memu_py.storage.store import Store

BY_ID = "id"


async def item_then(store: Store, scope: Scope, item_id: str, moment: datetime) -> Item | None:
    """Return an item as it was known at a moment; None where it was not."""
    then = await store.past.known(scope, moment, [item_id])
    if item_id in then:
        return then[item_id]
    return (await store.items.get(scope, [item_id])).get(item_id)


async def page_then(store: Store, scope: Scope, query: Query, moment: datetime) -> Page[Item]:
    """Return one page of items as they were known at a moment, in order of id.

    Raises:
        InvalidInput: it is to be filtered, or sorted by something else: the database knows fields of now only.
        HistoryGone: the history does not reach back to it.
    """
    if query.where or query.order != BY_ID:
        msg = "with `known_at`, a list is in order of id and whole: no `where`, no other `order`"
        raise InvalidInput(msg)
    then = await store.past.known(scope, moment)
    others = _beyond(then, query)
    found: list[Item] = []
    after = query.cursor
    while len(found) <= query.limit:
        page = await _now(store, scope, query, after)
        kept = [item for item in page.records if item.id not in then]
        end = page.records[-1].id if page.next_cursor else None
        found += heapq.merge(
            kept, _until(others, end, query), key=lambda item: item.id, reverse=query.descending
        )
        if end is None:
            break
        after = end
    shown = tuple(found[: query.limit])
    return Page(records=shown, next_cursor=shown[-1].id if len(found) > query.limit else None)


async def _now(store: Store, scope: Scope, query: Query, after: str | None) -> Page[Item]:
    side = "lt" if query.descending else "gt"
    where = None if after is None else {BY_ID: {side: after}}
    return await store.items.page(
        scope,
        Query(
            where=where, descending=query.descending, limit=MAX_PAGE, live=query.live, archived=query.archived
        ),
    )


def _beyond(then: Mapping[str, Item | None], query: Query) -> list[Item]:
    """Return what has changed since, as it was, that comes after the cursor; the last one first."""
    wanted = [item for item in then.values() if item is not None and _is_wanted(item, query)]
    ordered = sorted(wanted, key=lambda item: item.id, reverse=not query.descending)
    after = query.cursor
    return [item for item in ordered if after is None or _is_beyond(item.id, after, query)]


def _is_wanted(item: Item, query: Query) -> bool:
    return not (query.live and item.ended) and (query.archived or item.archived_at is None)


def _until(others: list[Item], end: str | None, query: Query) -> Iterator[Item]:
    while others and (end is None or not _is_beyond(others[-1].id, end, query)):
        yield others.pop()


def _is_beyond(item_id: str, place: str, query: Query) -> bool:
    return item_id < place if query.descending else item_id > place
