"""When items were said, and in which categories they are."""

from collections import defaultdict

from sqlalchemy import Connection, and_, func, select

from memu_py.records.link import IN_CATEGORY
from memu_py.records.said import Said
from memu_py.records.scope import Scope
from memu_py.storage.item_rows import live
from memu_py.storage.schema import items, links, sources
from memu_py.storage.scoping import beside, within
from memu_py.storage.unit import chunks


def said(connection: Connection, scope: Scope, limit: int) -> list[Said]:
    """Return when live items were said; see `Foresight.said`."""
    # Under a name of its own: a scope with a session asks for sources, too.
    place = sources.alias("place")
    moment = func.coalesce(
        place.c.said_at, items.c.said_at, items.c.created_at, type_=items.c.created_at.type
    )
    statement = (
        select(items.c.id, moment.label("at"))
        .outerjoin(place, and_(beside(place, items), place.c.item_id == items.c.id))
        .where(within(items, scope), live())
        .order_by(moment.desc(), items.c.id, place.c.position)
        .limit(limit)
    )
    found = [(row.id, row.at) for row in connection.execute(statement)]
    topics = _topics(connection, scope, list(dict.fromkeys(item_id for item_id, _ in found)))
    return [Said(item_id=item_id, at=at, category_ids=tuple(topics[item_id])) for item_id, at in found]


def _topics(connection: Connection, scope: Scope, ids: list[str]) -> defaultdict[str, list[str]]:
    topics: defaultdict[str, list[str]] = defaultdict(list)
    for part in chunks(ids):
        statement = (
            select(links.c.source_id, links.c.target_id)
            .where(within(links, scope), links.c.kind == IN_CATEGORY, links.c.source_id.in_(part))
            .order_by(links.c.target_id)
        )
        for row in connection.execute(statement):
            topics[row.source_id].append(row.target_id)
    return topics
