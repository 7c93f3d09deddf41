"""Work on the whole database, across scopes. These are the only statements without a scope."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from sqlalchemy import Connection, delete, func, select

from memu_py.errors import InvalidInput, NotFound
from memu_py.records.batch import StoredItem, Vector
from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.storage import answer_rows, change_log
from memu_py.storage.database import Database
from memu_py.storage.entity_writes import restore_entities, storable_names
from memu_py.storage.fingerprint import claim_fingerprint, read_fingerprint, write_fingerprint
from memu_py.storage.integrity import find_faults
from memu_py.storage.item_rows import load_items
from memu_py.storage.item_writes import replace_vectors, storable
from memu_py.storage.schema import embedding_cache, items, jobs, resources
from memu_py.storage.scoping import owner_of
from memu_py.storage.settings import Clock
from memu_py.storage.setup import check_revision
from memu_py.storage.tables import metadata
from memu_py.storage.unit import Unit
from memu_py.storage.upkeep import Fingerprint
from memu_py.storage.vector_scan import Place, VectorPage, dated_owners, owners, scan_vectors

ACTOR = "maintenance"
UNFINISHED = "an unfinished reindex to"
"""Stands before the embedder's id until all vectors are its own; equals no embedder's id."""


class SqlMaintenance:
    """`Maintenance` over a database."""

    def __init__(
        self,
        database: Database,
        *,
        clock: Clock,
        keep_changes_days: int | None,
        keep_answers_days: int | None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._keep_days = keep_changes_days
        self._keep_answers = keep_answers_days

    async def fingerprint(self) -> Fingerprint | None:
        """See `Maintenance.fingerprint`."""
        return await self._database.read(read_fingerprint)

    async def set_fingerprint(self, fingerprint: Fingerprint) -> None:
        """See `Maintenance.set_fingerprint`."""
        if await self.fingerprint() != fingerprint:
            await self._database.write(lambda connection: claim_fingerprint(connection, fingerprint))

    async def scan_items(self, after: str | None, limit: int) -> list[Item]:
        """See `Maintenance.scan_items`."""
        if limit < 1:
            msg = f"limit is at least 1, not {limit}"
            raise InvalidInput(msg)
        return await self._database.read(lambda connection: _scan(connection, after, limit))

    async def scan_vectors(
        self, scopes: Sequence[Scope] | None, after: Place | None, limit: int, *, users_only: bool = False
    ) -> VectorPage:
        """See `Maintenance.scan_vectors`."""
        return await self._database.read(
            lambda connection: scan_vectors(connection, scopes, after, limit, users_only=users_only)
        )

    async def owners(self) -> list[Scope]:
        """See `Maintenance.owners`."""
        return await self._database.read(owners)

    async def dated_owners(self) -> list[Scope]:
        """See `Maintenance.dated_owners`."""
        return await self._database.read(dated_owners)

    async def replace_vectors(
        self, rows: Sequence[StoredItem], *, entity_vectors: Mapping[str, Vector] | None = None
    ) -> None:
        """See `Maintenance.replace_vectors`.

        Raises:
            NotFound: an item was deleted in the meantime; nothing is written.
        """
        names = storable_names(entity_vectors or {})
        await self._database.write(lambda connection: self._replace(connection, rows, names))

    def _replace(
        self, connection: Connection, rows: Sequence[StoredItem], names: Mapping[str, Vector]
    ) -> None:
        ordered = sorted(rows, key=lambda row: row.item.scope.partition)
        for _, group in groupby(ordered, key=lambda row: row.item.scope.partition):
            given = list(group)
            unit = self._unit(connection, given[0])
            known = load_items(connection, unit.scope, [row.item.id for row in given], attributes=False)
            lost = [row.item.id for row in given if row.item.id not in known]
            if lost:
                msg = f"no item {', '.join(lost)} any more; scan again"
                raise NotFound(msg)
            replace_vectors(unit, [storable(row, unit.scope) for row in given])
            restore_entities(unit, list(known.values()), names)

    def _unit(self, connection: Connection, row: StoredItem) -> Unit:
        return Unit(connection=connection, scope=row.item.scope.owner, actor=ACTOR, now=self._clock())

    async def begin_reindex(self, fingerprint: Fingerprint) -> None:
        """See `Maintenance.begin_reindex`."""
        pending = dataclasses.replace(fingerprint, embedder=f"{UNFINISHED} {fingerprint.embedder}")
        await self._database.write(lambda connection: write_fingerprint(connection, pending))

    async def finish_reindex(self, fingerprint: Fingerprint) -> None:
        """See `Maintenance.finish_reindex`."""
        now = self._clock()
        await self._database.write(lambda connection: _finish_reindex(connection, fingerprint, now))

    async def prune_changes(self) -> int:
        """See `Maintenance.prune_changes`."""
        if self._keep_days is None:
            return 0
        before = self._clock() - timedelta(days=self._keep_days)
        return await self._database.write(lambda connection: change_log.prune(connection, before))

    async def prune_answers(self) -> int:
        """See `Maintenance.prune_answers`."""
        if self._keep_answers is None:
            return 0
        before = self._clock() - timedelta(days=self._keep_answers)
        # A service that opens should not have to wait for the write lock when there is nothing to do.
        if not await self._database.read(lambda connection: answer_rows.has_older(connection, before)):
            return 0
        return await self._database.write(lambda connection: answer_rows.prune_answers(connection, before))

    async def blob_keys(self) -> set[str]:
        """See `Maintenance.blob_keys`."""
        statement = select(resources.c.blob).where(resources.c.blob != "").distinct()
        return await self._database.read(lambda connection: set(connection.scalars(statement)))

    async def integrity(self) -> list[str]:
        """See `Maintenance.integrity`."""
        return [*await self._database.check(), *await self._database.read(find_faults)]

    async def ready(self) -> None:
        """See `Maintenance.ready`."""
        await self._database.read(lambda connection: check_revision(connection, "the database"))

    async def jobs_by_status(self) -> dict[str, int]:
        """See `Maintenance.jobs_by_status`."""
        statement = select(jobs.c.status, func.count().label("jobs")).group_by(jobs.c.status)
        return await self._database.read(
            lambda connection: {row.status: row.jobs for row in connection.execute(statement)}
        )

    async def stats(self) -> dict[str, int]:
        """See `Maintenance.stats`."""
        counts = await self._database.read(_count_rows)
        return counts | {"bytes": await self._database.size()}


def _scan(connection: Connection, after: str | None, limit: int) -> list[Item]:
    columns = (items.c.id, items.c.partition)
    statement = select(*columns).order_by(items.c.id, items.c.partition_hash).limit(limit)
    statement = statement if after is None else statement.where(items.c.id > after)
    found = [(row.id, row.partition) for row in connection.execute(statement)]
    if len(found) == limit:
        # Two partitions may hold one id: a page ends after all of them.
        last = select(*columns).where(items.c.id == found[-1][0])
        found += [(row.id, row.partition) for row in connection.execute(last)]
    return _load(connection, list(dict.fromkeys(found)))


def _load(connection: Connection, found: Sequence[tuple[str, str]]) -> list[Item]:
    loaded: dict[tuple[str, str], Item] = {}
    by_partition = sorted(found, key=lambda pair: pair[1])
    for partition, group in groupby(by_partition, key=lambda pair: pair[1]):
        ids = [item_id for item_id, _ in group]
        for item in load_items(connection, owner_of(partition), ids, attributes=False).values():
            loaded[item.id, partition] = item
    return [loaded[pair] for pair in found]


def _finish_reindex(connection: Connection, fingerprint: Fingerprint, now: datetime) -> None:
    write_fingerprint(connection, fingerprint)
    connection.execute(delete(embedding_cache))
    change_log.mark_reload(connection, now)


def _count_rows(connection: Connection) -> dict[str, int]:
    counts = {}
    for table in metadata.sorted_tables:
        counts[table.name] = connection.scalar(select(func.count()).select_from(table)) or 0
    return counts
