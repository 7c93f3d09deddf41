"""The service over HTTP, asked as any program would."""

import base64
from pathlib import Path
from typing import Any

import pytest
from server_kit import PROBLEM, served, settings_for
from starlette.routing import Match

from memu_py.server.app import create_app
from memu_py.wire.operations import OPERATIONS

TALK = [
    {"role": "user", "content": "我最喜欢科幻电影，尤其是《星际穿越》。"},
    {"role": "user", "content": "I moved to Lisbon in May 2023."},
]


async def test_what_is_memorized_is_found() -> None:
    async with served() as server, server.http() as http:
        taken = await http.post("/v1/memorize", json={"messages": TALK, "user": {"id": "ann"}})
        found = await http.post("/v1/retrieve", json={"query": "科幻电影", "method": "rag", "user": "ann"})
        others = await http.post("/v1/retrieve", json={"query": "科幻电影", "user": "bob"})

        assert taken.status_code == 200
        assert [one["text"] for one in taken.json()["added"]] == [one["content"] for one in TALK]
        assert taken.json()["resource"]["scope"] == {"user": "ann"}
        assert "identity" not in taken.json()["added"][0]
        assert found.json()["items"][0]["record"]["text"] == TALK[0]["content"]
        assert found.json()["context"]
        assert others.json()["items"] == []


async def test_a_job_is_accepted_and_looked_at() -> None:
    async with served() as server, server.http() as http:
        made = await http.post("/v1/memorize", json={"text": "Ann sails.", "user": "ann", "wait": False})
        done = await http.get(f"{made.headers['location']}/wait", params={"user": "ann", "timeout_s": 30})
        others = await http.get(made.headers["location"], params={"user": "bob"})
        listed = await http.get("/v1/jobs", params={"user": "ann", "status": "done"})

        assert made.status_code == 202
        assert done.json()["status"] == "done" and done.json()["result"]["added"] == 1
        assert not {"payload", "content", "lease_id"} & done.json().keys()
        assert others.status_code == 404
        assert [one["id"] for one in listed.json()["records"]] == [made.json()["id"]]


async def test_bytes_come_in_as_base64_and_as_a_form_and_go_out_as_they_were() -> None:
    original = "Zoë likes\r\n--tea\r\n咖啡 \r\n".encode()
    async with served() as server, server.http() as http:
        encoded = {"data": base64.b64encode(b"Bob plays chess on Mondays.").decode(), "user": "bob"}
        plain = await http.post("/v1/memorize", json=encoded)
        form = await http.post(
            "/v1/memorize",
            files={"file": ("a.txt", original, "text/plain")},
            data={"user": "bob", "modality": "text", "metadata": '{"from": "form"}', "infer": "false"},
        )
        resource = form.json()["resource"]
        back = await http.get(f"/v1/resources/{resource['id']}/content", params={"user": "bob"})
        segments = await http.get(f"/v1/resources/{resource['id']}/segments", params={"user": "bob"})

        assert plain.json()["added"][0]["text"] == "Bob plays chess on Mondays."
        assert resource["metadata"] == {"from": "form"}
        assert back.content == original and back.headers["content-disposition"] == "attachment"
        assert [one["ordinal"] for one in segments.json()] == list(range(len(segments.json())))


async def test_records_are_made_read_changed_and_deleted() -> None:
    who = {"user": "ann", "session": "s1"}
    async with served() as server, server.http() as http:
        made = await http.post("/v1/items", json={"item": {"text": "Ann likes tea.", "importance": 3}, **who})
        batch = await http.post("/v1/items/batch", json={"items": ["One.", "Two."], "user": "ann"})
        item = made.json()["id"]
        topic = (await http.post("/v1/categories", json={"name": "茶", "user": "ann"})).json()["id"]
        link = {"source_id": item, "target_id": topic, "user": "ann"}
        linked = await http.post("/v1/links", json=link)
        changed = await http.patch(
            f"/v1/items/{item}", json={"changes": {"importance": 9, "metadata": {"a": [1]}}, **who}
        )
        links = await http.get("/v1/links", params={"record_id": item, "user": "ann"})
        parted = await http.delete("/v1/links", params=link)
        gone = await http.delete(f"/v1/items/{item}", params=who)
        history = await http.get(f"/v1/history/{item}", params={"user": "ann"})
        missing = await http.get(f"/v1/items/{item}", params=who)

        assert (made.status_code, batch.status_code, linked.status_code) == (201, 201, 204)
        assert len(batch.json()) == 2
        assert changed.json()["importance"] == 9 and changed.json()["metadata"] == {"a": [1]}
        assert [one["target_id"] for one in links.json()] == [topic]
        assert (parted.status_code, gone.status_code, missing.status_code) == (204, 204, 404)
        assert [one["op"] for one in history.json()][-1] == "delete"


