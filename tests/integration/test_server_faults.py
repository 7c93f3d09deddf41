"""What goes wrong: too much, too deep, too late, a database that is away, and our own faults."""

import asyncio
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from server_kit import PROBLEM, served, settings_for

from memu_py import MemoryService
from memu_py.errors import ConfigError, StoreUnreachable
from memu_py.server.app import create_app
from memu_py.server.running import serving
from memu_py.workflow.interceptor import Call

MB = 1024 * 1024


class Hold:
    """Holds the runs of a service until it is told to let go; or fails them."""

    def __init__(self, error: Exception | None = None) -> None:
        self.begun = asyncio.Event()
        self.go = asyncio.Event()
        self._error = error

    async def before(self, call: Call) -> None:
        if call.kind != "run":
            return
        self.begun.set()
        if self._error is not None:
            raise self._error
        await self.go.wait()

    async def after(self, call: Call, result: Any) -> None:
        """Nothing to do."""

    async def on_error(self, call: Call, error: BaseException) -> None:
        """Nothing to do."""


async def test_a_body_is_read_up_to_its_limit_and_no_further() -> None:
    async with served(server={"max_body_mb": 1}) as server, server.http() as http:
        said = await http.post("/v1/memorize", content=b" " * (MB + 1))
        fits = await http.post(
            "/v1/memorize", content=b" " * (MB - 100) + b'{"text": "Ann sails.", "user": "a"}'
        )
        # A body that never ends: the answer comes before its end.
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
        writer.write(b"POST /v1/memorize HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(b"%x\r\n" % (2 * MB) + b" " * 2 * MB + b"\r\n")
        unsaid = (await reader.readuntil(b"\r\n")).decode()
        writer.close()

        assert said.status_code == 413 and said.json()["type"] == "urn:memu:problem:too-large"
        assert fits.status_code == 200
        assert " 413 " in unsaid


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("inside", ["", '{"user":"ann","text":"x","metadata":{"a":'])
async def test_a_bomb_of_brackets_is_refused(opening: str, inside: str) -> None:
    async with served() as server, server.http() as http:
        answer = await http.post("/v1/memorize", content=inside + opening * 100_000)

        assert answer.status_code == 400
        assert answer.json()["type"] == "urn:memu:problem:malformed"
        assert len(answer.content) < 1000


async def test_a_fault_of_ours_says_nothing_and_is_found_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with served() as server, server.http() as http:
        server.service.intercept(Hold(RuntimeError("Ann's secret: zanzibar")))
        with caplog.at_level(logging.INFO):
            answer = await http.post("/v1/memorize", json={"text": "zanzibar", "user": "zanzibar"})

    problem = answer.json()
    assert answer.status_code == 500 and answer.headers["content-type"] == PROBLEM
    assert "zanzibar" not in answer.text and "Traceback" not in answer.text
    name = problem["instance"].rpartition(":")[2]
    (line,) = [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
    assert name in line and "RuntimeError" in line and "test_server_faults.py" in line
    assert all("zanzibar" not in one.getMessage() for one in caplog.records)


async def test_what_takes_too_long_is_stopped_and_keeps_nothing() -> None:
    async with served(server={"request_timeout_s": 0.05}) as server, server.http() as http:
        hold = Hold()
        server.service.intercept(hold)
        answer = await http.post("/v1/memorize", json={"text": "Ann sails.", "user": "ann"})
        hold.go.set()

        assert answer.status_code == 504
        assert answer.json()["type"] == "urn:memu:problem:step-timeout"
        assert await server.service.count_items(user="ann") == 0


class Away:
    """A database that is away until it is back."""

    def __init__(self, service: MemoryService, monkeypatch: pytest.MonkeyPatch) -> None:
        self.back = False
        self._read = service._runtime.store._database.read  # type: ignore[attr-defined]
        monkeypatch.setattr(service._runtime.store._database, "read", self.read)  # type: ignore[attr-defined]

    async def read(self, work: Any, **more: Any) -> Any:
        if not self.back:
            raise StoreUnreachable("the database at db.example.com does not answer")
        return await self._read(work, **more)


async def test_a_database_that_is_away_is_told_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served() as server, server.http() as http:
        away = Away(server.service, monkeypatch)
        answers = [await http.get(path) for path in ("/ready", "/v1/items?user=ann", "/v1/stats")]
        alive, figures = await http.get("/health"), await http.get("/metrics")
        away.back = True
        again = [await http.get(path) for path in ("/ready", "/v1/items?user=ann")]

        for answer in answers:
            assert answer.status_code == 503 and answer.headers["retry-after"] == "1"
            assert answer.json()["type"] == "urn:memu:problem:store-unreachable"
        assert (alive.status_code, figures.status_code) == (200, 200)
        assert [one.status_code for one in again] == [200, 200]


async def test_a_server_begins_without_its_database(tmp_path: Path) -> None:
    dsn = f"postgresql://nobody@/memu?host={tmp_path}&connect_timeout=1"
    settings = settings_for(database={"backend": "postgres", "dsn": dsn})
    app = create_app(settings)
    async with serving(app, settings.server) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        head = (await reader.read()).decode()
        writer.close()

    assert " 503 " in head.splitlines()[0]
    assert "nobody" not in head


async def test_a_database_of_another_version_is_not_ready(tmp_path: Path) -> None:
    async with served(tmp_path / "memu.db") as server, server.http() as http:
        with sqlite3.connect(tmp_path / "memu.db") as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.close()
        answer = await http.get("/ready")

    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:memu:problem:schema-mismatch"


async def test_a_taken_port_is_told() -> None:
    async with served() as server:
        port = int(server.url.rpartition(":")[2])
        settings = settings_for(server={"port": port})
        with pytest.raises(ConfigError, match=str(port)):
            async with serving(create_app(settings), settings.server):
                pass
