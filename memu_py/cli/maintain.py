"""`memu migrate` and `memu reindex`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.progress import Progress

from memu_py.cli.console import err, print_text
from memu_py.cli.options import Config
from memu_py.cli.run import scope_of, settings_of, with_service

if TYPE_CHECKING:
    from memu_py.service.service import MemoryService


def migrate(config: Config = None) -> None:
    """Bring the database to this version."""
    from memu_py.service.build import all_store_settings  # noqa: PLC0415 - slow to load, and help needs none of it
    from memu_py.storage.migrating import migrate as migrate_store  # noqa: PLC0415 - the same

    for name, wanted in all_store_settings(settings_of(config)).items():
        before, after = asyncio.run(migrate_store(wanted))
        if before == after:
            print_text(f"The {name} is at revision {after} already.")
        else:
            print_text(f"Migrated from {before or 'nothing'} to {after}: the {name}.")


def reindex(config: Config = None) -> None:
    """Embed everything anew, after a change of the embedder."""

    async def work(service: MemoryService) -> int:
        with Progress(console=err, transient=True) as bar:
            task = bar.add_task("embedding", total=None)
            return await service.reindex(lambda done, total: bar.update(task, completed=done, total=total))

    settings = settings_of(config)
    count = with_service(settings, scope_of(settings, None), work, opened=False)
    print_text(f"Reindexed {count} items.")
