"""Memorize: progress, cancellation, and what others do meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config, texts

from memu_py import MemoryService
from memu_py.errors import MemuError
from memu_py.records.category import Category
from memu_py.records.scope import Scope
from memu_py.workflow.context import ProgressEvent
from memu_py.workflow.interceptor import Call


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=lambda: NOW) as opened:
        yield opened


class Hold:
    """Stops before or after one step until it is let go."""

    def __init__(self, step: str, *, before: bool = True) -> None:
        self.reached, self.go = asyncio.Event(), asyncio.Event()
        self._step, self._before = step, before

    async def _wait(self) -> None:
        self.reached.set()
        await self.go.wait()

    async def before(self, call: Call) -> None:
        if self._before and call.name == self._step:
            await self._wait()

    async def after(self, call: Call, result: Any) -> None:
        if not self._before and call.name == self._step:
            await self._wait()

    async def on_error(self, call: Call, error: BaseException) -> None:
        """Nothing to do."""


async def test_progress_tells_of_every_step_in_order_and_of_the_work_in_it(service: MemoryService) -> None:
    events: list[ProgressEvent] = []
    result = await service.memorize(
        messages=["I like tea.", "I own a boat."], user="ann", progress=events.append
    )
    assert result.trace is not None
    ended = [event.step for event in events if event.kind == "finished"]
    assert ended == [one.step for one in result.trace.steps]
    work = [(event.step, event.done, event.total) for event in events if event.kind == "progress"]
    assert ("extract_entities", 2, 2) in work
    assert ("embed_items", 2, 2) in work
    assert len({event.run_id for event in events}) == 1


async def test_a_run_cancelled_before_its_commit_leaves_nothing(service: MemoryService) -> None:
    hold = Hold("persist")
    service.intercept(hold)
    task = asyncio.create_task(service.memorize(text="Ann likes tea.", user="ann"))
    await hold.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    hold.go.set()
    assert await texts(service) == []
    assert (await service.memorize(text="Ann likes tea.", user="ann")).added
    assert await service.integrity() == []


@pytest.mark.parametrize(
    ("step", "before"),
    [("classify_items", False), ("persist", True), ("persist", False), ("update_categories", False)],
)
async def test_clear_during_a_memorize_leaves_all_of_it_or_nothing(
    service: MemoryService, step: str, before: bool
) -> None:
    await service.memorize(messages=["I drink tea daily.", "I like tea."], user="ann")
    hold = Hold(step, before=before)
    service.intercept(hold)
    chat = ["I drink tea in Rome.", "I drink tea in Oslo.", "I drink tea in Bonn."]
    task = asyncio.create_task(service.memorize(messages=chat, user="ann"))
    await hold.reached.wait()
    await service.clear(user="ann")
    hold.go.set()
    result = await task
    found = await texts(service)
    assert found in ([], chat)
    assert result.added
    assert await service.integrity() == []
    if not found:
        said = [f"{one.name} {one.summary}" for one in await service.list_categories(user="ann")]
        assert not [line for line in said if "rome" in line.casefold() or "drink" in line.casefold()]
    else:
        assert await service.read_resource(result.resource.id, user="ann")


async def test_clearing_and_memorizing_the_same_content_at_once_keeps_originals(tmp_path: Path) -> None:
    async with MemoryService(config(tmp_path / "memu.db")) as service:
        for _ in range(5):
            await asyncio.gather(
                service.memorize(text="Ann likes tea.", user="ann"),
                service.clear(user="ann"),
                service.memorize(text="Ann likes tea.", user="ann"),
                service.clear(user="ann"),
            )
            assert await service.integrity() == []
            for resource in await service.list_resources(user="ann"):
                assert await service.read_resource(resource.id, user="ann") == b"Ann likes tea."


async def test_a_category_deleted_during_a_memorize_does_no_harm(service: MemoryService) -> None:
    await service.memorize(messages=["I drink tea daily."], user="ann")
    hold = Hold("update_categories")
    service.intercept(hold)
    task = asyncio.create_task(service.memorize(messages=["I drink green tea in Rome."], user="ann"))
    await hold.reached.wait()
    for category in await service.list_categories(user="ann"):
        await service.delete_category(category.id, user="ann")
    hold.go.set()
    result = await task
    assert (len(result.added), result.categories) == (1, ())


async def test_a_category_deleted_while_it_is_summarised_is_let_go(service: MemoryService) -> None:
    store = service._runtime.store
    summarize, deleted = store.summarize, []

    async def late(
        scope: Scope, category: Category, summary: str, *, told: Sequence[str] | None = None
    ) -> Category:
        deleted.append(category.id)
        await store.delete_categories(scope, [category.id])
        return await summarize(scope, category, summary, told=told)

    store.summarize = late  # type: ignore[method-assign]
    await service.create_category("tea", description="I drink green tea in Rome", user="ann")
    result = await service.memorize(messages=["I drink green tea in Rome."], user="ann")
    assert (len(result.added), result.categories) == (1, ())
    assert len(deleted) == len(set(deleted)) > 0


async def test_a_category_changed_while_it_is_summarised_is_summarised_again(service: MemoryService) -> None:
    store = service._runtime.store
    summarize, rounds = store.summarize, []

    async def late(
        scope: Scope, category: Category, summary: str, *, told: Sequence[str] | None = None
    ) -> Category:
        rounds.append(category.version)
        if len(rounds) == 1:
            await store.update_category(scope, category.evolve(metadata={"by": "hand"}))
        return await summarize(scope, category, summary, told=told)

    store.summarize = late  # type: ignore[method-assign]
    await service.create_category("tea", description="I drink green tea in Rome", user="ann")
    (category,) = (await service.memorize(messages=["I drink green tea in Rome."], user="ann")).categories
    assert ("Rome" in category.summary, category.metadata, category.stale) == (True, {"by": "hand"}, False)
    assert rounds[1] == rounds[0] + 1


async def test_a_topic_whose_members_were_erased_leaves_no_name_behind() -> None:
    async with MemoryService(config(categories={"defaults": []})) as service:
        store = service._runtime.store
        add = store.add_categories

        async def late(scope: Scope, categories: Any) -> list[Category]:
            made = await add(scope, categories)
            await store.delete_items(scope, await store.items.ids(scope))
            return made

        store.add_categories = late  # type: ignore[method-assign]
        chat = [f"The blue heron nests by lake {place}." for place in ("Alma", "Brno", "Como")]
        result = await service.memorize(messages=chat, user="ann")
        assert result.categories == ()
        assert len(await service.list_categories(user="ann")) == 0


async def test_what_others_delete_before_a_run_id_is_seen_again_is_told(service: MemoryService) -> None:
    hold = Hold("persist")
    service.intercept(hold)
    task = asyncio.create_task(service.memorize(text="Ann owns a boat.", user="ann", run_id="r"))
    await hold.reached.wait()
    other = asyncio.create_task(service.memorize(text="Ann likes tea.", user="ann", run_id="r"))
    hold.go.set()
    done = await other
    first = await task
    assert {first.unchanged, done.unchanged} == {True, False}
    assert first.resource.id == done.resource.id


async def test_a_failing_step_names_itself_and_stores_nothing(service: MemoryService) -> None:
    class Breaking:
        async def before(self, call: Call) -> None:
            if call.name == "embed_items":
                raise ZeroDivisionError

        async def after(self, call: Call, result: Any) -> None:
            """Nothing to do."""

        async def on_error(self, call: Call, error: BaseException) -> None:
            """Nothing to do."""

    service.intercept(Breaking())
    with pytest.raises(MemuError, match="embed_items"):
        await service.memorize(text="Ann likes tea.", user="ann")
    assert await texts(service) == []
