"""What is wrong with the rows of a database, one line each."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Select,
    Table,
    and_,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
)

from memu_py.records.entity import names_by_key
from memu_py.records.identity import item_identity
from memu_py.records.job import ENDED
from memu_py.records.link import IN_CATEGORY
from memu_py.storage.dialect import vector_size
from memu_py.storage.fingerprint import read_fingerprint
from memu_py.storage.item_rows import holding, item_of
from memu_py.storage.mood_rows import faulty_moods
from memu_py.storage.realignment import NOWHERE
from memu_py.storage.schema import (
    categories,
    entities,
    entity_links,
    item_vectors,
    items,
    jobs,
    links,
    resources,
    segments,
    sources,
)
from memu_py.storage.schema_accesses import accesses
from memu_py.storage.schema_conversations import conversations, messages, running_summaries
from memu_py.storage.schema_facets import facets
from memu_py.storage.schema_foresight import feedback, occasions
from memu_py.storage.schema_graph import graph_names, relations
from memu_py.storage.scoping import beside

BYTES_PER_NUMBER = 4
FETCH = 1000
"""Items that are taken from the database at once."""


def find_faults(connection: Connection) -> list[str]:
    """Return one line for each fault; empty when all is sound."""
    return [fault for check in _CHECKS for fault in check(connection)]


def _no(table: Table, other: Table, column: Any) -> Any:
    """Return the condition that a row of one table has no partner with its id in the other."""
    return not_(
        exists(select(literal(1)).select_from(other).where(beside(other, table), other.c.id == column))
    )


def _said(connection: Connection, statement: Select[Any], say: Callable[..., str]) -> Iterator[str]:
    return (say(*row) for row in connection.execute(statement))


def _orphans(connection: Connection) -> Iterator[str]:
    checks: tuple[tuple[Table, Column[Any], Table], ...] = (
        (segments, segments.c.resource_id, resources),
        (sources, sources.c.resource_id, resources),
        (sources, sources.c.item_id, items),
        (item_vectors, item_vectors.c.item_id, items),
        (links, links.c.source_id, items),
        (entity_links, entity_links.c.item_id, items),
        (occasions, occasions.c.item_id, items),
        (facets, facets.c.item_id, items),
        (feedback, feedback.c.item_id, items),
        (accesses, accesses.c.item_id, items),
        (messages, messages.c.conversation_id, conversations),
        (running_summaries, running_summaries.c.conversation_id, conversations),
        (entity_links, entity_links.c.entity_id, entities),
        (relations, relations.c.item_id, items),
        (relations, relations.c.subject_node, graph_names),
        (relations, relations.c.object_node, graph_names),
    )
    for table, column, other in checks:
        statement = select(column).where(column.is_not(None), _no(table, other, column)).distinct()
        yield from _said(
            connection,
            statement,
            lambda lost, t=table, o=other: f"{t.name}: a row belongs to {lost}, which is not in {o.name}",
        )


def _link_ends(connection: Connection) -> Iterator[str]:
    target = links.c.target_id
    lost = or_(
        and_(links.c.kind == IN_CATEGORY, _no(links, categories, target)),
        and_(links.c.kind != IN_CATEGORY, _no(links, items, target)),
    )
    statement = select(links.c.source_id, target, links.c.kind).where(lost)
    return _said(connection, statement, lambda s, t, k: f"links: {s} leads to {t} ({k}), which is not there")


def _successors(connection: Connection) -> Iterator[str]:
    successor = items.alias("successor")
    there = exists(
        select(literal(1))
        .select_from(successor)
        .where(beside(successor, items), successor.c.id == items.c.superseded_by)
    )
    statement = select(items.c.id, items.c.superseded_by).where(
        items.c.superseded_by.is_not(None), not_(there)
    )
    return _said(connection, statement, lambda i, by: f"items: {i} is superseded by {by}, which is not there")


def _segment_sources(connection: Connection) -> Iterator[str]:
    there = exists(
        select(literal(1))
        .select_from(segments)
        .where(
            beside(segments, sources),
            segments.c.resource_id == sources.c.resource_id,
            segments.c.ordinal == sources.c.ordinal,
        )
    )
    gone = exists(
        select(literal(1))
        .select_from(resources)
        .where(
            beside(resources, sources), resources.c.id == sources.c.resource_id, resources.c.status == "gone"
        )
    )
    lost = and_(not_(there), not_(gone), sources.c.ordinal != NOWHERE)
    statement = select(sources.c.item_id, sources.c.resource_id, sources.c.ordinal).where(lost)
    return _said(
        connection,
        statement,
        lambda i, r, o: f"sources: item {i} was found in segment {o} of {r}, which is not there",
    )


def _positions(connection: Connection) -> Iterator[str]:
    statement = (
        select(sources.c.item_id)
        .group_by(sources.c.partition_hash, sources.c.item_id)
        .having(or_(func.min(sources.c.position) != 0, func.max(sources.c.position) != func.count() - 1))
    )
    return _said(connection, statement, lambda i: f"sources: those of item {i} are not numbered from 0")


def _missing_vectors(connection: Connection) -> Iterator[str]:
    there = exists(
        select(literal(1))
        .select_from(item_vectors)
        .where(beside(item_vectors, items), item_vectors.c.item_id == items.c.id)
    )
    statement = select(items.c.id).where(not_(there))
    return _said(connection, statement, lambda i: f"items: {i} has no vector; run `memu reindex`")


def _vector_lengths(connection: Connection) -> Iterator[str]:
    known = read_fingerprint(connection)
    right = known.dimension * BYTES_PER_NUMBER if known else None
    for table in (item_vectors, entities):
        size = vector_size(table.c.vector)
        statement = (
            select(size, func.count()).where(size > 0).group_by(size).order_by(func.count().desc(), size)
        )
        for length, count in connection.execute(statement):
            right = right or int(length)
            if length != right:
                has, wants = length / BYTES_PER_NUMBER, right // BYTES_PER_NUMBER
                yield f"{table.name}: {count} of {has:g} numbers, not {wants}; run `memu reindex`"


def _unlinked_entities(connection: Connection) -> Iterator[str]:
    there = exists(
        select(literal(1))
        .select_from(entity_links)
        .where(beside(entity_links, entities), entity_links.c.entity_id == entities.c.id)
    )
    statement = select(entities.c.name).where(not_(there))
    return _said(connection, statement, lambda name: f"entities: no item names {name} any more")


def _entity_vectors(connection: Connection) -> Iterator[str]:
    statement = select(entities.c.name).where(entities.c.vector.is_(None))
    return _said(connection, statement, lambda name: f"entities: {name} has no vector; run `memu reindex`")


def _entity_names(connection: Connection) -> Iterator[str]:
    statement = (
        select(items.c.id, items.c.partition, items.c.entities, entities.c.name_key)
        .outerjoin(entity_links, and_(beside(entity_links, items), entity_links.c.item_id == items.c.id))
        .outerjoin(entities, and_(beside(entities, items), entities.c.id == entity_links.c.entity_id))
        .order_by(items.c.id, items.c.partition_hash)
    )
    rows = connection.execute(statement, execution_options={"yield_per": FETCH})
    for (item_id, _), group in groupby(rows, key=lambda row: (row.id, row.partition)):
        found = list(group)
        linked = {row.name_key for row in found} - {None}
        if linked != names_by_key([found[0].entities]).keys():
            yield f"items: {item_id} is not linked to what it names; run `memu reindex`"


def _segment_counts(connection: Connection) -> Iterator[str]:
    counted = (
        select(func.count())
        .select_from(segments)
        .where(beside(segments, resources), segments.c.resource_id == resources.c.id)
        .correlate(resources)
        .scalar_subquery()
    )
    statement = select(resources.c.id, resources.c.segment_count, counted).where(
        resources.c.segment_count != counted
    )
    return _said(connection, statement, lambda r, said, n: f"resources: {r} has {n} segments, not {said}")


def _unfinished(connection: Connection) -> Iterator[str]:
    statement = (
        select(resources.c.id, func.count())
        .join(segments, and_(beside(segments, resources), segments.c.resource_id == resources.c.id))
        .where(resources.c.status == "complete", segments.c.outcome == "pending")
        .group_by(resources.c.partition_hash, resources.c.id)
    )
    return _said(
        connection, statement, lambda r, n: f"resources: {r} is complete, but {n} segments are pending"
    )


def _identities(connection: Connection) -> Iterator[str]:
    statement = select(items).where(holding())
    rows = connection.execute(statement, execution_options={"yield_per": FETCH}).mappings()
    for row in rows:
        item = item_of(row)
        if item_identity(item.scope, item) != item.identity:
            yield f"items: the identity of {item.id} does not fit what it says"


def _jobs(connection: Connection) -> Iterator[str]:
    running, ended = jobs.c.status == "running", jobs.c.status.in_(ENDED)
    wrong = or_(
        running != and_(jobs.c.lease_id.is_not(None), jobs.c.lease_until.is_not(None)),
        ended != jobs.c.finished_at.is_not(None),
        jobs.c.attempts > jobs.c.max_attempts,
        and_(jobs.c.status == "done", jobs.c.content.is_not(None)),
    )
    statement = select(jobs.c.id, jobs.c.status).where(wrong)
    return _said(connection, statement, lambda i, status: f"jobs: {i} cannot be {status} as it stands")


_CHECKS: tuple[Callable[[Connection], Iterator[str]], ...] = (
    _orphans,
    _link_ends,
    _successors,
    _segment_sources,
    _positions,
    _missing_vectors,
    _vector_lengths,
    _unlinked_entities,
    _entity_vectors,
    _entity_names,
    _segment_counts,
    _unfinished,
    _identities,
    _jobs,
    faulty_moods,
)
