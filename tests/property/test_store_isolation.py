"""No call on behalf of one scope ever returns or changes a row of another partition, or one outside its attributes.

All partitions hold records with the same ids, texts, names, addresses and metadata.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any

import postgres_kit
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from memu_py.errors import MemuError
from memu_py.records.batch import Reinforcement, Supersession
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.schema import changes
from memu_py.storage.settings import StoreSettings
from memu_py.storage.sql_store import SqlStore
from memu_py.storage.tables import PARTITIONED
from memu_py.testing.job_suite import job
from memu_py.testing.store_samples import (
    NOW,
    batch,
    category,
    keep,
    resource,
    reworded,
    segment,
    source,
    stored,
    vector,
)

ITEMS = ("item-%", "item-_", "item-'\"")
NAMES = ("Carl", "%", "小明")
RESOURCES = ("resource", "resource-2")
TOPIC = "topic"
JOB = "job-%"
COMMITTED = "item-committed"
IDS = (*ITEMS, COMMITTED, *RESOURCES, TOPIC)
ODD_IDS = ("a", "A", "a ", "%", "_", "*", "a'; --", 'a"b', "é😀", "x" * 1024)

Operation = Callable[[SqlStore, Scope], Awaitable[Iterable[Any]]]


async def _fill(store: SqlStore, scope: Scope) -> Iterable[Any]:
    """Store the same records, as far as the partition has them not already."""
    topic = (await store.add_categories(scope, [category(scope, "Topic", id=TOPIC)]))[0]
    came = resource(scope, id=RESOURCES[0], url="file:///same", content_hash="same", segment_count=2)
    other = resource(scope, id=RESOURCES[1], content_hash="same", segment_count=2)
    members = [
        stored(
            scope,
            f"text {number}",
            id=item_id,
            metadata={"k": "same"},
            sources=(source(came, number % 2),),
            entities=NAMES[number:],
            speaker=NAMES[0],
        )
        for number, item_id in enumerate(ITEMS)
    ]
    texts = (segment(0, "hi"), segment(1, "how are you"))
    linked = (
        Link(source_id=ITEMS[0], target_id=topic.id, kind=IN_CATEGORY),
        Link(source_id=ITEMS[0], target_id=ITEMS[1], kind="likes"),
    )
    vectors = {name.casefold(): vector(0, 0, 1, number) for number, name in enumerate(NAMES)}
    await keep(
        store,
        scope,
        *members,
        resource=came,
        segments=texts,
        links=linked,
        run_id="run",
        entity_vectors=vectors,
    )
    await keep(store, scope, resource=other, segments=texts, run_id="second run")
    await store.cache.save(scope, {b"key": vector(1, 2)})
    await store.jobs.enqueue(scope, job(scope, id=JOB, run_id="job run", lock="same"))
    return []


# Reading: each returns the records it got


async def _get(store: SqlStore, scope: Scope) -> Iterable[Any]:
    found: list[Any] = []
    for collection in (store.items, store.resources):
        found += (await collection.get(scope, IDS)).values()
    return found


async def _page(store: SqlStore, scope: Scope) -> Iterable[Any]:
    found: list[Any] = [*await store.items.page(scope, Query(where={"metadata.k": "same"}, live=False))]
    found += await store.resources.page(scope, Query(order="url", descending=True))
    assert await store.items.count(scope) <= len(await store.items.ids(scope))
    everything = await store.items.page(scope, Query(live=False))
    assert await store.items.ids(scope) == [one.id for one in everything]
    return found


async def _find(store: SqlStore, scope: Scope) -> Iterable[Any]:
    hashes = [segment(0, text).hash for text in ("hi", "how are you", "more")]
    found = [
        await store.find_resource(scope, content_hash="same"),
        await store.find_conversation(scope, hashes),
    ]
    identities = [item.identity for item in (await store.items.get(scope.owner, ITEMS)).values()]
    of_partition = [*(await store.live_identities(scope, identities)).values()]
    assert all(one.scope.partition == scope.partition for one in of_partition)
    return [one for one in found if one is not None]


async def _topic(store: SqlStore, scope: Scope) -> Iterable[Any]:
    for one in (await store.categories.get(scope, IDS)).values():
        assert one.scope == scope.owner
    return [one.item for one in await store.category_items(scope, TOPIC)]


async def _index(store: SqlStore, scope: Scope) -> Iterable[Any]:
    mine = set(await store.items.ids(scope.owner))
    assert {item_id for rows in await store.index_rows(scope) for item_id in rows.ids} == mine
    assert set(await store.vectors(scope, IDS)) == set(await store.items.ids(scope))
    changed = await store.changed_items(scope, 0)
    assert changed is None or set(changed[0]) <= {*ITEMS, COMMITTED}
    return []


async def _names(store: SqlStore, scope: Scope) -> Iterable[Any]:
    mine = await store.items.get(scope, await store.items.ids(scope))
    named = {name.casefold() for item in mine.values() for name in item.entities}
    assert {entity.key for entity in await store.entities(scope)} == named
    assert {item_id for item_id, _ in await store.entity_links(scope)} <= set(
        await store.items.ids(scope.owner)
    )
    return mine.values()


async def _logs(store: SqlStore, scope: Scope) -> Iterable[Any]:
    for one in IDS:
        seqs = [change.seq for change in await store.history(scope, one)]
        assert await store.read(partial(_owners, seqs)) <= {scope.partition}
    return []


def _owners(seqs: Sequence[int], connection: Connection) -> set[str]:
    return set(connection.scalars(select(changes.c.partition).where(changes.c.seq.in_(seqs))))


# Writing


async def _update(store: SqlStore, scope: Scope) -> Iterable[Any]:
    for item in (await store.items.get(scope, ITEMS)).values():
        changed = reworded(item, f"{item.text} again", importance=3, entities=NAMES[:1])
        await store.update_item(scope, changed, reindex=stored(scope, "x").evolve(item=changed))
    for one in (await store.resources.get(scope, RESOURCES)).values():
        await store.update_resource(scope, one.evolve(title="changed"))
    for topic in (await store.categories.get(scope, [TOPIC])).values():
        changed_topic = await store.summarize(scope, topic, "summary")
        await store.update_category(scope, changed_topic.evolve(description="changed"))
    return []


async def _commit(store: SqlStore, scope: Scope) -> Iterable[Any]:
    said = tuple(Reinforcement(item_id=item_id, at=NOW) for item_id in ITEMS[:1])
    end = (Supersession(item_id=ITEMS[1], at=NOW),)
    new = (stored(scope, "text 2", id=COMMITTED),)
    committed = await store.commit(scope, batch(items=new, reinforcements=said, supersessions=end))
    assert all(one.scope.partition == scope.partition for one in (*committed.added, *committed.reinforced))
    return []


async def _links(store: SqlStore, scope: Scope) -> Iterable[Any]:
    await store.link(scope, [Link(source_id=ITEMS[1], target_id=ITEMS[2], kind="likes")])
    await store.unlink(scope, await store.links(scope, IDS, direction="in"))
    return []


async def _touch(store: SqlStore, scope: Scope) -> Iterable[Any]:
    await store.touch(scope, {item_id: [NOW] for item_id in ITEMS})
    await store.cache.save(scope, {b"key": vector(3, 4)})
    return []


async def _work(store: SqlStore, scope: Scope) -> Iterable[Any]:
    found = [*await store.jobs.page(scope, Query())]
    if (mine := await store.jobs.get(scope, JOB)) is not None:
        found += [mine, await store.jobs.cancel(scope, JOB), await store.jobs.retry(scope, JOB)]
    assert len(found) in (0, 4)
    return found


async def _delete(store: SqlStore, scope: Scope) -> Iterable[Any]:
    await store.delete_items(scope, ITEMS[:2])
    await store.delete_categories(scope, IDS)
    await store.delete_resources(scope, IDS)
    return []


async def _clear(store: SqlStore, scope: Scope) -> Iterable[Any]:
    await store.clear(scope)
    return []


OPERATIONS: tuple[Operation, ...] = (
    _get,
    _page,
    _find,
    _topic,
    _index,
    _names,
    _logs,
    _update,
    _commit,
    _links,
    _touch,
    _work,
    _delete,
    _clear,
)


def _others(scope: Scope, connection: Connection) -> list[tuple[Any, ...]]:
    """Return all rows of other partitions."""
    rows: list[tuple[Any, ...]] = []
    for table in PARTITIONED:
        columns = [column for column in table.c if column.name != "vector"]
        statement = select(*columns).where(table.c.partition_hash != scope.partition_hash)
        rows += [(table.name, *map(repr, row)) for row in connection.execute(statement)]
    return sorted(rows)


def _lies_in(scope: Scope, other: Scope) -> bool:
    named = other.attributes
    return other.partition == scope.partition and all(named.get(k) == v for k, v in scope.attributes.items())


async def _attempt(operation: Operation, store: SqlStore, scope: Scope) -> Iterable[Any]:
    try:
        return await operation(store, scope)
    except MemuError:  # what is asked for may be gone already; that is an answer too
        return []


async def _play(
    scopes: Sequence[Scope], script: Sequence[tuple[int, Operation]], kept: StoreSettings
) -> None:
    store = build_store(kept)
    assert isinstance(store, SqlStore)
    await store.open()
    for scope in scopes:
        await _attempt(_fill, store, scope)
        assert await store.items.count(scope.owner) == len(ITEMS)
        assert await store.resources.count(scope.owner) == len(RESOURCES)

    for number, operation in script:
        scope = scopes[number % len(scopes)]
        before = await store.read(partial(_others, scope))
        found = await _attempt(operation, store, scope)
        assert all(_lies_in(scope, one.scope) for one in found)
        assert await store.read(partial(_others, scope)) == before
    assert await store.maintenance.integrity() == []
    await store.close()


ids = st.none() | st.sampled_from(ODD_IDS)
a_scope = st.builds(
    lambda user, agent, session, team: Scope(
        user=user, agent=agent, session=session, custom=(("team", team),) if team else ()
    ),
    st.sampled_from(ODD_IDS),
    ids,
    ids,
    st.none() | st.sampled_from(("x", 'y"')),
) | st.builds(
    lambda name, kind, session: Scope(**{"session": session, kind: name}),
    st.sampled_from(ODD_IDS),
    st.sampled_from(("user", "agent", "session")),
    ids,
)


scripts = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(OPERATIONS)), min_size=3, max_size=8)
several = st.lists(a_scope, min_size=2, max_size=4, unique=True)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scopes=several, script=scripts)
@example(
    scopes=[Scope(user="a"), Scope(user="a", custom=(("team", "x"),))],
    script=[(0, _get), (1, _commit), (0, _index)],
)
def test_no_call_touches_rows_of_another_scope(
    scopes: list[Scope], script: list[tuple[int, Operation]]
) -> None:
    asyncio.run(_play(scopes, script, StoreSettings(backend="memory")))


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(scopes=several, script=scripts)
def test_no_call_to_postgres_touches_rows_of_another_scope(
    dsn: str, scopes: list[Scope], script: list[tuple[int, Operation]]
) -> None:
    postgres_kit.empty(dsn)
    asyncio.run(_play(scopes, script, StoreSettings(backend="postgres", dsn=dsn)))
