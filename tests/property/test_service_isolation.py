"""No call of the public surface ever returns or changes another user's memory."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from pathlib import Path as FilePath
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memu_py import MemoryService
from memu_py.errors import MemuError
from memu_py.records.block import Block
from memu_py.records.category import Category
from memu_py.records.concern import Concern
from memu_py.records.conversation import Conversation
from memu_py.records.graph import Neighbor, Path
from memu_py.records.intent import Intent
from memu_py.records.item import Item
from memu_py.records.job import Job
from memu_py.records.occasion import Due
from memu_py.records.page import Page
from memu_py.records.relation import Relation
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.service.results import MemorizeResult, RetrieveResult
from memu_py.testing.embedder import HashingEmbedder
from memu_py.testing.exports import chatgpt, zipped
from memu_py.workflow.registry import Registry


def register(registry: Registry) -> None:
    """Make this module a plug-in with an embedder that needs no model."""
    registry.add("embedder", "words", lambda settings: HashingEmbedder())


USERS = ["ann", "Ann", "ann ", "%", "_", "a%", "*", "' OR '1'='1", "🦊", '{"id":"ann"}']
AGENTS = [None, "bot", "%"]
SESSIONS = [None, "s1", "s_"]
TOMORROW = "We will buy tea tomorrow."
TEXTS = [
    TOMORROW,
    "I like black tea. Carl leads the Boat project.",
    "I own a red boat with Carl.",
    "My code is 4711, says Carl.",
]
METADATA: list[dict[str, Any]] = [{}, {"user": "ann", "scope": "Ann", "topic": "tea"}]

writes = st.lists(
    st.tuples(
        st.sampled_from(USERS),
        st.sampled_from(AGENTS),
        st.sampled_from(SESSIONS),
        st.sampled_from(TEXTS),
        st.sampled_from(METADATA),
    ),
    min_size=2,
    max_size=6,
)


def owner(record: Item | Category | Resource | Job | Conversation | Block) -> str | None:
    return record.scope.user


@dataclasses.dataclass
class World:
    service: MemoryService
    export: FilePath
    records: dict[str, list[str]] = dataclasses.field(default_factory=dict)

    async def write(
        self, user: str, agent: str | None, session: str | None, text: str, metadata: Any
    ) -> None:
        result = await self.service.memorize(
            text=text, user=user, agent=agent, session=session, metadata=metadata
        )
        mine = self.records.setdefault(user, [])
        mine += [item.id for item in result.added] + [result.resource.id]
        mine += [category.id for category in result.categories]
        # An id is one agent's of a user, and anybody's of another user.
        name = f"c {agent}"
        talk = await self.service.conversations.add(name, [text], user=user, agent=agent, session=session)
        assert owner(talk) == user
        mine.append((await self.service.blocks.set("b", text, user=user, agent=agent)).id)
        job = await self.service.memorize(
            text=text, user=user, agent=agent, session=session, metadata=metadata, wait=False
        )
        mine.append(job.id)
        taken = await self.service.memorize_all(self.export, user=user, agent=agent, session=session)
        for one in taken.results:
            assert isinstance(one.result, MemorizeResult)
            assert owner(one.result.resource) == user
            mine += [one.result.resource.id, *(item.id for item in one.result.added)]

    def reads(self, user: str) -> list[Callable[[], Awaitable[Any]]]:
        service = self.service
        return [
            lambda: service.retrieve("tea boat code", user=user, min_score=0, top_k=50),
            lambda: service.search("tea boat code", user=user, min_score=0, top_k=50),
            lambda: service.retrieve("tea", user=user, min_score=0, where={"metadata.topic": "tea"}),
            lambda: service.retrieve("Who is Carl?", user=user, min_score=0, recall=["entity"]),
            lambda: service.retrieve("Who is Carl?", user=user, min_score=0, where={"metadata.topic": "tea"}),
            lambda: service.retrieve(
                "Who leads the Boat project?", user=user, min_score=0, recall=["relation"]
            ),
            lambda: service.graph.relations(user=user, ended=True),
            lambda: service.graph.neighbors("Carl", user=user, hops=3),
            lambda: service.graph.paths("Carl", "Boat project", user=user),
            lambda: service.list_items(
                user=user, superseded=True, where={"or": [{"text": {"exists": True}}, {"type": "x"}]}
            ),
            lambda: service.list_resources(user=user),
            lambda: service.list_categories(user=user),
            lambda: service.jobs.list(user=user),
            lambda: service.conversations.list(user=user),
            lambda: service.blocks.list(user=user),
            lambda: service.predict_intent("tea boat code", user=user, top_k=20),
            lambda: service.predict_intent(user=user, top_k=20),
            lambda: service.due(user=user, told=True, overdue=True),
            lambda: service.match_event("tea boat code", users=[user], min_score=0, top_k=50),
            lambda: service.for_user(user).match_event("tea boat code", min_score=0, top_k=50),
        ]


def owners(answer: Any) -> set[str | None]:
    if isinstance(answer, RetrieveResult):
        records: list[Item | Category | Resource] = [hit.record for hit in answer.items]
        records += [hit.record for hit in answer.categories]
        records += [hit.record for hit in answer.resources]
        return {owner(record) for record in records}
    if isinstance(answer, tuple):
        return {owner(one) for one in answer}
    if isinstance(answer, Intent):
        return {owner(item) for item in answer.items}
    if isinstance(answer, list):
        related = {one.scope.user for one in answer if isinstance(one, Relation)}
        related |= {
            edge.scope.user for one in answer if isinstance(one, Neighbor | Path) for edge in one.relations
        }
        return (
            related
            | {one.item.scope.user for one in answer if isinstance(one, Due)}
            | {name for one in answer if isinstance(one, Concern) for name in named(one)}
        )
    assert isinstance(answer, Page)
    return {owner(record) for record in answer}


def named(concern: Concern) -> set[str | None]:
    return {concern.scope.user, *(owner(hit.record) for hit in concern.items)}


async def refused(call: Awaitable[Any]) -> bool:
    try:
        await call
    except MemuError:
        return True
    return False


async def by_id(world: World, user: str, foreign: str) -> list[bool]:
    service = world.service
    return [
        await refused(service.get_item(foreign, user=user)),
        await refused(service.get_category(foreign, user=user)),
        await refused(service.get_resource(foreign, user=user)),
        await refused(service.read_resource(foreign, user=user)),
        await refused(service.list_segments(foreign, user=user)),
        await refused(service.history(foreign, user=user)),
        await refused(service.feedback(foreign, used=True, user=user)),
        await refused(service.update_item(foreign, {"text": "stolen"}, user=user)),
        await refused(service.jobs.get(foreign, user=user)),
        await refused(service.jobs.wait(foreign, user=user)),
        await refused(service.jobs.cancel(foreign, user=user)),
        await refused(service.jobs.retry(foreign, user=user)),
        await refused(service.delete_item(foreign, user=user)),
        await refused(service.delete_category(foreign, user=user)),
        await refused(service.delete_resource(foreign, user=user)),
        not await service.list_links(foreign, user=user),
        not await service.list_links(foreign, user=user, direction="in"),
    ]


async def scenario(
    rows: list[tuple[str, str | None, str | None, str, Any]], cleared: str, export: FilePath
) -> None:
    config = {"database": {"backend": "memory"}, "plugins": [__name__], "embedding": {"backend": "words"}}
    config |= {"jobs": {"workers": 0}, "blobs": {"allowed_roots": [str(export)]}}
    async with MemoryService(config) as service:
        service.workflows["retrieve_rag"].insert_after("recall_keyword", {"use": "recall_entities"})
        world = World(service, export)
        for row in rows:
            await world.write(*row)
        await service.work(once=True)
        for user in USERS:
            await service.scan(user=user)
            assert bool(await service.due(user=user)) == (
                (user, TOMORROW) in {(row[0], row[3]) for row in rows}
            )
        for user in USERS:
            for read in world.reads(user):
                assert owners(await read()) <= {user}
        written = {user for user, *_ in rows}
        everybody = await service.match_event("tea boat code", min_score=0, top_k=50)
        assert [named(one) for one in everybody] == [{one.scope.user} for one in everybody]
        assert {one.scope.user for one in everybody} == written
        for user in USERS[:3]:
            foreign = [one for name, ids in world.records.items() if name != user for one in ids]
            for record_id in foreign[:4]:
                assert all(await by_id(world, user, record_id))
        for agent in ("bot", "%"):
            assert not await service.retrieve("tea boat code", agent=agent, min_score=0)
            assert not await service.retrieve("Who is Carl?", agent=agent, min_score=0, recall=["entity"])
        for user in written:
            others = [r.id for name in written - {user} for r in await service.graph.relations(user=name)]
            assert all([await refused(service.graph.delete(one, user=user)) for one in others])
            assert all([await refused(service.graph.end(one, user=user)) for one in others])
        before = {user: await service.count_items(user=user) for user in USERS}
        await service.clear(user=cleared)
        after = {user: await service.count_items(user=user) for user in USERS}
        assert after == before | {cleared: 0}


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> FilePath:
    """Everybody's export: the same conversation and file, at the same addresses."""
    path: FilePath = tmp_path_factory.mktemp("export") / "e.zip"
    path.write_bytes(zipped({"conversations.json": [chatgpt()], "boat.txt": "The red boat is Carl's."}))
    return path


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=writes, cleared=st.sampled_from(USERS))
def test_nobody_sees_or_touches_anothers_memory(
    export: FilePath, rows: list[tuple[str, str | None, str | None, str, Any]], cleared: str
) -> None:
    asyncio.run(scenario(rows, cleared, export))


@given(st.sampled_from(USERS), st.sampled_from(USERS))
def test_scopes_of_different_users_have_different_partitions(one: str, other: str) -> None:
    assert (Scope(user=one).partition_hash == Scope(user=other).partition_hash) == (one == other)
