"""Reflection: insights that cite, above a bar, counted once, with a watermark that moves only over what succeeded."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cli_kit import CONFIG, Memu
from service_kit import config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import Cancelled, ModelError
from memu_py.records.item import Item
from memu_py.records.job import Job
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.clock import FixedClock
from memu_py.testing.http import Answer
from memu_py.testing.server import ScriptedServer
from memu_py.workflow.cancellation import Cancellation

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
TRAM = (
    "The tram to the old harbour was late.",
    "The tram to the old harbour was late again.",
    "The tram to the old harbour was very late.",
    "The tram to the old harbour was late today.",
)
BAHN = (
    "去老港口的电车晚点了。",
    "去老港口的电车又晚点了。",
    "去老港口的电车今天晚点了。",
    "去老港口的电车晚点很久了。",
)

APART = (
    "I like tea.",
    "My brother lives in Porto.",
    "The bicycle is red.",
    "Carla plays the cello.",
    "It is Monday.",
)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
async def service(clock: FixedClock) -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=clock) as made:
        yield made


async def said(service: MemoryService, *lines: str, user: str = "ann", **keys: Any) -> list[Item]:
    return await service.create_items(
        [
            {"text": text, "said_at": f"2026-{month:02}-03T10:00:00Z"}
            for month, text in enumerate(lines, start=5)
        ],
        dedupe="exact",
        user=user,
        **keys,
    )


async def jobs(service: MemoryService) -> list[Job]:
    return [one for one in await service.jobs.list(user="ann") if one.kind == "reflect"]


def seeing(*found: dict[str, Any]) -> Answer:
    return chat(json.dumps({"insights": list(found)}))


def insight(text: str, *refs: str, importance: float = 7, kind: str = "pattern") -> dict[str, Any]:
    return {"kind": kind, "text": text, "importance": importance, "refs": list(refs)}


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        (TRAM, "Said 4 times from May to August 2026: The tram to the old harbour"),
        (BAHN, "2026年5月至8月共提到4次：去老港口的电车"),
    ],
    ids=["english", "chinese"],
)
async def test_without_a_model_it_sees_what_is_said_again_and_again(
    service: MemoryService, lines: tuple[str, ...], start: str
) -> None:
    items = await said(service, *lines)
    await said(service, lines[0], user="bob")
    done = await service.reflect(user="ann")
    (seen,) = done.insights
    links = await service.list_links(seen.id, kind="derived_from", user="ann")
    found = await service.retrieve(seen.text, user="ann")

    assert seen.text.startswith(start)
    assert (seen.type, seen.importance, seen.attribution) == ("insight", 7, "agent")
    assert seen.metadata == {"insight": "pattern"}
    assert sorted(one.target_id for one in links) == sorted(one.id for one in items)
    assert found.items[0].record.id == seen.id
    assert (await service.reflect(user="ann")).looked_at == 0
    assert (await service.reflect(user="bob")).insights == ()
    for item in items:
        await service.delete_item(item.id, user="ann")
    assert (await service.get_item(seen.id, user="ann")).ended


async def test_what_is_seen_again_confirms_what_was_seen(service: MemoryService) -> None:
    await said(service, *TRAM)
    (first,) = (await service.reflect(user="ann")).insights
    await said(service, *(text.replace("tram", "tram, number 28,") for text in TRAM))
    again = await service.reflect(user="ann")

    assert again.looked_at == len(TRAM)
    assert [one.id for one in again.confirmed] == [first.id] or len(again.insights) == 1
    assert len(await service.list_items(where={"type": "insight"}, user="ann")) <= 2


async def test_agents_are_not_mixed(service: MemoryService) -> None:
    await said(service, *TRAM[:2], agent="one")
    await said(service, *TRAM[2:], agent="two")
    assert (await service.reflect(user="ann")).insights == ()


async def test_below_the_bar_nothing_is_kept(clock: FixedClock) -> None:
    async with MemoryService(config(reflect={"min_importance": 8}), clock=clock) as service:
        await said(service, *TRAM)
        done = await service.reflect(user="ann")
    assert (done.insights, done.dropped, done.looked_at) == ((), {"low": 1}, len(TRAM))


async def test_a_model_is_held_to_what_it_was_shown(clock: FixedClock) -> None:
    async with ScriptedServer() as server:
        model = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
        async with MemoryService(config(llm={"default": model}), clock=clock) as service:
            await said(service, *TRAM)
            server.script(
                CHAT,
                seeing(
                    insight("The harbour tram has been late all summer.", "m1", "[M2]", "m3"),
                    insight("Nobody said this.", "m1", "m9"),
                    insight("Ann is introverted.", "m1", "m2"),
                    insight("Weak.", "m1", "m2", importance=2),
                    insight("One alone.", "m1"),
                ),
            )
            done = await service.reflect(user="ann")
            prompt = str(server.requests[-1].json["messages"][1]["content"])

    assert [one.text for one in done.insights] == ["The harbour tram has been late all summer."]
    assert done.dropped == {"strangers": 2, "judging": 1, "low": 1}
    assert "[m1] 2026-05-03 The tram to the old harbour was late." in prompt


async def test_the_watermark_stays_before_what_failed(clock: FixedClock) -> None:
    async with ScriptedServer() as server:
        model = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
        settings = config(llm={"default": model}, reflect={"page": 3})
        async with MemoryService(settings, clock=clock) as service:
            await said(service, *TRAM, "I like tea.")
            server.script(
                CHAT, seeing(insight("The tram is late.", "m1", "m2")), Answer(status=500, body=b"")
            )
            with pytest.raises(ModelError):
                await service.reflect(user="ann")
            kept = [one.text for one in await service.list_items(where={"type": "insight"}, user="ann")]
            server.script(CHAT, seeing())
            rest = await service.reflect(user="ann")

    assert kept == ["The tram is late."]
    assert rest.looked_at == 2


async def test_so_many_new_items_are_one_job_however_many_count_them(clock: FixedClock) -> None:
    settings = config(reflect={"every_items": 4}, jobs={"poll_s": 0.05})
    async with MemoryService(settings, clock=clock) as service:
        await service.memorize(text=APART[0], user="ann")
        assert await jobs(service) == []
        await asyncio.gather(*(service.memorize(text=text, user="ann") for text in APART[1:]))
        assert len(await jobs(service)) == 1
        await service.work(once=True)
        (job,) = await jobs(service)
        assert (job.status, job.result and job.result["looked_at"]) == ("done", 5)
        await service.memorize(text="I like coffee.", user="ann")
        assert len(await jobs(service)) == 1


async def test_none_is_counted_where_nobody_wants_it(clock: FixedClock) -> None:
    async with MemoryService(config(reflect={"every_items": 0}), clock=clock) as service:
        for text in APART:
            await service.memorize(text=text, user="ann")
        assert await jobs(service) == []


async def test_workers_reflect_once_in_a_period(clock: FixedClock) -> None:
    settings = config(reflect={"every_items": 0, "every_s": 3600}, jobs={"poll_s": 0.05})
    async with MemoryService(settings, clock=clock) as service:
        await said(service, *TRAM)
        await service.work(once=True)
        await service.work(once=True)
        (job,) = await jobs(service)
        assert job.result == {"insights": 1, "confirmed": 0, "looked_at": len(TRAM), "dropped": {}}
        clock.advance(timedelta(hours=1))
        await service.work(once=True)
        assert len(await jobs(service)) == 2


async def test_a_job_that_lost_its_lease_moves_nothing(clock: FixedClock) -> None:
    settings = config(reflect={"every_items": 4}, jobs={"workers": 0})
    async with MemoryService(settings, clock=clock) as service:
        for text in APART[:4]:
            await service.memorize(text=text, user="ann")
        (job,) = await jobs(service)
        store = service._runtime.store
        taken = await store.jobs.lease(["reflect"], 60)
        assert taken is not None
        await service.jobs.cancel(job.id, user="ann")
        with pytest.raises(Cancelled):
            await service._runtime.workers._handlers["reflect"](taken, Cancellation())
        assert (await store.reflections.watermark(taken.scope)).seq == 0
        assert len(await service.list_items(where={"type": "insight"}, user="ann")) == 0


def test_the_command_line_reflects(memu: Memu, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "a.txt").write_text("\n\n".join(TRAM))
    assert memu("memorize", "a.txt")[0] == 0
    assert "memories looked at" in memu("reflect")[2]
    assert json.loads(memu("reflect", "--json")[1])["looked_at"] == 0


def test_it_works_for_code_that_is_not_async(clock: FixedClock) -> None:
    with SyncMemoryService(MemoryService(config(), clock=clock)) as service:
        service.create_items(list(TRAM), dedupe="exact", user="ann")
        assert len(service.reflect(user="ann").insights) == 1
