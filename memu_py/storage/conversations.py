"""Which stored conversation a list of messages continues.

Only places where the first message occurs are looked at, narrowed message by message, so that a conversation
costs what it shares with others, not what its user has ever said.
"""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, and_, select

from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.storage.resource_rows import load_resources
from memu_py.storage.schema import resources, segments
from memu_py.storage.scoping import attribute_text, beside, within
from memu_py.storage.unit import chunks

SHORTEST_RUN = 2
"""Messages that two conversations must share, unless one of them is shorter."""
FEW = 16
"""So many places are followed one by one; more are narrowed down together first."""
WINDOW = 256
"""Messages that are read at once when a place is followed."""

Place = tuple[str, int]
"""A resource and the ordinal in it at which a run begins."""


def find_conversation(
    connection: Connection, scope: Scope, hashes: Sequence[str], modality: str
) -> Resource | None:
    """Find the conversation that shares the longest run; see `Store.find_conversation`."""
    if not hashes:
        return None
    runs = _longest_runs(connection, scope, hashes, _starts(connection, scope, hashes[0], modality))
    found = load_resources(connection, scope, {resource_id for resource_id, _ in runs}, attributes=False)
    fitting = [
        (length, start == 0, found[resource_id].updated_at, resource_id)
        for (resource_id, start), length in runs.items()
        if length >= min(SHORTEST_RUN, len(hashes), found[resource_id].segment_count)
    ]
    return found[max(fitting)[-1]] if fitting else None


def _starts(connection: Connection, scope: Scope, first: str, modality: str) -> list[Place]:
    statement = (
        select(segments.c.resource_id, segments.c.ordinal)
        .join(resources, and_(beside(resources, segments), resources.c.id == segments.c.resource_id))
        .where(
            within(segments, scope),
            segments.c.hash == first,
            resources.c.url.is_(None),
            resources.c.modality == modality,
            resources.c.attributes == attribute_text(scope),
        )
    )
    return [(resource_id, ordinal) for resource_id, ordinal in connection.execute(statement)]


def _longest_runs(
    connection: Connection, scope: Scope, hashes: Sequence[str], places: list[Place]
) -> dict[Place, int]:
    """Return the length of the run at each place; of many places only those with the longest."""
    length = 1
    while len(places) > FEW and length < len(hashes):
        going_on = _narrow(connection, scope, places, hashes[length], length)
        if not going_on:
            break
        places, length = going_on, length + 1
    if len(places) > FEW:
        return dict.fromkeys(places, length)
    return {place: _follow(connection, scope, hashes, place) for place in places}


def _narrow(
    connection: Connection, scope: Scope, places: Sequence[Place], wanted: str, distance: int
) -> list[Place]:
    there: set[Place] = set()
    for part in chunks(sorted({resource_id for resource_id, _ in places})):
        statement = select(segments.c.resource_id, segments.c.ordinal).where(
            within(segments, scope), segments.c.hash == wanted, segments.c.resource_id.in_(part)
        )
        there.update((resource_id, ordinal) for resource_id, ordinal in connection.execute(statement))
    return [place for place in places if (place[0], place[1] + distance) in there]


def _follow(connection: Connection, scope: Scope, hashes: Sequence[str], place: Place) -> int:
    length = 0
    for wanted in chunks(hashes, WINDOW):
        stored = _window(connection, scope, (place[0], place[1] + length), len(wanted))
        same = _common_prefix(wanted, stored, place[1] + length)
        length += same
        if same < len(wanted):
            break
    return length


def _window(connection: Connection, scope: Scope, place: Place, size: int) -> Mapping[int, str]:
    resource_id, first = place
    statement = select(segments.c.ordinal, segments.c.hash).where(
        within(segments, scope),
        segments.c.resource_id == resource_id,
        segments.c.ordinal >= first,
        segments.c.ordinal < first + size,
    )
    return {row.ordinal: row.hash for row in connection.execute(statement)}


def _common_prefix(wanted: Iterable[str], stored: Mapping[int, str], first: int) -> int:
    same = 0
    for offset, one in enumerate(wanted):
        if stored.get(first + offset) != one:
            break
        same += 1
    return same
