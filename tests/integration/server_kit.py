"""A server for tests: on a real socket, with a quick embedder."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import httpx2
from service_kit import config

from memu_py import AsyncMemoryClient, MemoryService
from memu_py.config.load import load_settings
from memu_py.config.settings import Settings
from memu_py.records.api_key import Role
from memu_py.records.scope import Scope
from memu_py.server.app import create_app, service_settings
from memu_py.server.following import Following
from memu_py.server.running import serving
from memu_py.server.traces import Tracing

PROBLEM = "application/problem+json"


class Serving:
    """A server that runs, and what is behind it."""

    def __init__(self, url: str, settings: Settings, service: MemoryService) -> None:
        self.url = url
        self.settings = settings
        self.service = service

    def client(self, key: str | None = None, **more: Any) -> AsyncMemoryClient:
        return AsyncMemoryClient(self.url, key=key, **more)

    def http(self, key: str | None = None) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=60)

    async def key(self, role: Role = "write", **scope: str) -> str:
        """Make a key, for everywhere where no scope is named."""
        made = await self.service.keys.create("test", role=role, scope=Scope(**scope) if scope else None)  # type: ignore[arg-type]
        return made[0]


def settings_for(path: Path | None = None, *, auth: str = "none", **more: Any) -> Settings:
    """Return the configuration of a server; `server` among the others has settings of its own."""
    server = {"auth": auth, "port": 0, **more.pop("server", {})}
    return load_settings(config(path, server=server, **more))


@contextlib.asynccontextmanager
async def served(
    path: Path | None = None,
    *,
    tracing: Tracing | None = None,
    following: Following | None = None,
    **more: Any,
) -> AsyncIterator[Serving]:
    """Serve; the arguments are those of `settings_for`."""
    settings = settings_for(path, **more)
    service = MemoryService(service_settings(settings))
    app = create_app(settings, service=service, tracing=tracing, following=following)
    async with serving(app, settings.server) as url:
        yield Serving(url, settings, service)


@contextlib.contextmanager
def serving_in_thread(settings: Settings) -> Iterator[str]:
    """Serve from an event loop in a thread of its own, for callers that have none; give the address."""
    begun: Future[str] = Future()
    loop = asyncio.new_event_loop()
    ending = asyncio.Event()

    async def serve() -> None:
        try:
            async with serving(create_app(settings), settings.server) as url:
                begun.set_result(url)
                await ending.wait()
        except BaseException as error:
            if not begun.done():
                begun.set_exception(error)
            raise

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        yield begun.result()
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()
        loop.close()
