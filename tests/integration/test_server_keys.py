"""Who may come in, and how far."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from server_kit import Serving, served
from service_kit import config

from memu_py import MemoryService
from memu_py.errors import InvalidInput, NotFound
from memu_py.records.scope import Scope
from memu_py.testing.clock import FixedClock
from memu_py.wire.operations import OPERATIONS, Operation

ENDING = ("clear", "forget_user")
SECRET = "Bob keeps the 暗号 zanzibar."
"""What no key of Ann's may ever see."""


async def test_without_a_key_nothing_opens_but_health() -> None:
    async with served(auth="keys") as server, server.http() as http:
        for operation in OPERATIONS.values():
            answer = await http.request(operation.verb, operation.path.replace("{", "").replace("}", ""))
            assert answer.status_code == 401, operation.id
            assert answer.headers["www-authenticate"] == "Bearer"
        wrong = await http.get("/v1/stats", headers={"Authorization": "Bearer memu_abc_def"})
        health = [(await http.get(path)).status_code for path in ("/health", "/ready", "/metrics")]

        assert wrong.json()["type"] == "urn:memu:problem:unauthorized"
        assert health == [200, 200, 200]


async def test_a_key_is_kept_as_a_digest_and_ends(tmp_path: Path) -> None:
    path = tmp_path / "memu.db"
    async with served(path, auth="keys") as server:
        key = await server.key("admin")
        (known,) = await server.service.keys.list()
        async with server.http(key) as http:
            opened = await http.get("/v1/stats")
            forged = f"{key[:-1]}{'a' if key[-1] != 'a' else 'b'}"
            refused = await http.get("/v1/stats", headers={"Authorization": f"Bearer {forged}"})
            await server.service.keys.revoke(known.id)
            revoked = await http.get("/v1/stats")

    assert (opened.status_code, refused.status_code, revoked.status_code) == (200, 401, 401)
    secret = key.split("_", 2)[2]
    assert len(secret) == 43
    assert secret.encode() not in path.read_bytes()


async def test_a_rotated_key_ends_at_once_or_after_a_while() -> None:
    clock = FixedClock(datetime(2026, 6, 1, tzinfo=UTC))
    async with MemoryService(config(), clock=clock) as service:
        old, first = await service.keys.create("app", role="read", scope=Scope(user="ann"), expires_days=1)
        new, second = await service.keys.rotate(first.id, overlap_minutes=5)

        assert (second.name, second.role, second.scope) == ("app", "read", Scope(user="ann"))
        assert await service.keys.find(old) is not None and await service.keys.find(new) == second
        clock.advance(timedelta(minutes=5))
        assert await service.keys.find(old) is None and await service.keys.find(new) is not None
        newest, _ = await service.keys.rotate(second.id)
        assert await service.keys.find(new) is None and await service.keys.find(newest) is not None
        for gone in (first.id, second.id, "nobody"):
            with pytest.raises(NotFound):
                await service.keys.rotate(gone)
        with pytest.raises(NotFound):
            await service.keys.revoke(second.id)


async def test_erasing_a_user_takes_the_users_keys_along_and_no_others() -> None:
    async with served(auth="keys") as server:
        keys = {
            "ann": await server.key("admin", user="ann"),
            "ann and cook": await server.key("write", user="ann", agent="cook"),
            "bob": await server.key("write", user="bob"),
            "cook": await server.key("write", agent="cook"),
            "all": await server.key("admin"),
        }

        async def open_ones() -> set[str]:
            return {name for name, key in keys.items() if await server.service.keys.find(key) is not None}

        await server.service.create_item("Ann told the cook.", user="ann", agent="cook")
        await server.service.clear(user="ann", agent="cook")
        assert await open_ones() == set(keys)
        await server.service.create_item("Ann likes tea.", user="ann")
        async with server.http(keys["ann"]) as http:
            erased, after = await http.post("/v1/clear", json={}), await http.get("/v1/items")
        assert (erased.status_code, after.status_code) == (204, 401)
        assert await open_ones() == {"bob", "cook", "all"}
        assert "ann" not in str(await server.service.keys.list())
        # Nor does it take any memory that is left.
        await server.service.clear(agent="cook")
        assert await open_ones() == {"bob", "all"}


async def test_a_key_ends_with_its_days() -> None:
    clock = FixedClock(datetime(2026, 6, 1, tzinfo=UTC))
    async with MemoryService(config(), clock=clock) as service:
        key, _ = await service.keys.create("app", expires_days=2)
        clock.advance(timedelta(days=2, seconds=-1))
        assert await service.keys.find(key) is not None
        clock.advance(timedelta(seconds=1))
        assert await service.keys.find(key) is None
        for wrong in ({"role": "root"}, {"expires_days": 0}):
            with pytest.raises(InvalidInput):
                await service.keys.create("app", **wrong)


