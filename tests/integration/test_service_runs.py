"""Memorize: run ids, partial resources, kept conversations, races, and what a stopped run leaves."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from service_kit import NOW, config, texts

from memu_py import MemoryService
from memu_py.errors import ConfigError, InvalidInput, NotFound, WorkflowError
from memu_py.testing.clock import FixedClock


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=lambda: NOW) as opened:
        yield opened


# Run ids


async def test_the_same_run_id_at_the_same_time_is_one_memory_and_both_calls_say_so(
    service: MemoryService,
) -> None:
    results = await asyncio.gather(
        *(service.memorize(text=f"Ann owns {n} boats.", user="ann", run_id="r") for n in range(3))
    )
    assert len(await texts(service)) == 1
    assert len({result.resource.id for result in results}) == 1
    (first,) = [result for result in results if not result.unchanged]
    assert [one.status for one in first.outcomes] == ["stored"]
    for other in results:
        if other is not first:
            assert (other.added, other.reinforced, other.outcomes) == ((), (), ())


async def test_a_run_id_of_another_session_or_of_something_deleted_is_not_run_again(
    service: MemoryService,
) -> None:
    first = await service.memorize(text="Ann likes tea.", user="ann", session="s1", run_id="r")
    with pytest.raises(NotFound, match="run 'r' is done"):
        await service.memorize(text="Ann likes tea.", user="ann", session="s2", run_id="r")
    assert (await service.memorize(text="x", user="ann", run_id="r")).unchanged
    await service.delete_resource(first.resource.id, user="ann")
    with pytest.raises(NotFound, match="new run id"):
        await service.memorize(text="Ann likes tea.", user="ann", run_id="r")
    assert await texts(service) == []
    assert (await service.memorize(text="Bob likes rain.", user="bob", run_id="r")).added


async def test_a_failed_run_can_be_run_again_under_its_id(service: MemoryService) -> None:
    with pytest.raises(ConfigError):
        await service.memorize(text="Ann likes tea.", user="ann", run_id="r", infer=True)
    assert (await service.memorize(text="Ann likes tea.", user="ann", run_id="r")).added


# Segments that fail


async def test_failed_segments_make_a_partial_resource_that_goes_on_when_memorized_again() -> None:
    broken = {"use": "break_segments", "with": {"containing": "boat"}}
    messages = ["Ann likes tea.", "Ann owns a boat."]
    async with MemoryService(
        config(workflows={"memorize": {"steps": ["assess_value", broken, "extract_entities"]}})
    ) as service:
        first = await service.memorize(messages=messages, user="ann")
        assert (first.resource.status, first.resource.reason) == ("partial", "1 of 2 new segments failed")
        assert [(one.status, one.reason) for one in first.outcomes] == [
            ("stored", None),
            ("failed", "the model is away"),
        ]
        assert not first.unchanged
        service.workflows["memorize"].remove_step("break_segments")
        again = await service.memorize(messages=messages, user="ann")
        assert [(one.ordinal, one.status) for one in again.outcomes] == [(1, "stored")]
        assert (again.resource.status, again.resource.reason) == ("complete", None)
        assert again.resource.id == first.resource.id
        assert await texts(service) == messages
        assert (await service.memorize(messages=messages, user="ann")).unchanged


async def test_what_a_step_drops_is_told_and_not_tried_again() -> None:
    dropping = {"use": "drop_drafts", "with": {"containing": "4711"}}
    async with MemoryService(
        config(workflows={"memorize": {"steps": ["extract_entities", dropping]}})
    ) as service:
        result = await service.memorize(messages=["My code is 4711.", "I like tea."], user="ann")
        assert [(one.status, one.reason) for one in result.outcomes] == [
            ("skipped", "dropped by a step"),
            ("stored", None),
        ]
        assert result.resource.status == "complete"


# Kept conversations


async def test_an_edited_message_of_a_kept_conversation_ends_what_it_said(service: MemoryService) -> None:
    chat = [{"role": "user", "content": "I moved to Lisbon.", "id": "1"}]
    await service.memorize(resource_url="conversation://c", messages=chat, user="ann")
    edited = [{**chat[0], "content": "I moved to Porto."}]
    kept = await service.conversations.add("c", edited, user="ann")
    assert kept.unread == 1
    await service.memorize(resource_url="conversation://c", user="ann")
    assert await texts(service) == ["I moved to Porto."]
    old = next(one for one in await service.list_items(user="ann", superseded=True) if "Lisbon" in one.text)
    assert old.valid_to == NOW


async def test_many_add_to_one_conversation_at_once_and_nothing_is_lost(service: MemoryService) -> None:
    lines = [f"Guest {n} brought dish {n}." for n in range(6)]
    await asyncio.gather(
        *(service.conversations.add("party", lines[: n + 1], user="ann") for n in range(len(lines)))
    )
    result = await service.memorize(resource_url="conversation://party", user="ann")
    assert sorted(item.text for item in result.added) == lines
    again = await service.conversations.add("party", lines, user="ann")
    assert (again.messages, again.unread) == (len(lines), 0)
    assert result.resource.url == again.url


async def test_a_conversation_needs_an_id_and_messages(service: MemoryService) -> None:
    with pytest.raises(InvalidInput, match="needs an id"):
        await service.conversations.add("", ["Hello there."], user="ann")
    with pytest.raises(InvalidInput):
        await service.conversations.add("c", [], user="ann")
    assert len(await service.list_resources(user="ann")) == 0


async def test_one_address_in_two_sessions_is_one_conversation(service: MemoryService) -> None:
    first = await service.memorize(
        resource_url="conversation://c", messages=["I like tea."], user="ann", session="s1"
    )
    grown = await service.memorize(
        resource_url="conversation://c", messages=["I like tea.", "I own a boat."], user="ann", session="s2"
    )
    assert grown.resource.id == first.resource.id
    assert [item.text for item in grown.added] == ["I own a boat."]
    other = await service.memorize(resource_url="conversation://c", messages=["I like tea."], user="bob")
    assert other.resource.id != first.resource.id


async def test_relative_dates_count_from_when_a_message_came_in() -> None:
    clock = FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))

    def day(offset: int) -> datetime:
        return datetime(2026, 6, 1, tzinfo=UTC) + timedelta(days=offset)

    async with MemoryService(config(), clock=clock) as service:
        chat = ["I went to Rome yesterday."]
        await service.memorize(resource_url="conversation://a", messages=chat, user="ann")
        await service.conversations.add("b", ["I sold my boat yesterday."], user="ann")
        clock.advance(timedelta(days=10))
        chat.append("I went to Oslo yesterday.")
        await service.memorize(resource_url="conversation://a", messages=chat, user="ann")
        await service.memorize(resource_url="conversation://b", user="ann")
        found = {
            item.text.split()[3]: item.happened.start
            for item in await service.list_items(user="ann")
            if item.happened
        }
        assert found == {"Rome": day(-1), "Oslo": day(9), "boat": day(-1)}


async def test_todays_date_is_the_users_own(tmp_path: Path) -> None:
    late = datetime(2026, 6, 1, 20, tzinfo=UTC)
    zones = config(timezones={"mei": "Asia/Shanghai"})
    async with MemoryService(zones, clock=lambda: late) as service:
        for user in ("mei", "ann"):
            (item,) = (await service.memorize(messages=["I went to Rome yesterday."], user=user)).added
            assert item.happened is not None
            expected = {"mei": (2026, 6, 1), "ann": (2026, 5, 31)}[user]
            local = item.happened.start.astimezone(zone_of(user))
            assert (local.year, local.month, local.day) == expected
            context = (await service.retrieve("Rome", user=user)).context
            assert {"mei": "today is 2026-06-02", "ann": "today is 2026-06-01"}[user] in context
        (item,) = (
            await service.memorize(
                messages=["I went to Oslo yesterday."], user="ann", timezone="Asia/Shanghai"
            )
        ).added
        assert item.happened is not None
        assert item.happened.start == datetime(2026, 5, 31, 16, tzinfo=UTC)


def zone_of(user: str) -> ZoneInfo:
    return ZoneInfo({"mei": "Asia/Shanghai"}.get(user, "UTC"))


# Types


async def test_a_type_that_is_not_configured_is_a_clear_error_of_the_configuration() -> None:
    step = {"use": "extract_entities", "with": {"turn_type": "facts"}}
    async with MemoryService(config(workflows={"memorize": {"steps": [step]}})) as service:
        with pytest.raises(
            ConfigError, match=r"extract_entities\.turn_type: no item type `facts`; did you mean"
        ):
            await service.memorize(messages=["I like tea."], user="ann")
        assert len(await service.list_resources(user="ann")) == 0
    own = config(item_types=["facts", "event", "knowledge"], workflows={"memorize": {"steps": [step]}})
    async with MemoryService(own) as service:
        (item,) = (await service.memorize(messages=["I like tea."], user="ann")).added
        assert item.type == "facts"


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"use": "assess_value", "with": {"keep": "everything"}}, "keep"),
        ({"use": "classify_items", "with": {"per_item": 0}}, "per_item"),
        ({"use": "update_categories", "with": {"closeness": 0.5}}, "did you mean `close`"),
        ({"use": "resolve_duplicates", "with": {"same": 2}}, "same"),
        ({"use": "preprocess", "with": {"turn_chars": 5}}, "turn_chars"),
    ],
)
def test_a_wrong_value_of_a_step_is_a_fault_when_the_service_is_built(
    step: dict[str, Any], message: str
) -> None:
    steps = ["extract_entities", step]
    with pytest.raises(WorkflowError, match=message):
        MemoryService(config(workflows={"memorize": {"steps": steps}}))
