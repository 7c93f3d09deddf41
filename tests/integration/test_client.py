"""The clients: the same as the service, whatever stands between."""

import asyncio
import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from server_kit import served

from memu_py import AsyncMemoryClient, Item, MemoryClient, MemoryService
from memu_py.client.methods import (
    BlockMethods,
    ConversationMethods,
    EmotionMethods,
    GrantMethods,
    GraphMethods,
    JobMethods,
    KeyValueMethods,
    Methods,
    ProfileMethods,
    TimelineMethods,
)
from memu_py.errors import (
    Conflict,
    HistoryGone,
    InvalidFilter,
    InvalidInput,
    MemuError,
    NotFound,
    OutsideScope,
    RateLimited,
    ScopeRequired,
    StoreUnreachable,
    Unauthorized,
)
from memu_py.records.item import ItemDraft
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.service.blocks import Blocks
from memu_py.service.conversations import Conversations
from memu_py.service.emotions import Emotions
from memu_py.service.grants import Grants
from memu_py.service.graph import GraphPart
from memu_py.service.jobs import Jobs
from memu_py.service.kv import KeyValues
from memu_py.service.profile import Profiles
from memu_py.service.timeline import Timelines
from memu_py.testing.http import Answer
from memu_py.testing.server import ScriptedServer

NOT_SENT = {
    # Of the process, or of an operator at its own machine.
    *("from_config", "open", "close", "settings", "scope", "intercept", "account", "flush", "work", "keys"),
    *(
        "integrity",
        "sweep",
        "reindex",
        "try_embedder",
        "try_model",
        "try_reranker",
        "ready",
        "jobs_by_status",
    ),
    # They read files of the machine.
    *("memorize_all", "survey", "export_user", "import_user"),
    # A view of it is offered as `list_workflows`; what is watched is memorized piece by piece.
    *("workflows", "watch"),
    # Of the clients themselves.
    *("for_user", "for_scope", "blocks", "conversations", "emotions", "grants", "graph"),
    *("jobs", "kv", "profile", "timeline"),
}


def test_the_clients_have_the_methods_of_the_service() -> None:
    wanted = {name for name in dir(MemoryService) if not name.startswith("_")} - NOT_SENT
    offered = {name for name in dir(Methods) if not name.startswith("_")}

    assert offered - {"list_workflows"} == wanted


@pytest.mark.parametrize(
    ("offered", "part"),
    [
        (BlockMethods, Blocks),
        (ConversationMethods, Conversations),
        (EmotionMethods, Emotions),
        (GrantMethods, Grants),
        (GraphMethods, GraphPart),
        (JobMethods, Jobs),
        (KeyValueMethods, KeyValues),
        (ProfileMethods, Profiles),
        (TimelineMethods, Timelines),
    ],
)
def test_the_parts_of_clients_have_the_methods_of_the_services(offered: type, part: type) -> None:
    assert {name for name in dir(offered) if not name.startswith("_")} == {
        name
        for name, value in vars(part).items()
        if inspect.iscoroutinefunction(value) and not name.startswith("_")
    }


async def both(client: AsyncMemoryClient, service: MemoryService, call: Callable[[Any], Any]) -> list[Any]:
    """Return what the client and the service give for the same call."""
    return [await call(client.for_user("ann")), await call(service.for_user("ann"))]


def told(item: Item) -> Item:
    """Return an item without what is not told of it."""
    return item.evolve(identity="")


async def test_what_comes_back_is_what_the_service_gives() -> None:
    draft = ItemDraft(
        type="event",
        text="安 moved to Lisbon.",
        happened=TimeSpan(
            start=datetime(2023, 5, 1, tzinfo=UTC),
            until=datetime(2023, 6, 1, tzinfo=UTC),
            precision="range",
            words="in May 2023",
        ),
        metadata={"深": [1, None, {"a": 0.5}]},
    )
    async with served(scope={"keys": ["project"]}) as server, server.client() as client:
        made = await client.create_item(draft, user="ann", session="s", custom={"project": "p"})
        (stored,) = await server.service.list_items(user="ann")
        assert made == told(stored)
        assert made.id == draft.id and made.scope.custom == (("project", "p"),)

        calls: list[Callable[[Any], Any]] = [
            lambda who: who.get_resource("x"),
            lambda who: who.list_categories(limit=3),
            lambda who: who.history(made.id),
            lambda who: who.count_items(where={"metadata.深": {"exists": True}}),
            lambda who: who.tools(),
            lambda who: who.usage(days=3),
            lambda who: who.due(overdue=True),
            lambda who: who.list_links(made.id),
        ]
        for call in calls[1:]:
            near, far = await both(client, server.service, call)
            assert near == far
        found = await client.retrieve("Lisbon", user="ann", now=datetime(2024, 1, 1, tzinfo=UTC), top_k=1)
        assert found.items[0].record == told(stored) and found.items[0].scores["dense"] > 0
        assert await client.feedback(found.items[0], used=True, run_id=found.trace.run_id, user="ann") is True


