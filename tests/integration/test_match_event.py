"""Whom an outside event concerns."""

import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import pytest

from memu_py import MemoryService, SyncMemoryService
from memu_py.embedding.bundled import BUNDLED_CALIBRATION
from memu_py.errors import InvalidInput, InvalidScope
from memu_py.service import events
from memu_py.steps.proactive.event import CONCERNED, least_score

MEMORY = {"database": {"backend": "memory"}}
TEXTS = {
    "ann": ("My car is a Tesla Model 3.", "I love Italian food, especially pasta."),
    "bo": ("我开的是特斯拉Model 3。", "我每年春节都回老家看父母。"),
    "%": ("Please prepare the weekly sales report.", "The weather was nice yesterday."),
}


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(MEMORY) as made:
        for user, texts in TEXTS.items():
            for text in texts:
                await made.create_item(text, user=user)
        yield made


async def concerned(service: MemoryService, event: Any, **more: Any) -> dict[str | None, list[str]]:
    found = await service.match_event(event, **more)
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    for one in found:
        assert one.items
        assert one.score == one.items[0].score
        assert all(hit.record.scope.user == one.scope.user for hit in one.items)
        assert all(0 <= hit.score <= 1 for hit in one.items)
    return {one.scope.user: [hit.record.text for hit in one.items] for one in found}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("Tesla recalls the Model 3 because of a brake fault", {"ann": 0, "bo": 0}),
        ("特斯拉召回部分Model 3汽车", {"ann": 0, "bo": 0}),
        ("A new Italian pasta restaurant opens downtown", {"ann": 1}),
        ("春节假期安排公布", {"bo": 1}),
        ("Interest rates rise in Japan", {}),
    ],
)
async def test_only_those_whom_it_concerns_are_named_with_their_own_items(
    service: MemoryService, event: str, expected: dict[str, int]
) -> None:
    assert await concerned(service, event) == {user: [TEXTS[user][place]] for user, place in expected.items()}


async def test_each_text_of_an_event_counts(service: MemoryService) -> None:
    event = {"title": "Brakes fail", "body": "Tesla recalls the Model 3", "number": 7}

    assert set(await concerned(service, event)) == {"ann", "bo"}


async def test_users_and_views_narrow_it(service: MemoryService) -> None:
    event = "Tesla recalls the Model 3"
    await service.create_item("A Tesla Model 3 needs new brakes.", user="ann", session="garage")
    mine, garage = service.for_user("ann"), service.for_user("ann", session="garage")

    assert set(await concerned(service, event, users=["bo", {"id": "%"}, "nobody"])) == {"bo"}
    assert set(await concerned(mine, event)) == {"ann"}
    assert set(await concerned(mine, event, users=["ann"])) == {"ann"}
    assert await concerned(garage, event) == {"ann": ["A Tesla Model 3 needs new brakes."]}
    with pytest.raises(InvalidScope):
        await mine.match_event(event, users=["bo"])


async def test_what_agents_own_is_nobodys_but_theirs(service: MemoryService) -> None:
    await service.create_item("The Tesla Model 3 has a heat pump.", agent="helper")
    event = "Tesla recalls the Model 3"

    assert set(await concerned(service, event)) == {"ann", "bo"}
    (own,) = await service.for_scope((await service.list_items(agent="helper"))[0].scope).match_event(event)
    assert own.scope.agent == "helper"


async def test_what_is_over_or_deleted_concerns_nobody(service: MemoryService) -> None:
    (car,) = await service.list_items(user="ann", where={"text": {"contains": "Tesla"}})
    await service.delete_item(car.id, user="ann")
    await service.clear(user="bo")

    assert await service.match_event("Tesla recalls the Model 3") == []


async def test_pages_limits_and_thresholds(service: MemoryService, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = await concerned(service, "Tesla recalls the Model 3", min_score=0.0)
    monkeypatch.setattr(events, "PAGE", 1)
    monkeypatch.setattr(events, "SCOPES", 1)

    assert await concerned(service, "Tesla recalls the Model 3", min_score=0.0) == everything
    assert (
        await concerned(service, "Tesla recalls the Model 3", min_score=0.0, users=list(TEXTS)) == everything
    )
    assert {len(texts) for texts in everything.values()} == {2}
    assert set(await concerned(service, "Tesla recalls the Model 3", limit=1)) == {"ann"}
    few = await concerned(service, "Tesla recalls the Model 3", min_score=0.0, top_k=1)
    assert few == {user: texts[:1] for user, texts in everything.items()}


async def test_it_agrees_with_the_index_and_loads_none(service: MemoryService) -> None:
    service._runtime.index.clear()
    (ann, *_) = await service.match_event("Tesla recalls the Model 3")
    assert service._runtime.index.partitions == ()
    best = (await service.search("Tesla recalls the Model 3", user="ann")).items[0]

    assert best.record == ann.items[0].record
    assert ann.score == pytest.approx(best.scores["dense"], abs=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [{"users": []}, {"users": "ann"}, {"top_k": 0}, {"limit": 0}, {"limit": 1001}, {"min_score": 2}],
)
async def test_numbers_out_of_range_are_refused(service: MemoryService, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await service.match_event("x", **wrong)


def test_the_threshold_belongs_to_the_embedder() -> None:
    assert least_score(BUNDLED_CALIBRATION) == CONCERNED
    strict = dataclasses.replace(BUNDLED_CALIBRATION, topic=0.7)
    assert least_score(strict) == pytest.approx((0.7 - 0.05) / 0.75)


def test_an_empty_store_concerns_nobody() -> None:
    with SyncMemoryService(MEMORY) as sync:
        assert sync.match_event("Tesla recalls the Model 3") == []
