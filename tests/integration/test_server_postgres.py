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


@pytest.mark.parametrize(
    ("verb", "path", "sent"),
    [
        ("GET", "/v1/history/a%00b", {"params": {"user": "ann"}}),
        ("DELETE", "/v1/categories/a%00b", {"params": {"user": "ann"}}),
        ("POST", "/v1/links", {"json": {"item_id": "a\0", "category_id": "b\0", "user": "ann"}}),
        ("POST", "/v1/graph/neighbors", {"json": {"name": "a\0b", "user": "ann"}}),
        ("POST", "/v1/graph/aliases", {"json": {"name": "a\0b", "same_as": "c", "user": "ann"}}),
        ("POST", "/v1/memorize", {"json": {"text": "tea", "run_id": "a\0b", "user": "ann"}}),
    ],
)
async def test_a_character_that_no_column_holds_is_a_callers_mistake(
    shared_dsn: str, tmp_path: Path, verb: str, path: str, sent: dict[str, Any]
) -> None:
    database, blobs = {"backend": "postgres", "dsn": shared_dsn}, {"root": str(tmp_path)}
    async with served(database=database, blobs=blobs) as server, server.http() as http:
        answer = await http.request(verb, path, **sent)
        assert 400 <= answer.status_code < 500, answer.text
