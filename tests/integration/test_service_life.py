"""From building a service to closing it, from one thread or many."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import (
    ConfigError,
    EmbedderMismatch,
    InvalidInput,
    MemuError,
    NotFound,
    StoreError,
    WorkflowError,
)
from memu_py.records.scope import Scope


async def test_a_closed_service_says_so_and_closing_again_does_nothing() -> None:
    service = MemoryService(config())
    await service.create_item("Ann likes tea.", user="ann")
    view = service.for_user("ann")
    await view.close()
    await service.close()
    for call in (service.retrieve("tea", user="ann"), view.count_items(), service.reindex()):
        with pytest.raises(StoreError, match="this service is closed"):
            await call
    with pytest.raises(StoreError, match="make a new one"):
        async with service:
            pass


async def test_history_older_than_it_is_kept_goes_when_a_service_opens(tmp_path: Path) -> None:
    settings = {"database": {"backend": "sqlite", "path": str(tmp_path / "memu.db"), "keep_changes_days": 30}}
    async with MemoryService(config() | settings, clock=lambda: NOW) as service:
        item = await service.create_item("Ann likes tea.", user="ann")
        await service.create_item("Ann owns a boat.", user="ann")
    async with MemoryService(config() | settings, clock=lambda: NOW + timedelta(days=29)) as service:
        assert await service.history(item.id, user="ann")
    async with MemoryService(config() | settings, clock=lambda: NOW + timedelta(days=31)) as service:
        with pytest.raises(NotFound, match="no history"):
            await service.history(item.id, user="ann")
        assert await service.get_item(item.id, user="ann") == item


async def test_a_service_that_was_never_used_closes() -> None:
    await MemoryService(config()).close()


async def test_many_first_calls_open_the_store_once(tmp_path: Path) -> None:
    service = MemoryService(config(tmp_path / "memu.db"))
    counts = await asyncio.gather(*(service.count_items(user="ann") for _ in range(8)))
    assert counts == [0] * 8
    await service.close()


async def test_closing_during_calls_ends_each_with_an_answer_or_an_error_of_ours(tmp_path: Path) -> None:
    service = MemoryService(config(tmp_path / "memu.db"))
    await service.open()
    calls = [asyncio.create_task(service.memorize(text=f"Ann owns {n} boats.", user="ann")) for n in range(6)]
    await asyncio.sleep(0)
    await service.close()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(one, MemuError) or not isinstance(one, BaseException) for one in results), results
    async with MemoryService(config(tmp_path / "memu.db")) as again:
        stored = sum(not isinstance(one, BaseException) for one in results)
        assert await again.count_items(user="ann") >= stored
        assert await again.integrity() == []


async def test_what_fails_to_open_is_closed(tmp_path: Path) -> None:
    async with MemoryService(config(tmp_path / "memu.db")) as service:
        await service.create_item("Ann likes tea.", user="ann")
    other = MemoryService({"database": {"backend": "sqlite", "path": str(tmp_path / "memu.db")}})
    with pytest.raises(EmbedderMismatch, match="memu reindex"):
        async with other:
            pass
    with pytest.raises(StoreError, match="closed"):
        await other.retrieve("tea", user="ann")
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError), SyncMemoryService(config(broken)):
        pass
    assert not [thread for thread in threading.enumerate() if thread.name == "memu-sync"]


async def test_a_part_that_fails_to_close_does_not_keep_the_others_open() -> None:
    service = MemoryService(config())
    await service.open()
    closed: list[str] = []

    async def failing() -> None:
        closed.append("embedder")
        raise ZeroDivisionError

    service._runtime.embedder.close = failing  # type: ignore[method-assign]
    with pytest.raises(ZeroDivisionError):
        await service.close()
    assert closed == ["embedder"]
    with pytest.raises(StoreError, match="not open"):
        await service._runtime.store.seq(Scope(user="ann"))


async def test_the_last_read_counters_are_written_when_it_closes(tmp_path: Path) -> None:
    async with MemoryService(config(tmp_path / "memu.db")) as service:
        item = await service.create_item("Ann likes tea.", user="ann")
        await service.retrieve("tea", user="ann")
    async with MemoryService(config(tmp_path / "memu.db")) as service:
        assert (await service.get_item(item.id, user="ann")).access_count == 1


async def test_the_default_scope_and_views_name_the_user_for_a_call() -> None:
    async with MemoryService(config(scope={"default": {"user": "me"}}), clock=lambda: NOW) as service:
        item = await service.create_item("I like tea.")
        assert item.scope == Scope(user="me")
        assert service.scope is None
        assert service.settings.scope.default.user == "me"
        view = service.for_scope(Scope(user="me", session="s"))
        assert await view.count_items() == 0
        assert (await view.create_item("I own a boat.")).scope.session == "s"


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"workflows": {"memorise": {}}}, ConfigError, "did you mean `memorize`"),
        ({"retrieve": {"profile": "threefactor"}}, ConfigError, "did you mean `three_factor`"),
        ({"scoring": {"profiles": {"mine": {"like": "addtive"}}}}, ConfigError, "did you mean `additive`"),
        ({"scoring": {"profiles": {"mine": {"recency": 0.9}}}}, ConfigError, "at most 0.3"),
        ({"workflows": {"memorize": {"file": "none.yaml"}}}, ConfigError, "cannot be read"),
        ({"workflows": {"memorize": {"steps": ["extract"]}}}, WorkflowError, "extract_entities"),
        ({"embedding": {"backend": "hashin"}}, ConfigError, "did you mean `hashing`"),
        ({"plugins": ["no_such_module"]}, ConfigError, "no_such_module"),
    ],
)
def test_a_wrong_configuration_is_told_when_the_service_is_built(
    more: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        MemoryService(config(**more))


async def test_profiles_of_ones_own_build_on_each_other() -> None:
    profiles = {
        "calm": {"like": "similarity", "recency": 0.2},
        "calmer": {"like": "calm", "half_life_days": 900},
    }
    async with MemoryService(config(scoring={"profiles": profiles}), clock=lambda: NOW) as service:
        await service.create_item("Ann likes tea.", user="ann")
        for name in profiles:
            assert await service.retrieve("tea", user="ann", profile=name)


async def test_a_workflow_in_a_file_of_its_own_takes_the_place_of_the_packaged(tmp_path: Path) -> None:
    packaged = (Path(__file__).parents[2] / "workflows" / "memorize.yaml").read_text()
    own = tmp_path / "own.yaml"
    own.write_text(packaged.replace("  - use: assess_value\n", ""))
    async with MemoryService(config(workflows={"memorize": {"file": str(own)}})) as service:
        names = [step.name for step in service.workflows["memorize"].steps]
        assert "assess_value" not in names
        assert (await service.memorize(messages=["Hello!"], user="ann")).added
    own.write_bytes("name: memorize\nsteps: [café]\n".encode("latin-1"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        MemoryService(config(workflows={"memorize": {"file": str(own)}}))


async def test_integrity_names_an_original_that_is_gone_and_sweep_takes_what_nobody_uses(
    tmp_path: Path,
) -> None:
    async with MemoryService(config(tmp_path / "memu.db")) as service:
        resource = (await service.memorize(text="Ann likes tea.", user="ann")).resource
        assert (await service.stats())["items"] == 1
        await service._runtime.blobs.delete([resource.blob])
        assert await service.integrity() == [f"resource original {resource.blob} is missing"]
        key = await service._runtime.blobs.put(bytes(16), b"nobody's")
        assert await service.sweep() == 0
        assert key in await service._runtime.blobs.keys()


# The sync facade


def test_the_facade_passes_results_and_errors_through() -> None:
    with SyncMemoryService(config()) as service:
        ann = service.for_user("ann", session="s1")
        item = ann.create_item("Ann likes tea.")
        assert (item.scope.user, item.scope.session) == ("ann", "s1")
        assert [hit.record.id for hit in service.retrieve("tea", user="ann")] == [item.id]
        assert service.for_scope(Scope(user="ann")).count_items() == 1
        assert ann.for_user("ann").count_items() == 1
        kept = ann.conversations.add("c", ["Ann owns a boat."])
        assert kept.status == "open"
        assert ann.memorize(resource_url="conversation://c").resource.url == kept.url
        assert service.workflows["memorize"].steps[0].name == "ingest_resource"
        assert service.scope is None
        with pytest.raises(NotFound, match="no item 'none'"):
            service.get_item("none", user="ann")
        for name in ("nothing_of_the_kind", "_target"):
            with pytest.raises(AttributeError, match=name):
                getattr(SyncMemoryService.__new__(SyncMemoryService) if name[0] == "_" else service, name)
        with pytest.raises(InvalidInput, match="give either"):
            service.retrieve(user="ann")


def test_many_threads_use_one_facade() -> None:
    with SyncMemoryService(config()) as service, ThreadPoolExecutor(8) as threads:
        texts = [f"Guest {n} brought dish {n}." for n in range(24)]
        made = list(threads.map(lambda text: service.create_item(text, user="ann").text, texts))
        assert made == texts
        assert service.count_items(user="ann") == 24


def test_closing_from_many_threads_closes_once_and_later_calls_are_told() -> None:
    service = SyncMemoryService(config())
    view = service.for_user("ann")
    service.create_item("Ann likes tea.", user="ann")
    with ThreadPoolExecutor(6) as threads:
        for closing in [threads.submit(service.close) for _ in range(6)]:
            assert closing.result(timeout=20) is None
    view.close()
    for closed in (service, view):
        with pytest.raises(StoreError, match="this service is closed"):
            closed.count_items(user="ann")


def test_a_call_from_inside_the_service_is_refused_rather_than_hanging() -> None:
    with SyncMemoryService(config()) as service:
        told: list[BaseException] = []

        def nosy(_: object) -> None:
            for call in (lambda: service.count_items(user="ann"), service.close):
                try:
                    call()
                except InvalidInput as error:
                    told.append(error)

        service.memorize(text="Ann likes tea.", user="ann", progress=nosy)
        assert told
        assert "wait for itself" in str(told[0])
        assert service.count_items(user="ann") == 1


def test_a_facade_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("database: {backend: memory}\nplugins: [service_kit]\nembedding: {backend: hashing}\n")
    with SyncMemoryService.from_config(file, clock=lambda: NOW) as service:
        assert service.create_item("Ann likes tea.", user="ann").created_at == NOW
    with pytest.raises(ConfigError):
        SyncMemoryService.from_config(tmp_path / "none.yaml")
    with SyncMemoryService(MemoryService(config())) as service:
        assert service.count_items(user="ann") == 0
