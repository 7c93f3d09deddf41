"""What a question costs: transactions, not milliseconds, which depend on the machine."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from service_kit import NOW, config
from sqlalchemy import Connection, Engine, event

from memu_py import MemoryService
from memu_py.service.results import RetrieveResult

TEXTS = ["Ann likes green tea.", "Ann has a red boat.", "Ann plays the cello."]


class Begun:
    """Counts transactions."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, _connection: Connection) -> None:
        self.count += 1


@pytest.fixture
def begun() -> Iterator[Begun]:
    heard = Begun()
    event.listen(Engine, "begin", heard)
    yield heard
    event.remove(Engine, "begin", heard)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MemoryService]:
    async with MemoryService(config(tmp_path / "memu.db"), clock=lambda: NOW) as opened:
        await opened.create_items(TEXTS, user="ann")
        yield opened


async def _items(service: MemoryService, query: str) -> RetrieveResult:
    return await service.retrieve(query, user="ann", top_k=1, min_score=0, layers=["item"])


async def _warm(service: MemoryService) -> None:
    """Load the index; the second question finds that nothing was written meanwhile."""
    for _ in range(2):
        await _items(service, "cello")


async def test_a_question_takes_one_transaction_for_new_hits_and_none_for_known_ones(
    service: MemoryService, begun: Begun
) -> None:
    await _warm(service)
    begun.count = 0
    assert (await _items(service, "green tea")).items[0].record.text == TEXTS[0]
    assert begun.count == 1
    assert (await _items(service, "green tea")).items[0].record.text == TEXTS[0]
    assert begun.count == 1


async def test_a_write_of_another_process_is_found_and_costs_once(
    service: MemoryService, begun: Begun, tmp_path: Path
) -> None:
    await _warm(service)
    async with MemoryService(config(tmp_path / "memu.db"), clock=lambda: NOW) as other:
        await other.create_item("Ann sails a blue kayak.", user="ann")
    begun.count = 0
    assert (await _items(service, "blue kayak")).items[0].record.text == "Ann sails a blue kayak."
    after_the_write = begun.count
    await _items(service, "blue kayak")
    begun.count = 0
    await _items(service, "blue kayak")
    assert after_the_write > begun.count == 0
