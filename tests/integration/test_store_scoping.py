"""Every statement of every scoped method names the partition, for every table it touches."""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from memu_py.errors import Cancelled
from memu_py.records.batch import Move, Reinforcement, Supersession
from memu_py.records.conversation import Kept, Line, RunningSummary
from memu_py.records.facet import FacetMark
from memu_py.records.feedback import Feedback
from memu_py.records.graph import Edges, RelationQuery
from memu_py.records.item import Emotion
from memu_py.records.job import JobError
from memu_py.records.link import Link
from memu_py.records.occasion import Occasion
from memu_py.records.page import Query
from memu_py.records.relation import RelationDraft
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.records.usage import Usage, UsageRow
from memu_py.storage.collection import CATEGORIES, ITEMS, RESOURCES
from memu_py.storage.factory import build_store
from memu_py.storage.scoping import ERASED
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.storage.tables import PARTITIONED
from memu_py.testing.job_suite import job
from memu_py.testing.store_samples import (
    ANN,
    NOW,
    block,
    category,
    in_category,
    keep,
    resource,
    reworded,
    segment,
    source,
    stored,
    vector,
)
from memu_py.testing.store_suite_facets import claim
from memu_py.testing.store_suite_grants import grant

GUARDED = {table.name for table in PARTITIONED}
TOUCHED = re.compile(r'\b(?:FROM|JOIN|UPDATE|INTO) "?(\w+)"?(?: AS "?(\w+)"?)?')
FEW = 60
"""Statements that a batch may take, however many items it has."""


def unscoped(statement: str, parameters: Any, scope: Scope) -> list[str]:
    """Return what is wrong with a statement made on behalf of a scope."""
    tables = {alias or name for name, alias in TOUCHED.findall(statement) if name in GUARDED}
    if not tables:
        return []
    if statement.startswith("INSERT"):
        columns = re.findall(r"\w+", statement.partition("(")[2].partition(")")[0])
        faults = [] if {"partition_hash", "partition"} <= set(columns) else ["no partition"]
    else:
        faults = [f"{name} is not guarded" for name in tables if not _guards(statement, name)]
    for row in parameters if isinstance(parameters, list) else [parameters]:
        if scope.partition_hash not in row:
            faults.append("the partition's hash is not bound")
            # What an erasure leaves in the log does not say whose it was.
        if scope.partition not in row and not (ERASED in row and "INTO changes" in statement):
            faults.append("the partition's text is not bound")
    return faults


def _guards(statement: str, name: str) -> bool:
    return all(
        re.search(rf"\b{name}\.{re.escape(column)} = ", statement)
        or re.search(rf" = {name}\.{column}\b", statement)
        for column in ("partition_hash", "partition")
    )


class Listener:
    """Hears every statement."""

    def __init__(self) -> None:
        self.scope: Scope | None = None
        self.faults: list[str] = []
        self.count = 0

    def __call__(
        self,
        _connection: Connection,
        _cursor: Any,
        statement: str,
        parameters: Any,
        _context: Any,
        _many: bool,
    ) -> None:
        self.count += 1
        if self.scope is not None:
            self.faults += [f"{fault}: {statement}" for fault in unscoped(statement, parameters, self.scope)]


@pytest.fixture
def listener() -> Iterator[Listener]:
    heard = Listener()
    event.listen(Engine, "before_cursor_execute", heard)
    yield heard
    event.remove(Engine, "before_cursor_execute", heard)


async def _read_person(store: Store, scope: Scope, ids: list[str]) -> None:
    await store.timeline.slots(scope, {"at": {"gte": NOW}})
    await store.items.page(scope, Query(order="at"))
    await store.facets.uttered(scope)
    await store.facets.uttered(scope, ids)
    await store.facets.held(scope)
    await store.facets.held(scope, "home")
    await store.kv.get(scope, "n", "k")
    await store.kv.page(scope, "n", prefix="k")