async def test_lists_take_filters_and_pages() -> None:
    async with served() as server, server.http() as http:
        items = [{"text": f"Fact {number}.", "metadata": {"n": number}} for number in range(5)]
        await http.post("/v1/items/batch", json={"items": items, "user": "ann"})
        where = {"where": '{"metadata.n": {"gte": 1}}', "user": "ann"}
        seen: list[Any] = []
        cursor: dict[str, str] = {}
        while True:
            page = (await http.get("/v1/items", params={**where, "limit": "3", **cursor})).json()
            seen += [one["metadata"]["n"] for one in page["records"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        count = await http.get("/v1/items:count", params=where)
        called_count = await http.get("/v1/items/count", params={"user": "ann"})

        assert seen == [1, 2, 3, 4]
        assert count.json() == 4
        # An id like any other.
        assert called_count.status_code == 404 and "item 'count'" in called_count.json()["detail"]


async def test_events_intents_feedback_and_figures() -> None:
    async with served() as server, server.http() as http:
        await http.post("/v1/memorize", json={"text": "Ann takes the tram to Belém.", "user": "ann"})
        event = {"event": "The tram to Belém is out of service.", "min_score": 0.1}
        concerned = await http.post("/v1/events/match", json=event)
        item = concerned.json()[0]["items"][0]["record"]["id"]
        told = await http.post("/v1/feedback", json={"item": item, "helpful": True, "user": "ann"})
        intent = await http.post("/v1/intent", json={"context": "tram", "user": "ann"})
        due = await http.post("/v1/due", json={"take": True, "user": "ann"})
        usage = await http.get("/v1/usage", params={"user": "ann", "days": 2})
        stats = await http.get("/v1/stats")
        workflows = await http.get("/v1/workflows")
        cleared = await http.post("/v1/clear", json={"user": "ann"})

        assert concerned.json()[0]["scope"] == {"user": "ann"}
        assert told.json() is True
        assert item in intent.json()["needs"][0]["item_ids"]
        assert due.json() == []
        assert usage.json()["memories"]["helpful"] == 1
        assert stats.json()["items"] == 1
        names = {one["name"] for one in workflows.json()}
        assert names == {"memorize", "retrieve_rag", "retrieve_llm", "maintain"}
        assert cleared.status_code == 204
        assert (await server.service.stats())["items"] == 0


async def test_a_conversation_is_kept_under_any_name_and_memorized_later() -> None:
    async with served() as server, server.client() as client:
        for name in ("a/b c", "..", "聊天?x=1#y"):
            kept = await client.conversations.add(name, ["Ann sails.", "Hello!"], user="ann")
            taken = await client.memorize(resource_url=f"conversation://{name}", user="ann")

            assert kept.url == f"conversation://{name}"
            assert taken.resource.url == kept.url


@pytest.mark.parametrize(
    ("verb", "path", "sent", "status", "kind"),
    [
        ("GET", "/v1/items", {}, 400, "scope-required"),
        ("GET", "/v1/items/x?user=ann", {}, 404, "not-found"),
        ("GET", "/v1/items?user=ann&limit=0", {}, 422, "invalid-input"),
        ("GET", "/v1/usage?user=ann&days=12397109074", {}, 422, "invalid-input"),
        ("POST", "/v1/due", {"json": {"within_days": 10**9, "user": "ann"}}, 422, "invalid-input"),
        ("GET", "/v1/items?user=ann&nope=1", {}, 422, "invalid-input"),
        ("GET", "/v1/items?user=ann&where={", {}, 422, "invalid-input"),
        ("GET", '/v1/items?user=ann&where={"nope":1}', {}, 422, "invalid-filter"),
        ("GET", "/v1/items?user=", {}, 422, "invalid-scope"),
        ("POST", "/v1/memorize", {"json": {"user": "ann"}}, 422, "invalid-input"),
        ("POST", "/v1/memorize", {"json": {"text": 3, "user": "ann"}}, 422, "invalid-input"),
        ("POST", "/v1/memorize", {"json": {"data": "%%", "user": "ann"}}, 422, "invalid-input"),
        ("POST", "/v1/memorize", {"content": b"\x00{"}, 400, "malformed"),
        (
            "POST",
            "/v1/memorize",
            {"json": {"resource_url": "/etc/hostname", "user": "a"}},
            403,
            "access-denied",
        ),
        ("POST", "/v1/memorize", {"files": {"nope": b"x"}}, 400, "malformed"),
        ("POST", "/v1/retrieve", {"json": {"query": " ", "user": "ann"}}, 422, "invalid-input"),
        (
            "POST",
            "/v1/retrieve",
            {"json": {"query": "x", "method": "llm", "user": "ann"}},
            501,
            "config-error",
        ),
        (
            "POST",
            "/v1/items",
            {"json": {"item": {"text": "x", "nope": 1}, "user": "a"}},
            422,
            "invalid-input",
        ),
        ("POST", "/v1/jobs/x/cancel", {"json": {"user": "ann"}}, 404, "not-found"),
        ("GET", "/nowhere", {}, 404, None),
        ("PUT", "/v1/items", {}, 405, None),
    ],
)
async def test_errors_are_problems(
    verb: str, path: str, sent: dict[str, Any], status: int, kind: str | None
) -> None:
    async with served() as server, server.http() as http:
        answer = await http.request(verb, path, **sent)

        problem = answer.json()
        assert answer.status_code == problem["status"] == status, problem
        assert answer.headers["content-type"] == PROBLEM
        assert problem["type"] == (f"urn:memu:problem:{kind}" if kind else "about:blank")
        assert problem["title"] and problem["detail"]
        assert problem["instance"] == f"urn:memu:request:{answer.headers['x-request-id']}"
        assert "Traceback" not in answer.text


def test_each_path_leads_to_its_own_operation() -> None:
    included = [getattr(one, "original_router", None) for one in create_app(settings_for()).routes]
    routes = [route for router in included if router is not None for route in router.routes]
    for operation in OPERATIONS.values():
        path = operation.path.replace("{", "a/").replace("}", "")
        asked = {"type": "http", "method": operation.verb, "path": path}
        found = next(one for one in routes if one.matches(asked)[0] is Match.FULL)
        assert found.name == operation.id.replace(".", "_"), operation.path


async def test_a_conflict_is_one(tmp_path: Path) -> None:
    async with served(tmp_path / "memu.db") as server, server.http() as http:
        first = await http.post("/v1/categories", json={"name": "Tea", "user": "ann"})
        second = await http.post("/v1/categories", json={"name": "tea", "user": "ann"})

        assert (first.status_code, second.status_code) == (201, 409)
        assert second.json()["type"] == "urn:memu:problem:conflict"


async def test_files_are_read_from_the_servers_own_roots_alone(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    inside, outside = tmp_path / "in" / "a.txt", tmp_path / "b.txt"
    for file in (inside, outside):
        file.write_text("Ann keeps bees.")
    roots = {"allowed_roots": [str(tmp_path / "in")]}
    async with (
        served(server=roots, blobs={"allowed_roots": [str(tmp_path)]}) as server,
        server.http() as http,
    ):
        answers = [
            await http.post("/v1/memorize", json={"resource_url": str(file), "user": "ann"})
            for file in (inside, outside)
        ]

        assert [one.status_code for one in answers] == [200, 403]
