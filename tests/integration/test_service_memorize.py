"""Memorize through the public API, on real SQLite and the bundled embedder."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from memu_py import MemoryService
from memu_py.errors import (
    AccessDenied,
    ConfigError,
    InvalidInput,
    NotFound,
    ScopeRequired,
    UnsupportedModality,
)

CHAT: list[dict[str, Any]] = [
    {"role": "user", "name": "Ann", "content": "Hi there!", "id": "m1", "created_at": "2026-03-02T09:00:00Z"},
    {
        "role": "user",
        "name": "Ann",
        "content": "I moved to Lisbon yesterday.",
        "id": "m2",
        "created_at": "2026-03-02T09:01:00Z",
    },
    {
        "role": "assistant",
        "name": "Bo",
        "content": "How exciting!",
        "id": "m3",
        "created_at": "2026-03-02T09:02:00Z",
    },
    {
        "role": "user",
        "name": "Ann",
        "content": "My new flat has a view of the river Tagus.",
        "id": "m4",
        "created_at": "2026-03-02T09:03:00Z",
    },
]


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MemoryService]:
    async with MemoryService(
        {
            "database": {"backend": "sqlite", "path": str(tmp_path / "memu.db")},
            "blobs": {"allowed_roots": [str(tmp_path)]},
        }
    ) as opened:
        yield opened


async def test_a_conversation_becomes_items_with_speaker_date_and_source(service: MemoryService) -> None:
    result = await service.memorize(messages=CHAT, user="ann")
    assert [(one.status, one.reason) for one in result.outcomes] == [
        ("skipped", "no content: greeting"),
        ("stored", None),
        ("skipped", result.outcomes[2].reason),
        ("stored", None),
    ]
    moved, flat = result.added
    assert (moved.text, moved.speaker, moved.type) == ("I moved to Lisbon yesterday.", "Ann", "event")
    assert moved.happened is not None
    assert (moved.happened.start.isoformat(), moved.happened.precision) == (
        "2026-03-01T00:00:00+00:00",
        "day",
    )
    assert moved.happened.words == "yesterday"
    assert moved.said_at is not None
    assert moved.said_at.isoformat() == "2026-03-02T09:01:00+00:00"
    assert "Lisbon" in moved.entities
    assert flat.sources[0].metadata["id"] == "m4"
    segments = await service.list_segments(result.resource.id, user="ann")
    assert len(segments) == 4
    assert result.trace is not None
    assert [one.step for one in result.trace.steps][:2] == ["ingest_resource", "preprocess"]


async def test_the_value_gate_can_be_turned_off(tmp_path: Path) -> None:
    config = {
        "database": {"backend": "memory"},
        "workflows": {
            "memorize": {"steps": [{"use": "assess_value", "with": {"keep": "all"}}, "extract_entities"]}
        },
    }
    async with MemoryService(config) as service:
        result = await service.memorize(messages=CHAT, user="ann")
    assert result.added[0].text == "Hi there!"
    assert len(result.added) == 4


async def test_the_same_conversation_again_is_a_no_op(service: MemoryService) -> None:
    first = await service.memorize(messages=CHAT, user="ann")
    again = await service.memorize(messages=CHAT, user="ann")
    assert again.unchanged
    assert (again.added, again.reinforced, again.outcomes) == ((), (), ())
    assert again.resource.id == first.resource.id
    assert await service.count_items(user="ann") == 2


async def test_a_conversation_that_grew_gives_only_the_new_turns(service: MemoryService) -> None:
    first = await service.memorize(messages=CHAT[:2], user="ann")
    grown = await service.memorize(messages=CHAT, user="ann")
    assert grown.resource.id == first.resource.id
    assert [item.sources[0].metadata["id"] for item in grown.added] == ["m4"]
    assert [one.ordinal for one in grown.outcomes] == [2, 3]
    assert grown.resource.segment_count == 4


async def test_a_transcript_that_grew_gives_only_the_new_turns(service: MemoryService) -> None:
    lines = ["Ann: I moved to Lisbon.", "Leo: I play the cello.", "Ann: My cat is called Miso."]
    first = await service.memorize(text="\n".join(lines[:2]), user="ann")
    grown = await service.memorize(text="\n".join(lines), user="ann")
    assert (first.resource.modality, grown.resource.id) == ("transcript", first.resource.id)
    assert [item.text for item in grown.added] == ["My cat is called Miso."]
    assert grown.reinforced == ()


async def test_a_part_of_a_transcript_is_a_text_of_its_own_and_ends_nothing(service: MemoryService) -> None:
    lines = [
        "Ann: I moved to Lisbon.",
        "Leo: I play the cello.",
        "Ann: My cat is called Miso.",
        "Leo: I teach maths.",
    ]
    whole = await service.memorize(text="\n".join(lines[:3]), user="ann")
    part = await service.memorize(text="\n".join(lines[1:]), user="ann")
    assert part.resource.id != whole.resource.id
    assert [item.text for item in part.added] == ["I teach maths."]
    assert await service.count_items(user="ann") == 4


async def test_a_window_sent_again_adds_nothing_and_loses_nothing(service: MemoryService) -> None:
    whole = await service.memorize(messages=CHAT, user="ann")
    window = [
        *CHAT[2:],
        {"role": "user", "name": "Ann", "content": "I adopted a cat named Miso.", "id": "m5"},
    ]
    result = await service.memorize(messages=window, user="ann")
    assert result.resource.id == whole.resource.id
    assert [item.text for item in result.added] == ["I adopted a cat named Miso."]
    assert [segment.ordinal for segment in await service.list_segments(whole.resource.id, user="ann")] == [
        0,
        1,
        2,
        3,
        4,
    ]
    assert b"Lisbon" in await service.read_resource(whole.resource.id, user="ann")
    assert b"Miso" in await service.read_resource(whole.resource.id, user="ann")


async def test_an_edited_message_supersedes_what_it_said(service: MemoryService) -> None:
    await service.memorize(messages=CHAT, user="ann", resource_url="conversation://c1")
    edited = [*CHAT[:1], {**CHAT[1], "content": "I moved to Porto yesterday."}, *CHAT[2:]]
    result = await service.memorize(messages=edited, user="ann", resource_url="conversation://c1")
    assert [item.text for item in result.added] == ["I moved to Porto yesterday."]
    live = [item.text for item in await service.list_items(user="ann")]
    assert "I moved to Lisbon yesterday." not in live
    everything = await service.list_items(user="ann", superseded=True)
    old = next(item for item in everything if "Lisbon" in item.text)
    assert old.valid_to is not None
    assert old.superseded_by == result.added[0].id
    found = await service.retrieve("Where did Ann move to?", user="ann")
    assert "Porto" in found.items[0].record.text
    assert not any("Lisbon" in hit.record.text for hit in found)


async def test_the_same_sentence_eight_times_is_one_item_heard_eight_times(service: MemoryService) -> None:
    for number in range(8):
        await service.memorize(text="I like black coffee.", user="ann", session=f"s{number}")
    (item,) = await service.list_items(user="ann")
    assert item.mentions == 8
    assert item.last_reinforced_at is not None
    assert {source.session for source in item.sources} == {f"s{number}" for number in range(8)}


async def test_negation_keeps_two_near_sentences_apart_and_links_them(service: MemoryService) -> None:
    await service.memorize(text="Ann likes green tea.", user="ann")
    await service.memorize(text="Ann does not like green tea.", user="ann")
    items = await service.list_items(user="ann")
    assert [item.text for item in items] == ["Ann likes green tea.", "Ann does not like green tea."]
    (link,) = await service.list_links(items[1].id, kind="similar", user="ann")
    assert link.target_id == items[0].id


async def test_a_fuller_text_replaces_a_contained_one(service: MemoryService) -> None:
    await service.memorize(text="I like black coffee.", user="ann")
    result = await service.memorize(text="I like strong black coffee.", user="ann")
    (item,) = await service.list_items(user="ann")
    assert item.text == "I like strong black coffee."
    assert [one.id for one in result.reinforced] == [item.id]
    assert (await service.search("strong coffee", user="ann")).items[0].record.text == item.text


async def test_a_markdown_file_edited_in_the_middle_keeps_what_stayed(
    service: MemoryService, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Trip\n\nThe train leaves at noon.\n\n## Hotel\n\nThe hotel is called Aurora.\n")
    first = await service.memorize(resource_url=str(note), user="ann")
    kept = next(item for item in first.added if "Aurora" in item.text)
    note.write_text(
        "# Trip\n\nBring the blue suitcase.\n\nThe train leaves at nine.\n\n## Hotel\n\nThe hotel is called Aurora.\n"
    )
    await service.memorize(resource_url=str(note), user="ann")
    texts = " ".join(item.text for item in await service.list_items(user="ann"))
    assert "noon" not in texts
    assert "nine" in texts
    assert "suitcase" in texts
    same = await service.get_item(kept.id, user="ann")
    assert same.valid_to is None
    content = (await service.read_resource(first.resource.id, user="ann")).decode()
    assert content[same.sources[0].start : same.sources[0].end] == same.text
    assert await service.integrity() == []


async def test_a_path_outside_the_allowed_roots_is_refused(service: MemoryService) -> None:
    with pytest.raises(AccessDenied, match="allowed_roots"):
        await service.memorize(resource_url="/etc/hostname", user="ann")


async def test_a_run_id_known_already_changes_nothing(service: MemoryService) -> None:
    first = await service.memorize(text="I like tea.", user="ann", run_id="run-1")
    again = await service.memorize(text="I like coffee.", user="ann", run_id="run-1")
    assert again.unchanged
    assert again.resource.id == first.resource.id
    assert [item.text for item in await service.list_items(user="ann")] == ["I like tea."]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ({"text": "x"}, ScopeRequired),
        ({"user": "ann"}, InvalidInput),
        ({"user": "ann", "text": "a", "data": b"b"}, InvalidInput),
        ({"user": "ann", "text": "a", "modality": "txt"}, UnsupportedModality),
        ({"user": "ann", "data": b"\x00\x01\x02\xff" * 40}, UnsupportedModality),
        ({"user": "ann", "resource_url": "conversation://none"}, NotFound),
        ({"user": "ann", "text": "a", "infer": True}, ConfigError),
        ({"user": "ann", "text": "a", "timezone": "Mars/Base"}, InvalidInput),
        ({"user": "ann", "text": "a", "metadata": {"x": object()}}, InvalidInput),
        ({"user": "ann", "messages": []}, InvalidInput),
    ],
)
async def test_what_cannot_be_memorized_is_refused_and_stores_nothing(
    service: MemoryService, call: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        await service.memorize(**call)
    assert len(await service.list_resources(user="ann")) == 0


async def test_system_and_tool_messages_are_kept_and_make_no_items(service: MemoryService) -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are helpful. The user is called Zed."},
        {"role": "user", "content": "I live in Oslo."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "t", "function": {"name": "weather"}}]},
        {"role": "tool", "tool_call_id": "t", "content": "Oslo: snow"},
    ]
    result = await service.memorize(messages=messages, user="ann")
    assert [item.text for item in result.added] == ["I live in Oslo."]
    assert [one.reason for one in result.outcomes if one.status == "skipped"] == ["context"] * 3
    assert b"Zed" in await service.read_resource(result.resource.id, user="ann")


async def test_metadata_cannot_move_a_memory_to_another_user(service: MemoryService) -> None:
    await service.memorize(
        text="The code is 4711.", user="ann", metadata={"user": "bob", "scope": "bob", "topic": "codes"}
    )
    assert len(await service.list_items(user="bob")) == 0
    (item,) = await service.list_items(user="ann", where={"metadata.topic": "codes"})
    assert item.scope.user == "ann"


async def test_conversations_are_kept_first_and_memorized_later(service: MemoryService) -> None:
    kept = await service.conversations.add("chat-1", CHAT[:2], user="ann")
    assert (kept.status, kept.messages, kept.unread) == ("open", 2, 2)
    assert await service.count_items(user="ann") == 0
    await service.conversations.add("chat-1", CHAT[2:], user="ann")
    result = await service.memorize(resource_url="conversation://chat-1", modality="text", user="ann")
    assert result.resource.url == kept.url
    assert result.resource.status == "complete"
    assert len(result.added) == 2
    assert (await service.memorize(resource_url="conversation://chat-1", user="ann")).unchanged


async def test_deleted_items_are_not_revived_by_the_same_resource(service: MemoryService) -> None:
    result = await service.memorize(messages=CHAT, user="ann")
    await service.delete_item(result.added[0].id, user="ann")
    assert (await service.memorize(messages=CHAT, user="ann")).unchanged
    assert await service.count_items(user="ann") == 1
    said_again = await service.memorize(text="I moved to Lisbon yesterday.", user="ann")
    assert len(said_again.added) == 1


async def test_after_clear_the_same_service_memorizes_again(service: MemoryService) -> None:
    await service.memorize(messages=CHAT, user="ann")
    await service.memorize(text="Bob likes rain.", user="bob")
    await service.clear(user="ann")
    assert len(await service.list_items(user="ann")) == 0
    assert not await service.retrieve("Lisbon", user="ann")
    assert len((await service.memorize(messages=CHAT, user="ann")).added) == 2
    assert await service.count_items(user="bob") == 1
    assert await service.integrity() == []
