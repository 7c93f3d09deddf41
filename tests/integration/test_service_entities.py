"""Names in items and in questions, through the public API."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import InvalidInput
from memu_py.index.cache import IndexCache
from memu_py.records.scope import Scope
from memu_py.storage.store import Store

RECALLS = ["recall_dense", "recall_keyword", "recall_entities"]
WITH_NAMES = {
    "retrieve_rag": {
        "steps": [{"parallel": RECALLS}, "recall_categories", "recall_resources", "expand_context"]
    }
}


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryService]:
    settings = config(tmp_path / "memu.db" if request.param == "sqlite" else None, workflows=WITH_NAMES)
    if request.param == "postgres":
        settings["database"] = {"backend": "postgres", "dsn": request.getfixturevalue("shared_dsn")}
        settings["blobs"] = {"root": str(tmp_path / "blobs")}
    async with MemoryService(settings, clock=lambda: NOW) as opened:
        yield opened


def store_of(service: MemoryService) -> Store:
    return service._runtime.store


async def names(service: MemoryService, user: str = "ann") -> list[str]:
    return [entity.name for entity in await store_of(service).entities(Scope(user=user))]


async def named(service: MemoryService, question: str | None, **more: Any) -> dict[str, float]:
    """Ask by names only; returns texts with what their names are worth."""
    keys = {"user": "ann", "min_score": 0, **more}
    found = await service.retrieve(question, recall=["entity"], profile="similarity", **keys)
    assert all(hit.score == pytest.approx(hit.scores["entity"]) for hit in found)
    return {hit.record.text: hit.score for hit in found}


async def give(service: MemoryService, *given: tuple[str, tuple[str, ...]], user: str = "ann") -> None:
    items = [{"text": text, "entities": list(entities)} for text, entities in given]
    await service.create_items(items, user=user, dedupe="exact")


async def test_the_fewer_items_carry_a_name_the_more_each_of_them_counts(service: MemoryService) -> None:
    await give(
        service, *((f"fact {number}", ("Carl",)) for number in range(30)), ("the dog", ("Biscuit", "Carl"))
    )
    scores = await named(service, "Is Biscuit the dog of Carl?", top_k=50)
    assert len(scores) == 31
    assert next(iter(scores)) == "the dog"
    assert scores["the dog"] == 1.0
    assert scores["fact 3"] == pytest.approx(1 / (1 + 3.4339872), abs=1e-4)


@pytest.mark.parametrize(
    ("question", "text"),
    [("小明养了什么？", "小明喜欢咖啡。"), ("Who visited new york?", "He went to New York with his aunt.")],
)
async def test_names_in_chinese_and_english_lead_to_what_was_memorized(
    service: MemoryService, question: str, text: str
) -> None:
    await service.memorize(
        messages=[
            {"role": "user", "name": "Leo", "content": "小明喜欢咖啡。"},
            {"role": "user", "name": "Mia", "content": "He went to New York with his aunt."},
        ],
        user="ann",
    )
    assert list(await named(service, question)) == [text]
    assert await service.integrity() == []


async def test_a_name_adds_to_relevance_whoever_proposed_the_item(service: MemoryService) -> None:
    await give(service, ("tea at noon", ("Carl",)), ("tea at dusk", ()))
    result = await service.retrieve(
        "When does Carl drink tea?", user="ann", profile="similarity", min_score=0, around=False
    )
    first, second = result.items
    assert (first.record.text, first.scores["entity"], second.scores["entity"]) == ("tea at noon", 1.0, 0.0)
    assert first.score - second.score == pytest.approx(
        0.08 + (first.scores["dense"] - second.scores["dense"]) * 0.5 / 0.83
        + (first.scores["keyword"] - second.scores["keyword"]) * 0.33 / 0.83, abs=1e-5
    )  # fmt: skip
    plain = await service.retrieve(
        "When does Carl drink tea?", user="ann", recall=["dense", "keyword"], min_score=0
    )
    assert all("entity" not in hit.scores for hit in plain)


async def test_scope_filter_and_end_of_validity_hold(service: MemoryService) -> None:
    await service.create_item(
        {"text": "old", "entities": ["Carl"], "type": "event"}, user="ann", agent="coach"
    )
    await service.create_item({"text": "new", "entities": ["Carl"]}, user="ann", agent="chef")
    await give(service, ("foreign", ("Carl",)), user="bob")
    assert set(await named(service, "Carl?")) == {"old", "new"}
    assert set(await named(service, "Carl?", agent="coach")) == {"old"}
    assert set(await named(service, "Carl?", where={"type": "fact"})) == {"new"}
    assert set(await named(service, "Carl?", user="bob")) == {"foreign"}
    assert await named(service, "Carl?", user="nobody") == {}
    (old,) = await service.list_items(user="ann", where={"text": "old"})
    await service.update_item(old.id, {"valid_to": NOW}, user="ann")
    assert set(await named(service, "Carl?")) == {"new"}


async def test_a_name_that_nobody_knows_means_those_that_are_near(service: MemoryService) -> None:
    await give(service, ("one", ("Grand Hotel Vienna",)), ("two", ("Carl",)))
    step = service.workflows["retrieve_rag"]
    assert await named(service, "What is the Hotel Vienna like?") == {}
    step.config_step("recall_entities", {"near": 0.6})
    near = await named(service, "What is the Hotel Vienna like?")
    assert list(near) == ["one"]
    assert 0.6 <= near["one"] < 1
    await give(service, ("three", ("Hotel Vienna Grand",)))
    assert set(await named(service, "What is the Hotel Vienna like?")) == {"one", "three"}
    step.config_step("recall_entities", {"near_names": 0})
    assert await named(service, "What is the Hotel Vienna like?") == {}


async def test_every_query_is_read_for_itself(service: MemoryService) -> None:
    await give(service, ("one", ("Carl",)), ("two", ("Dora",)), ("three", ("Emil",)))
    assert set(await named(service, None, queries=["Carl?", "Dora?"])) == {"one", "two"}


async def test_a_new_text_brings_new_names_and_takes_the_old_ones(service: MemoryService) -> None:
    item = await service.create_item(
        {"text": "I saw Carl in Rome", "entities": ["Carl", "Rome", "Project X"]}, user="ann"
    )
    changed = await service.update_item(item.id, {"text": "I saw Dora in Rome"}, user="ann")
    assert sorted(changed.entities) == ["Dora", "Project X", "Rome"]
    assert await names(service) == ["Dora", "Project X", "Rome"]
    assert await named(service, "Where is Carl?") == {}
    assert list(await named(service, "Where is Dora?")) == ["I saw Dora in Rome"]
    await service.update_item(item.id, {"text": "I saw Emil", "entities": ["Nobody"]}, user="ann")
    assert await names(service) == ["Nobody"]
    await service.update_item(item.id, {"importance": 3}, user="ann")
    assert await names(service) == ["Nobody"]
    assert await service.integrity() == []


async def test_near_duplicates_are_linked_to_the_names_of_both(service: MemoryService) -> None:
    first = await service.create_item(
        {
            "text": "Carl likes black tea very much in the early morning before work at home",
            "entities": ["Carl"],
        },
        user="ann",
    )
    again = await service.create_item(
        {
            "text": "Carl likes black tea very much in the early morning before work at home with milk",
            "entities": ["Carl", "tea"],
        },
        user="ann",
    )
    assert again.id == first.id
    assert sorted(again.entities) == ["Carl", "tea"]
    assert await names(service) == ["Carl", "tea"]
    assert await service.integrity() == []


async def test_what_is_deleted_or_erased_is_found_by_no_name(service: MemoryService) -> None:
    await give(service, ("one", ("Carl",)), ("two", ("Carl", "Dora")))
    await service.create_item({"text": "three", "entities": ["Emil"]}, user="ann", session="s")
    assert set(await named(service, "Carl, Dora and Emil?")) == {"one", "two", "three"}
    (two,) = await service.list_items(user="ann", where={"text": "two"})
    await service.delete_item(two.id, user="ann")
    assert set(await named(service, "Carl, Dora and Emil?")) == {"one", "three"}
    assert await names(service) == ["Carl", "Emil"]
    await service.clear(user="ann", session="s")
    assert await names(service) == ["Carl"]
    await service.clear(user="ann")
    assert await named(service, "Carl, Dora and Emil?") == {}
    assert await names(service) == []
    await give(service, ("anew", ("Carl",)))
    assert list(await named(service, "Carl?")) == ["anew"]


async def test_names_are_embedded_once_and_none_cost_nothing(service: MemoryService) -> None:
    result = await service.memorize(text="Carl met Dora in Rome.", user="ann")
    named_now = [result.added[0].entities]
    assert named_now == [("Carl", "Dora", "Rome")]
    resources = service._runtime.resources(Scope(user="ann"))
    assert sorted(await resources.embed_names([*named_now, ("carl", "Emil")])) == [
        "carl",
        "dora",
        "emil",
        "rome",
    ]
    assert (resources.embedder.embedded, resources.embedder.cached) == (1, 3)
    assert await resources.embed_names([(), ()]) == {}
    assert (resources.embedder.embedded, resources.embedder.cached) == (1, 3)


async def test_a_reindex_gives_names_their_vectors_anew(service: MemoryService) -> None:
    await give(service, ("one", ("Carl",)), ("two", ("Carl", "Dora")))
    await give(service, ("one", ("Carl",)), user="bob")
    before = {entity.key: entity.vector for entity in await store_of(service).entities(Scope(user="ann"))}
    assert await service.reindex() == 3
    after = {entity.key: entity.vector for entity in await store_of(service).entities(Scope(user="ann"))}
    assert before.keys() == after.keys() == {"carl", "dora"}
    for key, vector in after.items():
        assert vector is not None
        assert vector.tolist() == pytest.approx(before[key])
    assert await service.integrity() == []
    assert set(await named(service, "Carl?")) == {"one", "two"}


async def test_names_are_loaded_once_and_then_only_what_changed(service: MemoryService) -> None:
    await give(service, ("one", ("Carl",)))
    cache = IndexCache(store_of(service), budget_bytes=1 << 30)
    scope = Scope(user="ann", agent="coach")
    await cache.get(scope)
    small = cache.nbytes
    first = await cache.entities(scope)
    assert cache.nbytes > small
    assert await cache.entities(scope) is first
    await give(service, ("two", ("Dora",)))
    assert await cache.entities(scope, vectors=True) is first
    assert (first.count("dora"), first.unlearned()) == (1, [])
    await service.clear(user="ann")
    emptied = await cache.entities(scope)
    assert emptied is not first
    assert len(emptied) == 0


async def test_names_can_be_asked_for_before_the_rows_and_are_not_held_without_them(
    service: MemoryService,
) -> None:
    await give(service, ("one", ("Carl",)))
    cache = IndexCache(store_of(service), budget_bytes=1 << 30)
    assert (await cache.entities(Scope(user="ann"))).count("carl") == 1
    assert (cache.partitions, cache.nbytes) == ((), 0)


async def test_the_packaged_workflow_does_not_ask_for_names() -> None:
    async with MemoryService(config()) as service:
        await give(service, ("one", ("Carl",)))
        with pytest.raises(InvalidInput, match="entity"):
            await service.retrieve("Carl?", user="ann", recall=["entity"])
