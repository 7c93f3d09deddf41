"""Running the application on a socket, and ending it in good order."""

import asyncio
import contextlib
import os
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import uvicorn
from fastapi import FastAPI

from memu_py.config.server import ServerSettings
from memu_py.errors import ConfigError
from memu_py.server.metrics import SHARED

TOLD = "MEMU_SERVER"
"""The variable by which several processes are told how they serve, whatever their configuration says."""
FACTORY = "memu_py.server.app:from_environment"
SIGNALS = (signal.SIGINT, signal.SIGTERM)
KEEP_ALIVE_S = 30
SILENT_S = 60
"""How long a process may give no sign of life before it is killed, and another takes its place, in seconds: one that
begins, or has very much to do, is not dead."""
LOGS: Mapping[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "loggers": {
        name: {"handlers": ["stderr"], "level": "INFO", "propagate": False} for name in ("uvicorn", "memu_py")
    },
}
"""Everything goes to standard error; the loggers of other programs are left alone."""


class Server(uvicorn.Server):
    """A server that ends with exit code 0 when a signal asks for it: what was under way is done."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear signals while serving, and do not raise them again afterwards."""
        before = {one: signal.signal(one, self.handle_exit) for one in SIGNALS}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


class QuietServer(uvicorn.Server):
    """A server inside of another program, whose signals are not its own.

    Attributes:
        begun: set when it listens, or could not begin.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.begun = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and tell."""
        try:
            await super().startup(sockets)
        except SystemExit:
            # The program around it goes on.
            self.should_exit = True
        finally:
            self.begun.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear nothing."""
        yield


def run(app: FastAPI, settings: ServerSettings) -> None:
    """Serve in this process until a signal.

    Args:
        app: the application.
        settings: where to listen, and how long to wait at the end.

    Raises:
        ConfigError: it could not begin, such as where the port is taken; the log says why.
    """
    server = Server(uvicorn.Config(app, **_options(settings)))
    try:
        server.run()
    except SystemExit as error:
        raise _not_begun(settings) from error
    if not server.started:
        raise _not_begun(settings)


def run_many(settings: ServerSettings) -> None:
    """Serve in several processes until a signal; each makes its application by `from_environment`.

    Args:
        settings: how many, and where to listen.
    """
    with tempfile.TemporaryDirectory(prefix="memu-metrics-") as folder:
        os.environ |= {SHARED: folder, TOLD: settings.model_dump_json()}
        uvicorn.run(
            FACTORY,
            factory=True,
            workers=settings.workers,
            timeout_worker_healthcheck=SILENT_S,
            **_options(settings),
        )


@contextlib.asynccontextmanager
async def serving(app: FastAPI, settings: ServerSettings) -> AsyncIterator[str]:
    """Serve beside what else the program does.

    Args:
        app: the application.
        settings: where to listen; port 0 takes a free one.

    Yields:
        The address, such as `http://127.0.0.1:8765`.
    """
    server = QuietServer(uvicorn.Config(app, **_options(settings, None)))
    task = asyncio.create_task(server.serve())
    await server.begun.wait()
    if not server.started:
        await asyncio.wait([task])
        raise _not_begun(settings) from task.exception()
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://{settings.host}:{port}"
    finally:
        server.should_exit = True
        await task


def _options(settings: ServerSettings, logs: Mapping[str, Any] | None = LOGS) -> dict[str, Any]:
    return {
        "host": settings.host,
        "port": settings.port,
        "timeout_graceful_shutdown": settings.shutdown_s,
        "timeout_keep_alive": KEEP_ALIVE_S,
        # Ours has no query in it, in which there may be names.
        "access_log": False,
        "server_header": False,
        "lifespan": "on",
        "log_config": logs,
    }


def _not_begun(settings: ServerSettings) -> ConfigError:
    msg = f"the server could not begin at {settings.host}:{settings.port}"
    return ConfigError(msg, hint="is the port taken? The log has what went wrong")
