"""`memu worker`: do jobs until told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from memu_py.cli.console import err
from memu_py.cli.jobs import require_lasting
from memu_py.cli.options import Config
from memu_py.cli.run import scope_of, settings_of, with_service

if TYPE_CHECKING:
    from memu_py.service.service import MemoryService

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def worker(
    config: Config = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when there is nothing left to do.")] = False,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency", "-c", min=1, max=64, help="Jobs at the same time; as configured if left out."
        ),
    ] = None,
) -> None:
    """Do the jobs of the database, of everybody, until Ctrl-C: what runs then is finished, or handed over."""
    settings = settings_of(config, works=True)
    require_lasting(settings)

    async def work(service: MemoryService) -> int | None:
        task = asyncio.ensure_future(service.work(once=once, concurrency=concurrency))
        with _told_to_stop() as stop:
            err.print("Working; Ctrl-C stops.", soft_wrap=True)
            asking = asyncio.ensure_future(stop.wait())
            await asyncio.wait([task, asking], return_when=asyncio.FIRST_COMPLETED)
            asking.cancel()
        if not task.done():
            err.print("Stopping: what runs is finished, or handed over.", soft_wrap=True)
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            return await task
        return None

    ended = with_service(settings, scope_of(settings, None), work)
    if ended is not None:
        err.print(f"{ended} jobs ended; nothing is due any more.", soft_wrap=True)


@contextlib.contextmanager
def _told_to_stop() -> Iterator[asyncio.Event]:
    """Have the signals set an event, where the system lets a program hear them; a second one ends it at once."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    with contextlib.ExitStack() as heard:
        for one in SIGNALS:
            with contextlib.suppress(NotImplementedError, RuntimeError):
                loop.add_signal_handler(one, stop.set)
                heard.callback(loop.remove_signal_handler, one)
        yield stop
