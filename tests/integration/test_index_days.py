"""Which turns of a conversation stand beside each other: those of one day."""

from memu_py import MemoryService
from memu_py.index.rows import DAY_US
from memu_py.records.scope import Scope

DAY_ONE, DAY_TWO = "2026-03-02T09:00:00Z", "2026-03-09T09:00:00Z"


async def test_turns_of_another_day_lend_no_words() -> None:
    said = [
        ("The dentist moved to the harbour.", DAY_ONE),
        ("I bought a blue lamp.", DAY_ONE),
        ("My sister sings in a choir.", DAY_TWO),
    ]
    messages = [{"role": "user", "name": "Ann", "content": text, "created_at": when} for text, when in said]
    async with MemoryService({"database": {"backend": "memory"}}) as service:
        await service.memorize(messages=messages, user="ann")
        (rows,) = await service._runtime.store.index_rows(Scope(user="ann"))
        assert [(row.said_at or 0) // DAY_US for row in rows] == [20514, 20514, 20521]
        found = await service.retrieve("dentist harbour", user="ann", recall=["keyword"], min_score=0)
        texts = [hit.record.text for hit in found]
        assert texts == [said[0][0], said[1][0]]
