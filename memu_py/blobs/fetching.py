"""One exchange with a web server: connected to an address that was checked, read up to a size."""

import asyncio
import ssl
import zlib
from typing import Protocol

import httpx2

from memu_py.blobs.addresses import Allow, Resolve
from memu_py.errors import AccessDenied, FetchError, InvalidInput

GZIP = 16 + zlib.MAX_WBITS
PACKED = "gzip"
"""The one packing that is asked for."""
CONNECT_S = 10.0
"""How long one address of a host may take to answer before the next is tried."""
_USUAL_PORTS = {"http": 80, "https": 443}


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Connects to the very addresses that were checked, whatever the name leads to a moment later.

    A host of which one address is not allowed is not asked at all. TLS is held to the host's name. No connection
    outlives its answer, so that none is ever used for another name.

    Args:
        resolve: finds the addresses of a host; asked once for each request.
        allow: tells whether one may be asked.
        tls: whom to trust; the system's store if None.
    """

    def __init__(self, *, resolve: Resolve, allow: Allow, tls: ssl.SSLContext | None = None) -> None:
        self._resolve = resolve
        self._allow = allow
        self._inner = httpx2.AsyncHTTPTransport(
            verify=True if tls is None else tls,
            trust_env=False,
            limits=httpx2.Limits(max_keepalive_connections=0),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the first address of its host that answers.

        Raises:
            AccessDenied: the host leads to an address that may not be asked.
            FetchError: there is no such host.
            httpx2.HTTPError: none of its addresses answers.
        """
        host = request.url.raw_host.decode("ascii")
        *others, last = await self._addresses(host, port_of(request.url))
        for address in others:
            try:
                return await self._inner.handle_async_request(_pinned(request, host, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._inner.handle_async_request(_pinned(request, host, last))

    async def _addresses(self, host: str, port: int) -> list[str]:
        found = list(await self._resolve(host, port))
        if not found:
            msg = f"there is no host {host}"
            raise FetchError(msg)
        if not all(map(self._allow, found)):
            # Which address it is, is not told: names of a network are not to be looked up through us.
            msg = f"{host} leads to an address that is not public"
            raise AccessDenied(msg, hint="fetch it yourself and pass the content as data=")
        return found

    async def aclose(self) -> None:
        """Close what is open."""
        await self._inner.aclose()


def port_of(url: httpx2.URL) -> int:
    """Return the port of an http or https address."""
    return url.port or _USUAL_PORTS[url.scheme]


def _pinned(request: httpx2.Request, host: str, address: str) -> httpx2.Request:
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        extensions={**request.extensions, "sni_hostname": host},
    )


class Unpacked(Protocol):
    """Takes what comes in, and gives what it holds."""

    def feed(self, data: bytes, room: int) -> bytes:
        """Return what some more bytes hold, at most `room` bytes of it."""
        ...

    def finish(self) -> None:
        """Raise `FetchError` if something is missing at the end."""
        ...


class Plain:
    """Content that is not packed."""

    def feed(self, data: bytes, room: int) -> bytes:
        """Return the bytes as they are; see `Unpacked`."""
        return data[:room]

    def finish(self) -> None:
        """Nothing can be missing."""


class Gunzip:
    """Content packed by gzip; what it holds is never made beyond what is asked for."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(GZIP)

    def feed(self, data: bytes, room: int) -> bytes:
        """Unpack some more; see `Unpacked`."""
        try:
            made = self._stream.decompress(data, room)
        except zlib.error as error:
            msg = f"the answer is no valid gzip: {error}"
            raise FetchError(msg) from error
        if self._stream.unused_data:
            msg = "something follows the end of a packed answer"
            raise FetchError(msg)
        return made

    def finish(self) -> None:
        """Tell of an answer that was cut off."""
        if not self._stream.eof:
            msg = "the packed answer was cut off"
            raise FetchError(msg)


async def read_body(response: httpx2.Response, *, max_bytes: int) -> bytes:
    """Return the content of an answer, unpacked.

    Args:
        response: whose body was not read yet.
        max_bytes: neither what is sent nor what it unpacks to may be larger.

    Raises:
        InvalidInput: it is too large; nothing more of it is read.
        FetchError: it is packed in a way that was not asked for, damaged, or cut off.
    """
    _check_declared(response.headers.get("content-length"), max_bytes)
    unpacked = _unpacked(response.headers.get("content-encoding", ""))
    received = 0
    body = bytearray()
    async for piece in response.aiter_raw():
        received += len(piece)
        body += unpacked.feed(piece, max_bytes + 1 - len(body))
        if max(received, len(body)) > max_bytes:
            raise _too_large(max_bytes)
        # A server that always has more must not keep everybody else waiting.
        await asyncio.sleep(0)
    unpacked.finish()
    return bytes(body)


def _unpacked(encoding: str) -> Unpacked:
    kind = encoding.strip().lower()
    if kind in ("", "identity"):
        return Plain()
    if kind in (PACKED, "x-gzip"):
        return Gunzip()
    msg = f"the answer is packed as {kind}, which was not asked for"
    raise FetchError(msg)


def _check_declared(length: str | None, max_bytes: int) -> None:
    if length is not None and length.isascii() and length.isdigit() and int(length) > max_bytes:
        raise _too_large(max_bytes)


def _too_large(max_bytes: int) -> InvalidInput:
    return InvalidInput(
        f"the answer has more than {max_bytes} bytes",
        hint="raise `ingest.http.max_bytes` and `blobs.max_bytes`",
    )