@pytest.mark.parametrize(("role", "allowed"), [("read", 1), ("write", 2), ("admin", 3)])
async def test_a_role_opens_what_it_may(role: Any, allowed: int) -> None:
    async with served(auth="keys") as server, server.http(await server.key(role, user="ann")) as http:
        due = [await http.post("/v1/due", json={"take": take}) for take in (False, True)]
        answers = [
            await http.post("/v1/retrieve", json={"query": "tea"}),
            await http.post("/v1/items", json={"item": "Ann likes tea."}),
            await http.post("/v1/clear", json={}),
        ]

        statuses = [one.status_code for one in answers]
        assert statuses == [200, 201, 204][:allowed] + [403] * (3 - allowed)
        assert [one.status_code for one in due] == [200, 403 if role == "read" else 200]


async def test_what_concerns_the_whole_store_takes_an_admin_of_everywhere() -> None:
    event = {"event": "zanzibar", "min_score": 0.01}
    async with served(auth="keys") as server:
        await server.service.create_item(SECRET, user="bob")
        for role, scope, statuses in (
            ("admin", {}, [200, 200, 200]),
            ("write", {}, [403, 403, 403]),
            ("admin", {"user": "ann"}, [403, 403, 200]),
        ):
            async with server.http(await server.key(role, **scope)) as http:  # type: ignore[arg-type]
                answers = [
                    await http.get("/v1/stats"),
                    await http.get("/v1/workflows"),
                    await http.post("/v1/events/match", json=event),
                ]
                assert [one.status_code for one in answers] == statuses
                assert (SECRET in answers[2].text) == (not scope and role == "admin")


NAMES = {"conversation_id", "facet", "key", "name"}
"""Arguments of paths that everybody has of their own."""


UNKNOWN = {"correct", "feedback", "graph.alias", "graph.unalias", "link", "unlink"}
"""Operations whose arguments name what she does not have."""


def bodies(operation: Operation, ids: dict[str, str]) -> dict[str, Any]:
    """Return arguments that reach for somebody's records."""
    given = {name: value for name, value in operation.example.items() if name not in ("user", "users")}
    given |= {name: ids[name] for name in ("source_id", "target_id", "record_id") if _takes(operation, name)}
    own: dict[str, dict[str, Any]] = {
        "feedback": {"item": ids["item_id"]},
        "graph.unalias": {"name": "Bob"},
        "rollback": {"to": 0},
        "upload_user": {"data": "UEsDBA=="},
    }
    return given | own.get(operation.id, {})


def _takes(operation: Operation, name: str) -> bool:
    return (
        name not in operation.in_path
        and operation.id in ("link", "unlink", "list_links")
        and ((name == "record_id") == (operation.id == "list_links"))
    )


def reaches(ids: dict[str, str], someone: str | None) -> Iterator[tuple[Operation, dict[str, Any]]]:
    """Return requests of all operations; each names somebody, or nobody."""
    for operation in OPERATIONS.values():
        path = operation.path
        for name in operation.in_path:
            path = path.replace(f"{{{name}}}", ids[name])
        given = bodies(operation, ids)
        if someone is not None:
            given |= {"users": [someone]} if operation.id == "match_event" else {"user": someone}
        if operation.whole and operation.narrowed is None:
            given = {}
        sent = {"json": given} if operation.has_body else {"params": given}
        yield operation, {"method": operation.verb, "url": path, **sent}


async def bobs_records(server: Serving) -> dict[str, Any]:
    """Return all that Bob has, as it is."""
    bob = server.service.for_user("bob")
    items = (await bob.list_items(superseded=True)).records
    resources = (await bob.list_resources()).records
    return {
        "items": items,
        "resources": resources,
        "categories": (await bob.list_categories()).records,
        "jobs": (await bob.jobs.list()).records,
        "links": [await bob.list_links(item.id) for item in items],
        "history": [await bob.history(one) for one in [item.id for item in items] + [resources[0].id]],
        "due": await bob.due(overdue=True, told=True),
        "usage": await bob.usage(),
        "profile": (await bob.profile.get()).values,
        "kv": (await bob.kv.list("settings")).records,
        "graph": await bob.graph.relations(ended=True),
        "blocks": await bob.blocks.list(),
        "conversations": await bob.conversations.get("chat"),
    }


