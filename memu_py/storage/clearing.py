"""Erasing what a scope holds."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete, select, update

from memu_py.records.audit import Erased
from memu_py.records.item import Item, Source
from memu_py.storage import change_log, tickets
from memu_py.storage.audit_rows import write_line
from memu_py.storage.block_rows import clear_blocks
from memu_py.storage.deletion import free_blobs, remove_items, remove_resources
from memu_py.storage.grant_rows import clear_grants
from memu_py.storage.graph_writes import forget_by_hand, move_session
from memu_py.storage.item_rows import fetch_items
from memu_py.storage.item_writes import update_items
from memu_py.storage.key_rows import drop_keys_of
from memu_py.storage.meta import read_meta, write_meta
from memu_py.storage.resource_rows import resource_of
from memu_py.storage.schema import answers, changes, embedding_cache, items, jobs, resources, runs
from memu_py.storage.schema_conversations import conversations
from memu_py.storage.schema_keys import api_keys
from memu_py.storage.schema_kv import kv
from memu_py.storage.scoping import within
from memu_py.storage.tables import PARTITIONED
from memu_py.storage.unit import Unit, chunks

UNSCRUBBED = "unscrubbed"
"""Set with an erasure, taken back when the files were scrubbed."""


ORIGINALS = "originals"


def clear(unit: Unit) -> Erased | None:
    """Erase a scope; see `Store.clear`. None when it held nothing."""
    clear_grants(unit)
    if _is_empty(unit):
        if not unit.scope.attributes:
            # They would open what comes after.
            drop_keys_of(unit)
        return None
    if not unit.scope.attributes:
        return forget(unit)
    write_meta(unit.connection, UNSCRUBBED, True)
    tickets.withdraw(unit)
    return Erased(blobs=tuple(_clear_narrow(unit)))


def forget(unit: Unit) -> Erased:
    """Erase a whole partition, with the keys that open nothing but it; see `Store.forget`.

    Every table that has the columns of a partition takes part, whatever it holds.
    """
    write_meta(unit.connection, UNSCRUBBED, True)
    tickets.withdraw(unit)
    statement = select(resources).where(within(resources, unit.scope))
    gone = [resource_of(row) for row in unit.connection.execute(statement).mappings()]
    counts: dict[str, int] = {}
    # Those that refer to others first.
    for table in reversed(PARTITIONED):
        if table is not changes:
            mine = delete(table).where(within(table, unit.scope))
            counts[table.name] = unit.connection.execute(mine).rowcount
    counts[changes.name] = change_log.erase(unit)
    counts[api_keys.name] = drop_keys_of(unit)
    blobs = free_blobs(unit, gone)
    counts[ORIGINALS] = len(blobs)
    return Erased(blobs=tuple(blobs), line=write_line(unit, counts))


def _clear_narrow(unit: Unit) -> list[str]:
    """Erase what has exactly these attributes; categories stay, without the summaries drawn from it."""
    found = fetch_items(unit.connection, unit.scope, select(items).where(within(items, unit.scope)))
    shared = {item.id: item for item in found if _elsewhere(item, unit.scope.session)}
    remove_items(unit, {item.id: item for item in found if item.id not in shared}, erase=True)
    _leave_session(unit, list(shared.values()))
    forget_by_hand(unit)
    statement = select(resources).where(within(resources, unit.scope))
    gone = {row["id"]: resource_of(row) for row in unit.connection.execute(statement).mappings()}
    remove_resources(unit, gone, erase=True)
    for table in (runs, jobs, conversations, kv):
        unit.connection.execute(delete(table).where(within(table, unit.scope)))
    clear_blocks(unit)
    # What is cached does not say which session it came from: the partition pays for it again.
    for cache in (embedding_cache, answers):
        unit.connection.execute(delete(cache).where(within(cache, unit.scope)))
    change_log.blank(unit.connection, unit.scope)
    return free_blobs(unit, gone.values())


def _elsewhere(item: Item, session: str | None) -> tuple[Source, ...]:
    """Return where an item was said in other sessions than the one that is erased."""
    if session is None:
        return ()
    return tuple(source for source in item.sources if source.session != session)


def _leave_session(unit: Unit, shared: Sequence[Item]) -> None:
    """Take items that were said in other sessions too out of the one that is erased."""
    pairs = []
    for item in shared:
        kept = _elsewhere(item, unit.scope.session)
        pairs.append((item, item.evolve(sources=kept, version=item.version + 1, updated_at=unit.now)))
        if item.scope.session == unit.scope.session:
            statement = update(items).where(within(items, unit.scope), items.c.id == item.id)
            unit.connection.execute(statement.values(session=kept[0].session))
            move_session(unit, item.id, kept[0].session)
    update_items(unit, pairs)
    for part in chunks([item.id for item in shared]):
        change_log.blank(unit.connection, unit.scope, record_ids=part)


def _is_empty(unit: Unit) -> bool:
    """Say whether the scope has no row of its own; what an erasure left in the log is nobody's."""
    named = [table for table in PARTITIONED if not unit.scope.attributes or "agent" in table.c]
    return not any(
        unit.connection.scalar(
            select(table.c.partition_hash)
            .where(within(table, unit.scope), table.c.partition == unit.scope.partition)
            .limit(1)
        )
        for table in named
    )


def unfinished(connection: Connection) -> bool:
    """Say whether files still hold what an erasure removed: it was cut off before they were scrubbed."""
    return bool(read_meta(connection, UNSCRUBBED))


def finish(connection: Connection) -> None:
    """Note that the files were scrubbed."""
    write_meta(connection, UNSCRUBBED, False)
