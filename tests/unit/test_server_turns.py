"""Who is worked on at the same time, who waits, and who is sent away."""

import asyncio

import pytest

from memu_py.config.server import ServerSettings
from memu_py.errors import ServerBusy
from memu_py.server.turns import LOCAL_WRITES, MODEL_WRITES, Turns
from memu_py.wire.operations import OPERATIONS

MEMORIZE, RETRIEVE, WAIT = (OPERATIONS[one] for one in ("memorize", "retrieve", "jobs.wait"))


class Calls:
    """Calls that hold their turn until they are let go."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.order: list[int] = []
        self.go = asyncio.Event()

    async def call(self, number: int, operation: str = "memorize") -> None:
        async with self.turns.taken(OPERATIONS[operation]):
            self.order.append(number)
            await self.go.wait()

    def begin(self, count: int) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(self.call(number)) for number in range(count)]


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_calls_wait_for_their_turn_in_order_and_more_are_sent_away() -> None:
    calls = Calls(Turns(writes=2, reads=1, waiting=2))
    tasks = calls.begin(4)
    await settle()
    assert calls.order == [0, 1]
    with pytest.raises(ServerBusy, match="2 calls wait"):
        await calls.call(4)
    with pytest.raises(ServerBusy):
        calls.turns.check(MEMORIZE)
    calls.turns.check(WAIT)
    # Questions stand in a line of their own, and what only looks or waits in none.
    for operation in (RETRIEVE, WAIT, OPERATIONS["get_item"], OPERATIONS["jobs.cancel"]):
        async with calls.turns.taken(operation):
            pass
    calls.go.set()
    await asyncio.gather(*tasks)
    assert calls.order == [0, 1, 2, 3]


async def test_who_goes_away_while_it_waits_leaves_the_line() -> None:
    calls = Calls(Turns(writes=1, reads=1, waiting=1))
    first, second = calls.begin(2)
    await settle()
    second.cancel()
    await settle()
    third = asyncio.create_task(calls.call(3))
    await settle()
    calls.go.set()
    await asyncio.gather(first, third)
    assert calls.order == [0, 3]


@pytest.mark.parametrize(
    ("said", "asks_models", "fit"), [(None, False, LOCAL_WRITES), (None, True, MODEL_WRITES), (3, True, 3)]
)
async def test_so_many_are_worked_on_as_it_suits_who_does_the_work(
    said: int | None, asks_models: bool, fit: int
) -> None:
    settings = ServerSettings(writes_at_once=said)
    calls = Calls(Turns.of(settings, asks_models=asks_models))
    tasks = calls.begin(fit + 1)
    await settle()
    assert len(calls.order) == fit
    calls.go.set()
    await asyncio.gather(*tasks)
