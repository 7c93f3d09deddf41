"""What was said around a hit: joined, in order, and nothing that was deleted."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.records.scope import Scope


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=lambda: NOW) as opened:
        yield opened


EXCHANGE = [
    {"role": "user", "name": "Leo", "content": "Where did you spend the summer?", "created_at": "2026-03-02"},
    {
        "role": "user",
        "name": "Ann",
        "content": "I worked on a glacier in Norway.",
        "created_at": "2026-03-02",
    },
    {"role": "user", "name": "Leo", "content": "My brother lives in Bergen.", "created_at": "2026-03-02"},
    {"role": "user", "name": "Ann", "content": "Thanks!", "created_at": "2026-03-02"},
    {"role": "user", "name": "Ann", "content": "I bought a new bicycle.", "created_at": "2026-03-09"},
]


async def said(service: MemoryService, question: str, **more: Any) -> list[list[str]]:
    result = await service.retrieve(question, user="ann", top_k=1, min_score=0, **more)
    return [[segment.text for segment in passage.segments] for passage in result.passages]


async def test_a_hit_comes_with_what_was_said_around_it(service: MemoryService) -> None:
    await service.memorize(messages=EXCHANGE, user="ann")
    assert await said(service, "glacier in Norway") == [[one["content"] for one in EXCHANGE[:3]]]
    found = await service.retrieve("glacier in Norway", user="ann", top_k=1, min_score=0)
    assert "- Leo: Where did you spend the summer?\n  Ann: I worked on a glacier in Norway." in found.context
    assert len(found.items) == 1


async def test_greetings_and_other_days_are_no_company(service: MemoryService) -> None:
    await service.memorize(messages=EXCHANGE, user="ann")
    assert await said(service, "new bicycle") == []


async def test_passages_that_touch_are_one(service: MemoryService) -> None:
    await service.memorize(messages=EXCHANGE, user="ann")
    result = await service.retrieve("glacier Norway brother Bergen", user="ann", top_k=2, min_score=0)
    (passage,) = result.passages
    assert [segment.ordinal for segment in passage.segments] == [0, 1, 2]
    assert set(passage.item_ids) == {hit.record.id for hit in result.items}
    assert result.context.count("glacier") == 1


async def test_what_was_deleted_does_not_come_back_beside_others(service: MemoryService) -> None:
    await service.memorize(messages=EXCHANGE, user="ann")
    (item,) = [one for one in await service.list_items(user="ann") if "Bergen" in one.text]
    await service.delete_item(item.id, user="ann")
    assert await said(service, "glacier in Norway") == [[one["content"] for one in EXCHANGE[:2]]]


async def test_passages_are_of_the_scope_and_the_layers_that_were_asked(service: MemoryService) -> None:
    await service.memorize(messages=EXCHANGE, user="ann", session="s1")
    assert await said(service, "glacier in Norway", session="s1")
    assert await said(service, "glacier in Norway", layers=["resource"]) == []
    store = service._runtime.store
    (resource,) = await service.list_resources(user="ann")
    assert await store.passage(Scope(user="ann"), resource.id, 0, 9)
    for other in (Scope(user="bob"), Scope(user="ann", session="s2")):
        assert await store.passage(other, resource.id, 0, 9) == []


async def test_a_passage_that_does_not_fit_leaves_room_for_its_hit(service: MemoryService) -> None:
    long = "Tell me more about it, " + "and more, " * 60 + "will you?"
    messages = [{**EXCHANGE[0], "content": long}, EXCHANGE[1]]
    await service.memorize(messages=messages, user="ann")
    found = await service.retrieve("glacier in Norway", user="ann", min_score=0, max_tokens=90, top_k=1)
    assert "glacier" in found.context
    assert "and more" not in found.context
