"""The helpers for tests: clock, server."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from memu_py.embedding.embedder import Embedder
from memu_py.errors import InvalidInput
from memu_py.testing.clock import FixedClock
from memu_py.testing.embedder_suite import EmbedderSuite
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


async def say(server: ScriptedServer, *chunks: bytes) -> bytes:
    """Send raw bytes, and read all that comes back."""
    host, port = server.base_url.removeprefix("http://").split("/")[0].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    for chunk in chunks:
        writer.write(chunk)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


def test_a_fixed_clock_stands_until_it_is_told() -> None:
    clock = FixedClock(NOON)

    assert clock() == clock() == NOON
    clock.advance(timedelta(hours=2))
    assert clock() == NOON + timedelta(hours=2)
    clock.set(NOON - timedelta(days=1))
    assert clock() == NOON - timedelta(days=1)


def test_a_clock_has_a_zone() -> None:
    with pytest.raises(InvalidInput, match="aware"):
        FixedClock(datetime(2024, 5, 1))  # noqa: DTZ001 - the point
    with pytest.raises(InvalidInput, match="aware"):
        FixedClock(NOON).set(datetime(2024, 5, 1))  # noqa: DTZ001 - the point


async def test_the_server_answers_one_text_and_keeps_the_connection() -> None:
    body = b'{"model": "m", "input": "one text"}'
    request = b"POST /v1/embeddings?x=1 HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    async with ScriptedServer() as server:
        answer = await say(server, request, request)

    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert [seen.path for seen in server.requests] == ["/v1/embeddings?x=1"] * 2
    assert server.requests[0].headers == {"content-length": str(len(body))}


async def test_the_server_survives_a_client_that_breaks_off() -> None:
    async with ScriptedServer() as server:
        assert await say(server, b"POST /v1/embeddings HTTP/1.1\r\ncontent-length: 10\r\n\r\nabc") == b""
        assert await say(server, b"GET / HTTP/1.1\r\n\r\n") != b""

    assert [request.path for request in server.requests] == ["/"]


async def test_the_server_can_be_extended_by_routes() -> None:
    async def chat(request: Request) -> Answer:
        return Answer(status=201, body=b"raw", headers={"content-type": "text/plain"})

    async with ScriptedServer() as server:
        server.route("/chat/completions", chat)
        answer = await say(server, b"GET /v1/chat/completions HTTP/1.1\r\n\r\n")

    assert answer == b"HTTP/1.1 201 Created\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\nraw"


async def test_the_server_drops_a_client_that_has_gone_before_the_answer() -> None:
    async with ScriptedServer() as server:
        waiting = asyncio.Event()
        go_on = asyncio.Event()

        async def slow(request: Request) -> Answer:
            waiting.set()
            await go_on.wait()
            return Answer(body=b"x" * 10_000_000)

        server.route("/slow", slow)
        host, port = server.base_url.removeprefix("http://").split("/")[0].split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /v1/slow HTTP/1.1\r\n\r\n")
        await waiting.wait()
        writer.transport.abort()
        go_on.set()
        assert b"404" in await say(server, b"GET /v1/none HTTP/1.1\r\n\r\n")


def test_the_suite_wants_an_embedder() -> None:
    fixture = cast(Any, EmbedderSuite.embedder)
    wrapped: Any = getattr(fixture, "_get_wrapped_function", lambda: fixture)()

    with pytest.raises(NotImplementedError):
        wrapped(EmbedderSuite())
    assert Embedder is not None
