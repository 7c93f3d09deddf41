"""Whose words a segment has: those of the person whose memory it is, or somebody else's."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, and_, func, select, update

from memu_py.records.scope import Scope
from memu_py.storage.schema import resources, segments, sources
from memu_py.storage.scoping import beside, within
from memu_py.storage.unit import Unit, chunks

USER = "user"
_WHOLE_TEXTS = ("conversation", "text")
"""What the person may have written himself; a file with an address is somebody's."""


def whole() -> ColumnElement[bool]:
    """Return the condition that a resource is a text which the person may have written himself."""
    return and_(resources.c.modality.in_(_WHOLE_TEXTS), resources.c.url.is_(None))


def speakers(
    connection: Connection, scope: Scope, wanted: Select[tuple[str]] | ColumnElement[bool]
) -> dict[str, str]:
    """Return the one speaker of the role `user` by conversation, where there is just one that has a name.

    Args:
        connection: inside a transaction.
        scope: whose.
        wanted: which resources: a select of their ids, or a condition on their segments.
    """
    chosen = segments.c.resource_id.in_(wanted) if isinstance(wanted, Select) else wanted
    # An empty name stands for none, so that a conversation with one named and unnamed turns has two.
    names = func.coalesce(segments.c.speaker, "")
    statement = (
        select(segments.c.resource_id, func.min(names).label("name"))
        .where(within(segments, scope), segments.c.role == USER, chosen)
        .group_by(segments.c.resource_id)
        .having(func.min(names) == func.max(names))
    )
    return {row.resource_id: row.name for row in connection.execute(statement) if row.name}


def is_own(row: RowMapping, named: Mapping[str, str], scope: Scope) -> bool:
    """Tell whether the person whose memory it is said something: by role and name, or in a text without an author.

    Args:
        row: `resource_id`, `role` and `speaker` of a segment, and whether its resource is `whole`.
        named: see `speakers`.
        scope: whose memory.
    """
    speaker = row["speaker"]
    if row["role"] is None:
        return bool(row["whole"]) and (not speaker or is_name(speaker, scope))
    if row["role"] != USER:
        return False
    return not speaker or is_name(speaker, scope) or named.get(row["resource_id"]) == speaker


def is_name(speaker: str, scope: Scope) -> bool:
    """Tell whether a speaker is called as the person is."""
    return speaker.casefold() in (USER, (scope.user or "").casefold())


def own_ordinals(connection: Connection, scope: Scope, resource_id: str) -> frozenset[int]:
    """Return the places of the segments of a resource that the person said himself."""
    mine = segments.c.resource_id == resource_id
    statement = (
        select(
            segments.c.resource_id,
            segments.c.ordinal,
            segments.c.role,
            segments.c.speaker,
            whole().label("whole"),
        )
        .join(resources, and_(beside(resources, segments), resources.c.id == segments.c.resource_id))
        .where(within(segments, scope), mine)
    )
    named = speakers(connection, scope, mine)
    rows = connection.execute(statement).mappings()
    return frozenset(row["ordinal"] for row in rows if is_own(row, named, scope))


def keep_own(unit: Unit, resource_id: str) -> None:
    """Write into the places that items were found in whose words they are, before the segments of a resource go."""
    own = own_ordinals(unit.connection, unit.scope, resource_id)
    mine = and_(within(sources, unit.scope), sources.c.resource_id == resource_id)
    unit.connection.execute(update(sources).where(mine, sources.c.own.is_(None)).values(own=False))
    for part in chunks(sorted(own)):
        unit.connection.execute(update(sources).where(mine, sources.c.ordinal.in_(part)).values(own=True))
