"""What was known at a moment, and a memory put back to it."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import HistoryGone, InvalidInput, InvalidScope, NotFound
from memu_py.records.item import Item

TALK = [
    {"role": "user", "name": "Ann", "content": "I bought a red bicycle.", "created_at": "2026-05-01"},
    {
        "role": "user",
        "name": "Ann",
        "content": "My sister Carla plays the cello.",
        "created_at": "2026-05-01",
    },
]


class Clock:
    """Goes on by a minute with each look."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture(params=["memory", "postgres"])
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    settings: dict[str, Any] = {"jobs": {"workers": 0}}
    if request.param == "postgres":
        dsn = request.getfixturevalue("dsn")
        settings |= {"database": {"backend": "postgres", "dsn": dsn}, "blobs": {"root": str(tmp_path)}}
    async with MemoryService(config() | settings, clock=Clock()) as made:
        yield made


async def texts(service: MemoryService, query: str, **given: Any) -> list[str]:
    found = await service.retrieve(query, user="ann", min_score=0, **given)
    return [hit.record.text for hit in found.items]


async def seq(service: MemoryService) -> int:
    return (await service.changes(user="ann", limit=1)).records[0].seq


async def test_what_was_known_then_is_found_as_it_was(service: MemoryService) -> None:
    mine = service.for_user("ann")
    tea = await mine.create_item("Ann likes tea.")
    boat = await mine.create_item("Ann owns a boat.")
    gone = await mine.create_item("Ann was in Lisbon.")
    then = service._runtime.clock()
    await mine.update_item(tea.id, {"text": "Ann likes coffee.", "importance": 9})
    await mine.update_item(boat.id, {"valid_to": NOW})
    await mine.delete_item(gone.id)
    new = await mine.create_item("Ann likes tea and a boat.")

    assert (await mine.get_item(tea.id, known_at=then)).text == "Ann likes tea."
    assert (await mine.get_item(gone.id, known_at=then)).text == "Ann was in Lisbon."
    assert (await mine.get_item(new.id)).id == new.id
    for missing in (new.id, "nothing"):
        with pytest.raises(NotFound):
            await mine.get_item(missing, known_at=then)
    listed = await mine.list_items(known_at=then)
    assert [one.text for one in listed] == ["Ann likes tea.", "Ann owns a boat.", "Ann was in Lisbon."]
    assert [one.text for one in await mine.list_items(known_at=then, descending=True, limit=2)] == [
        "Ann was in Lisbon.",
        "Ann owns a boat.",
    ]
    pages: list[Item] = []
    cursor = None
    while True:
        page = await mine.list_items(known_at=then, limit=1, cursor=cursor)
        pages += page.records
        cursor = page.next_cursor
        if cursor is None:
            break
    assert pages == list(listed)
    assert set(await texts(service, "boat tea", known_at=then)) == {"Ann likes tea.", "Ann owns a boat."}
    assert "Ann likes tea and a boat." in await texts(service, "boat tea")
    assert "Ann owns a boat." not in await texts(service, "boat")
    both = await texts(service, "boat tea", known_at=then, as_of=NOW + timedelta(days=1))
    assert set(both) == {"Ann likes tea.", "Ann owns a boat."}
    assert await texts(service, "boat tea", known_at=NOW - timedelta(days=1)) == []
    assert await texts(service, "boat tea", known_at=then, as_of=NOW - timedelta(days=1)) == []
    for wrong in ({"where": {"type": "fact"}}, {"order": "text"}):
        with pytest.raises(InvalidInput, match="in order of id and whole"):
            await mine.list_items(known_at=then, **wrong)
    with pytest.raises(InvalidInput, match="needs a time zone"):
        await mine.list_items(known_at=then.replace(tzinfo=None))


async def test_who_asks_for_a_session_gets_what_that_session_knew(service: MemoryService) -> None:
    one = await service.create_item("Ann likes tea.", user="ann", session="a")
    other = await service.create_item("Ann owns a boat.", user="ann", session="b")
    then = service._runtime.clock()
    await service.delete_item(one.id, user="ann")
    await service.update_item(other.id, {"importance": 3}, user="ann")

    found = await service.list_items(user="ann", session="a", known_at=then)
    assert [item.id for item in found] == [one.id]


