"""Values by name: over the service, from plain code, over HTTP, and from the command line."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu
from server_kit import served
from service_kit import config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import Conflict, InvalidInput, OutsideScope, TooLarge
from memu_py.testing.clock import FixedClock
from memu_py.testing.store_samples import NOW


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(kv={"value_kb": 1}), clock=FixedClock(NOW)) as made:
        yield made


async def test_a_value_is_set_read_listed_and_deleted(service: MemoryService) -> None:
    ann = service.for_user("ann")
    kept = await ann.kv.set("settings", "ui", {"theme": "深色", "sizes": (1, 2)})

    assert (kept.value, kept.version, kept.expires_at) == ({"theme": "深色", "sizes": [1, 2]}, 1, None)
    assert await ann.kv.get("settings", "ui") == kept
    assert await service.kv.get("settings", "ui", user="bob") is None
    assert await ann.kv.get("settings", "ui", session="s") is None
    assert (await ann.kv.list("settings", prefix="u")).records == (kept,)
    assert await ann.kv.delete("settings", "ui", if_version=1)
    assert not await ann.kv.delete("settings", "ui")
    with pytest.raises(OutsideScope):
        await ann.kv.get("settings", "ui", user="bob")


async def test_of_many_at_once_each_counts() -> None:
    async with MemoryService(config()) as service:
        kv = service.for_user("ann").kv

        async def count() -> None:
            while True:
                found = await kv.get("n", "count")
                number, version = (found.value, found.version) if found else (0, 0)
                try:
                    await kv.set("n", "count", number + 1, if_version=version)
                except Conflict:
                    continue
                return

        await asyncio.gather(*(count() for _ in range(8)))
        found = await kv.get("n", "count")
        assert found is not None and (found.value, found.version) == (8, 8)


async def test_a_value_with_an_end_is_gone_then() -> None:
    clock = FixedClock(NOW)
    async with MemoryService(config(), clock=clock) as service:
        kept = await service.kv.set("n", "k", 1, ttl_s=60, user="ann")
        assert kept.expires_at == clock() + timedelta(seconds=60)
        clock.advance(timedelta(seconds=59))
        assert await service.kv.get("n", "k", user="ann") == kept
        clock.advance(timedelta(seconds=1))
        assert await service.kv.get("n", "k", user="ann") is None


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("", "k", 1), {}),
        (("n", " ", 1), {}),
        (("n" * 129, "k", 1), {}),
        (("n", "键" * 342, 1), {}),
        (("n", "k", float("nan")), {}),
        (("n", "k", {1: 2}), {}),
        (("n", "k", {"a": object()}), {}),
        (("n", "k", 1), {"ttl_s": 0}),
        (("n", "k", 1), {"ttl_s": float("inf")}),
        (("n", "k", 1), {"if_version": -1}),
        (("n", "k", 1), {"if_version": True}),
    ],
)
async def test_what_cannot_be_kept_is_refused(
    service: MemoryService, arguments: tuple[str, str, Any], options: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        await service.kv.set(*arguments, **options, user="ann")
    assert (await service.stats())["kv"] == 0


async def test_a_value_has_a_size(service: MemoryService) -> None:
    await service.kv.set("n", "k", "x" * 1022, user="ann")
    with pytest.raises(TooLarge, match="1025 bytes"):
        await service.kv.set("n", "k", "x" * 1023, user="ann")


def test_plain_code_has_plain_calls() -> None:
    with SyncMemoryService(MemoryService(config())) as sync:
        sync.for_user("ann").kv.set("n", "k", [1])
        assert sync.kv.get("n", "k", user="ann").value == [1]


async def test_a_client_does_the_same() -> None:
    async with served() as server, server.client() as client:
        kv = client.for_user("ann").kv
        for value in (None, {"a": [1, None]}, "text", 1.5):
            kept = await kv.set("a/b", "c/../d", value)
            assert kept.value == value and await kv.get("a/b", "c/../d") == kept
        assert [one.key for one in await kv.list("a/b", prefix="c/")] == ["c/../d"]
        with pytest.raises(Conflict):
            await kv.set("a/b", "c/../d", 1, if_version=0)
        assert await kv.delete("a/b", "c/../d") and await kv.get("a/b", "c/../d") is None


def test_the_command_line(memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(CONFIG)
    assert memu("kv", "set", "ui", "theme", "dark")[0] == 0
    assert json.loads(memu("kv", "set", "ui", "sizes", "[1, 2]", "--json")[1])["value"] == [1, 2]
    assert memu("kv", "get", "ui", "theme")[1] == '"dark"\n'
    assert json.loads(memu("kv", "get", "ui", "theme", "--json")[1])["version"] == 1
    assert memu("kv", "list", "ui", "--prefix", "t")[1].splitlines()[1].startswith('theme\t"dark"\t1\t')
    assert len(json.loads(memu("kv", "list", "ui", "--json")[1])["records"]) == 2
    assert memu("kv", "set", "ui", "theme", "light", "--if-version", "0")[0] == 1
    assert memu("kv", "delete", "ui", "theme", "--if-version", "1")[0] == 0
    assert memu("kv", "delete", "ui", "theme")[0] == memu("kv", "get", "ui", "theme")[0] == 1
