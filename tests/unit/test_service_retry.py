"""Going again after a conflict."""

import dataclasses

import pytest

from memu_py.errors import Conflict
from memu_py.service.retry import ATTEMPTS, edited, settled


@dataclasses.dataclass(frozen=True)
class Row:
    version: int
    text: str = ""


class Work:
    def __init__(self, conflicts: int) -> None:
        self.calls, self._conflicts = 0, conflicts

    async def __call__(self) -> int:
        self.calls += 1
        if self.calls <= self._conflicts:
            raise Conflict
        return self.calls


@pytest.mark.parametrize("conflicts", [0, 1, ATTEMPTS - 1])
async def test_work_goes_on_until_nobody_else_is_first(conflicts: int) -> None:
    assert await settled(Work(conflicts)) == conflicts + 1


async def test_a_conflict_that_does_not_go_away_is_the_callers() -> None:
    work = Work(ATTEMPTS)
    with pytest.raises(Conflict):
        await settled(work)
    assert work.calls == ATTEMPTS


class Table:
    """One row, which somebody else changes before each of the first writes."""

    def __init__(self, rivals: int) -> None:
        self.row, self.writes, self._rivals = Row(1), 0, rivals

    async def read(self) -> Row:
        return self.row

    async def write(self, row: Row) -> Row:
        self.writes += 1
        if self.writes <= self._rivals:
            self.row = Row(self.row.version + 1, "theirs")
            raise Conflict
        self.row = Row(row.version + 1, row.text + "ours")
        return self.row


@pytest.mark.parametrize(("rivals", "text"), [(0, "ours"), (1, "theirsours"), (ATTEMPTS - 1, "theirsours")])
async def test_a_change_is_made_to_the_newest_version(rivals: int, text: str) -> None:
    table = Table(rivals)
    assert await edited(table.read, table.write) == Row(rivals + 2, text)


async def test_a_change_that_always_comes_too_late_is_a_conflict() -> None:
    table = Table(ATTEMPTS)
    with pytest.raises(Conflict):
        await edited(table.read, table.write)
    assert table.writes == ATTEMPTS


async def test_a_change_that_cannot_be_is_not_tried_again() -> None:
    table = Table(0)

    async def refuse(row: Row) -> Row:
        table.writes += 1
        raise Conflict

    with pytest.raises(Conflict):
        await edited(table.read, refuse)
    assert table.writes == 1
