"""`memu copy`: all memories of one configuration into the database of another, with their originals."""

import contextlib
import dataclasses
from collections.abc import AsyncIterator, Sequence

from memu_py.blobs.moving import copy_blobs
from memu_py.config.settings import Settings
from memu_py.errors import ConfigError
from memu_py.records.record import Record
from memu_py.service.build import build_blobs, database_settings, store_settings
from memu_py.storage.copying import Copying, Progress, blob_keys
from memu_py.storage.database import Database
from memu_py.storage.factory import build_database
from memu_py.storage.postgres_database import libpq_dsn, named
from memu_py.storage.raw_rows import Digest
from memu_py.storage.settings import StoreSettings

ORIGINALS = "originals"
CONVERSATIONS = "conversations: {}"
"""How progress calls a table of a database that conversations have for themselves."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Copied(Record):
    """What a copy did.

    Attributes:
        tables: what both sides hold.
        conversations: what both sides hold in a database that conversations have for themselves; None where they have
            none, or the same.
        originals: how many, where they were copied; None where both sides keep them in the same folder.
        lost: keys of originals that the source has not.
    """

    tables: Sequence[Digest]
    conversations: Sequence[Digest] | None = None
    originals: int | None = None
    lost: Sequence[str] = ()


def name_of(store: StoreSettings) -> str:
    """Return what a database is called, never with its password.

    Raises:
        ConfigError: it is one in memory.
    """
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
        target: an empty database, or one that a copy of the same source has begun to fill. Where conversations have a
            database of their own, it is copied to that of the target.
        progress: told after each page, from another thread.

    Raises:
        ConfigError: both are the same, or one is in memory or not there; or only one has a database for conversations.
        StoreError: see `Copying.run`.
    """
    from_memory, to_memory = store_settings(source), store_settings(target)
    _check_ends(from_memory, to_memory)
    talks = _talks(source, target)
    async with _opened(to_memory) as there, _opened(from_memory) as here:
        # Originals first, as everywhere: a crash leaves a file too many, never one too few.
        keys = await here.read(blob_keys)
        apart = source.blobs_root() != target.blobs_root()
        lost = await _copy_originals(source, target, keys, progress) if apart else []
        # The memory last: until it is whole, nobody opens the target.
        told = None if talks is None else await _copy_talks(*talks, progress)
        tables = await Copying(here, there, name=name_of(from_memory), progress=progress).run()
    originals = len(keys) - len(lost) if apart else None
    return Copied(tables=tables, conversations=told, originals=originals, lost=lost)


def _check_ends(source: StoreSettings, target: StoreSettings) -> None:
    name = name_of(source)
    if name == name_of(target):
        msg = f"{name} is both where from and where to"
        raise ConfigError(msg)
    if source.backend == "sqlite" and source.path is not None and not source.path.is_file():
        msg = f"{name} is not there"
        raise ConfigError(msg)


def _talks(source: Settings, target: Settings) -> tuple[StoreSettings, StoreSettings] | None:
    """Return from where to where conversations go that lie apart; None where none do, or both sides have them there."""
    here, there = _own_talks(source), _own_talks(target)
    if (here is None) != (there is None):
        side, other = ("target", "source") if here is None else ("source", "target")
        msg = f"the {side} keeps conversations in a database of their own, and the {other} does not"
        hint = "name two configurations that agree in it, or the databases themselves, which are then copied alone"
        raise ConfigError(msg, hint=hint)
    if here is None or there is None or name_of(here) == name_of(there):
        return None
    _check_ends(here, there)
    return here, there


def _own_talks(settings: Settings) -> StoreSettings | None:
    database = settings.conversations.database
    own = None if database is None else database_settings(database)
    return None if own is None or name_of(own) == name_of(store_settings(settings)) else own


async def _copy_talks(source: StoreSettings, target: StoreSettings, progress: Progress) -> list[Digest]:
    def tell(table: str, done: int, total: int) -> None:
        progress(CONVERSATIONS.format(table), done, total)

    async with _opened(target) as there, _opened(source) as here:
        return await Copying(here, there, name=name_of(source), progress=tell).run()


async def _copy_originals(
    source: Settings, target: Settings, keys: Sequence[str], progress: Progress
) -> list[str]:
    here, there = build_blobs(source), build_blobs(target)
    return await copy_blobs(here, there, keys, progress=lambda done, total: progress(ORIGINALS, done, total))


@contextlib.asynccontextmanager
async def _opened(store: StoreSettings) -> AsyncIterator[Database]:
    database = build_database(store)
    await database.open()
    try:
        yield database
    finally:
        await database.close()