async def bobs_ids(server: Serving) -> dict[str, str]:
    bob = server.service.for_user("bob")
    job = await bob.memorize(text=SECRET, wait=False, metadata={"by": "bob"})
    await bob.jobs.wait(job.id)
    (item,) = await bob.list_items()
    (resource,) = await bob.list_resources()
    topic = await bob.create_category("zanzibar things")
    await bob.link(item.id, topic.id)
    await bob.kv.set("settings", "mine", SECRET)
    await bob.blocks.set("notes", SECRET)
    await bob.conversations.add("chat", [SECRET])
    relation = await bob.graph.add("Bob", "likes", "zanzibar")
    return {
        "key": "mine",
        "name": "notes",
        "relation_id": relation.id,
        "facet": "home",
        "item_id": item.id,
        "record_id": item.id,
        "source_id": item.id,
        "target_id": topic.id,
        "category_id": topic.id,
        "resource_id": resource.id,
        "job_id": job.id,
        "conversation_id": "chat",
    }


@pytest.mark.parametrize("someone", ["bob", None])
async def test_a_key_of_one_user_never_reads_or_changes_anothers(someone: str | None) -> None:
    async with served(auth="keys") as server:
        ids = await bobs_ids(server)
        before = await bobs_records(server)
        async with server.http(await server.key("admin", user="ann")) as http:
            for operation, request in reaches(ids, someone):
                if operation.id in ENDING and someone is None:
                    # Ann's key would go with her memory.
                    continue
                answer = await http.request(**request)
                allowed = (
                    {403} if someone or (operation.whole and not operation.narrowed) else _honest(operation)
                )
                assert answer.status_code in allowed, (operation.id, answer.text)
                assert "zanzibar" not in answer.text, operation.id
                assert ids["resource_id"] not in answer.text or answer.status_code == 404, operation.id

        assert await bobs_records(server) == before


def _honest(operation: Operation) -> set[int]:
    """What an operation answers that names nobody: it is in Ann's own memory, where Bob's ids are unknown."""
    if set(operation.in_path) & NAMES:
        # She has one of that name herself by now, or not yet.
        return {operation.status, 400, 404}
    if operation.in_path:
        return {404}
    if operation.id in UNKNOWN:
        return {404}
    if operation.id == "upload_user":
        # It comes as far as the export, which is none.
        return {422}
    return {operation.status}


async def test_a_key_of_an_agent_narrows_what_a_user_has() -> None:
    async with served(auth="keys") as server:
        await server.service.create_item("Ann told the cook.", user="ann", agent="cook")
        await server.service.create_item("Ann told the driver.", user="ann", agent="driver")
        async with server.http(await server.key("read", user="ann", agent="cook")) as http:
            own = await http.get("/v1/items")
            other = await http.get("/v1/items", params={"agent": "driver"})

        assert [one["text"] for one in own.json()["records"]] == ["Ann told the cook."]
        assert other.status_code == 403 and other.json()["type"] == "urn:memu:problem:outside-scope"


async def test_a_key_is_used_so_often_a_minute_and_no_more() -> None:
    limits = {"rate_per_minute": 2}
    async with served(auth="keys", server=limits) as server:
        first, second = await server.key(user="ann"), await server.key(user="bob")
        async with server.http(first) as http, server.http(second) as other:
            answers = [await http.get("/v1/items") for _ in range(3)]

            assert [one.status_code for one in answers] == [200, 200, 429]
            assert 1 <= int(answers[2].headers["retry-after"]) <= 30
            assert answers[2].json()["details"]["retry_after_s"] <= 30
            assert (await other.get("/v1/items")).status_code == 200
            assert (await http.get("/health")).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "https://evil.example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example.com"}, 403),
        ({"Origin": "https://app.example.com"}, 200),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
async def test_without_keys_no_page_reaches_in_through_a_browser(
    headers: dict[str, str], status: int
) -> None:
    origins = {"cors_origins": ["https://app.example.com"]}
    async with served(server=origins) as server, server.http() as http:
        sent = {"Content-Type": "application/json", **headers}
        answer = await http.post("/v1/due/scan", content=b'{"user": "ann"}', headers=sent)

        assert answer.status_code == status, answer.text


async def test_pages_of_other_origins_are_let_in_by_name_alone() -> None:
    asked = {"Origin": "https://app.example.com", "Access-Control-Request-Method": "POST"}
    for origins, allowed in (([], None), (["https://app.example.com"], "https://app.example.com")):
        async with served(server={"cors_origins": origins}) as server, httpx2.AsyncClient() as http:
            answer = await http.options(f"{server.url}/v1/retrieve", headers=asked)
            stranger = await http.options(
                f"{server.url}/v1/retrieve", headers={**asked, "Origin": "https://evil.example.com"}
            )

            assert answer.headers.get("access-control-allow-origin") == allowed
            assert "access-control-allow-origin" not in stranger.headers
