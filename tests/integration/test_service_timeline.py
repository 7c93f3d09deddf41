"""What happened when: over the service, from plain code, over HTTP, and from the command line."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu
from server_kit import served
from service_kit import config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import InvalidFilter, InvalidInput
from memu_py.testing.clock import FixedClock

NOW = datetime(2024, 6, 15, 12, tzinfo=UTC)
MEMORIES = (
    ("2024-04-30T22:30:00Z", "Ann planted roses."),
    ("2024-05-10T12:00:00Z", "Ann met Carl for tea."),
    ("2024-05-31T22:30:00Z", "Ann sold a boat."),
    ("2024-06-10T12:00:00Z", "Ann fixed a lamp."),
)
TRIP = {
    "text": "Ann walked along a river.",
    "type": "event",
    "happened": {
        "start": "2024-04-20T00:00:00Z",
        "until": "2024-05-03T00:00:00Z",
        "precision": "range",
        "words": "around the first of May",
    },
}


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    zones = {"ann": "Europe/Berlin"}
    async with MemoryService(config(timezones=zones), clock=FixedClock(NOW)) as made:
        await made.create_items([{"text": text, "said_at": at} for at, text in MEMORIES], user="ann")
        await made.create_item(TRIP, user="ann")
        yield made


def texts(found: Any) -> list[str]:
    return [item.text.removeprefix("Ann ").split()[0] for item in found]


async def test_items_of_some_days_in_the_days_of_the_user(service: MemoryService) -> None:
    ann = service.for_user("ann").timeline
    may = date(2024, 5, 1), date(2024, 5, 31)

    assert texts(await ann.items(*may)) == ["walked", "planted", "met"]
    assert texts(await ann.items(*may, timezone="UTC")) == ["walked", "met", "sold"]
    assert texts(await ann.items(*may, descending=True)) == ["met", "planted", "walked"]
    assert texts(await ann.items(*may, types=["event"])) == ["walked"]
    assert texts(await ann.items(date(2024, 6, 1))) == ["sold", "fixed"]
    assert texts(await ann.items(None, date(2024, 4, 30))) == ["walked"]
    first = await ann.items(limit=3)
    assert texts(first) + texts(await ann.items(limit=3, cursor=first.next_cursor)) == [
        "walked",
        "planted",
        "met",
        "sold",
        "fixed",
    ]
    assert texts(await service.timeline.items(user="bob")) == []
    with pytest.raises(InvalidFilter):
        await ann.items(*may, cursor=first.next_cursor)


async def test_counts_by_day_week_and_month(service: MemoryService) -> None:
    ann = service.for_user("ann").timeline

    assert [(one.first.month, one.count) for one in await ann.counts("month")] == [(4, 1), (5, 2), (6, 2)]
    assert [one.count for one in await ann.counts("month", timezone="UTC")] == [2, 2, 1]
    days = await ann.counts("day", date(2024, 5, 1), date(2024, 5, 31))
    assert [(one.first.day, one.last.day) for one in days] == [(1, 1), (10, 10)]
    assert [one.first for one in await ann.counts("week", date(2024, 6, 1))] == [
        date(2024, 5, 27),
        date(2024, 6, 10),
    ]
    assert [one.count for one in await ann.counts("month", types=["event"])] == [1]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What happened in May?", ["walked", "planted", "met"]),
        ("What did Ann do on May 10?", ["met"]),
        ("五月发生了什么？", ["walked", "planted", "met"]),
        ("上个月发生了什么？", ["walked", "planted", "met"]),
        ("What happened last month?", ["walked", "planted", "met"]),
        ("What happened between May 5 and June 11?", ["met", "sold", "fixed"]),
        ("anything in 2023?", []),
    ],
)
async def test_a_time_in_words(service: MemoryService, question: str, expected: list[str]) -> None:
    found = await service.timeline.about(question, user="ann")
    assert texts(found.page) == expected
    assert found.span.words


async def test_words_count_from_a_moment(service: MemoryService) -> None:
    then = datetime(2024, 7, 2, tzinfo=UTC)
    found = await service.timeline.about("last month", now=then, limit=1, user="ann")
    assert texts(found.page) == ["sold"] and found.page.next_cursor


@pytest.mark.parametrize(
    "call",
    [
        lambda timeline: timeline.items(date(2024, 5, 2), date(2024, 5, 1)),
        lambda timeline: timeline.counts("day", date(2024, 5, 2), date(2024, 5, 1)),
        lambda timeline: timeline.counts("year"),
        lambda timeline: timeline.items(types=["nope"]),
        lambda timeline: timeline.items(timezone="Nowhere"),
        lambda timeline: timeline.items(limit=0),
        lambda timeline: timeline.about("what happened?"),
        lambda timeline: timeline.about("in May", now=datetime(2024, 1, 1)),  # noqa: DTZ001 - what is tested
    ],
)
async def test_what_is_not_usable_is_refused(service: MemoryService, call: Any) -> None:
    with pytest.raises(InvalidInput):
        await call(service.for_user("ann").timeline)


def test_plain_code_has_plain_calls() -> None:
    with SyncMemoryService(MemoryService(config())) as sync:
        sync.create_item({"text": "Ann sails.", "said_at": NOW}, user="ann")
        assert sync.for_user("ann").timeline.counts("month")[0].first == date(2024, 6, 1)


async def test_a_client_does_the_same() -> None:
    async with served() as server, server.client() as client:
        timeline = client.for_user("ann").timeline
        await client.create_item({"text": "Ann sails.", "type": "event", "said_at": NOW}, user="ann")
        days = date(2024, 6, 1), date(2024, 6, 30)
        assert texts(await timeline.items(*days, types=["event"])) == ["sails."]
        assert texts(await timeline.items(*days, types=["fact"])) == []
        (month,) = await timeline.counts("month", *days)
        assert (month.first, month.last, month.count) == (*days, 1)
        found = await timeline.about("in June 2024", now=NOW)
        assert texts(found.page) == ["sails."] and found.span.precision == "month"


def test_the_command_line(memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(CONFIG)
    turns = [{"role": "user", "content": text, "created_at": at} for at, text in MEMORIES]
    Path("chat.jsonl").write_text("\n".join(map(json.dumps, turns)))
    assert memu("memorize", "chat.jsonl")[0] == 0
    rows = memu("timeline", "--from", "2024-05-01", "--to", "2024-05-31")[1].splitlines()
    assert [row.split("\t")[1] for row in rows] == ["when", "2024-05-10", "2024-05-31"]
    code, out, err = memu("timeline", "in May 2024")
    assert code == 0 and len(out.splitlines()) == 3 and err.startswith("2024-05-01")
    assert memu("timeline", "--by", "month")[1].splitlines()[1:] == [
        "2024-04-01\t2024-04-30\t1",
        "2024-05-01\t2024-05-31\t2",
        "2024-06-01\t2024-06-30\t1",
    ]
    assert json.loads(memu("timeline", "in May 2024", "--json")[1])["span"]["words"]
    assert memu("timeline", "in May", "--by", "day")[0] == 1
    assert "Nothing" in memu("timeline", "in 1999")[2]
