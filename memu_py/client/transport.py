"""Doing the acts of a conversation: plainly, or in an event loop."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, Generic, TypeVar

import httpx2

from memu_py.client.exchange import SSE, Patience, Pause, Reply, Send, Talk, Unreachable
from memu_py.records.scope import Scope

# Raised before anything of the request was sent.
NOT_BEGUN = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


H = TypeVar("H", httpx2.Client, httpx2.AsyncClient)


class Bound(Generic[H]):
    """What talks to a server, perhaps on behalf of a scope.

    Args:
        http: connections to the server.
        patience: how often a call is tried.
        scope: that all calls are bound to.
    """

    def __init__(self, http: H, patience: Patience, scope: Scope | None = None) -> None:
        self._http: H = http
        self.patience = patience
        self.scope = scope


class Plain(Bound[httpx2.Client]):
    """Talks to a server by plain calls."""

    def drive(self, talk: Talk) -> Any:
        """Do the acts of a conversation, and return what it ends with."""
        with contextlib.ExitStack() as held:
            lines: Iterator[str] = iter(())
            done: Any = None
            while True:
                try:
                    act = talk.send(done)
                except StopIteration as end:
                    return end.value
                if isinstance(act, Pause):
                    time.sleep(act.seconds)
                    done = None
                elif isinstance(act, Send):
                    done, lines = self._send(act, held)
                else:
                    done = None
                    # A body that breaks off has no last event: whoever reads it knows.
                    with contextlib.suppress(httpx2.TransportError):
                        done = next(lines, None)

    def _send(self, act: Send, held: contextlib.ExitStack) -> tuple[Reply | Unreachable, Iterator[str]]:
        try:
            response = self._http.send(_request(self._http, act), stream=True)
            held.callback(response.close)
            if act.stream and response.is_success:
                return _reply(response), response.iter_lines()
            response.read()
        except httpx2.TransportError as error:
            return _unreachable(error), iter(())
        return _reply(response, response.content), iter(())


class InLoop(Bound[httpx2.AsyncClient]):
    """Talks to a server from an event loop."""

    async def drive(self, talk: Talk) -> Any:
        """Do the acts of a conversation, and return what it ends with."""
        async with contextlib.AsyncExitStack() as held:
            lines: AsyncIterator[str] = _no_lines()
            done: Any = None
            while True:
                try:
                    act = talk.send(done)
                except StopIteration as end:
                    return end.value
                if isinstance(act, Pause):
                    await asyncio.sleep(act.seconds)
                    done = None
                elif isinstance(act, Send):
                    done, lines = await self._send(act, held)
                else:
                    done = None
                    with contextlib.suppress(httpx2.TransportError):
                        done = await anext(lines, None)

    async def _send(
        self, act: Send, held: contextlib.AsyncExitStack
    ) -> tuple[Reply | Unreachable, AsyncIterator[str]]:
        try:
            response = await self._http.send(_request(self._http, act), stream=True)
            held.push_async_callback(response.aclose)
            if act.stream and response.is_success:
                return _reply(response), response.aiter_lines()
            await response.aread()
        except httpx2.TransportError as error:
            return _unreachable(error), _no_lines()
        return _reply(response, response.content), _no_lines()


async def _no_lines() -> AsyncIterator[str]:
    lines: tuple[str, ...] = ()
    for line in lines:
        yield line


def _request(http: httpx2.Client | httpx2.AsyncClient, act: Send) -> httpx2.Request:
    headers = {"Accept": SSE} if act.stream else {}
    return http.build_request(act.verb, act.path, params=dict(act.query), json=act.body, headers=headers)


def _reply(response: httpx2.Response, body: bytes = b"") -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(status=response.status_code, headers=headers, body=body)


def _unreachable(error: httpx2.TransportError) -> Unreachable:
    return Unreachable(reason=str(error) or type(error).__name__, begun=not isinstance(error, NOT_BEGUN))
