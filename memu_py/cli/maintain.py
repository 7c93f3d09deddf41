"""`memu migrate` and `memu reindex`."""

import asyncio

from rich.progress import Progress

from memu_py.cli.console import err, out
from memu_py.cli.options import LOCAL_USER, Config
from memu_py.cli.run import settings_of, with_service
from memu_py.records.scope import Scope
from memu_py.service.build import store_settings
from memu_py.service.service import MemoryService
from memu_py.storage.migrating import migrate as migrate_store


def migrate(config: Config = None) -> None:
    """Bring the database to this version."""
    before, after = asyncio.run(migrate_store(store_settings(settings_of(config))))
    if before == after:
        out.print(f"The database is at revision {after} already.", highlight=False)
    else:
        out.print(f"Migrated from {before or 'nothing'} to {after}.", highlight=False)


def reindex(config: Config = None) -> None:
    """Embed everything anew, after a change of the embedder."""

    async def work(service: MemoryService) -> int:
        with Progress(console=err, transient=True) as bar:
            task = bar.add_task("embedding", total=None)
            return await service.reindex(lambda done, total: bar.update(task, completed=done, total=total))

    count = with_service(settings_of(config), Scope(user=LOCAL_USER), work, opened=False)
    out.print(f"Reindexed {count} items.", highlight=False)