async def _read_everything(store: Store, scope: Scope, ids: list[str]) -> None:
    filled: dict[str, dict[str, Any]] = {
        "items": {"category": "x", "resource_id": "y", "metadata.k": 1, "entities": {"exists": True}},
        "resources": {"metadata.k": 1},
        "categories": {"item_count": {"gt": 0}},
    }
    for name, collection, shape in (
        ("items", store.items, ITEMS),
        ("resources", store.resources, RESOURCES),
        ("categories", store.categories, CATEGORIES),
    ):
        await collection.get(scope, ids)
        await collection.page(scope, Query(where=filled[name]))
        await collection.page(scope, Query(order="updated_at", descending=True, limit=1))
        await collection.count(scope)
        await collection.ids(scope)
        assert shape.fields
    await store.seq(scope)
    await store.find_resource(scope, url="file:///a")
    await store.find_resource(scope, content_hash="x")
    await store.find_conversation(scope, ["hash of a", "hash of b"])
    await store.segments(scope, ids[0])
    await store.find_run(scope, "run")
    await store.live_identities(scope, ["x"])
    for direction in ("out", "in"):
        await store.links(scope, ids, kind="category", direction=direction)
    for one in ids:
        await store.category_items(scope, one)
        await store.history(scope, one)
    await store.changed_items(scope, 0)
    await store.index_rows(scope)
    await store.index_rows(scope, ids)
    await store.vectors(scope, ids)
    await store.entities(scope)
    await store.entities(scope, ["carl"])
    await store.entity_links(scope)
    await store.entity_links(scope, ids)
    await store.cache.load(scope, [b"k"])
    await store.answers.load(scope, b"k")
    await store.usage.since(scope, NOW.date())
    await store.usage.tokens(scope, NOW.date())
    await _read_features(store, scope)


async def _read_features(store: Store, scope: Scope) -> None:
    await store.foresight.said(scope, 10)
    await store.foresight.dated(scope)
    await store.foresight.due(scope, first=NOW.date(), last=NOW.date())
    await store.foresight.use(scope)
    await store.moods.sums(scope, first=NOW.date(), last=NOW.date(), speaker="Ann")
    await store.moods.cited(scope, first=NOW.date(), last=NOW.date(), speaker="Ann", entity="carl")
    await _read_graph(store, scope)
    await store.jobs.page(scope, Query(where={"status": "queued", "custom.team": "x"}))
    await store.conversations.page(scope, Query(where={"custom.team": "x"}, order="last_at"))
    await store.conversations.sessions(scope)
    await store.conversations.summary(scope, "c")
    await store.blocks.all(scope)
    await store.grants.all(scope)


async def _read_graph(store: Store, scope: Scope) -> None:
    await store.graph.relations(scope, RelationQuery(subject="Ann", object="Dr. Acme", predicate="works_at"))
    await store.graph.neighbors(scope, "Ann", hops=2, edges=Edges(predicates=("works_at",)), limit=9)
    await store.graph.paths(scope, ("Ann", "Acme"), max_hops=3, edges=Edges(as_of=NOW), limit=9)
    await store.graph.sight(scope, ["ann", "acme"], None)
    await store.graph.aliases(scope)


async def _relate(store: Store, scope: Scope) -> None:
    said = RelationDraft(subject="Ann", predicate="works_at", object="Acme", single=True)
    other = said.evolve(subject="Dr. Ann Lee", object="Beta")
    told = stored(scope, f"related in {scope}", relations=(said, other))
    kept = await keep(store, scope, told)
    by_hand = await store.graph.add(scope, said.evolve(subject="Ann Lee"), valid_from=None, valid_to=None)
    await store.graph.end(scope, by_hand.id, NOW)
    await store.graph.alias(scope, "Acme", "Beta")
    await store.graph.alias(scope, "Acme", None)
    await store.graph.delete(scope, by_hand.id)
    await store.update_item(scope, kept.added[0].evolve(relations=(said,), valid_to=NOW))


async def _work(store: Store, scope: Scope) -> None:
    await _foresee(store, scope)
    await _talk(store, scope)
    await _relate(store, scope)
    wanted = await store.jobs.enqueue(scope, job(scope, lock="chat"))
    held = wanted.evolve(lease_id="x")
    await store.jobs.get(scope, wanted.id)
    await store.jobs.cancel(scope, wanted.id)
    await store.jobs.retry(scope, wanted.id)
    await store.jobs.extend(held, 1)
    await store.jobs.fail(held, JobError(type="x", message="y"), again_at=NOW)
    await store.jobs.release(held)
    await store.jobs.finish(held, {})
    with contextlib.suppress(Cancelled):
        await keep(store, scope, lease=held.lease)


