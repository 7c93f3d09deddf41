"""Jobs with several services on one database: each is done once, in turn, and handed over."""

from datetime import timedelta
from pathlib import Path

import jobs_kit
import pytest
from service_kit import NOW, texts
from test_service_jobs import config, ended

from memu_py import MemoryService
from memu_py.errors import NotFound


async def test_two_services_on_one_database_do_each_job_once(tmp_path: Path) -> None:
    path = tmp_path / "memu.db"
    async with MemoryService(config(path=path)) as one, MemoryService(config(path=path)) as two:
        made = [
            await (one, two)[n % 2].memorize(text=f"Guest {n} brought dish {n}.", user=user, wait=False)
            for n in range(8)
            for user in ("ann", "bob")
        ]
        done = [await (two, one)[n % 2].jobs.wait(job.id, user=job.scope.user) for n, job in enumerate(made)]
        assert {(job.status, job.attempts) for job in done} == {("done", 1)}
        for user in ("ann", "bob"):
            found = await one.list_items(user=user)
            assert sorted(item.text for item in found) == [f"Guest {n} brought dish {n}." for n in range(8)]
            assert {item.mentions for item in found} == {1}
        assert (await one.stats())["runs"] == len(made)
        assert await one.integrity() == []


async def test_jobs_of_one_conversation_take_turns_and_those_of_others_do_not_wait(tmp_path: Path) -> None:
    door = jobs_kit.gate("turns")
    held = config({"use": "hold", "with": {"gate": "turns"}}, path=tmp_path / "memu.db")
    async with MemoryService(held) as one, MemoryService(held) as two:
        chats = [[f"Guest {n} came." for n in range(length + 1)] for length in range(3)]
        made = [
            await service.memorize(messages=chat, resource_url="chat", user="ann", wait=False)
            for service, chat in zip((one, two, one), chats, strict=True)
        ]
        bobs = await two.memorize(messages=chats[0], resource_url="chat", user="bob", wait=False)
        assert {await door.here.get(), await door.here.get()} == {made[0].run_id, bobs.run_id}
        statuses = [(await one.jobs.get(job.id, user="ann")).status for job in made]
        assert statuses == ["running", "queued", "queued"]
        door.open.set()
        done = [await ended(two, job) for job in made]
        assert [(job.result or {})["added"] for job in done] == [1, 1, 1]
        assert (await one.list_resources(user="ann"))[0].segment_count == 3


async def test_a_service_that_closes_hands_its_job_to_another_at_once(tmp_path: Path) -> None:
    door = jobs_kit.gate("over")
    path = tmp_path / "memu.db"
    one = MemoryService(config({"use": "hold", "with": {"gate": "over"}}, path=path, drain_s=0))
    job = await one.memorize(text="Ann likes tea.", user="ann", wait=False)
    await door.here.get()
    await one.close()
    async with MemoryService(config(path=path)) as two:
        done = await ended(two, job)
        assert (done.status, done.attempts) == ("done", 1)
        assert await texts(two) == ["Ann likes tea."]


async def test_closing_finishes_what_waits(tmp_path: Path) -> None:
    async with MemoryService(config(path=tmp_path / "memu.db", workers=1)) as service:
        for number in range(3):
            await service.memorize(text=f"Ann owns {number} boats.", user="ann", wait=False)
    async with MemoryService(config(path=tmp_path / "memu.db", workers=0)) as service:
        assert {job.status for job in await service.jobs.list(user="ann")} == {"done"}
        assert len(await texts(service)) == 3


async def test_who_opens_a_database_takes_up_the_jobs_in_it_and_drops_old_ones(tmp_path: Path) -> None:
    path = tmp_path / "memu.db"
    async with MemoryService(config(path=path, workers=0), clock=lambda: NOW) as idle:
        old = await idle.memorize(text="Ann likes tea.", user="ann", wait=False)
        await idle.jobs.cancel(old.id, user="ann")
        left = await idle.memorize(text="Ann owns a boat.", user="ann", wait=False)
    async with MemoryService(config(path=path), clock=lambda: NOW + timedelta(days=31)) as service:
        while (await service.jobs.get(left.id, user="ann")).status != "done":
            await service.count_items(user="ann")
        with pytest.raises(NotFound):
            await service.jobs.get(old.id, user="ann")
