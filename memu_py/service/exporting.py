"""All that is somebody's, as files."""

import asyncio
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memu_py.blobs.store import is_blob_key
from memu_py.errors import NotFound
from memu_py.records.exported import Exported
from memu_py.records.ids import new_id
from memu_py.records.scope import Scope
from memu_py.service.archive import (
    Files,
    Manifest,
    TableFile,
    Target,
    new_files,
    write_manifest,
    write_original,
    write_table,
)
from memu_py.service.runtime import Runtime
from memu_py.storage.rights import Belongings, Take
from memu_py.storage.schema_conversations import TALKS
from memu_py.storage.tables import HEAD

Report = Callable[[str, int], None]
"""Told a table, or `originals`, and how many of it are done."""

_APART = frozenset(table.name for table in TALKS)

EVERY = 1000
"""Rows between two reports."""


async def export(runtime: Runtime, scope: Scope, target: Target, *, made_by: str, report: Report) -> Exported:
    """Write all that a partition holds; it is at the target when all of it is.

    Args:
        runtime: has the store and the originals.
        scope: whose.
        target: where to.
        made_by: the version of this package.
        report: told how far it is, from other threads.

    Raises:
        InvalidInput: something is at the target already.
    """
    tables: list[TableFile] = []
    # Held, so that no original goes while it is still to be read.
    async with runtime.originals.of(scope):
        with new_files(target) as files:

            def take(table: str, rows: Iterator[Mapping[str, Any]]) -> None:
                tables.append(write_table(files, table, _reported(table, rows, report)))

            held = await _belongings(runtime, scope, take)
            originals, lost = await _originals(runtime, files, held.blobs, report)
            manifest = _manifest(scope, held, tables, made_by, runtime)
            manifest = manifest.evolve(originals=originals, lost=lost)
            await asyncio.to_thread(write_manifest, files, manifest)
    rows = {one.table: one.rows for one in tables}
    return Exported(id=manifest.id, rows=rows, originals=len(originals), lost=lost)


async def _belongings(runtime: Runtime, scope: Scope, take: Take) -> Belongings:
    """Have the rows of all tables taken, each from the database that it lies in."""
    talks = runtime.talks
    if talks is None:
        return await runtime.store.rights.export(scope, take)

    def memory(table: str, rows: Iterator[Mapping[str, Any]]) -> None:
        if table not in _APART:
            take(table, rows)

    def apart(table: str, rows: Iterator[Mapping[str, Any]]) -> None:
        if table in _APART:
            take(table, rows)

    held = await runtime.store.rights.export(scope, memory)
    await talks.rights.export(scope, apart)
    return held


def _reported(table: str, rows: Iterator[Mapping[str, Any]], report: Report) -> Iterator[Mapping[str, Any]]:
    number = 0
    for number, row in enumerate(rows, start=1):
        yield row
        if number % EVERY == 0:
            report(table, number)
    report(table, number)


async def _originals(
    runtime: Runtime, files: Files, keys: Sequence[str], report: Report
) -> tuple[dict[str, int], tuple[str, ...]]:
    sizes: dict[str, int] = {}
    lost: list[str] = []
    for key in filter(is_blob_key, keys):
        digest = key.partition("/")[2]
        try:
            data = await runtime.blobs.get(key)
        except NotFound:
            lost.append(digest)
            continue
        await asyncio.to_thread(write_original, files, digest, data)
        sizes[digest] = len(data)
        report("originals", len(sizes))
    return sizes, tuple(lost)


def _manifest(
    scope: Scope, held: Belongings, tables: Sequence[TableFile], made_by: str, runtime: Runtime
) -> Manifest:
    kind = scope.partition_kind
    return Manifest(
        id=new_id(),
        made_by=made_by,
        schema=HEAD,
        exported_at=runtime.clock().isoformat(),
        owner={kind: getattr(scope, kind)},
        embedder=dataclasses.asdict(held.fingerprint) if held.fingerprint else None,
        tables=tables,
        originals={},
    )
