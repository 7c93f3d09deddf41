"""From a command to the service and back: one event loop, one service, errors as people expect them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memu_py.records.scope import Scope

if TYPE_CHECKING:
    from memu_py.config.settings import Settings
    from memu_py.service.service import MemoryService

T = TypeVar("T")

ASK_AGAIN_S = 15.0
"""How long something that was asked to stop may take to clean up."""

LOCAL_USER = "local"
"""Whose memory it is when nobody is named; only the command line fills this in."""


def settings_of(config: Path | None, *, allow: Sequence[Path] = (), works: bool = False) -> Settings:
    """Load the configuration as the command line finds it.

    Args:
        config: the file named by `--config`.
        allow: paths named on the command line, which may be read in this call.
        works: the command does jobs; others leave them alone, since they are gone in a moment.
    """
    from memu_py.config.find import find_config  # noqa: PLC0415 - slow to load, and help needs none of it
    from memu_py.config.load import load_settings  # noqa: PLC0415 - the same

    found = find_config(config, os.environ, Path.cwd())
    settings = load_settings(found)
    if not works:
        settings = settings.model_copy(update={"jobs": settings.jobs.model_copy(update={"workers": 0})})
    if not allow:
        return settings
    roots = (*settings.blobs.allowed_roots, *allow)
    return settings.model_copy(update={"blobs": settings.blobs.model_copy(update={"allowed_roots": roots})})


def scope_of(
    settings: Settings, user: str | None, agent: str | None = None, session: str | None = None
) -> Scope:
    """Return the scope of a command: what it names, in the user named, else in `scope.default`, else in `local`."""
    default = settings.scope.default_scope() or Scope(user=LOCAL_USER)
    base = default if user is None else Scope(user=user)
    named = {"agent": agent, "session": session}
    return base.evolve(**{name: value for name, value in named.items() if value is not None})


def with_service(
    settings: Settings,
    scope: Scope | None,
    work: Callable[[MemoryService], Awaitable[T]],
    *,
    opened: bool = True,
) -> T:
    """Run work on a service bound to a scope, and close it.

    Args:
        settings: the configuration.
        scope: whose memory; None for a service that is bound to nobody.
        work: gets the bound service.
        opened: open the store first; `memu reindex` must not, because its store belongs to another embedder.
    """

    async def run() -> T:
        from memu_py.service.service import MemoryService  # noqa: PLC0415 - slow to load, and help needs none of it

        service = MemoryService(settings)
        try:
            if opened:
                await service.open()
            return await work(service if scope is None else service.for_scope(scope))
        finally:
            await service.close()

    return asyncio.run(_until_stopped(run()))


async def _until_stopped(work: Awaitable[T]) -> T:
    """Do some work that Ctrl-C ends in good order: it is cancelled, and asked once more if it has not heard.

    Raises:
        KeyboardInterrupt: Ctrl-C ended it.
    """
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    pressed = False

    def stop() -> None:
        nonlocal pressed
        pressed = True
        if not task.done():
            task.cancel()
            loop.call_later(ASK_AGAIN_S, stop)

    # Told by the loop, an interrupt cannot strike where nobody hears it, such as in a destructor.
    with contextlib.suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, stop)
    try:
        return await task
    except asyncio.CancelledError:
        if pressed:
            raise KeyboardInterrupt from None
        raise
