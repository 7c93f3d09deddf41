"""Conversations in a database of their own: two databases share no transaction, and nothing is lost or doubled."""

from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config, texts

from memu_py import MemoryService
from memu_py.errors import InvalidInput, NotFound, StoreError
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.sql_kept import SqlConversations

FACTS = ["I like black tea.", "我养了一只猫。", "I own a red boat."]
URL = "conversation://c"


def apart(tmp_path: Path, own: dict[str, Any] | None = None) -> dict[str, Any]:
    talks = {
        "auto_memorize": {"by": "close"},
        "database": own or {"path": str(tmp_path / "talks.db")},
    }
    return config(tmp_path / "memory.db", conversations=talks, jobs={"workers": 0})


async def marked(service: MemoryService) -> list[bool]:
    whole = await service.conversations.get("c", user="ann")
    return [one.memorized_at is not None for one in whole.messages]


async def check(settings: dict[str, Any]) -> None:
    async with MemoryService(settings, clock=lambda: NOW) as service:
        await service.conversations.add("c", FACTS, user="ann")
        await service.conversations.close("c", user="ann")
        assert await service.work(once=True) == 1
        assert await texts(service) == FACTS
        assert await marked(service) == [True] * 3
        assert await service.work(once=True) == 0
        await service.conversations.delete("c", user="ann")
        assert await texts(service) == FACTS
        assert await service.integrity() == []
        await service.conversations.add("c", ["I like rain."], user="ann")
        await service.clear(user="ann")
        assert len(await service.conversations.list(user="ann")) == 0


async def test_beside_sqlite_in_another_file(tmp_path: Path) -> None:
    await check(apart(tmp_path))


async def test_beside_postgres(tmp_path: Path, dsn: str) -> None:
    await check(apart(tmp_path, {"backend": "postgres", "dsn": dsn}))


async def test_messages_lie_in_their_own_database_alone(tmp_path: Path) -> None:
    async with MemoryService(apart(tmp_path), clock=lambda: NOW) as service:
        await service.conversations.add("c", ["The secret word is zanzibar."], user="ann")
        await service.flush()
    assert b"zanzibar" in _bytes(tmp_path, "talks.db")
    assert b"zanzibar" not in _bytes(tmp_path, "memory.db")


def _bytes(folder: Path, name: str) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file() and name in path.name)


@pytest.mark.parametrize("again", ["call", "job"])
async def test_who_dies_between_memory_and_mark_is_done_again_with_nothing_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    settings = apart(tmp_path)

    async def die(*_: Any, **__: Any) -> bool:
        raise StoreError("the power is cut")

    async with MemoryService(settings, clock=lambda: NOW) as service:
        await service.conversations.add("c", FACTS, user="ann")
        job = await service.memorize(resource_url=URL, user="ann", wait=False)
        with monkeypatch.context() as patch:
            patch.setattr(SqlConversations, "mark", die)
            await service.work(once=True)
        assert await texts(service) == FACTS
        assert await marked(service) == [False] * 3
        if again == "call":
            assert (await service.memorize(resource_url=URL, user="ann")).unchanged
        else:
            await service.jobs.retry(job.id, user="ann")
            await service.work(once=True)
            assert (await service.jobs.get(job.id, user="ann")).status == "done"
        assert await texts(service) == FACTS
        assert await marked(service) == [True] * 3


async def test_an_export_has_them_and_forgetting_takes_them_along(tmp_path: Path) -> None:
    async with MemoryService(apart(tmp_path), clock=lambda: NOW) as service:
        await service.conversations.add("c", FACTS, user="ann")
        await service.memorize(resource_url=URL, user="ann")
        told = await service.export_user(tmp_path / "ann", user="ann")
        assert (told.rows["messages"], told.rows["conversations"], told.rows["items"]) == (3, 1, 3)
        await service.forget_user(user="ann")
        assert len(await service.conversations.list(user="ann")) == 0
        assert await texts(service) == []
        with pytest.raises(InvalidInput, match="database of their own"):
            await service.import_user(tmp_path / "ann")
    async with MemoryService(config(jobs={"workers": 0}), clock=lambda: NOW) as service:
        await service.import_user(tmp_path / "ann")
        assert await marked(service) == [True] * 3
        assert (await service.memorize(resource_url=URL, user="ann")).unchanged


async def test_who_dies_while_deleting_goes_on(tmp_path: Path) -> None:
    async with MemoryService(apart(tmp_path), clock=lambda: NOW) as service:
        await service.conversations.add("c", FACTS, user="ann")
        await service.memorize(resource_url=URL, user="ann")
        talks = build_store(StoreSettings(backend="sqlite", path=tmp_path / "talks.db"), clock=lambda: NOW)
        await talks.open()
        assert await talks.conversations.delete((await service.list_items(user="ann"))[0].scope.owner, "c")
        await talks.close()
        await service.conversations.delete("c", user="ann")
        (item, *_) = await service.list_items(user="ann")
        assert [str(place) for place in await service.locate(item.id, user="ann")] == ["c, gone"]
        with pytest.raises(NotFound):
            await service.conversations.delete("c", user="ann")


async def test_one_that_is_deleted_while_it_is_read_leaves_no_words(tmp_path: Path) -> None:
    async with MemoryService(apart(tmp_path), clock=lambda: NOW) as service:
        await service.conversations.add("c", FACTS, user="ann")
        kept = service._runtime.conversations
        commit = service._runtime.store.commit

        async def deleting(*given: Any, **more: Any) -> Any:
            await kept.delete((await kept.waiting(NOW))[0][0], "c")
            return await commit(*given, **more)

        service._runtime.store.commit = deleting  # type: ignore[method-assign]
        await service.memorize(resource_url=URL, user="ann")
        (item, *_) = await service.list_items(user="ann")
        (place,) = await service.locate(item.id, user="ann")
        assert (place.resource.status, place.text) == ("gone", "")
