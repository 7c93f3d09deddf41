"""The store's contract for relations between names; a part of `StoreSuite`."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from memu_py.errors import NotFound
from memu_py.records.batch import StoredItem, Supersession
from memu_py.records.graph import Edges, RelationQuery
from memu_py.records.relation import Relation, RelationDraft
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, batch, keep, stored

DAY = timedelta(days=1)
ALL = RelationQuery(ended=True)
ONE = ("works_at", "lives_in")


def triple(subject: str, predicate: str, object_: str, **more: Any) -> RelationDraft:
    """Return a relation; one works at one place at a time."""
    single = predicate in ONE
    return RelationDraft(subject=subject, predicate=predicate, object=object_, single=single, **more)


def saying(text: str, *said: RelationDraft, day: float = 0, scope: Scope = ANN, **fields: Any) -> StoredItem:
    """Return an item that says something of names, some days after `NOW`."""
    return stored(scope, text, relations=said, said_at=NOW + day * DAY, **fields)


async def told(store: Store, *said: RelationDraft, day: float = 0, scope: Scope = ANN) -> StoredItem:
    """Keep an item that says something of names."""
    one = saying(
        " ".join(f"{x.subject} {x.predicate} {x.object} {day}" for x in said), *said, day=day, scope=scope
    )
    await keep(store, scope, one)
    return one


async def listed(store: Store, query: RelationQuery = ALL, scope: Scope = ANN) -> list[tuple[str, str, str]]:
    """Return relations as triples, in order."""
    return sorted((x.subject, x.predicate, x.object) for x in await store.graph.relations(scope, query))


async def only(store: Store, query: RelationQuery = ALL) -> Relation:
    """Return the one relation that there is."""
    (found,) = await store.graph.relations(ANN, query)
    return found


def at(day: float) -> datetime:
    """Return a moment some days after `NOW`."""
    return NOW + day * DAY


class GraphSuite:
    """Edges with the time in which they hold; names that mean the same; walks over both."""

    async def test_a_relation_knows_its_item_and_its_time(self, store: Store) -> None:
        """It is written with the item."""
        one = saying("Ann works at Acme", triple("Ann", "works_at", "Acme", confidence=0.5), speaker="Ann")
        await keep(store, ANN, one)

        found = await only(store)
        assert (found.item_id, found.said_by, found.confidence) == (one.item.id, "Ann", 0.5)
        assert (found.valid_from, found.valid_to, found.single) == (NOW, None, True)
        assert (await store.items.get(ANN, [one.item.id]))[one.item.id].relations == one.item.relations
        assert await store.graph.relations(BOB, ALL) == []

    async def test_what_one_has_one_of_ends_with_the_next(self, store: Store) -> None:
        """A second hobby does not end the first; the employer of a moment is found by it."""
        await told(store, triple("Ann", "works_at", "Acme"), triple("Ann", "hobby", "chess"))
        await told(store, triple("Ann", "works_at", "Beta"), triple("Ann", "hobby", "sailing"), day=10)

        now = RelationQuery(subject="Ann", predicate="works_at")
        assert await listed(store, now) == [("Ann", "works_at", "Beta")]
        assert await listed(store, now.evolve(as_of=at(5))) == [("Ann", "works_at", "Acme")]
        assert await listed(store, now.evolve(as_of=at(10))) == [("Ann", "works_at", "Beta")]
        assert await listed(store, now.evolve(as_of=at(-1))) == []
        assert len(await listed(store, now.evolve(ended=True))) == 2
        assert len(await listed(store, RelationQuery(predicate="hobby"))) == 2

    async def test_what_arrives_late_is_inserted_closed(self, store: Store) -> None:
        """The order in which statements come does not matter."""
        await told(store, triple("Ann", "works_at", "Beta"), day=10)
        await told(store, triple("Ann", "works_at", "Acme"))
        await told(store, triple("Ann", "works_at", "Gamma"), day=20)

        found = {x.object: x.valid_to for x in await store.graph.relations(ANN, ALL)}
        assert found == {"Acme": at(10), "Beta": at(20), "Gamma": None}

    async def test_said_again_it_goes_on(self, store: Store) -> None:
        """The same object again is no other one."""
        await told(store, triple("Ann", "works_at", "Acme"))
        await told(store, triple("Ann", "works_at", "acme"), day=1)

        assert [x.valid_to for x in await store.graph.relations(ANN, ALL)] == [None, None]

    async def test_what_is_denied_ends_and_is_no_edge(self, store: Store) -> None:
        """Only what was said before, and only of that object."""
        await told(store, triple("Ann", "hobby", "chess"), triple("Ann", "hobby", "sailing"))
        await told(store, triple("Ann", "hobby", "chess", denied=True), day=2)

        assert await listed(store, RelationQuery()) == [("Ann", "hobby", "sailing")]
        await told(store, triple("Ann", "hobby", "chess"), day=3)
        assert len(await listed(store, RelationQuery(object="chess"))) == 1
        assert len(await listed(store)) == 3

    async def test_what_is_lost_without_a_name_ends_all_of_it(self, store: Store) -> None:
        """Whatever came before, in whatever order it arrives; what is said beside it begins with it."""
        lost = [triple("Ann", name, "Ann", denied=True) for name in ("works_at", "hobby")]
        await told(store, triple("Ann", "hobby", "chess"), triple("Ann", "works_at", "Acme"))
        gone = await told(store, *lost, triple("Ann", "works_at", "Beta"), day=5)
        await told(store, triple("Ann", "hobby", "golf"), day=1)
        await told(store, triple("Ann", "hobby", "tennis"), day=6)

        assert await listed(store, RelationQuery()) == [
            ("Ann", "hobby", "tennis"),
            ("Ann", "works_at", "Beta"),
        ]
        ends = {x.object: x.valid_to for x in await store.graph.relations(ANN, ALL)}
        assert ends == {"chess": at(5), "golf": at(5), "Acme": at(5), "Beta": None, "tennis": None}
        assert await listed(store, RelationQuery(as_of=at(2), predicate="works_at")) == [
            ("Ann", "works_at", "Acme")
        ]
        await store.delete_items(ANN, [gone.item.id])
        assert len(await listed(store, RelationQuery())) == 4

    async def test_a_relation_ends_with_its_item_and_goes_with_it(self, store: Store) -> None:
        """What a deleted item ended holds again, and names that nothing has are gone."""
        first = await told(store, triple("Ann", "works_at", "Acme"))
        second = await told(store, triple("Ann", "works_at", "Beta"), day=5)
        await store.delete_items(ANN, [second.item.id])

        assert (await only(store)).valid_to is None
        assert await store.graph.neighbors(ANN, "Beta", hops=1, edges=Edges(), limit=9) == []
        gone = Supersession(item_id=first.item.id, at=at(7))
        await store.commit(ANN, batch(supersessions=(gone,), read_seq=await store.seq(ANN)))
        assert (await only(store)).valid_to == at(7)
        assert await listed(store, RelationQuery(as_of=at(6))) == [("Ann", "works_at", "Acme")]

    async def test_what_never_held_ends_nothing(self, store: Store) -> None:
        """A statement, or a denial, that is taken back from its beginning on."""
        await told(store, triple("Ann", "works_at", "Acme"))
        wrong = await told(store, triple("Ann", "works_at", "Beta"), day=5)
        denied = await told(store, triple("Ann", "works_at", "Acme", denied=True), day=6)
        ends = tuple(Supersession(item_id=one.item.id, at=at(day)) for one, day in ((wrong, 5), (denied, 2)))
        await keep(store, ANN, supersessions=ends)

        for query in (RelationQuery(), RelationQuery(as_of=at(5)), RelationQuery(as_of=at(9))):
            assert await listed(store, query) == [("Ann", "works_at", "Acme")]

    async def test_what_one_agent_is_told_ends_nothing_of_another(self, store: Store) -> None:
        """Who reads all of it sees the last word; custom keys keep apart as agents do, sessions do not."""
        cook, guide = ANN.evolve(agent="cook"), ANN.evolve(agent="guide")
        chef = cook.evolve(custom=(("team", "x"),))
        acme, beta = ("Ann", "works_at", "Acme"), ("Ann", "works_at", "Beta")
        await told(store, triple(*acme), scope=cook.evolve(session="s"))
        await told(store, triple(*beta), day=5, scope=guide)
        await told(store, triple(*acme, denied=True), day=6, scope=chef)

        now = RelationQuery()
        assert await listed(store, now, cook) == [acme]
        assert await listed(store, now, guide) == [beta]
        assert await listed(store, now) == [beta]
        assert await listed(store, now.evolve(as_of=at(1))) == [acme]
        assert await listed(store, now, cook.evolve(granted=("guide",))) == [acme, beta]
        (edge,) = await store.graph.relations(cook, ALL)
        assert edge.valid_to is None
        assert [x.valid_to for x in await store.graph.relations(ANN, ALL)] == [None, at(5)]
        (near,) = await store.graph.neighbors(cook, "Ann", hops=1, edges=Edges(), limit=9)
        assert near.name == "Acme"
        assert len((await store.graph.sight(cook, ["ann", "acme"], None)).edges) == 1
        await told(store, triple("Ann", "works_at", "Gamma"), day=7, scope=cook.evolve(session="t"))
        assert await listed(store, now, cook) == [("Ann", "works_at", "Gamma")]

    async def test_an_item_that_changes_says_something_else(self, store: Store) -> None:
        """What it says as before stays the same relation, ended by hand if it was."""
        first = saying("both", triple("Ann", "hobby", "chess"), triple("Ann", "hobby", "golf"))
        kept = await keep(store, ANN, first)
        chess = await only(store, RelationQuery(object="chess"))
        await store.graph.end(ANN, chess.id, at(3))
        said = (triple("Ann", "hobby", "chess"), triple("Ann", "hobby", "tennis"))
        await store.update_item(ANN, kept.added[0].evolve(relations=said))

        found = {x.object: (x.id, x.valid_to) for x in await store.graph.relations(ANN, ALL)}
        assert found.keys() == {"chess", "tennis"}
        assert found["chess"] == (chess.id, at(3))

    async def test_names_that_safely_mean_the_same_are_one_node(self, store: Store) -> None:
        """By case and width, title, legal form, and a given name that one person has."""
        await told(store, triple("Ann Lee", "works_at", "Acme Inc."))
        await told(store, triple("ANN", "knows", "小美姐"), triple("Dr. Ann Lee", "hobby", "chess"))
        await told(store, triple("小美", "works_at", "acme"))

        near = await store.graph.neighbors(ANN, "Ann", hops=1, edges=Edges(), limit=9)
        assert {one.name for one in near} == {"acme", "小美", "chess"}
        (between,) = await store.graph.paths(ANN, ("Ann", "小美姐"), max_hops=1, edges=Edges(), limit=9)
        assert [x.predicate for x in between.relations] == ["knows"]
        assert {(x.name, x.same_as, x.tie) for x in await store.graph.aliases(ANN)} >= {
            ("ANN", "Ann Lee", "auto"),
            ("Acme Inc.", "acme", "auto"),
        }

    async def test_what_is_ambiguous_stays_apart(self, store: Store) -> None:
        """Also when it becomes so later; and it is one again when the other is gone."""
        await told(store, triple("Ann", "works_at", "Acme"))
        await told(store, triple("Ann Lee", "lives_in", "Porto"))
        query = RelationQuery(subject="Ann")
        assert len(await listed(store, query)) == 2
        other = await told(store, triple("Ann Wong", "lives_in", "Lisbon"))
        assert await listed(store, query) == [("Ann", "works_at", "Acme")]
        await store.delete_items(ANN, [other.item.id])
        assert len(await listed(store, query)) == 2
        await told(store, triple("Ann", "knows", "Ann Lee"))
        assert await listed(store, query.evolve(predicate="lives_in")) == []

    async def test_an_alias_by_hand_joins_and_is_taken_back(self, store: Store) -> None:
        """What one has one of follows who it is."""
        await told(store, triple("Annie", "works_at", "Acme"))
        await told(store, triple("Bee", "works_at", "Beta"), day=1)
        query = RelationQuery(subject="Annie")
        made = await store.graph.alias(ANN, "Bee", "Annie")
        assert (made.name, made.same_as, made.tie) == ("Bee", "Annie", "hand")
        assert await listed(store, query) == [("Bee", "works_at", "Beta")]
        assert await listed(store, query.evolve(as_of=NOW)) == [("Annie", "works_at", "Acme")]
        await told(store, triple("Bee Doe", "hobby", "golf"))
        assert (await store.graph.alias(ANN, "Annie", "Bee")).tie == "hand"
        await store.graph.alias(ANN, "Bee Doe", "Bee")
        assert ("Bee Doe", "hobby", "golf") in await listed(store, query)
        await store.graph.alias(ANN, "Bee", None)
        assert ("Annie", "works_at", "Acme") in await listed(store, query)
        assert [x.name for x in await store.graph.aliases(ANN) if x.tie == "apart"] == ["Bee"]
        for wrong in (("Bee", "Nobody"), ("Nobody", "Bee")):
            with pytest.raises(NotFound):
                await store.graph.alias(ANN, *wrong)
        with pytest.raises(NotFound):
            await store.graph.alias(BOB, "Bee", None)

    async def test_neighbours_of_neighbours(self, store: Store) -> None:
        """Within so many hops, one way or both, of a predicate or all."""
        await told(store, triple("Leo", "leads", "Phoenix"), triple("Phoenix", "uses", "Python"))
        await told(store, triple("Mia", "leads", "Atlas"), triple("Atlas", "uses", "Python"))

        async def near(hops: int, **edges: Any) -> list[tuple[str, int]]:
            found = await store.graph.neighbors(ANN, "Python", hops=hops, edges=Edges(**edges), limit=9)
            return [(one.name, one.hops) for one in found]

        assert set(await near(1)) == {("Phoenix", 1), ("Atlas", 1)}
        assert set(await near(2)) == {("Phoenix", 1), ("Atlas", 1), ("Leo", 2), ("Mia", 2)}
        assert await near(2, direction="out") == []
        assert len(await near(2, direction="in")) == 4
        assert set(await near(3, predicates=("uses",))) == {("Phoenix", 1), ("Atlas", 1)}
        assert await near(2, as_of=at(-1)) == []

    async def test_paths_visit_nobody_twice(self, store: Store) -> None:
        """In a ring of friends there are two ways, the shorter first."""
        ring = ["Ann", "Bob", "Cat", "Dan", "Eve"]
        pairs = zip(ring, [*ring[1:], "Ann"], strict=True)
        await told(store, *(triple(one, "friend_of", other) for one, other in pairs))

        async def ways(max_hops: int, **edges: Any) -> list[tuple[str, ...]]:
            found = await store.graph.paths(
                ANN, ("Ann", "Cat"), max_hops=max_hops, edges=Edges(**edges), limit=9
            )
            return [path.names for path in found]

        assert await ways(4) == [("Ann", "Bob", "Cat"), ("Ann", "Eve", "Dan", "Cat")]
        assert await ways(2) == [("Ann", "Bob", "Cat")]
        assert await ways(1) == []
        assert await ways(4, direction="in") == [("Ann", "Eve", "Dan", "Cat")]
        assert await ways(4, as_of=at(-1)) == []
        assert await store.graph.paths(BOB, ("Ann", "Cat"), max_hops=4, edges=Edges(), limit=9) == []
        assert await store.graph.paths(ANN, ("Ann", "Ann"), max_hops=4, edges=Edges(), limit=9) == []

    async def test_a_crowded_graph_is_walked_within_bounds(self, store: Store) -> None:
        """Of millions of ways only those that are asked for are walked."""
        people = [f"P{number}" for number in range(24)]
        pairs = [(one, other) for one in people for other in people if one < other]
        await told(store, *(triple(one, "knows", other) for one, other in pairs))

        found = await store.graph.paths(ANN, ("P0", "P1"), max_hops=6, edges=Edges(), limit=5)
        assert len(found) == 5
        assert len(await store.graph.neighbors(ANN, "P0", hops=6, edges=Edges(), limit=10)) == 10

    async def test_relations_by_hand_are_logged(self, store: Store) -> None:
        """Added, ended, deleted."""
        made = await store.graph.add(ANN, triple("Ann", "works_at", "Acme"), valid_from=at(-9), valid_to=None)
        assert (made.item_id, made.valid_from, made.valid_to) == (None, at(-9), None)
        assert (await store.graph.end(ANN, made.id, at(-1))).valid_to == at(-1)
        assert (await store.graph.end(ANN, made.id, at(-2))).valid_to == at(-2)
        with pytest.raises(NotFound):
            await store.graph.end(BOB, made.id, None)
        with pytest.raises(NotFound):
            await store.graph.delete(BOB, made.id)
        await store.graph.delete(ANN, made.id)
        assert await listed(store) == []
        assert [(x.kind, x.op) for x in await store.history(ANN, made.id)] == [
            ("relation", "create"),
            ("relation", "update"),
            ("relation", "update"),
            ("relation", "delete"),
        ]
        assert await store.history(BOB, made.id) == []
        assert await store.maintenance.integrity() == []

    async def test_erasing_a_session_takes_its_relations(self, store: Store) -> None:
        """What an item says elsewhere too stays; so does what another session added by hand."""
        one, two = ANN.evolve(session="s1"), ANN.evolve(session="s2")
        await told(store, triple("Ann", "hobby", "chess"), scope=one)
        await told(store, triple("Ann", "hobby", "golf"), scope=two)
        for scope, pet in ((one, "Rex"), (two, "Tom")):
            await store.graph.add(scope, triple("Ann", "has_pet", pet), valid_from=None, valid_to=None)
        assert len(await listed(store, scope=one)) == 2
        await store.clear(one)

        assert await listed(store) == [("Ann", "has_pet", "Tom"), ("Ann", "hobby", "golf")]
        await store.clear(ANN)
        assert await listed(store) == []
        assert await store.graph.aliases(ANN) == []

    async def test_a_question_sees_two_hops(self, store: Store) -> None:
        """Edges that items say, of names that are there."""
        first = await told(store, triple("Leo", "leads", "Phoenix project"))
        second = await told(store, triple("Phoenix project", "uses", "Python"), triple("Leo", "likes", "tea"))
        await told(store, triple("tea", "part_of", "menu"))
        await store.graph.add(ANN, triple("Python", "likes", "mice"), valid_from=None, valid_to=None)

        seen = await store.graph.sight(ANN, ["who", "python"], None)
        assert seen.seeds.keys() == {"python"}
        assert {edge.item_id for edge in seen.edges} == {first.item.id, second.item.id}
        assert len(seen.edges) == 2
        assert (await store.graph.sight(ANN, ["python"], at(-1))).edges == ()
        assert (await store.graph.sight(BOB, ["python"], None)).edges == ()

    async def test_what_ended_between_two_names_is_seen(self, store: Store) -> None:
        """A question that names both ends sees the edge, also after another one took its place."""
        old = await told(store, triple("Ann", "lives_in", "Turin"), day=1)
        new = await told(store, triple("Ann", "lives_in", "Ghent"), day=2)

        seen = await store.graph.sight(ANN, ["ann", "turin"], None)
        assert [edge.item_id for edge in seen.edges] == [new.item.id]
        assert [edge.item_id for edge in seen.past] == [old.item.id]
        assert (await store.graph.sight(ANN, ["ann"], None)).past == ()
        assert (await store.graph.sight(ANN, ["ann", "turin"], at(1))).past == ()
