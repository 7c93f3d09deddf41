"""CRUD, links, history and views through the public API."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import Conflict, InvalidInput, InvalidScope, NotFound

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService({"database": {"backend": "memory"}}, clock=lambda: NOW) as opened:
        yield opened


async def test_items_are_created_read_listed_in_pages_updated_and_deleted(service: MemoryService) -> None:
    made = await service.create_items([f"Fact number {n} about topic {n * 7}." for n in range(5)], user="ann")
    assert [item.type for item in made] == ["fact"] * 5
    first = await service.list_items(user="ann", limit=2)
    second = await service.list_items(user="ann", limit=2, cursor=first.next_cursor)
    third = await service.list_items(user="ann", limit=2, cursor=second.next_cursor)
    assert [item.id for page in (first, second, third) for item in page] == [item.id for item in made]
    assert third.next_cursor is None
    changed = await service.update_item(
        made[0].id, {"text": "Ann owns a kayak.", "importance": 7}, user="ann"
    )
    assert (changed.text, changed.importance, changed.type) == ("Ann owns a kayak.", 7, "fact")
    assert (await service.retrieve("kayak", user="ann")).items[0].record.id == made[0].id
    assert not [
        hit for hit in await service.retrieve("Fact number 0", user="ann") if hit.record.id == made[0].id
    ]
    await service.delete_item(made[0].id, user="ann")
    with pytest.raises(NotFound):
        await service.get_item(made[0].id, user="ann")
    assert not [
        hit for hit in await service.retrieve("kayak", user="ann", min_score=0) if "kayak" in hit.record.text
    ]
    assert [change.op for change in await service.history(made[0].id, user="ann")] == [
        "create",
        "update",
        "delete",
    ]


async def test_the_same_text_again_returns_the_item_there_is(service: MemoryService) -> None:
    one = await service.create_item("Ann likes tea.", user="ann")
    two, other = await service.create_items(["ann likes tea", "Ann owns a boat."], user="ann")
    assert two.id == one.id
    assert two.mentions == 2
    assert other.id != one.id


async def test_ready_made_vectors_are_the_bulk_door(service: MemoryService) -> None:
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((40, 512)).astype(np.float32)
    made = await service.create_items(
        [f"row {n}" for n in range(40)], vectors=vectors, dedupe="exact", user="u"
    )
    assert len({item.id for item in made}) == 40
    with pytest.raises(InvalidInput, match="shape"):
        await service.create_items(["x"], vectors=vectors, user="u")


async def test_the_bulk_door_says_again_what_is_known(service: MemoryService) -> None:
    vectors = np.eye(4, 512, dtype=np.float32)
    texts = ["Ann likes tea.", "Ann owns a boat.", "ann likes TEA", "Ann sings."]
    one, two, again, other = await service.create_items(texts, vectors=vectors, dedupe="exact", user="ann")
    assert again == one
    assert len({one.id, two.id, other.id}) == 3
    known, new = await service.create_items(
        ["ANN OWNS A BOAT", "Ann paints."], vectors=vectors[:2], dedupe="exact", user="ann"
    )
    assert (known.id, known.text, known.mentions) == (two.id, "Ann owns a boat.", 2)
    assert await service.get_item(two.id, user="ann") == known
    assert [change.op for change in await service.history(new.id, user="ann")] == ["create"]
    (apart,) = await service.create_items(texts[:1], vectors=vectors[:1], dedupe="exact", user="bob")
    assert apart.id != one.id
    assert await service.count_items(user="ann") == 4


async def test_one_bad_item_of_many_is_named_and_nothing_is_stored(service: MemoryService) -> None:
    items: list[Any] = [*(f"row {n}" for n in range(40)), {"text": "x", "importance": 11}]
    vectors = np.ones((41, 512), dtype=np.float32)
    with pytest.raises(InvalidInput, match=r"items\[40\]: item field `importance`"):
        await service.create_items(items, vectors=vectors, dedupe="exact", user="u")
    assert await service.count_items(user="u") == 0


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("  ", "`text`: there is nothing in it"),
        ({"type": "fact"}, "needs a text"),
        ({"text": "x", "type": "rumour"}, "no item type `rumour`"),
        ({"text": "x", "importance": 11}, "from 1 to 10"),
        ({"text": "x", "imporance": 1}, "did you mean `importance`"),
        ({"text": "x", "metadata": {"k": {1, 2}}}, "plain JSON"),
    ],
)
async def test_an_unusable_item_is_refused(service: MemoryService, item: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        await service.create_item(item, user="ann")
    assert await service.count_items(user="ann") == 0


async def test_another_users_records_are_out_of_reach_by_id(service: MemoryService) -> None:
    item = await service.create_item("Ann's secret.", user="ann")
    category = await service.create_category("Secrets", user="ann")
    resource = (await service.memorize(text="Ann keeps a diary.", user="ann")).resource
    for call in (
        service.get_item(item.id, user="bob"),
        service.update_item(item.id, {"text": "x"}, user="bob"),
        service.delete_item(item.id, user="bob"),
        service.history(item.id, user="bob"),
        service.link(item.id, category.id, user="bob"),
        service.get_category(category.id, user="bob"),
        service.update_category(category.id, {"name": "x"}, user="bob"),
        service.delete_category(category.id, user="bob"),
        service.get_resource(resource.id, user="bob"),
        service.read_resource(resource.id, user="bob"),
        service.list_segments(resource.id, user="bob"),
        service.update_resource(resource.id, {"title": "x"}, user="bob"),
        service.delete_resource(resource.id, user="bob"),
    ):
        with pytest.raises(NotFound):
            await call
    assert (await service.get_item(item.id, user="ann")).text == "Ann's secret."


async def test_categories_have_unique_names_and_lose_their_links_not_their_items(
    service: MemoryService,
) -> None:
    item = await service.create_item("Ann collects stamps.", user="ann")
    category = await service.create_category("Hobbies", description="what Ann likes to do", user="ann")
    with pytest.raises(Conflict, match="Hobbies"):
        await service.create_category("hobbies", user="ann")
    await service.link(item.id, category.id, user="ann")
    assert (await service.get_category(category.id, user="ann")).item_count == 1
    (found,) = await service.list_items(user="ann", where={"category": category.id})
    assert found.id == item.id
    renamed = await service.update_category(category.id, {"name": "Pastimes"}, user="ann")
    assert (renamed.name, renamed.description) == ("Pastimes", "what Ann likes to do")
    await service.unlink(item.id, category.id, user="ann")
    with pytest.raises(NotFound):
        await service.unlink(item.id, category.id, user="ann")
    await service.link(item.id, category.id, user="ann")
    await service.delete_category(category.id, user="ann")
    assert await service.list_links(item.id, user="ann") == []
    assert (await service.get_item(item.id, user="ann")).text == "Ann collects stamps."


async def test_deleting_an_item_takes_it_out_of_its_categorys_summary(service: MemoryService) -> None:
    result = await service.memorize(
        messages=["My favourite dish is ramen.", "My favourite drink is mint tea."], user="ann"
    )
    assert any("ramen" in category.summary for category in result.categories)
    await service.delete_item(result.added[0].id, user="ann")
    await service.memorize(text="My favourite fruit is mango.", user="ann")
    summaries = " ".join(category.summary for category in await service.list_categories(user="ann"))
    assert "ramen" not in summaries
    assert "mango" in summaries


async def test_deleting_a_resource_takes_items_found_nowhere_else(service: MemoryService) -> None:
    first = await service.memorize(messages=["I like tea.", "I own a boat."], user="ann", session="a")
    await service.memorize(messages=["I like tea."], user="ann", session="b")
    await service.delete_resource(first.resource.id, user="ann")
    assert [item.text for item in await service.list_items(user="ann")] == ["I like tea."]
    assert await service.integrity() == []


async def test_a_bound_view_is_fenced(service: MemoryService) -> None:
    ann = service.for_user("ann")
    item = await ann.create_item("Ann likes tea.")
    assert item.scope.user == "ann"
    with pytest.raises(InvalidScope):
        await ann.list_items(user="bob")
    assert len(await service.for_user({"id": "bob"}).list_items()) == 0


@pytest.mark.parametrize("changes", [{"id": "x"}, {"identity": "x"}, {"mentions": 3}, {"scope": None}])
async def test_bookkeeping_cannot_be_changed_by_hand(service: MemoryService, changes: dict[str, Any]) -> None:
    item = await service.create_item("Ann likes tea.", user="ann")
    with pytest.raises(InvalidInput, match="no changeable item field"):
        await service.update_item(item.id, changes, user="ann")


async def test_links_by_hand_are_checked(service: MemoryService) -> None:
    one, two = await service.create_items(["Ann likes tea.", "Bob owns a boat."], user="ann")
    await service.link(one.id, two.id, kind="reminds of", score=0.4, user="ann")
    (link,) = await service.list_links(two.id, direction="in", user="ann")
    assert (link.source_id, link.kind, link.score) == (one.id, "reminds of", 0.4)
    for kind, score in (("supersedes", 1.0), (" ", 1.0), ("x", 1.5)):
        with pytest.raises(InvalidInput):
            await service.link(one.id, two.id, kind=kind, score=score, user="ann")


def test_the_sync_facade_does_the_same_without_await(tmp_path: Path) -> None:
    config = {"database": {"backend": "sqlite", "path": str(tmp_path / "memu.db")}}
    with SyncMemoryService(MemoryService(config)) as service:
        service.conversations.add("c", ["I like tea."], user="ann")
        service.memorize(resource_url="conversation://c", user="ann")
        assert service.retrieve("tea", user="ann").items[0].record.text == "I like tea."
        assert [item.text for item in service.for_user("ann").list_items()] == ["I like tea."]
        assert service.workflows["memorize"].steps[0].name == "ingest_resource"
    service.close()


async def test_workflows_can_be_edited_while_the_service_runs(service: MemoryService) -> None:
    memorize = service.workflows["memorize"]
    names = [step.name for step in memorize.steps]
    assert names == [
        "ingest_resource",
        "preprocess",
        "assess_value",
        "extract_entities",
        "resolve_duplicates",
        "classify_items",
        "embed_items",
        "persist",
        "update_categories",
        "build_response",
    ]
    memorize.config_step("assess_value", {"keep": "all"})
    assert len((await service.memorize(messages=["Hi!"], user="ann")).added) == 1
    memorize.rollback(1)
    assert len((await service.memorize(messages=["Hello!"], user="ann")).added) == 0
    memorize.remove_step("assess_value")
    assert len((await service.memorize(messages=["Good morning!"], user="ann")).added) == 1
