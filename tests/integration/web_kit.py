"""A web server for tests, on a real socket, that can do what a good one does not."""

import asyncio
import contextlib
import gzip
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from memu_py.blobs.web import Web
from memu_py.config.ingest import HttpSettings
from memu_py.testing.http import Request, read_request

HOST = "127.0.0.1"
NAME = "pages.test"
"""The name under which the tests know the server."""

Serve = Callable[[asyncio.StreamWriter], Awaitable[None]]


class WebServer:
    """Answers each path by a function.

    Attributes:
        port: where it listens.
        requests: what was asked, in order.
        pages: what answers a path.
    """

    def __init__(self) -> None:
        self.port = 0
        self.requests: list[Request] = []
        self.pages: dict[str, Serve] = {}

    def url(self, path: str, *, scheme: str = "http", host: str = NAME) -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await read_request(reader)) is not None:
                self.requests.append(request)
                await self.pages.get(request.path, page(b"", status=404))(writer)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.transport.abort()


@contextlib.asynccontextmanager
async def serving(tls: ssl.SSLContext | None = None) -> AsyncIterator[WebServer]:
    """Run a server until the test is over."""
    server = WebServer()
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(server.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    listening = await asyncio.start_server(accept, HOST, 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def page(
    body: bytes, kind: str = "text/plain", *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Serve:
    """Return what answers with some content."""
    fields = {"content-type": kind, "content-length": str(len(body)), **(headers or {})}

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, {name: value for name, value in fields.items() if value}) + body)

    return send


def packed(body: bytes, *, as_: str = "gzip", cut: int | None = None, more: bytes = b"") -> Serve:
    """Return what answers with content packed by gzip, perhaps cut off, perhaps with something behind."""
    return page(gzip.compress(body)[:cut] + more, headers={"content-encoding": as_})


def redirect(location: str, status: int = 302) -> Serve:
    return page(b"elsewhere", status=status, headers={"location": location, "set-cookie": "a=b"})


def chunked(pieces: Sequence[bytes]) -> Serve:
    """Return what answers without saying how long the answer is, and ends it rightly."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"content-type": "text/plain", "transfer-encoding": "chunked"}))
        for piece in [*pieces, b""]:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()

    return send


def endless(piece: bytes, headers: Mapping[str, str] | None = None) -> Serve:
    """Return what never ends its answer, and sends on as fast as it is read."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"content-type": "text/plain", **(headers or {})}))
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)

    return send


def silent(begun: bytes = b"") -> Serve:
    """Return what sends something, or nothing, and then waits for ever."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(begun)
        await writer.drain()
        await asyncio.Event().wait()

    return send


def here(address: str) -> bool:
    """Allow the address of the test's server, and no other."""
    return address == HOST


async def at_home(host: str, port: int) -> list[str]:
    """Resolve all names of the tests to the test's server."""
    return [HOST] if host.endswith(".test") else [host]


def web(server: WebServer, *, at_most: int = 1_000_000, **settings: Any) -> Web:
    """Return what fetches from the test's server."""
    parts = {key: settings.pop(key) for key in ("resolve", "allow", "tls") if key in settings}
    given = {"ports": (server.port,), "timeout_s": 20.0, **settings}
    return Web(HttpSettings(**given), max_bytes=at_most, **{"resolve": at_home, "allow": here, **parts})
