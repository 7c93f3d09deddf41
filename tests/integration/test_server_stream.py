"""Progress as it comes, and clients that go away."""

import asyncio
import json
from typing import Any

import httpx2
from server_kit import served
from test_server_faults import Hold

from memu_py.server.following import Following

STREAM = {"Accept": "text/event-stream"}


def events(text: str) -> list[tuple[str, Any]]:
    """Return the events of a stream, without its signs of life."""
    found = []
    for block in text.strip().split("\n\n"):
        if not block.startswith(":"):
            name, data = block.split("\n")
            found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def test_every_step_is_told_and_then_the_result() -> None:
    async with served() as server, server.http() as http:
        asked = {"text": "Ann sails.\n\n安喜欢咖啡。", "user": "ann"}
        answer = await http.post("/v1/memorize", json=asked, headers=STREAM)

        told = events(answer.text)
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert [name for name, _ in told[:-1]] == ["progress"] * (len(told) - 1)
        assert {"ingest_resource", "persist", "build_response"} <= {data["step"] for _, data in told[:-1]}
        assert {"step", "kind", "done", "total", "message"} <= told[0][1].keys()
        assert told[-1][0] == "result"
        assert [one["text"] for one in told[-1][1]["added"]] == ["Ann sails.", "安喜欢咖啡。"]


async def test_a_failure_is_a_problem_at_the_end() -> None:
    async with served() as server, server.http() as http:
        asked = {"resource_url": "conversation://nobody", "user": "ann"}
        answer = await http.post("/v1/memorize", json=asked, headers=STREAM)
        early = await http.post("/v1/memorize", json={"text": 3}, headers=STREAM)

        name, problem = events(answer.text)[-1]
        assert (name, problem["type"], problem["status"]) == ("problem", "urn:memu:problem:not-found", 404)
        assert early.status_code == 422


async def test_a_long_silence_is_filled_and_a_run_goes_on_when_its_client_is_gone() -> None:
    hold = Hold()
    async with served(following=Following(heartbeat_s=0.01)) as server, server.http() as http:
        server.service.intercept(hold)
        asked = {"text": "Ann sails.", "user": "ann", "run_id": "r1"}
        async with http.stream("POST", "/v1/memorize", json=asked, headers=STREAM) as answer:
            first = await anext(answer.aiter_lines())
            assert first == ": alive"
            assert await server.service.count_items(user="ann") == 0
        hold.go.set()
        again = await http.post("/v1/memorize", json=asked)
        found = await http.get("/v1/items", params={"user": "ann"})

        assert again.status_code == 200
        assert [one["text"] for one in found.json()["records"]] == ["Ann sails."]


async def test_the_end_of_the_server_waits_for_what_nobody_follows_any_more(tmp_path: Any) -> None:
    hold = Hold()
    async with served(tmp_path / "memu.db", following=Following()) as server:
        server.service.intercept(hold)
        async with server.http() as http:
            asked = {"text": "Ann sails.", "user": "ann"}
            stream = http.stream("POST", "/v1/memorize", json=asked, headers=STREAM)
            async with stream:
                await hold.begun.wait()
        asyncio.get_running_loop().call_later(0.05, hold.go.set)
    async with served(tmp_path / "memu.db") as server:
        assert await server.service.count_items(user="ann") == 1


async def test_a_request_under_way_is_answered_before_the_server_ends() -> None:
    hold = Hold()
    async with httpx2.AsyncClient(timeout=30) as http:
        async with served() as server:
            server.service.intercept(hold)
            asked = {"text": "Ann sails.", "user": "ann"}
            asking = asyncio.create_task(http.post(f"{server.url}/v1/memorize", json=asked))
            await hold.begun.wait()
            asyncio.get_running_loop().call_later(0.05, hold.go.set)
        answer = await asking

    assert answer.status_code == 200 and answer.json()["added"][0]["text"] == "Ann sails."