async def _write_everything(store: Store, scope: Scope) -> list[str]:
    topic, other = await store.add_categories(scope, [category(scope, "Food"), category(scope, "Work")])
    came = resource(scope, segment_count=2)
    one, two = (
        stored(scope, "one", sources=(source(came, 0),), entities=("Carl",)),
        stored(scope, "two", sources=(source(came, 1),), entities=("Carl", "Rome"), speaker="Rome"),
    )
    texts = (segment(0, "a"), segment(1, "b"))
    first = await keep(
        store,
        scope,
        one,
        two,
        resource=came,
        segments=texts,
        links=(in_category(one, topic),),
        run_id=f"run of {scope}",
    )
    assert first.resource is not None
    again = stored(scope, "three", entities=("Carl",), speaker="Carl")
    fuller = reworded(one.item, "one, and more", entities=("Carl", "Dora"))
    said = Reinforcement(item_id=one.item.id, at=NOW, replacement=one.evolve(item=fuller))
    await keep(
        store,
        scope,
        again,
        stored(scope, "three"),
        resource=first.resource.evolve(content_hash="y"),
        moves=(Move(old=1, new=2, start=0, end=1),),
        segments=(segment(1, "c"),),
        reinforcements=(said,),
        supersessions=(Supersession(item_id=two.item.id, at=NOW, by=again.item.id),),
    )
    item = (await store.items.get(scope, [one.item.id]))[one.item.id]
    await store.update_item(scope, item.evolve(importance=1, sources=(), entities=("Dora",)))
    current = (await store.categories.get(scope, [topic.id]))[topic.id]
    current = await store.summarize(scope, current, "One.")
    await store.update_category(scope, current.evolve(description="x"))
    now = (await store.resources.get(scope, [came.id]))[came.id]
    await store.update_resource(scope, now.evolve(title="x"))
    like = Link(source_id=one.item.id, target_id=again.item.id, kind="likes")
    await store.link(scope, [like])
    await store.link(scope, [like.evolve(score=0.5)])
    await store.unlink(scope, [like])
    await store.cache.save(scope, {b"k": vector(1, 2)})
    await store.answers.save(scope, b"k", "x")
    spent = UsageRow(day=NOW.date(), profile="default", purpose="test", usage=Usage(chat_calls=1))
    await store.usage.add(scope, [spent, spent.evolve(purpose="other")])
    await store.touch(scope, {one.item.id: [NOW]})
    await _work(store, scope)
    return [one.item.id, two.item.id, again.item.id, came.id, topic.id, other.id]


async def _talk(store: Store, scope: Scope) -> None:
    talks = store.conversations
    await talks.add(scope, "c", [{"content": "a", "id": "1"}])
    now = await talks.add(scope, "c", ["b"], edits={"1": "A"}, version=1)
    read = Kept(id="c", key=now.key, version=now.version)
    lines = (Line(ordinals=(0,), speaker="", text="a"),)
    told = RunningSummary(lines=lines, through=1, version=2, by="extract", made_at=NOW)
    assert await talks.keep_summary(scope, read, told)
    assert await talks.read_whole(scope, "c") and await talks.close_one(scope, "c")
    await talks.ask(scope, read)
    came = resource(scope)
    cited = stored(scope, f"talk of {scope}", sources=(source(came, 0),))
    await keep(store, scope, cited, resource=came, segments=(segment(0, "a"),), kept=read)
    assert await store.forget_source(scope, came.id, title="c", reason="x") == [came.blob]
    assert await talks.delete(scope, "c")
    given = await store.grants.give(scope, grant("cook", "guide"))
    await store.grants.give(scope, given.evolve(rights=("read", "write")))
    assert await store.grants.revoke(scope, "cook", "guide", actor="x")
    made = await store.blocks.write(scope, block(scope.owner, "b"), actor="person")
    await store.blocks.delete(
        scope, await store.blocks.write(scope, made.evolve(text="y"), actor="person"), actor="person"
    )


async def _keep_values(store: Store, scope: Scope) -> None:
    await store.kv.set(scope, "n", "k", 1)
    await store.kv.set(scope, "n", "k", 2, if_version=1)
    await store.kv.delete(scope, "n", "k")
    home = stored(scope, f"home of {scope}")
    await keep(store, scope, home)
    said = claim(home.item.id)
    mark = FacetMark(seq=1, rules="x")
    assert await store.facets.keep(scope, [said], ids=None, mark=mark, over=None)
    assert await store.facets.keep(scope, [said], ids=[home.item.id], mark=mark, over=mark)