async def test_vectors_jobs_bytes_and_progress_go_over_the_wire() -> None:
    events: list[Any] = []
    async with served() as server, server.client() as client:
        mine = client.for_user("ann", session="s1")
        vectors = np.eye(2, 128, dtype=np.float32)
        items = await mine.create_items(["One.", {"text": "Two."}], vectors=vectors, dedupe="exact")
        taken = await mine.memorize(data=b"Ann sails.", progress=events.append)
        job = await mine.memorize(
            messages=["Ann rows.", {"role": "user", "content": "Ann swims."}], wait=False
        )
        done = await mine.jobs.wait(job.id)
        at_once = await mine.jobs.wait(job.id, timeout_s=0)

        assert [one.text for one in items] == ["One.", "Two."]
        assert [one.kind for one in events][:2] == ["started", "finished"]
        assert await mine.read_resource(taken.resource.id) == b"Ann sails."
        assert done.status == at_once.status == "done" and done.result and done.result["added"] == 2
        assert (await mine.jobs.list(status="done")).records[0].id == job.id
        await mine.delete_item(items[0].id)
        assert {one.scope.session for one in await mine.list_items()} == {"s1"}


async def test_errors_come_back_as_they_were_raised() -> None:
    async with served() as server, server.client() as client:
        await client.create_category("tea", user="ann")
        cases: list[tuple[type[MemuError], Any]] = [
            (NotFound, client.get_item("x", user="ann")),
            (ScopeRequired, client.list_items()),
            (InvalidFilter, client.list_items(where={"nope": 1}, user="ann")),
            (InvalidInput, client.retrieve("", user="ann")),
            (Conflict, client.create_category("tea", user="ann")),
            (NotFound, client.memorize(resource_url="conversation://x", user="ann", progress=lambda _: None)),
        ]
        for kind, call in cases:
            with pytest.raises(kind) as caught:
                await call
            assert type(caught.value) is kind and str(caught.value.args[0])
        with pytest.raises(InvalidInput) as caught:
            await client.create_item({"text": "x", "type": "zz"}, user="ann")
        assert caught.value.hint == "add it to `item_types`"
        with pytest.raises(TypeError, match="nope"):
            await client.retrieve("x", nope=1)  # type: ignore[call-arg]
        draft = ItemDraft(type="fact", text="x", attribution="user")
        with pytest.raises(InvalidInput, match="attribution"):
            await client.create_item(draft, user="ann")


async def test_a_key_and_a_view_bind_a_client() -> None:
    async with served(auth="keys", server={"rate_per_minute": 4}) as server:
        key = await server.key("write", user="ann")
        async with server.client(key, retries=0) as client, server.client(retries=0) as stranger:
            await client.create_item("Ann sails.")
            assert await client.count_items() == 1
            with pytest.raises(OutsideScope):
                await client.list_items(user="bob")
            bound = client.for_scope(Scope(user="ann", agent="a"))
            with pytest.raises(OutsideScope):
                await bound.list_items(agent="b")
            assert await bound.count_items() == 0
            apollo = client.for_scope(Scope(user="ann", custom=(("project", "apollo"),)))
            with pytest.raises(OutsideScope, match="apollo"):
                await apollo.list_items(custom={"project": "zeus"})
            with pytest.raises(RateLimited) as caught:
                await client.count_items()
            assert 0 < caught.value.retry_after_s <= 15
            with pytest.raises(Unauthorized):
                await stranger.list_items(user="ann")


async def test_plain_calls_do_the_same_from_any_thread() -> None:
    events: list[Any] = []

    def work(url: str) -> None:
        with MemoryClient(url) as client:
            mine = client.for_user("ann")
            kept = mine.conversations.add("c/1", ["Ann sails."])
            taken = mine.memorize(resource_url="conversation://c/1", progress=events.append)
            job = mine.memorize(text="Ann rows.", wait=False)
            assert taken.resource.url == kept.url and events
            assert mine.jobs.wait(job.id).status == "done"
            assert {hit.record.text for hit in mine.retrieve("What does Ann do?")} == {
                "Ann sails.",
                "Ann rows.",
            }
            assert client.list_workflows()[0].steps
            with pytest.raises(NotFound):
                mine.get_item("x")

    async with served() as server:
        await asyncio.to_thread(work, server.url)