async def test_a_rollback_brings_back_what_was_and_is_told(service: MemoryService) -> None:
    mine = service.for_user("ann")
    await mine.memorize(messages=TALK, resource_url="conversation://1")
    tea = await mine.create_item({"text": "Ann likes tea.", "entities": ["Ann"], "importance": 4})
    topic = await mine.create_category("food", description="what Ann eats")
    await mine.link(tea.id, topic.id, score=0.5)
    (talk,) = (await mine.list_resources()).records
    then = service._runtime.clock()
    before = [one async for one in _all(mine)]
    await mine.memorize(
        messages=[*TALK, {"role": "user", "name": "Ann", "content": "I sold it."}],
        resource_url="conversation://1",
    )
    await mine.update_item(tea.id, {"text": "Ann likes coffee.", "entities": ["Ben"]})
    await mine.delete_category(topic.id)
    await mine.delete_item(before[0].id)
    await mine.update_resource(talk.id, {"title": "another"})
    last, now = await seq(service), [one async for one in _all(mine)]

    planned = await mine.rollback(then, dry_run=True)
    assert planned.dry_run and planned.seq == planned.from_seq == last
    assert await seq(service) == last
    done = await mine.rollback(then)
    assert [one.evolve(version=0, updated_at=NOW) for one in before] == [
        one.evolve(version=0, updated_at=NOW) async for one in _all(mine)
    ]
    assert done.undone == planned.undone
    assert {(one.kind, one.op) for one in done.undone} >= {
        ("item", "create"),
        ("item", "update"),
        ("item", "delete"),
        ("category", "create"),
        ("resource", "update"),
        ("link", "create"),
    }
    (reworded,) = (one for one in done.undone if one.record_id == tea.id)
    assert (reworded.op, reworded.text) == ("update", "Ann likes tea.")
    assert {"text", "entities"} <= set(reworded.fields)
    assert (await mine.get_resource(talk.id)).title == talk.title
    assert [(one.target_id, one.score) for one in await mine.list_links(tea.id)] == [(topic.id, 0.5)]
    assert (await mine.history(tea.id))[-1].actor == "rollback"
    assert (await texts(service, "Ann likes tea."))[0] == "Ann likes tea."
    assert await service.integrity() == []
    assert not (await mine.rollback(done.seq)).undone

    again = await mine.rollback(done.from_seq)
    assert {one.id for one in now} == {one.id async for one in _all(mine)}
    assert (await mine.get_item(tea.id)).text == "Ann likes coffee."
    assert (await mine.get_resource(talk.id)).title == "another"
    assert again.lost == ()
    assert await service.integrity() == []


async def _all(service: MemoryService) -> Any:
    for one in (await service.list_items(superseded=True)).records:
        yield one


async def test_a_document_that_is_gone_is_told_and_what_it_said_comes_back(service: MemoryService) -> None:
    mine = service.for_user("ann")
    await mine.memorize(messages=TALK)
    (talk,) = (await mine.list_resources()).records
    kept = [one async for one in _all(mine)]
    point = await seq(service)
    await mine.delete_resource(talk.id)
    assert await mine.count_items() == 0
    done = await mine.rollback(point)

    assert done.lost == (talk.id,)
    assert [one.text async for one in _all(mine)] == [one.text for one in kept]
    assert [one.sources async for one in _all(mine)] == [()] * len(kept)
    assert await service.integrity() == []


async def test_an_edited_document_keeps_its_places(service: MemoryService) -> None:
    mine = service.for_user("ann")
    text = "Ann owns a boat.\n\nCarla plays the cello."
    await mine.memorize(text=text, resource_url="file:///a.md", modality="markdown")
    point = await seq(service)
    kept = {one.text async for one in _all(mine)}
    await mine.memorize(
        text=f"# News\n\nBen is back.\n\n{text}", resource_url="file:///a.md", modality="markdown"
    )
    await mine.delete_item((await mine.list_items()).records[0].id)
    await mine.rollback(point)

    assert {one.text async for one in _all(mine)} == kept
    assert await service.integrity() == []


async def test_what_the_log_does_not_hold_is_refused(tmp_path: Path) -> None:
    clock = Clock()
    settings = config() | {"database": {"path": str(tmp_path / "memu.db"), "keep_changes_days": 30}}
    async with MemoryService(settings, clock=clock) as service:
        first = await service.create_item("Ann likes tea.", user="ann")
        await service.create_item("Ann owns a boat.", user="ann", session="s")
        point, then = await seq(service), clock.now
        for wrong, match in (
            (-1, "outside of it"),
            (10**6, "outside of it"),
            (True, "is a moment"),
            ("x", "is a moment"),
        ):
            with pytest.raises(InvalidInput, match=match):
                await service.rollback(wrong, user="ann")  # type: ignore[arg-type]
        with pytest.raises(InvalidScope, match="leave out session"):
            await service.rollback(point, user="ann", session="s")
        with pytest.raises(InvalidInput, match="needs a time zone"):
            await service.rollback(then.replace(tzinfo=None), user="ann")
        await service.clear(user="ann", session="s")
        with pytest.raises(HistoryGone, match="has been erased"):
            await service.rollback(point, user="ann")
        assert (await service.get_item(first.id, user="ann", known_at=then)).text == "Ann likes tea."
        clock.now += timedelta(days=40)
        await service.update_item(first.id, {"importance": 1}, user="ann")
        newest = await seq(service)
    async with MemoryService(settings, clock=clock) as service:
        with pytest.raises(HistoryGone, match="does not reach back"):
            await service.rollback(point, user="ann")
        with pytest.raises(HistoryGone):
            await service.retrieve("tea", user="ann", known_at=then)
        assert not (await service.rollback(newest, user="ann")).undone
        await service.forget_user(user="ann")
        with pytest.raises(HistoryGone):
            await service.rollback(0, user="ann")


async def test_changes_come_page_by_page_the_newest_first(service: MemoryService) -> None:
    mine = service.for_user("ann")
    topic = await mine.create_category("food")
    made = [await mine.create_item(f"Ann likes {one}.", dedupe="exact") for one in ("tea", "boats", "cellos")]
    await mine.link(made[0].id, topic.id)
    await service.create_item("Ben's own.", user="ben")
    first = await mine.changes(limit=2)
    rest = await mine.changes(cursor=first.next_cursor)

    assert [one.kind for one in first] == ["link", "item"]
    assert [one.record_id for one in rest] == [made[1].id, made[0].id, topic.id]
    assert rest.next_cursor is None
    assert [one.kind for one in await mine.changes(kind="category")] == ["category"]
    for wrong in ({"kind": "dog"}, {"cursor": "x"}, {"cursor": "9" * 5000}, {"limit": 0}):
        with pytest.raises(InvalidInput):
            await mine.changes(**wrong)
