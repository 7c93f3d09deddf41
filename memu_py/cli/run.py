"""From a command to the service and back: one event loop, one service, errors as people expect them."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import typer

from memu_py.cli.console import stopped
from memu_py.config.find import find_config
from memu_py.config.load import load_settings
from memu_py.config.settings import Settings
from memu_py.records.scope import Scope
from memu_py.service.service import MemoryService

T = TypeVar("T")


def settings_of(config: Path | None, *, allow: Sequence[Path] = ()) -> Settings:
    """Load the configuration as the command line finds it.

    Args:
        config: the file named by `--config`.
        allow: paths named on the command line, which may be read in this call.
    """
    found = find_config(config, os.environ, Path.cwd())
    settings = load_settings(found)
    if not allow:
        return settings
    roots = (*settings.blobs.allowed_roots, *allow)
    return settings.model_copy(update={"blobs": settings.blobs.model_copy(update={"allowed_roots": roots})})


def with_service(
    settings: Settings, scope: Scope, work: Callable[[MemoryService], Awaitable[T]], *, opened: bool = True
) -> T:
    """Run work on a service bound to a scope, and close it.

    Args:
        settings: the configuration.
        scope: whose memory.
        work: gets the bound service.
        opened: open the store first; `memu reindex` must not, because its store belongs to another embedder.
    """

    async def run() -> T:
        service = MemoryService(settings)
        try:
            if opened:
                await service.open()
            return await work(service.for_scope(scope))
        finally:
            await service.close()

    try:
        return asyncio.run(run())
    except KeyboardInterrupt as error:
        # Here, before the command-line library takes it for a plain abort.
        raise typer.Exit(stopped()) from error
