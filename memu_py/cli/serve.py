"""`memu serve`: the service over HTTP."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memu_py.cli.console import err
from memu_py.cli.options import Config
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.errors import ConfigError, StoreBusy, StoreUnreachable

if TYPE_CHECKING:
    from pathlib import Path

    from memu_py.config.settings import Settings
    from memu_py.service.service import MemoryService

EXTRA = "memu_py[server]"


def serve(
    config: Config = None,
    host: Annotated[str | None, typer.Option(help="Address to listen at; `server.host`.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen at; `server.port`.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; `server.workers`.")] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Ask for no keys, even of other machines.")
    ] = False,
) -> None:
    """Serve over HTTP until Ctrl-C or SIGTERM: what is under way then is finished."""
    settings = _named(settings_of(config, works=True), host=host, port=port, workers=workers)
    _check(settings, insecure=insecure)
    running = _room()
    _try_store(settings)
    if settings.server.workers == 1:
        from memu_py.server.app import create_app  # noqa: PLC0415 - an extra

        running.run(create_app(settings), settings.server)
        return
    _tell_processes(config)
    running.run_many(settings.server)


def _named(settings: Settings, **given: object) -> Settings:
    named = {name: value for name, value in given.items() if value is not None}
    return settings.model_copy(update={"server": settings.server.model_copy(update=named)})


def _check(settings: Settings, *, insecure: bool) -> None:
    """Check that the server is not open to others by mistake, and that its processes share a database.

    Raises:
        ConfigError: it would be, or they would not.
    """
    from memu_py.config.server import is_local  # noqa: PLC0415 - slow to load, and help needs none of it

    server = settings.server
    if server.auth == "none" and not insecure and not is_local(server.host):
        msg = f"`server.auth: none` at {server.host} would let everybody read and erase all memories"
        raise ConfigError(msg, hint="make keys by `memu keys create`, or say --insecure")
    if server.workers > 1 and settings.database.backend == "memory":
        msg = "several processes cannot share a database in memory"
        raise ConfigError(msg, hint="use one worker, or a database file")


def _room() -> Any:
    try:
        from memu_py.server import running  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = f'`memu serve` needs {error.name}, which is not installed: pip install "{EXTRA}"'
        raise ConfigError(msg) from error
    return running


def _try_store(settings: Settings) -> None:
    """Open the store once, so that what is wrong with it is told here; one that is away may come later."""

    async def nothing(service: MemoryService) -> None:
        return None

    if settings.database.backend == "memory":
        return
    try:
        idle = settings.model_copy(update={"jobs": settings.jobs.model_copy(update={"workers": 0})})
        with_service(idle, scope_of(settings, None), nothing)
    except (StoreUnreachable, StoreBusy) as error:
        err.print(f"{error.args[0]}; serving all the same, /ready tells when it is there", soft_wrap=True)


def _tell_processes(config: Path | None) -> None:
    """Have the processes find the same configuration."""
    from memu_py.config.find import VARIABLE  # noqa: PLC0415 - slow to load, and help needs none of it

    if config is not None:
        os.environ[VARIABLE] = str(config.resolve())
