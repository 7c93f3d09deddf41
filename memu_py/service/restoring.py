"""An export, given back: to the same user or another one, into the same kind of database or another one."""

import asyncio
import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import IO, Any

import numpy as np

from memu_py import _core
from memu_py.embedding.embedder import Matrix
from memu_py.errors import InvalidInput
from memu_py.records.exported import Imported
from memu_py.records.item import ItemDraft
from memu_py.records.scope import Scope
from memu_py.service.archive import (
    Files,
    Manifest,
    Target,
    check_table,
    lines,
    old_files,
    read_manifest,
    read_original,
)
from memu_py.service.exporting import Report
from memu_py.service.runtime import Runtime
from memu_py.steps.stored import index_tokens
from memu_py.storage.row_forms import FORMS, vector_columns
from memu_py.storage.schema import embedding_cache, entities, item_vectors, items
from memu_py.storage.schema_conversations import TALKS
from memu_py.storage.tables import HEAD, PARTITIONED, REVISIONS

PAGE = 256
"""Texts that are embedded together."""
EMBEDDED = (items.name, entities.name)
RUN = "import"
"""Stands before the id of an export, as the id of the run that reads it in."""

Row = Mapping[str, Any]


class Vectors:
    """Vectors that were made anew, in the order of the rows that they are for; in a file without a name."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._files: dict[str, IO[bytes]] = {}
        self.dimension = 0
        self.count = 0

    def add(self, table: str, matrix: Matrix) -> None:
        """Keep the vectors, (n, d) float32, of the next n rows of a table."""
        if table not in self._files:
            self._files[table] = self._stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack is the context
        self.dimension = matrix.shape[1]
        self._files[table].write(np.ascontiguousarray(matrix, dtype=np.float32).tobytes())
        self.count += len(matrix)

    def of(self, table: str) -> Iterator[bytes]:
        """Yield them one by one, from the first."""
        file = self._files.get(table)
        if file is not None:
            file.seek(0)
            yield from iter(lambda: file.read(4 * self.dimension), b"")

    def close(self) -> None:
        """Let go of them."""
        self._stack.close()


async def restore(runtime: Runtime, scope: Scope | None, source: Target, *, report: Report) -> Imported:
    """Read an export in: originals first, then all rows in one transaction.

    Args:
        runtime: has the store, the originals and the embedder.
        scope: who is to have it; None for whose it was.
        source: the export.
        report: told how far it is, from other threads.

    Raises:
        NotFound: nothing is there.
        InvalidInput: it is no export, damaged, or made by a newer version; or it has conversations, and those have a
            database of their own here.
        Conflict: who is to have it has something already.
    """
    with old_files(source) as files:
        manifest = await asyncio.to_thread(_checked, files)
        owner = scope or _owner_of(manifest)
        if owner.partition_kind not in manifest.owner:
            made, asked = next(iter(manifest.owner)), owner.partition_kind
            msg = f"it holds the memory of one `{made}`, and who is to have it is named as `{asked}`"
            raise InvalidInput(msg, hint=f"name a `{made}`")
        _check_talks(runtime, manifest)
        run_id = f"{RUN} {manifest.id}"
        if await runtime.store.find_run(owner, run_id) is not None:
            return Imported(id=manifest.id, known=True)
        with contextlib.closing(Vectors()) as vectors:
            return await _restore(runtime, owner, files, manifest, vectors, report)


def _check_talks(runtime: Runtime, manifest: Manifest) -> None:
    apart = {table.name for table in TALKS}
    if runtime.talks is not None and any(one.rows for one in manifest.tables if one.table in apart):
        msg = "it holds conversations, and those have a database of their own here: both cannot be written at once"
        raise InvalidInput(msg, hint="import it without `conversations.database`")


def _owner_of(manifest: Manifest) -> Scope:
    found = {kind: manifest.owner.get(kind) for kind in ("user", "agent", "session")}
    return Scope.of(user=found["user"], agent=found["agent"], session=found["session"])


def _checked(files: Files) -> Manifest:
    manifest = read_manifest(files)
    known = {table.name for table in PARTITIONED}
    newer = [one.table for one in manifest.tables if one.table not in known]
    if manifest.schema not in REVISIONS or newer:
        msg = f"it was made by memu_py {manifest.made_by}, and this one knows the schema {HEAD} only"
        raise InvalidInput(msg, hint="import it with that version, or a newer one")
    for one in manifest.tables:
        check_table(files, one)
    return manifest


async def _restore(
    runtime: Runtime, owner: Scope, files: Files, manifest: Manifest, vectors: Vectors, report: Report
) -> Imported:
    rows = _reader(files, manifest, owner, report)
    same = await _same_embedder(runtime, manifest)
    if not same:
        await _embed(runtime, owner, rows, vectors)
    dimension = (manifest.embedder or {}).get("dimension") if same else vectors.dimension
    async with runtime.originals.of(owner):
        for number, (digest, size) in enumerate(manifest.originals.items(), start=1):
            data = await asyncio.to_thread(read_original, files, digest, size)
            await runtime.blobs.put(owner.partition_hash, data)
            report("originals", number)
        if dimension:
            await runtime.guard.record(dimension)
        counts = await runtime.store.rights.restore(
            owner,
            rows if same else _embedded(rows, vectors),
            run_id=f"{RUN} {manifest.id}",
            summary={"export": manifest.id},
        )
    runtime.index.drop(owner)
    await runtime.workers.start_if_due()
    return Imported(id=manifest.id, rows=counts, originals=len(manifest.originals), embedded=vectors.count)


async def _same_embedder(runtime: Runtime, manifest: Manifest) -> bool:
    """Tell whether the vectors and words of an export are those that would be made here."""
    made = manifest.embedder
    if made is None:
        return True
    ours = runtime.embedder.id, _core.TOKENIZER_ID
    dimension = runtime.embedder.dimension or made["dimension"]
    return (made["embedder"], made["tokenizer"]) == ours and made["dimension"] == dimension


def _reader(files: Files, manifest: Manifest, owner: Scope, report: Report) -> Callable[[str], Iterator[Row]]:
    """Return what reads the rows of a table; keys of originals in them become those of the new owner."""
    before, after = _owner_of(manifest).partition_hash.hex(), owner.partition_hash.hex()
    there = {one.table for one in manifest.tables}

    def rows(table: str) -> Iterator[Row]:
        number = 0
        for number, line in enumerate(lines(files, table) if table in there else (), start=1):
            try:
                yield json.loads(line.replace(before, after))
            except json.JSONDecodeError as error:
                msg = f"line {number} of {table} is no JSON: {error}"
                raise InvalidInput(msg) from error
        report(table, number)

    return rows


def _page(rows: Iterator[Row]) -> list[Row]:
    return list(islice(rows, PAGE))


async def _embed(
    runtime: Runtime, owner: Scope, rows: Callable[[str], Iterator[Row]], vectors: Vectors
) -> None:
    """Make all vectors anew; what was made before a crash is found in the cache."""
    resources = runtime.resources(owner)
    for table, column in zip(EMBEDDED, ("text", "name"), strict=True):
        given = rows(table)
        while page := await asyncio.to_thread(_page, given):
            matrix = await resources.embed_passages([row[column] for row in page])
            await asyncio.to_thread(vectors.add, table, matrix)
    await runtime.settle(resources)


def _embedded(rows: Callable[[str], Iterator[Row]], vectors: Vectors) -> Callable[[str], Iterator[Row]]:
    """Return what reads the rows of a table, with the vectors that were made anew in place of those of the export."""
    lost = {table.name: vector_columns(table) for table in PARTITIONED if vector_columns(table)}

    def read(table: str) -> Iterator[Row]:
        if table == embedding_cache.name:
            return iter(())
        if table == item_vectors.name:
            return _item_vectors(rows(items.name), vectors)
        if table == entities.name:
            told = zip(rows(table), vectors.of(table), strict=True)
            return ({**row, "vector": _told(vector)} for row, vector in told)
        return ({**row, **dict.fromkeys(lost.get(table, ()))} for row in rows(table))

    return read


def _item_vectors(rows: Iterator[Row], vectors: Vectors) -> Iterator[Row]:
    made = vectors.of(items.name)
    while page := _page(rows):
        for row, words, vector in zip(page, _words(page), islice(made, len(page)), strict=True):
            yield {"item_id": row["id"], "vector": _told(vector), "tokens": words}


def _words(page: Sequence[Row]) -> list[list[str]]:
    return index_tokens(
        [ItemDraft(type=one["type"], text=one["text"], speaker=one["speaker"]) for one in page]
    )


def _told(vector: bytes) -> Any:
    return _VECTOR.told(np.frombuffer(vector, dtype=np.float32))


_VECTOR = next(form for kind, form in FORMS if kind is type(item_vectors.c.vector.type))
