"""`memu copy`: all memories of one configuration into the database of another, with their originals."""

import contextlib
import dataclasses
from collections.abc import AsyncIterator, Sequence

from memu_py.blobs.moving import copy_blobs
from memu_py.config.settings import Settings
from memu_py.errors import ConfigError
from memu_py.records.record import Record
from memu_py.service.build import build_blobs, store_settings
from memu_py.storage.copying import Copying, Progress, blob_keys
from memu_py.storage.database import Database
from memu_py.storage.factory import build_database
from memu_py.storage.postgres_database import libpq_dsn, named
from memu_py.storage.raw_rows import Digest

ORIGINALS = "originals"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Copied(Record):
    """What a copy did.

    Attributes:
        tables: what both sides hold.
        originals: how many, where they were copied; None where both sides keep them in the same folder.
        lost: keys of originals that the source has not.
    """

    tables: Sequence[Digest]
    originals: int | None = None
    lost: Sequence[str] = ()


def name_of(settings: Settings) -> str:
    """Return what a database is called, never with its password.

    Raises:
        ConfigError: it is one in memory, or a file that is not there.
    """
    store = store_settings(settings)
    if store.dsn is not None and store.backend == "postgres":
        return named(libpq_dsn(store.dsn))
    if store.backend == "memory" or store.path is None:
        msg = "a database in memory ends with its process: it can be copied neither from nor to"
        raise ConfigError(msg)
    return f"database {store.path.resolve()}"


async def copy_memory(source: Settings, target: Settings, *, progress: Progress = lambda *_: None) -> Copied:
    """Copy all memories; cut off, it goes on when it is called again.

    Args:
        source: where they are; nobody should write there meanwhile.
        target: an empty database, or one that a copy of the same source has begun to fill.
        progress: told after each page, from another thread.

    Raises:
        ConfigError: both are the same, or one is in memory or not there.
        StoreError: see `Copying.run`.
    """
    name = name_of(source)
    if name == name_of(target):
        msg = f"{name} is both where from and where to"
        raise ConfigError(msg)
    where = store_settings(source)
    if where.backend == "sqlite" and where.path is not None and not where.path.is_file():
        msg = f"{name} is not there"
        raise ConfigError(msg)
    async with _opened(target) as there, _opened(source) as here:
        # Originals first, as everywhere: a crash leaves a file too many, never one too few.
        keys = await here.read(blob_keys)
        apart = source.blobs_root() != target.blobs_root()
        lost = await _copy_originals(source, target, keys, progress) if apart else []
        tables = await Copying(here, there, name=name, progress=progress).run()
    return Copied(tables=tables, originals=len(keys) - len(lost) if apart else None, lost=lost)


async def _copy_originals(
    source: Settings, target: Settings, keys: Sequence[str], progress: Progress
) -> list[str]:
    here, there = build_blobs(source), build_blobs(target)
    return await copy_blobs(here, there, keys, progress=lambda done, total: progress(ORIGINALS, done, total))


@contextlib.asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Database]:
    database = build_database(store_settings(settings))
    await database.open()
    try:
        yield database
    finally:
        await database.close()