def answer(status: int, **headers: str) -> Answer:
    return Answer(status=status, body={"title": "no"}, headers=headers)


async def test_a_busy_server_is_asked_again_and_no_longer_than_it_makes_sense() -> None:
    count = Answer(body=3)
    async with ScriptedServer(root="") as server:
        path = "/v1/items:count"
        async with AsyncMemoryClient(server.base_url, retries=2) as client:
            server.script(
                path, answer(503, **{"retry-after": "0"}), answer(429, **{"retry-after": "0"}), count
            )
            assert await client.count_items(user="ann") == 3
            assert len(server.requests) == 3
            server.script(path, Answer(cut=True), count)
            assert await client.count_items(user="ann") == 3
            server.script(path, *[answer(503, **{"retry-after": "0"})] * 3)
            with pytest.raises(MemuError, match="no"):
                await client.count_items(user="ann")
            server.script("/v1/events/match", Answer(cut=True), Answer(body=[]))
            assert list(await client.match_event("The tram stands still.", users=["ann"])) == []
            server.script("/v1/items", Answer(cut=True))
            with pytest.raises(StoreUnreachable):
                await client.create_item("x", user="ann")
            assert len(server.requests) == 11


async def test_a_memorize_whose_answer_was_lost_is_sent_again_as_the_same_run() -> None:
    async with ScriptedServer(root="") as server, AsyncMemoryClient(server.base_url) as client:
        server.script("/v1/memorize", Answer(cut=True), answer(422))
        with pytest.raises(MemuError):
            await client.memorize(text="Ann sails.", user="ann")

        first, second = (request.json["run_id"] for request in server.requests)
        assert first == second


async def test_a_server_that_goes_away_in_mid_run_is_asked_again_as_the_same_run() -> None:
    alive = Answer(body=b": alive\n\n", cut_body=True, headers={"content-type": "text/event-stream"})
    async with ScriptedServer(root="") as server:
        async with AsyncMemoryClient(server.base_url) as client:
            server.script("/v1/memorize", alive, answer(422))
            with pytest.raises(MemuError):
                await client.memorize(text="Ann sails.", user="ann", progress=list[Any]().append)
            first, second = (request.json["run_id"] for request in server.requests)
            assert first == second
        server.script("/v1/memorize", alive, alive)
        with pytest.raises(StoreUnreachable, match="went away"):
            await asyncio.to_thread(follow_once, server.base_url)


def follow_once(url: str) -> None:
    with MemoryClient(url, retries=0) as client:
        client.memorize(text="Ann sails.", user="ann", progress=list[Any]().append)


async def test_a_server_that_is_none_is_told() -> None:
    async with AsyncMemoryClient("http://127.0.0.1:1", retries=1) as client:
        with pytest.raises(StoreUnreachable, match="cannot be reached"):
            await client.count_items(user="ann")
    async with ScriptedServer(root="") as server, AsyncMemoryClient(server.base_url, retries=0) as client:
        server.script("/v1/stats", Answer(body=b"<html>"))
        with pytest.raises(MemuError, match="no JSON"):
            await client.stats()


async def test_a_whole_memory_goes_over_the_wire() -> None:
    async with served() as server, server.client() as client:
        mine = client.for_user("ann")
        item = await mine.create_item("Ann likes tea.")
        data = await mine.download_user()
        got = await client.upload_user(data, user="eve")
        assert got.rows["items"] == 1
        assert (await client.upload_user(data, user="eve")).known
        seq = (await mine.changes(limit=1)).records[0].seq
        then = datetime.now(UTC)
        await mine.delete_item(item.id)
        assert (await mine.get_item(item.id, known_at=then)).text == "Ann likes tea."
        planned = await mine.rollback(seq, dry_run=True)
        done = await mine.rollback(seq)
        assert (planned.undone, planned.dry_run) == (done.undone, True)
        line = await mine.forget_user(actor="test")
        assert await client.audit() == [line]
        assert await mine.count_items() == 0
        with pytest.raises(HistoryGone):
            await mine.rollback(0)
