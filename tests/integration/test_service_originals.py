"""Originals as a user meets them: whole, kept once, never mixed up, gone with the last resource that uses them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from service_kit import config, texts

from memu_py import MemoryService
from memu_py.errors import ConfigError, InvalidInput, NotFound, StoreError

TEA = b"Ann likes green tea."


@pytest.fixture(params=["{folder}/originals", "memory://{folder}", "local://{folder}/remote"])
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryService]:
    blobs = {"root": request.param.format(folder=tmp_path), "allowed_roots": [str(tmp_path)]}
    async with MemoryService(config(tmp_path / "memu.db", blobs=blobs)) as running:
        yield running


async def kept(service: MemoryService) -> int:
    return len(await service._runtime.blobs.keys())


async def test_equal_bytes_are_kept_once_until_their_last_resource_is_deleted(service: MemoryService) -> None:
    first = await service.memorize(data=TEA, resource_url="notes/a", user="ann")
    second = await service.memorize(data=TEA, resource_url="notes/b", user="ann")
    assert first.resource.id != second.resource.id
    assert await kept(service) == 1

    await service.delete_resource(first.resource.id, user="ann")
    assert await service.read_resource(second.resource.id, user="ann") == TEA
    await service.delete_resource(second.resource.id, user="ann")
    assert await kept(service) == 0


async def test_equal_bytes_of_two_users_are_kept_apart(service: MemoryService) -> None:
    await service.memorize(data=TEA, user="ann")
    of_bob = await service.memorize(data=TEA, user="bob")
    assert await kept(service) == 2

    await service.clear(user="ann")
    assert await kept(service) == 1
    assert await service.read_resource(of_bob.resource.id, user="bob") == TEA
    with pytest.raises(NotFound):
        await service.read_resource(of_bob.resource.id, user="ann")


async def test_files_of_one_name_do_not_collide(service: MemoryService, tmp_path: Path) -> None:
    read = {}
    for folder, content in (("work", b"Ann works in Porto."), ("home", b"Ann lives in Lisbon.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "notes.txt").write_bytes(content)
        result = await service.memorize(resource_url=str(tmp_path / folder / "notes.txt"), user="ann")
        read[result.resource.id] = content

    assert len(read) == 2
    for resource_id, content in read.items():
        assert await service.read_resource(resource_id, user="ann") == content


async def test_a_changed_resource_leaves_no_original_behind(service: MemoryService) -> None:
    other = await service.memorize(data=TEA, resource_url="notes/b", user="ann")
    await service.memorize(data=TEA, resource_url="notes/a", user="ann")
    changed = await service.memorize(data=b"Ann likes black tea.", resource_url="notes/a", user="ann")
    assert await kept(service) == 2
    await service.memorize(data=b"Ann likes white tea.", resource_url="notes/b", user="ann")
    assert await kept(service) == 2

    assert await service.read_resource(other.resource.id, user="ann") == b"Ann likes white tea."
    await service.delete_resource(changed.resource.id, user="ann")
    await service.clear(user="ann")
    assert await kept(service) == 0
    assert await service.integrity() == []


async def test_a_conversation_that_grows_has_one_original(service: MemoryService) -> None:
    for number in range(1, 4):
        messages = [f"Ann likes tea number {one}." for one in range(number)]
        result = await service.memorize(messages=messages, user="ann")
    assert await kept(service) == 1
    assert (await service.read_resource(result.resource.id, user="ann")).count(b"number") == 3


async def test_an_original_that_is_replaced_while_it_is_read_is_read_again(
    service: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await service.memorize(data=TEA, resource_url="notes/a", user="ann")
    blobs = service._runtime.blobs
    get = blobs.get

    async def late(key: str) -> bytes:
        if key == first.resource.blob:
            monkeypatch.setattr(blobs, "get", get)
            await service.memorize(data=b"Ann likes black tea.", resource_url="notes/a", user="ann")
        return await get(key)

    monkeypatch.setattr(blobs, "get", late)
    assert await service.read_resource(first.resource.id, user="ann") == b"Ann likes black tea."


async def test_a_conversation_that_grows_on_two_sides_keeps_all_of_it(service: MemoryService) -> None:
    await service.memorize(messages=["Ann likes tea."], resource_url="chat", user="ann")
    await asyncio.gather(
        *(
            service.memorize(messages=[f"Ann likes drink {one}."], resource_url="chat", user="ann")
            for one in range(5)
        )
    )
    (resource,) = await service.list_resources(user="ann")
    original = await service.read_resource(resource.id, user="ann")
    assert await kept(service) == 1
    assert len(await texts(service)) == original.count(b"likes")
    assert await service.integrity() == []


async def test_what_cannot_be_deleted_is_left_to_a_sweep(
    service: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object, **__: object) -> int:
        raise StoreError("the disk is away")

    await service.memorize(data=TEA, resource_url="notes/a", user="ann")
    monkeypatch.setattr(service._runtime.blobs, "delete", refused)
    changed = await service.memorize(data=b"Ann likes black tea.", resource_url="notes/a", user="ann")
    assert changed.resource.size == 20
    assert await kept(service) == 2


async def test_an_original_that_is_gone_or_damaged_is_told(service: MemoryService) -> None:
    result = await service.memorize(data=TEA, user="ann")
    await service._runtime.blobs.delete([result.resource.blob])
    with pytest.raises(NotFound, match=r"blobs\.root"):
        await service.read_resource(result.resource.id, user="ann")
    assert await service.integrity() == [f"resource original {result.resource.blob} is missing"]


async def test_what_is_too_large_is_refused_with_both_numbers_and_leaves_nothing(tmp_path: Path) -> None:
    blobs = {"root": str(tmp_path / "originals"), "allowed_roots": [str(tmp_path)], "max_bytes": 10}
    (tmp_path / "large.txt").write_bytes(TEA)
    async with MemoryService(config(tmp_path / "memu.db", blobs=blobs)) as service:
        for content in ({"data": TEA}, {"text": TEA.decode()}, {"resource_url": str(tmp_path / "large.txt")}):
            with pytest.raises(InvalidInput, match=r"20 bytes, and at most 10 .*blobs\.max_bytes"):
                await service.memorize(**content, user="ann")
        assert await kept(service) == 0
        assert len(await service.list_resources(user="ann")) == 0


async def test_an_address_that_cannot_be_used_is_told_when_the_service_is_made() -> None:
    with pytest.raises(ConfigError, match="Protocol not known"):
        MemoryService(config(blobs={"root": "carrier-pigeon://x"}))


async def test_a_place_that_cannot_be_written_leaves_no_resource(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    async with MemoryService(config(blobs={"root": f"local://{tmp_path}/file/originals"})) as service:
        with pytest.raises(StoreError, match=r"cannot be written: .*blobs\.root"):
            await service.memorize(data=TEA, user="ann")
        assert len(await service.list_resources(user="ann")) == 0


async def test_messages_that_are_handed_over_have_one_original(service: MemoryService) -> None:
    for number in range(3):
        await service.conversations.add("chat", [f"Ann likes tea number {number}."], user="ann")
        await service.memorize(resource_url="conversation://chat", user="ann")
    assert await kept(service) == 1
