"""Reading `http:` and `https:` addresses, as far as `ingest.http` lets us."""

import asyncio
import contextlib
import fnmatch
import ssl
import urllib.parse

import httpx2

from memu_py import __version__
from memu_py.blobs.addresses import Allow, Resolve, is_public, resolve
from memu_py.blobs.fetching import CONNECT_S, PACKED, CheckedTransport, port_of, read_body
from memu_py.config.ingest import HttpSettings
from memu_py.errors import AccessDenied, FetchError, InvalidInput, MemuError, NotFound
from memu_py.records.fetched import Fetched

SCHEMES = ("http", "https")
AGENT = f"memu_py/{__version__}"
UNKNOWN_TYPE = "application/octet-stream"
"""What an answer without a type counts as."""
ELSEWHERE = (301, 302, 303, 307, 308)
WHOLE = (200, 203)
GONE = (404, 410)
CLOSED = (401, 403, 407, 451)
LATER = (408, 425, 429)
SERVER_FAULT = 500


class Web:
    """Fetches by address. Nothing is kept between two fetches: no cookie, no connection, no credential.

    Args:
        settings: the limits.
        max_bytes: the largest content that is taken.
        resolve: finds the addresses of a host.
        allow: tells whether one of them may be asked.
        tls: whom to trust; the system's store if None.
    """

    def __init__(
        self,
        settings: HttpSettings,
        *,
        max_bytes: int,
        resolve: Resolve = resolve,
        allow: Allow = is_public,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._settings = settings
        self._max_bytes = min(max_bytes, settings.max_bytes or max_bytes)
        self._transport = CheckedTransport(resolve=resolve, allow=allow, tls=tls)

    async def read(self, url: str) -> Fetched:
        """Return what is at an address, redirects followed.

        Raises:
            InvalidInput: it is no usable address, or the answer is too large, of a type that is not taken, or none.
            AccessDenied: it leads to a host, a port or a kind of address that may not be asked, or the server says so.
            NotFound: there is nothing.
            FetchError: the server cannot be reached, fails, or takes too long.
        """
        start = self._checked(url)
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                return await self._follow(start)
        except TimeoutError as error:
            msg = f"{start} took longer than {self._settings.timeout_s:g} s"
            raise FetchError(msg, hint="raise `ingest.http.timeout_s`") from error
        except httpx2.HTTPError as error:
            msg = f"{start} cannot be read: {str(error) or type(error).__name__}"
            raise FetchError(msg) from error

    async def close(self) -> None:
        """Let go of what is open; idempotent."""
        await self._transport.aclose()

    async def _follow(self, start: httpx2.URL) -> Fetched:
        at = start
        for _ in range(self._settings.max_redirects + 1):
            async with contextlib.aclosing(await self._asked(at)) as response:
                if response.status_code not in ELSEWHERE:
                    return await self._taken(response, start=start, at=at)
            at = self._onward(at, response.headers.get("location"))
        msg = f"{start} redirects more than {self._settings.max_redirects} times"
        raise InvalidInput(msg, hint="raise `ingest.http.max_redirects`, or give the address where it ends")

    async def _asked(self, url: httpx2.URL) -> httpx2.Response:
        # No client around the transport: one would keep cookies, and read proxies and passwords from its surroundings.
        timeout = httpx2.Timeout(self._settings.timeout_s, connect=min(CONNECT_S, self._settings.timeout_s))
        request = httpx2.Request(
            "GET",
            url,
            headers={"user-agent": AGENT, "accept": "*/*", "accept-encoding": PACKED},
            extensions={"timeout": timeout.as_dict()},
        )
        return await self._transport.handle_async_request(request)

    def _onward(self, at: httpx2.URL, location: str | None) -> httpx2.URL:
        if not location:
            msg = f"{at} redirects to nowhere"
            raise InvalidInput(msg)
        try:
            onward = self._checked(str(at.join(location)))
        except httpx2.InvalidURL as error:
            msg = f"{at} redirects to what is no usable address: {error}"
            raise InvalidInput(msg) from error
        if at.scheme == "https" and onward.scheme == "http":
            msg = f"{at} redirects from https: to http:"
            raise AccessDenied(msg, hint="give the http: address itself if that is what you want")
        return onward

    def _checked(self, url: str) -> httpx2.URL:
        """Return an address in its plain form, if one of its kind may be asked."""
        parsed = _parsed(url)
        if parsed.userinfo:
            msg = f"an address with a name or password is not fetched: {parsed.copy_with(userinfo=b'')}"
            raise InvalidInput(msg, hint="fetch it yourself and pass the content as data=")
        if parsed.scheme not in SCHEMES:
            msg = f"{url} is no http: or https: address"
            raise AccessDenied(msg)
        if not parsed.raw_host:
            msg = f"{url} names no host"
            raise InvalidInput(msg)
        if port_of(parsed) not in self._settings.ports:
            ports = ", ".join(map(str, self._settings.ports)) or "none"
            msg = f"{url} asks port {port_of(parsed)}, and allowed are {ports}"
            raise AccessDenied(msg, hint="add it to `ingest.http.ports`")
        return parsed

    async def _taken(self, response: httpx2.Response, *, start: httpx2.URL, at: httpx2.URL) -> Fetched:
        if response.status_code not in WHOLE:
            raise _refusal(at, response.status_code)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower() or UNKNOWN_TYPE
        if not any(fnmatch.fnmatchcase(kind, one.lower()) for one in self._settings.content_types):
            msg = f"{at} is {kind}, which is not taken"
            raise InvalidInput(msg, hint="add it to `ingest.http.content_types`")
        return Fetched(
            url=str(start),
            final_url=str(at),
            data=await read_body(response, max_bytes=self._max_bytes),
            media_type=kind,
            name=_name(at),
        )


def _parsed(url: str) -> httpx2.URL:
    try:
        # Twice: the usual port is left out only where the scheme is in small letters.
        return httpx2.URL(str(httpx2.URL(url.strip()))).copy_with(fragment=None)
    except httpx2.InvalidURL as error:
        msg = f"{url!r} is no usable address: {error}"
        raise InvalidInput(msg) from error


def _name(url: httpx2.URL) -> str:
    last = urllib.parse.unquote(url.path).rstrip("/").rpartition("/")[2]
    return last or url.host


def _refusal(url: httpx2.URL, status: int) -> MemuError:
    if status in GONE:
        return NotFound(f"there is nothing at {url}: the server answers {status}")
    if status in CLOSED:
        hint = "nothing is sent that could log in; fetch it yourself and pass the content as data="
        return AccessDenied(f"{url} is not open to everybody: the server answers {status}", hint=hint)
    if status in LATER or status >= SERVER_FAULT:
        return FetchError(f"{url} cannot be read now: the server answers {status}", hint="try again later")
    return InvalidInput(f"{url} cannot be read: the server answers {status}")
