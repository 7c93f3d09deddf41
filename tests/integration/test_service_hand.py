"""Records by hand: what is checked, what is retried, what must not stay behind."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import Conflict, InvalidInput, InvalidScope, MemuError, NotFound
from memu_py.records.item import Emotion, ItemDraft, Source
from memu_py.records.span import TimeSpan


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(scope={"keys": ["project"]}), clock=lambda: NOW) as opened:
        yield opened


MAY = TimeSpan(
    start=datetime(2026, 5, 1, tzinfo=UTC),
    until=datetime(2026, 6, 1, tzinfo=UTC),
    precision="month",
    words="in May",
)


async def test_every_changeable_field_changes_and_nothing_else_does(service: MemoryService) -> None:
    item = await service.create_item({"text": "Ann went to Rome.", "metadata": {"a": 1}}, user="ann")
    changes: dict[str, Any] = {
        "type": "event",
        "speaker": "Leo",
        "said_at": "2026-05-30T10:00:00+02:00",
        "happened": MAY,
        "entities": ["Rome", "Ann"],
        "importance": 7,
        "emotion": {"valence": 0.5, "arousal": 1},
        "metadata": {"b": [1, {"c": None}]},
    }
    changed = await service.update_item(item.id, changes, user="ann")
    assert changed == await service.get_item(item.id, user="ann")
    assert (changed.type, changed.speaker, changed.happened) == ("event", "Leo", MAY)
    assert changed.said_at == datetime(2026, 5, 30, 8, tzinfo=UTC)
    assert changed.entities == ("Rome", "Ann")
    assert changed.emotion == Emotion(valence=0.5, arousal=1)
    assert changed.metadata == {"b": [1, {"c": None}]}
    assert (changed.text, changed.created_at) == (item.text, item.created_at)
    cleared = await service.update_item(item.id, {"happened": None, "emotion": None}, user="ann")
    assert (cleared.happened, cleared.emotion, cleared.importance) == (None, None, 7)


async def test_a_new_speaker_is_found_by_name_and_the_old_one_no_longer(service: MemoryService) -> None:
    item = await service.create_item({"text": "Rome is warm.", "speaker": "Ann"}, user="u")
    await service.update_item(item.id, {"speaker": "Leo"}, user="u")
    assert [hit.record.id for hit in await service.retrieve("Leo", user="u", recall=["keyword"])] == [item.id]
    assert not (await service.retrieve("Ann", user="u", recall=["keyword"])).items


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"said_at": datetime(2026, 1, 1)}, "timezone"),  # noqa: DTZ001
        ({"said_at": "yesterday"}, "`said_at`"),
        ({"text": None}, "`text`"),
        ({"text": "\n"}, "nothing in it"),
        ({"entities": "Rome"}, "`entities`"),
        ({"importance": float("nan")}, "from 1 to 10"),
        ({"importance": "high"}, "`importance`"),
        ({"emotion": {"valence": 2, "arousal": 0}}, "valence is from -1 to 1"),
        ({"emotion": "joy"}, "`emotion`"),
        ({"happened": {"start": "2026-01-01"}}, "`happened.until`"),
        ({"happened": MAY.evolve(until=MAY.start - timedelta(1))}, "ends before it begins"),
        ({"happened": MAY.evolve(start=datetime(2026, 1, 1))}, "time zone"),  # noqa: DTZ001
        ({"metadata": {"a": {1: 2}}}, "a key is text, not int"),
        ({"metadata": {1: 2}}, "a key is text, not int"),
        ({"metadata": {"a": [float("inf")]}}, "not inf"),
        ({"metadata": ["a"]}, "a mapping, not list"),
        ({"type": "rumour"}, "no item type `rumour`"),
        ("text", "`changes` is a mapping"),
    ],
)
async def test_a_change_that_makes_no_sense_is_refused_and_changes_nothing(
    service: MemoryService, changes: Any, message: str
) -> None:
    item = await service.create_item("Ann went to Rome.", user="ann")
    with pytest.raises(InvalidInput, match=message):
        await service.update_item(item.id, changes, user="ann")
    assert await service.get_item(item.id, user="ann") == item


async def test_metadata_that_nests_without_end_is_refused(service: MemoryService) -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    with pytest.raises(InvalidInput, match="`again` nests more than 20 deep"):
        await service.create_item({"text": "x", "metadata": endless}, user="ann")


async def test_all_faults_of_one_record_come_in_one_message(service: MemoryService) -> None:
    with pytest.raises(InvalidInput, match=r"`text`.*`importance`"):
        await service.create_item({"text": 3, "importance": 12}, user="ann")


async def test_what_the_caller_does_with_metadata_later_does_not_matter(service: MemoryService) -> None:
    metadata: dict[str, Any] = {"tags": ["a"]}
    item = await service.create_item({"text": "Ann likes tea.", "metadata": metadata}, user="ann")
    metadata["tags"].append("b")
    assert item.metadata == {"tags": ["a"]}
    assert (await service.get_item(item.id, user="ann")).metadata == {"tags": ["a"]}


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("one text", "is a list"),
        ({"text": "x"}, "is a list"),
        ([3], "fields are a mapping"),
        ([None], "mapping"),
    ],
)
async def test_items_that_are_no_list_of_items_are_refused(
    service: MemoryService, items: Any, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        await service.create_items(items, user="ann")
    assert await service.count_items(user="ann") == 0


async def test_an_empty_list_makes_nothing(service: MemoryService) -> None:
    assert await service.create_items([], user="ann") == []


async def test_an_unknown_way_to_dedupe_is_refused(service: MemoryService) -> None:
    with pytest.raises(InvalidInput, match="did you mean `near`"):
        await service.create_item("x", dedupe="nearr", user="ann")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([["a"]], "no matrix of numbers"),
        (np.full((1, 128), np.nan), "finite"),
        (np.ones(128), "matrix"),
        (np.ones((1, 64)), "is needed"),
    ],
)
async def test_vectors_that_cannot_be_used_are_refused(
    service: MemoryService, vectors: Any, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        await service.create_items(["x"], vectors=vectors, user="ann")


async def test_a_draft_keeps_its_id_and_a_made_up_source_is_refused(service: MemoryService) -> None:
    draft = ItemDraft(type="fact", text="Ann likes tea.")
    assert (await service.create_item(draft, user="ann")).id == draft.id
    source = Source(resource_id="none", ordinal=0, start=0, end=1)
    with pytest.raises(NotFound, match="names the resource 'none'"):
        await service.create_item(draft.evolve(id="other", text="Boats.", sources=(source,)), user="ann")


async def test_an_id_that_is_taken_changes_nobodys_item(service: MemoryService) -> None:
    item = await service.create_item("Ann likes tea.", user="ann")
    await service.create_item({"id": item.id, "text": "Bob likes rain."}, user="bob")
    assert (await service.get_item(item.id, user="ann")).text == "Ann likes tea."
    assert [hit.record.text for hit in await service.retrieve("tea rain", user="ann")] == ["Ann likes tea."]
    with pytest.raises(MemuError):
        await service.create_item({"id": item.id, "text": "Ann owns a boat."}, user="ann")
    assert [one.text for one in await service.list_items(user="ann")] == ["Ann likes tea."]


async def test_changes_of_different_fields_at_the_same_time_are_all_there(service: MemoryService) -> None:
    item = await service.create_item("Ann likes tea.", user="ann")
    fields: list[dict[str, Any]] = [
        {"importance": 5},
        {"speaker": "Ann"},
        {"type": "preference"},
        {"metadata": {"a": 1}},
    ]
    await asyncio.gather(*(service.update_item(item.id, one, user="ann") for one in fields))
    after = await service.get_item(item.id, user="ann")
    assert (after.importance, after.speaker, after.type, after.metadata) == (5, "Ann", "preference", {"a": 1})
    category = await service.create_category("tea", user="ann")
    await asyncio.gather(
        service.update_category(category.id, {"description": "hot"}, user="ann"),
        service.update_category(category.id, {"summary": "Tea."}, user="ann"),
    )
    both = await service.get_category(category.id, user="ann")
    assert (both.description, both.summary) == ("hot", "Tea.")


async def test_an_update_to_what_another_item_says_is_a_conflict(service: MemoryService) -> None:
    one, _ = await service.create_items(["Ann likes tea.", "Ann owns a boat."], user="ann")
    with pytest.raises(Conflict, match="says the same"):
        await service.update_item(one.id, {"text": "Ann owns a boat."}, user="ann")


async def test_creating_while_the_same_is_deleted_never_fails_half_way(service: MemoryService) -> None:
    async def churn(number: int) -> None:
        for _ in range(6):
            item = await service.create_item("Ann likes tea.", user="ann")
            if number % 2:
                try:
                    await service.delete_item(item.id, user="ann")
                except NotFound:
                    continue

    await asyncio.gather(*(churn(number) for number in range(6)))
    assert await service.count_items(user="ann") <= 1
    assert await service.integrity() == []


@pytest.mark.parametrize(("name", "message"), [("  ", "nothing in it"), (None, "`name`"), (5, "`name`")])
async def test_a_category_needs_a_name(service: MemoryService, name: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        await service.create_category(name, user="ann")
    category = await service.create_category(" tea ", user="ann", metadata={"a": 1})
    assert (category.name, category.metadata) == ("tea", {"a": 1})
    with pytest.raises(InvalidInput, match=message):
        await service.update_category(category.id, {"name": name}, user="ann")
    with pytest.raises(InvalidInput, match="did you mean `name`"):
        await service.update_category(category.id, {"names": "x"}, user="ann")


async def test_a_resource_changes_its_title_and_address(service: MemoryService) -> None:
    resource = (await service.memorize(text="Ann likes tea.", user="ann")).resource
    changed = await service.update_resource(
        resource.id, {"title": "Tea", "url": "note://tea", "metadata": {"a": 1}}, user="ann"
    )
    assert (changed.title, changed.url, changed.metadata) == ("Tea", "note://tea", {"a": 1})
    other = (await service.memorize(text="Ann owns a boat.", user="ann")).resource
    with pytest.raises(Conflict):
        await service.update_resource(other.id, {"url": "note://tea"}, user="ann")
    with pytest.raises(InvalidInput, match="did you mean `title`"):
        await service.update_resource(other.id, {"tittle": "x"}, user="ann")
    with pytest.raises(InvalidInput, match="`url`"):
        await service.update_resource(other.id, {"url": ""}, user="ann")


async def summaries(service: MemoryService) -> str:
    return "\n".join(category.summary for category in await service.list_categories(user="ann"))


async def summarised(service: MemoryService) -> tuple[str, str, str]:
    """Memorize two sentences of one topic; return the ids of the items and of the resource."""
    category = await service.create_category("tea", description="I drink tea", user="ann")
    result = await service.memorize(messages=["I drink tea in Paris.", "I drink tea with Zoe."], user="ann")
    assert "Zoe" in await summaries(service)
    one, two = result.added
    assert {link.target_id for link in await service.list_links(two.id, user="ann")} >= {category.id}
    return one.id, two.id, result.resource.id


async def test_a_summary_no_longer_says_what_was_deleted(service: MemoryService) -> None:
    _, two, _ = await summarised(service)
    await service.delete_item(two, user="ann")
    assert "Zoe" not in await summaries(service)
    assert "Paris" in await summaries(service)
    found = await service.retrieve("Who drinks tea?", user="ann", min_score=0)
    assert not [hit for hit in found.categories if "Zoe" in hit.record.summary]


async def test_a_summary_follows_a_text_that_is_worded_anew_or_ended(service: MemoryService) -> None:
    one, two, _ = await summarised(service)
    await service.update_item(two, {"text": "I drink tea with Max."}, user="ann")
    assert "Zoe" not in await summaries(service)
    assert "Max" in await summaries(service)
    await service.update_item(one, {"valid_to": NOW}, user="ann")
    assert "Paris" not in await summaries(service)


async def test_a_summary_loses_what_goes_with_a_resource(service: MemoryService) -> None:
    _, _, resource = await summarised(service)
    await service.delete_resource(resource, user="ann")
    assert not (await summaries(service)).strip()
    with pytest.raises(NotFound):
        await service.read_resource(resource, user="ann")
    assert await service.integrity() == []


async def test_links_by_hand_need_two_ends_a_kind_and_a_score(service: MemoryService) -> None:
    one, two = await service.create_items(["Ann likes tea.", "Ann owns a boat."], user="ann")
    await service.link(one.id, two.id, kind="because", score=0.5, user="ann")
    (link,) = await service.list_links(two.id, direction="in", user="ann")
    assert (link.source_id, link.kind, link.score) == (one.id, "because", 0.5)
    await service.unlink(one.id, two.id, kind="because", user="ann")
    with pytest.raises(NotFound, match="no link"):
        await service.unlink(one.id, two.id, kind="because", user="ann")
    for kind, score in (("supersedes", 1.0), (" ", 1.0), ("because", 2.0)):
        with pytest.raises(InvalidInput):
            await service.link(one.id, two.id, kind=kind, score=score, user="ann")
    with pytest.raises(NotFound):
        await service.link(one.id, two.id, user="ann")


async def test_session_agent_and_custom_keys_fence_every_call_by_id(service: MemoryService) -> None:
    item = await service.create_item(
        "Ann likes tea.", user="ann", agent="bot", session="s1", custom={"project": "p"}
    )
    inside: list[dict[str, Any]] = [
        {},
        {"agent": "bot"},
        {"session": "s1"},
        {"custom": {"project": "p"}},
    ]
    outside: list[dict[str, Any]] = [
        {"agent": "other"},
        {"session": "s2"},
        {"custom": {"project": "q"}},
    ]
    for keys in inside:
        assert (await service.get_item(item.id, user="ann", **keys)).id == item.id
        assert await service.count_items(user="ann", **keys) == 1
        assert await service.history(item.id, user="ann", **keys)
        assert await service.retrieve("tea", user="ann", **keys)
    for keys in outside:
        for call in (
            service.get_item(item.id, user="ann", **keys),
            service.update_item(item.id, {"importance": 3}, user="ann", **keys),
            service.delete_item(item.id, user="ann", **keys),
            service.history(item.id, user="ann", **keys),
        ):
            with pytest.raises(NotFound):
                await call
        assert await service.count_items(user="ann", **keys) == 0
        assert not await service.retrieve("tea", user="ann", min_score=0, **keys)
        await service.clear(user="ann", **keys)
    assert (await service.get_item(item.id, user="ann")).importance is None
    await service.clear(user="ann", custom={"project": "p"})
    assert await service.count_items(user="ann") == 0


async def test_a_write_through_a_narrow_view_stays_in_it(service: MemoryService) -> None:
    view = service.for_user("ann", agent="bot", session="s1")
    item = await view.create_item("Ann likes tea.")
    assert (item.scope.user, item.scope.agent, item.scope.session) == ("ann", "bot", "s1")
    assert view.scope == item.scope
    with pytest.raises(InvalidScope):
        await view.create_item("Bob likes rain.", user="bob")
    with pytest.raises(InvalidScope):
        await view.clear(user="ann", session="s2")
    await view.conversations.add("c", ["Ann owns a boat."])
    await view.memorize(resource_url="conversation://c")
    assert {one.scope.session for one in await service.list_items(user="ann")} == {"s1"}
