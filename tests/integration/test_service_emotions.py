"""How somebody feels, through every door."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_kit import Memu
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import InvalidInput
from memu_py.service.sync import SyncMemoryService
from memu_py.testing.clock import FixedClock


def turn(text: str, days: int, name: str = "Ann") -> dict[str, Any]:
    said = (NOW - timedelta(days=days)).isoformat()
    return {"role": "user", "name": name, "content": text, "created_at": said}


TURNS = [
    turn("I hate my job, Globex is terrible!", 30),
    turn("Globex fired me, I feel awful and sad.", 12),
    turn("The train leaves at nine.", 11),
    turn("I love Lisbon, it is wonderful!", 2),
    turn("I am so happy in Lisbon, what a great day!", 1),
    turn("I am furious, Lisbon is horrible.", 1, name="Ben"),
]


async def test_state_profile_and_timeline_tell_what_was_felt() -> None:
    async with MemoryService(config(), clock=FixedClock(NOW)) as service:
        await service.memorize(messages=TURNS, user="ann")
        state = await service.emotions.state(speaker="Ann", user="ann")
        assert (state.last, state.count) == (NOW.date(), 3)
        assert state.trend is not None
        assert state.trend > 0.5
        assert state.items[0].emotion is not None
        assert {one.text for one in state.items} == {TURNS[place]["content"] for place in (1, 3, 4)}
        profile = await service.emotions.profile(speaker="Ann", user="ann")
        assert profile.count == 4
        about = {one.name: one for one in profile.triggers}
        assert (about["Lisbon"].count, about["Globex"].count) == (2, 2)
        assert about["Lisbon"].valence > 0 > about["Globex"].valence
        assert len(about["Globex"].item_ids) == 2
        assert sum(one.count for one in profile.emotions) == 4
        assert (await service.emotions.profile(top=1, user="ann")).count == 5
        weeks = await service.emotions.timeline(user="ann")
        assert sum(one.count for one in weeks) == 5
        assert len(await service.emotions.timeline(by="day", days=14, user="ann")) == 3
        earlier = await service.emotions.state(as_of=NOW - timedelta(days=20), user="ann")
        assert earlier.count == 1
        again = await service.memorize(messages=TURNS, user="ann")
        assert again.unchanged
        assert (await service.emotions.state(speaker="Ann", user="ann")).evolve(items=()) == state.evolve(
            items=()
        )


async def test_what_expires_is_felt_no_more_and_what_is_restored_again() -> None:
    async with MemoryService(config(), clock=FixedClock(NOW + timedelta(days=9))) as service:
        soon = {"expires_at": (NOW + timedelta(days=1)).isoformat()}
        await service.memorize(messages=TURNS[:1], user="ann", agent="cook", metadata=soon)
        await service.memorize(messages=TURNS[3:4], user="ann", agent="cook")

        async def counts() -> list[int]:
            assert await service.integrity() == []
            every = await service.emotions.profile(user="ann")
            return [every.count, (await service.emotions.profile(user="ann", agent="cook")).count]

        assert await counts() == [2, 2]
        (gone,) = (await service.maintain(user="ann")).archived
        assert await counts() == [1, 1]
        await service.restore(gone.item.id, user="ann")
        assert await counts() == [2, 2]


async def test_nothing_felt_is_nothing_told_and_bounds_are_said() -> None:
    async with MemoryService(config(), clock=FixedClock(NOW)) as service:
        state = await service.emotions.state(user="ann")
        assert (state.count, state.valence, state.trend, state.items) == (0, None, None, ())
        profile = await service.emotions.profile(user="ann")
        assert (profile.count, profile.first, profile.triggers) == (0, None, ())
        with pytest.raises(InvalidInput, match="`days` is a whole number"):
            await service.emotions.state(days=0, user="ann")
        with pytest.raises(InvalidInput, match="needs a time zone"):
            await service.emotions.state(as_of=datetime(2026, 1, 1), user="ann")  # noqa: DTZ001
        with pytest.raises(InvalidInput, match="no period `year`"):
            await service.emotions.timeline(by="year", user="ann")  # type: ignore[arg-type]


def test_plain_calls_give_the_same() -> None:
    with SyncMemoryService(MemoryService(config(), clock=FixedClock(NOW))) as service:
        service.memorize(messages=TURNS, user="ann")
        assert service.emotions.state(user="ann").count == 4


def test_the_command_shows_moods(memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert memu("mood")[2].startswith("No memory has a feeling.")
    assert memu("mood", "--weeks")[2].startswith("No memory has a feeling.")
    chat = "Ann: I love Lisbon, it is wonderful!\nBen: The train leaves at nine.\n"
    Path("chat.txt").write_text(chat, encoding="utf-8")
    assert memu("memorize", "chat.txt")[0] == 0
    assert "- I love Lisbon" in memu("mood")[1]
    assert "Lisbon" in memu("mood", "--profile")[1]
    assert "excited" in memu("mood", "--weeks")[1]
    assert '"count": 1' in memu("mood", "--json")[1]
    assert memu("mood", "--weeks", "--json")[1].lstrip().startswith("[")


async def test_an_old_fact_that_matters_stays_above_fresh_noise() -> None:
    async with MemoryService(config(), clock=FixedClock(NOW)) as service:
        old = "I am allergic to peanuts, please remember that."
        noise = [turn(f"Peanuts again, number {count}.", 0) for count in range(5)]
        await service.memorize(messages=[turn(old, 700), *noise], user="ann")
        found = await service.retrieve("allergic to peanuts", user="ann")
        assert found.items[0].record.text == old
        assert found.items[0].record.importance == 8
        for hit in found.items[1:]:
            for _ in range(3):
                await service.retrieve(hit.record.text, user="ann")
        await service.flush()
        again = await service.retrieve("allergic to peanuts", user="ann")
        assert again.items[0].record.text == old
