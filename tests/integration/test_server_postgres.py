"""The server on PostgreSQL."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from server_kit import served

from memu_py.errors import NotFound, OutsideScope, Unauthorized


async def test_two_servers_on_one_database_know_the_same(dsn: str, tmp_path: Path) -> None:
    both: dict[str, Any] = {
        "database": {"backend": "postgres", "dsn": dsn},
        "blobs": {"root": str(tmp_path)},
        "auth": "keys",
    }
    async with served(**both) as one, served(**both) as other:
        key = await one.key("admin", user="ann")
        async with one.client(key) as near, other.client(key) as far:
            await asyncio.gather(*(near.memorize(text=f"Ann counts to {n}.") for n in range(4)))
            job = await near.memorize(text="Ann counts to ten.", wait=False)
            done = await far.jobs.wait(job.id)
            found = await far.retrieve("Ann counts to ten", top_k=1)

            assert done.status == "done"
            assert await far.count_items() == 5
            assert found.items[0].record.text == "Ann counts to ten."
            with pytest.raises(OutsideScope):
                await far.list_items(user="bob")
            with pytest.raises(NotFound):
                await far.get_item("x")
            await near.clear()
            with pytest.raises(Unauthorized):
                await far.count_items()
        assert await other.service.count_items(user="ann") == 0
        assert (await one.service.jobs_by_status()) == {}
        async with other.http() as http:
            assert (await http.get("/ready")).status_code == 200