async def _foresee(store: Store, scope: Scope) -> None:
    span = TimeSpan(start=NOW, until=NOW, precision="instant", words="now")
    glad = Emotion(valence=0.5, arousal=0.5, label="glad")
    trip = stored(scope, f"trip of {scope}", happened=span, emotion=glad)
    await keep(store, scope, trip)
    noted = Occasion(item_id=trip.item.id, kind="plan", day=NOW.date(), due_at=NOW, start=NOW)
    assert await store.foresight.note(scope, [noted]) == 1
    assert len(await store.foresight.take(scope, first=None, last=None)) == 1
    said = Feedback(item_id=trip.item.id, run_id="run", used=True)
    assert await store.foresight.judge(scope, said)
    assert await store.foresight.judge(scope, said.evolve(helpful=False))


@pytest.mark.parametrize(
    "scope", [Scope(user="ann"), Scope(agent="ann", session="s"), Scope(user="ann", custom=(("team", "x"),))]
)
async def test_every_statement_is_scoped(listener: Listener, scope: Scope) -> None:
    store = build_store(StoreSettings(backend="memory"))
    await store.open()
    listener.scope = scope
    ids = await _write_everything(store, scope)
    await _keep_values(store, scope)
    await _read_everything(store, scope, ids)
    await _read_person(store, scope, ids)
    await store.delete_items(scope, ids[1:3])
    await store.delete_categories(scope, ids[5:])
    await store.delete_resources(scope, ids)
    await _write_everything(store, scope.evolve(session="t"))
    await store.clear(scope.evolve(session="t"))
    await store.clear(scope)

    assert listener.faults == []
    assert listener.count > FEW
    await store.close()


def test_the_check_itself_finds_faults() -> None:
    mine = (ANN.partition_hash, ANN.partition)
    assert unscoped("SELECT items.id FROM items", mine, ANN) == ["items is not guarded"]
    only_hash = "SELECT items.id FROM items WHERE items.partition_hash = ?"
    assert unscoped(only_hash, (ANN.partition_hash,), ANN) == [
        "items is not guarded",
        "the partition's text is not bound",
    ]
    both = f"{only_hash} AND items.partition = ?"
    assert unscoped(both, mine, ANN) == []
    assert len(unscoped(both, mine, Scope(user="bob"))) == 2
    joined = both.replace("FROM items", "FROM items JOIN links ON links.source_id = items.id")
    assert unscoped(joined, mine, ANN) == ["links is not guarded"]
    assert unscoped("INSERT INTO items (id) VALUES (?)", ("x",), ANN)[0] == "no partition"
    assert unscoped("SELECT meta.value FROM meta", (), ANN) == []


def _employed(number: int, suffix: str = "") -> RelationDraft:
    return RelationDraft(subject="Ann", predicate="works_at", object=f"Acme{number} {suffix}", single=True)


async def test_a_batch_takes_few_statements_however_large(listener: Listener) -> None:
    store = build_store(StoreSettings(backend="memory"))
    await store.open()
    topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
    came = resource(ANN)
    members = tuple(stored(ANN, f"item {number}", sources=(source(came, number),)) for number in range(1000))
    segments = tuple(segment(number, f"item {number}") for number in range(1000))
    links = tuple(in_category(member, topic) for member in members)
    listener.count = 0
    await keep(store, ANN, *members, resource=came, segments=segments, links=links)
    assert listener.count < FEW
    taken = listener.count
    naming = tuple(stored(ANN, f"naming {n}", entities=("Ann", f"Name {n}")) for n in range(1000))
    listener.count = 0
    await keep(store, ANN, *naming)
    assert listener.count < FEW
    listener.count = 0
    await keep(store, ANN, *(stored(ANN, f"silent {number}") for number in range(1000)))
    assert listener.count < taken
    assert len(await store.entities(ANN)) == 1001
    related = tuple(
        stored(ANN, f"related {number}", relations=(_employed(number), _employed(number, "Inc.")))
        for number in range(400)
    )
    listener.count = 0
    await keep(store, ANN, *related)
    assert listener.count < FEW
    await store.clear(ANN)
    await keep(store, ANN, *(stored(ANN, f"item {number}") for number in range(1000)))
    listener.count = 0
    assert sum(map(len, await store.index_rows(ANN))) == len(members)
    assert listener.count == 1
    await store.close()
