"""What survives: killed runs, other processes, many writers."""

import asyncio
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from service_kit import config

from memu_py import MemoryService

STEPS = [
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

KILLED = """
import asyncio, os, signal, sys
from memu_py import MemoryService
from service_kit import config
class Killer:
    def __init__(self, step, moment): self.step, self.moment = step, moment
    async def before(self, call): self._kill(call, "before")
    async def after(self, call, result): self._kill(call, "after")
    async def on_error(self, call, error): pass
    def _kill(self, call, moment):
        if call.name == self.step and moment == self.moment:
            os.kill(os.getpid(), signal.SIGKILL)

async def work(path, step, moment):
    async with MemoryService(config(path)) as service:
        service.intercept(Killer(step, moment))
        await service.memorize(messages=["I like tea.", "I own a boat.", "I live in Oslo."], user="ann")

# Loading the modules takes longest: it is done once, and each case runs in a fork.
for case in sys.argv[2:]:
    child = os.fork()
    if not child:
        asyncio.run(work(f"{sys.argv[1]}/{case}.db", *case.split("-")))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
        sys.exit(f"{case} was not killed")
"""

WRITER = """
import asyncio, sys
from memu_py import MemoryService
from service_kit import config

async def main():
    async with MemoryService(config(sys.argv[1])) as service:
        for number in range(int(sys.argv[3])):
            await service.memorize(text=f"Worker {sys.argv[2]} saw comet number {number}.", user="ann")
            await service.memorize(text="Everybody saw the eclipse.", user="ann")

asyncio.run(main())
"""


def run(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), *arguments], env=environment)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database for each border at which its memorize was killed."""
    folder = tmp_path_factory.mktemp("killed")
    cases = [f"{step}-{moment}" for step in STEPS for moment in ("before", "after")]
    process = run(KILLED, str(folder), *cases)
    assert process.wait(110) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
async def test_a_memorize_killed_at_any_border_leaves_all_or_nothing(
    killed: Path, step: str, moment: str
) -> None:
    database = killed / f"{step}-{moment}.db"
    async with MemoryService(config(database)) as service:
        written = await service.count_items(user="ann")
        assert written in (0, 3)
        assert (written == 3) == (
            (step, moment) == ("persist", "after") or STEPS.index(step) > STEPS.index("persist")
        )
        assert await service.integrity() == []
        result = await service.memorize(
            messages=["I like tea.", "I own a boat.", "I live in Oslo."], user="ann"
        )
        assert result.unchanged == (written == 3)
        assert await service.count_items(user="ann") == 3
        assert len(await service.list_categories(user="ann", where={"stale": True})) == 0


async def test_a_write_of_one_process_is_found_by_the_next_retrieve_of_another(tmp_path: Path) -> None:
    database = tmp_path / "memu.db"
    async with MemoryService(config(database)) as service:
        assert not await service.retrieve("comet", user="ann")
        process = run(WRITER, str(database), "1", "1")
        assert await asyncio.to_thread(process.wait, 60) == 0
        assert "comet" in (await service.retrieve("comet", user="ann")).items[0].record.text


@pytest.mark.slow
async def test_four_processes_write_one_file_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    database = tmp_path / "memu.db"
    processes = [run(WRITER, str(database), str(number), "5") for number in range(4)]
    codes = [await asyncio.to_thread(process.wait, 110) for process in processes]
    assert codes == [0] * 4
    async with MemoryService(config(database)) as service:
        texts = [item.text for item in await service.list_items(user="ann")]
        assert sorted(texts) == sorted(
            ["Everybody saw the eclipse."]
            + [f"Worker {worker} saw comet number {number}." for worker in range(4) for number in range(5)]
        )
        eclipse = next(item for item in await service.list_items(user="ann") if "eclipse" in item.text)
        assert eclipse.mentions == 1
        assert await service.integrity() == []


async def test_ten_concurrent_writers_of_one_process_lose_nothing(tmp_path: Path) -> None:
    async with MemoryService(config(tmp_path / "memu.db")) as service:
        await asyncio.gather(
            *(service.memorize(text=f"Guest {n} brought dish number {n}.", user="ann") for n in range(10)),
            *(
                service.memorize(text="The party was on Saturday.", user="ann", session=f"s{n}")
                for n in range(5)
            ),
        )
        items = list(await service.list_items(user="ann"))
        assert len(items) == 11
        party = next(item for item in items if "party" in item.text)
        assert party.mentions == 5
        assert await service.integrity() == []


async def test_concurrent_memorizes_of_one_growing_conversation_end_as_one(tmp_path: Path) -> None:
    turns = [f"I visited country number {n}." for n in range(6)]
    async with MemoryService(config(tmp_path / "memu.db")) as service:
        await asyncio.gather(
            *(
                service.memorize(messages=turns[:size], user="ann", resource_url="conversation://trip")
                for size in (2, 4, 6, 6, 3)
            )
        )
        assert len(await service.list_resources(user="ann")) == 1
        assert sorted(item.text for item in await service.list_items(user="ann")) == sorted(turns)
        assert await service.integrity() == []


async def test_a_cancelled_memorize_leaves_a_service_that_works(tmp_path: Path) -> None:
    async with MemoryService(config(tmp_path / "memu.db")) as service:
        task = asyncio.create_task(
            service.memorize(messages=[f"I own {n} boats." for n in range(50)], user="ann")
        )
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await service.count_items(user="ann") in (0, 50)
        await service.memorize(text="I like tea.", user="ann")
        assert await service.integrity() == []
