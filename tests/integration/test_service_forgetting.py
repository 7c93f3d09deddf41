"""What nobody needs any more is put away: not what is used, important or young; and it can be brought back."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu
from service_kit import config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import InvalidInput, NotFound
from memu_py.records.forgotten import Maintained
from memu_py.records.item import Item
from memu_py.service.results import RetrieveResult
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.clock import FixedClock
from memu_py.testing.server import ScriptedServer

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
LONG_AGO = "2024-05-{:02}T10:00:00Z"
TRAM = (
    "The tram to the old harbour was late again.",
    "The tram to the old harbour was late.",
    "The tram to the old harbour was very late.",
)
BAHN = ("去老港口的电车又晚点了。", "去老港口的电车晚点了。", "去老港口的电车晚点很久了。")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
async def service(clock: FixedClock) -> AsyncIterator[MemoryService]:
    async with MemoryService(config(jobs={"poll_s": 0.05}), clock=clock) as made:
        yield made


async def said(service: MemoryService, *lines: str, **fields: Any) -> list[Item]:
    usual = {"importance": 3}
    return await service.create_items(
        [
            {**usual, "text": text, "said_at": LONG_AGO.format(day), **fields}
            for day, text in enumerate(lines, start=1)
        ],
        dedupe="exact",
        user="ann",
    )


def texts(found: RetrieveResult) -> list[str]:
    return [hit.record.text for hit in found.items]


def put_away(done: Maintained) -> list[str]:
    return [one.item.text for one in done.archived]


def later(clock: FixedClock) -> None:
    clock.advance(timedelta(days=40))


async def test_what_is_neither_active_nor_important_fades(service: MemoryService, clock: FixedClock) -> None:
    (old,) = await said(service, "It rained a little.")
    await said(service, "I am allergic to nuts.", importance=9)
    await said(service, "Pinned weather.", metadata={"pinned": True})
    await said(service, "Who she is.", type="profile")
    await said(service, "Nobody judged this.", importance=None)
    (read,) = await said(service, "Something that is read.")
    assert put_away(await service.maintain(user="ann")) == []
    later(clock)
    await said(service, "It is young.")
    await service.retrieve(read.text, user="ann", top_k=1)
    dry = await service.maintain(dry_run=True, user="ann")
    before = await service.list_items(user="ann")

    assert (put_away(dry), dry.dry_run, len(before)) == ([old.text], True, dry.looked_at)
    assert str(dry.archived[0]) == "faded: activation -3.34, importance 3.0"
    assert put_away(await service.maintain(user="bob")) == []
    done = await service.maintain(user="ann")
    kept = await service.get_item(old.id, user="ann")
    assert put_away(done) == [old.text]
    assert (kept.archived_at, kept.archived_because) == (clock(), "faded")
    assert put_away(await service.maintain(user="ann")) == []
    assert old.text not in texts(await service.retrieve("Did it rain a little?", user="ann"))
    assert old.id not in [one.id for one in await service.list_items(user="ann")]
    assert old.id in [one.id for one in await service.list_items(user="ann", include_archived=True)]


@pytest.mark.parametrize(
    ("lines", "short"),
    [
        (TRAM, f"In May 2024: {' / '.join(TRAM)}"),
        (BAHN, f"2024年5月：{' / '.join(BAHN)}"),
    ],
    ids=["english", "chinese"],
)
async def test_groups_leave_one_item_that_cites_them(
    service: MemoryService, clock: FixedClock, lines: tuple[str, ...], short: str
) -> None:
    service.workflows.config_step("maintain", "compress", {"close": 0.5})
    items = await said(service, *lines)
    await said(service, "A bird sang.")
    later(clock)
    dry = await service.maintain(dry_run=True, user="ann")
    assert [one.item.text for one in dry.compressed] == [short]
    assert len(await service.list_items(user="ann")) == len(items) + 1

    done = await service.maintain(user="ann")
    (left,) = await service.list_items(user="ann")
    links = await service.list_links(left.id, kind="summarizes", user="ann")
    found = await service.retrieve(lines[0], user="ann")

    assert (left.text, left.type, left.attribution) == (short, "knowledge", "agent")
    assert sorted(one.target_id for one in links) == sorted(one.id for one in items)
    assert done.counts() == {"expired": 0, "faded": 4, "compressed": 1, "more": False}
    assert texts(found) == [short]


async def test_what_was_put_away_comes_back_on_top(service: MemoryService, clock: FixedClock) -> None:
    first, second, _ = await said(service, *TRAM)
    later(clock)
    await service.maintain(user="ann")
    back = await service.restore(first.id, user="ann")
    again = await service.create_item(second.text, user="ann")
    found = await service.retrieve(first.text, user="ann")

    assert (back.archived_at, back.archived_because) == (None, None)
    assert texts(found)[0] == first.text
    assert (again.id, again.mentions, again.archived_at) == (second.id, 2, None)
    assert await service.restore(first.id, user="ann") == back
    assert put_away(await service.maintain(user="ann")) == []
    with pytest.raises(NotFound):
        await service.restore(first.id, user="bob")
    assert [one.reason for one in await service.history(first.id, user="ann")] == [None, "faded", None]


async def test_what_expires_is_found_no_more_from_that_moment(
    service: MemoryService, clock: FixedClock
) -> None:
    code = "The parking code is 4711 this week."
    soon = (NOON + timedelta(days=7)).isoformat()
    item = await service.create_item({"text": code, "importance": 9}, user="ann")
    await service.update_item(item.id, {"expires_at": soon}, user="ann")
    await service.memorize(text="停车码本周是4711。", metadata={"expires_at": soon}, user="ann")
    assert len(await service.list_items(user="ann")) == 2
    assert code in texts(await service.retrieve("parking code", user="ann"))
    clock.advance(timedelta(days=7))

    assert texts(await service.retrieve("parking code", user="ann")) == []
    assert len(await service.list_items(user="ann")) == 0
    assert code in texts(await service.retrieve("parking code", as_of=NOON + timedelta(days=6), user="ann"))
    done = await service.maintain(user="ann")
    assert {str(one) for one in done.archived} == {"expired on 2026-06-08"}
    assert done.counts()["expired"] == 2
    back = await service.restore(item.id, user="ann")
    assert back.expires_at is None
    assert texts(await service.retrieve("parking code", user="ann")) == [code]


async def test_a_time_that_cannot_be_read_is_refused(service: MemoryService) -> None:
    for given in ("tomorrow", "2026-06-08T00:00:00", 5):
        with pytest.raises(InvalidInput, match="expires_at"):
            await service.memorize(text="x", metadata={"expires_at": given}, user="ann")


async def test_workers_put_away_once_in_a_period(clock: FixedClock) -> None:
    settings = config(jobs={"poll_s": 0.05}, maintain={"every_s": 86_400})
    async with MemoryService(settings, clock=clock) as service:
        (old,) = await said(service, "It rained a little.")
        later(clock)
        await service.work(once=True)
        await service.work(once=True)
        (job,) = [one for one in await service.jobs.list(user="ann") if one.kind == "maintain"]

        assert job.status == "done"
        assert job.result == {"expired": 0, "faded": 1, "compressed": 0, "more": False}
        assert (await service.get_item(old.id, user="ann")).archived_because == "faded"
        clock.advance(timedelta(days=1))
        await service.work(once=True)
        assert len([one for one in await service.jobs.list(user="ann") if one.kind == "maintain"]) == 1


async def test_a_model_may_say_it_shorter_but_judges_nobody(clock: FixedClock) -> None:
    async with ScriptedServer() as server:
        server.script(CHAT, chat(json.dumps({"text": "In May 2024 the harbour tram was late three times."})))
        model = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
        async with MemoryService(config(llm={"default": model}), clock=clock) as service:
            service.workflows.config_step("maintain", "compress", {"close": 0.5})
            await said(service, *TRAM)
            later(clock)
            await service.maintain(dry_run=True, user="ann")
            assert not server.requests
            done = await service.maintain(user="ann")
    assert [one.item.text for one in done.compressed] == [
        "In May 2024 the harbour tram was late three times."
    ]


def test_the_command_line_puts_away_and_brings_back(
    memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG)
    assert memu("maintain", "--every", "soon")[0] == 2
    assert "Nothing has expired" in memu("maintain", "--dry-run")[2]
    assert json.loads(memu("maintain", "--json")[1])["archived"] == []
    assert memu("restore", "nothing")[0] == 1


def test_it_works_for_code_that_is_not_async(clock: FixedClock) -> None:
    with SyncMemoryService(MemoryService(config(), clock=clock)) as service:
        item = service.create_item(
            {"text": "x y", "importance": 2, "said_at": LONG_AGO.format(1)}, user="ann"
        )
        later(clock)
        assert put_away(service.maintain(user="ann")) == ["x y"]
        assert service.restore(item.id, user="ann").archived_at is None
