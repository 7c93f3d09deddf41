"""What a store must keep of reading: by id, by page, by filter, by address."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from memu_py.errors import InvalidFilter, InvalidInput
from memu_py.records.item import Emotion, Item
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.storage.store import Store
from memu_py.testing.store_samples import (
    ANN,
    BOB,
    NOW,
    category,
    converse,
    in_category,
    keep,
    resource,
    source,
    stored,
)

DAY = timedelta(days=1)


class QuerySuite:
    """Filters, pages and finding."""

    async def _matching(self, store: Store, where: dict[str, Any]) -> list[str]:
        page = await store.items.page(ANN, Query(where=where))
        texts = sorted(one.text for one in page)
        assert await store.items.count(ANN, where) == len(texts)
        assert len(await store.items.ids(ANN, where)) == len(texts)
        return texts

    async def test_filters_on_fields(self, store: Store) -> None:
        """Each operator, on text, numbers, times and lists; `ne` and `not` match what is missing."""
        span = TimeSpan(start=NOW - DAY, until=NOW, precision="day", words="yesterday")
        rich = stored(
            ANN,
            "A 100%",
            type="event",
            speaker="Ann",
            importance=7,
            said_at=NOW,
            happened=span,
            entities=("Ann", "Straße"),
            emotion=Emotion(valence=0.5, arousal=0.25, label="joy"),
        )
        plain = stored(ANN, "B 100x")
        await keep(store, ANN, rich, plain)
        both = ["A 100%", "B 100x"]
        checks: list[tuple[dict[str, Any], list[str]]] = [
            ({}, both),
            ({"type": "event"}, both[:1]),
            ({"type": {"ne": "event"}}, both[1:]),
            ({"text": {"contains": "100%"}}, both[:1]),
            ({"text": {"contains": "b 1"}}, both[1:]),
            ({"text": {"contains": "%"}}, both[:1]),
            ({"speaker": None}, both[1:]),
            ({"speaker": {"ne": None}}, both[:1]),
            ({"speaker": {"ne": "Ann"}}, both[1:]),
            ({"speaker": {"nin": ["Ann"]}}, both[1:]),
            ({"speaker": {"in": ["Ann", None]}}, both),
            ({"speaker": {"in": []}}, []),
            ({"speaker": {"exists": False}}, both[1:]),
            ({"not": {"speaker": {"gt": "A"}}}, both[1:]),
            ({"importance": {"gte": 7, "lt": 8}}, both[:1]),
            ({"not": {"importance": {"gte": 7}}}, both[1:]),
            ({"said_at": NOW}, both[:1]),
            ({"said_at": {"lt": NOW + DAY}}, both[:1]),
            ({"said_at": {"gte": date(2024, 5, 1)}}, both[:1]),
            ({"happened_at": {"lte": "2024-04-30T12:00:00Z"}}, both[:1]),
            ({"happened_until": "2024-05-01T12:00:00"}, both[:1]),
            ({"entities": {"contains": "STRASSE"}}, both[:1]),
            ({"entities": {"in": ["Bob", "ann"]}}, both[:1]),
            ({"entities": {"ne": "Ann"}}, both[1:]),
            ({"entities": {"exists": True}}, both[:1]),
            ({"entities": None}, both[1:]),
            ({"emotion": "joy", "arousal": {"lt": 0.3}}, both[:1]),
            ({"or": [{"type": "event"}, {"text": "B 100x"}]}, both),
            ({"and": [{"type": "event"}, {"text": "B 100x"}]}, []),
            ({"mentions": {"in": [1, 2**70]}}, both),
        ]
        for where, expected in checks:
            assert await self._matching(store, where) == expected, where

    async def test_filters_on_metadata_keep_types_apart(self, store: Store) -> None:
        """`1`, `true` and `"1"` are three values; names may hold anything."""
        values: dict[str, Any] = {
            "int": {"x": 1},
            "flag": {"x": True},
            "text": {"x": "1"},
            "null": {"x": None},
            "list": {"x": ["Red", 1]},
            "none": {},
            "time": {"x": datetime(2024, 5, 1, tzinfo=UTC)},
            "odd": {'a.b"c%': "yes"},
        }
        await keep(store, ANN, *(stored(ANN, name, metadata=value) for name, value in values.items()))
        every = sorted(values)
        checks: list[tuple[dict[str, Any], list[str]]] = [
            ({"metadata.x": 1}, ["int"]),
            ({"metadata.x": True}, ["flag"]),
            ({"metadata.x": {"eq": False}}, []),
            ({"metadata.x": "1"}, ["text"]),
            ({"metadata.x": None}, ["none", "null", "odd"]),
            ({"metadata.x": {"exists": True}}, ["flag", "int", "list", "text", "time"]),
            ({"metadata.x": {"ne": 1}}, [name for name in every if name != "int"]),
            ({"metadata.x": {"in": [1, "1", True, None]}}, ["flag", "int", "none", "null", "odd", "text"]),
            ({"metadata.x": {"gte": 1}}, ["int"]),
            ({"metadata.x": {"lt": "2"}}, ["text"]),
            ({"metadata.x": {"contains": "red"}}, ["list"]),
            ({"metadata.x": {"contains": 1}}, ["list"]),
            ({"metadata.x": {"contains": "2024-05"}}, ["time"]),
            ({"metadata.x": {"gt": date(2024, 4, 30)}}, ["time"]),
            ({"metadata.x": datetime(2024, 5, 1, tzinfo=UTC)}, ["time"]),
            ({'metadata.a.b"c%': "yes"}, ["odd"]),
            ({"metadata.a": "yes"}, []),
        ]
        for where, expected in checks:
            assert await self._matching(store, where) == expected, where

    async def test_filters_on_what_belongs_to_an_item(self, store: Store) -> None:
        """Its categories, resources, agent, session and custom keys."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        scope = Scope(user="ann", agent="a", session="s", custom=(("team", "x"),))
        came = resource(scope)
        linked = stored(scope, "linked", sources=(source(came, 0), source(came, 1)))
        await keep(store, scope, linked, resource=came, links=(in_category(linked, topic),))
        await keep(store, ANN, stored(ANN, "alone"))
        checks: list[tuple[dict[str, Any], list[str]]] = [
            ({"category": topic.id}, ["linked"]),
            ({"category": {"ne": topic.id}}, ["alone"]),
            ({"category": {"exists": False}}, ["alone"]),
            ({"resource_id": {"in": [came.id, "other"]}}, ["linked"]),
            ({"resource_id": None}, ["alone"]),
            ({"agent": "a", "session": "s"}, ["linked"]),
            ({"agent": None}, ["alone"]),
            ({"custom.team": "x"}, ["linked"]),
            ({"custom.team": None}, ["alone"]),
        ]
        for where, expected in checks:
            assert await self._matching(store, where) == expected, where

    async def test_filters_that_make_no_sense_are_refused(self, store: Store) -> None:
        """The message names the field."""
        wrong: list[dict[str, Any]] = [
            {"user": None},
            {"type": 5},
            {"importance": "high"},
            {"importance": True},
            {"importance": {"contains": 1}},
            {"said_at": "yesterday"},
            {"said_at": 5},
            {"entities": {"gt": "a"}},
            {"entities": {"contains": 1}},
            {"category": {"lt": "a"}},
            {"category": 5},
            {"metadata.x": {"gt": True}},
            {"type": {"in": ["x"] * 10_001}},
            {"or": [{"type": "x"}] * 600},
        ]
        for where in wrong:
            with pytest.raises(InvalidFilter):
                await store.items.page(ANN, Query(where=where))

    async def test_filters_on_categories_and_resources(self, store: Store) -> None:
        """Flags and counts as well."""
        food, work = await store.add_categories(
            ANN, [category(ANN, "Food"), category(ANN, "Work", metadata={"k": 1})]
        )
        fact = stored(ANN, "tea")
        await keep(
            store,
            ANN,
            fact,
            resource=resource(ANN, title="Notes", url="file:///n"),
            links=(in_category(fact, food),),
        )

        async def names(where: dict[str, Any]) -> list[str]:
            return [one.name for one in await store.categories.page(ANN, Query(where=where, order="name"))]

        assert await names({"stale": True}) == ["Food"]
        assert await names({"stale": {"ne": True}}) == ["Work"]
        assert await names({"item_count": 0}) == [work.name]
        assert await names({"metadata.k": 1}) == ["Work"]
        assert await store.resources.count(ANN, {"title": {"contains": "note"}, "size": {"gt": 5}}) == 1
        assert await store.resources.count(ANN, {"url": None}) == 0
        with pytest.raises(InvalidFilter):
            await names({"stale": {"gt": False}})
        with pytest.raises(InvalidFilter):
            await names({"stale": "yes"})

    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("order", ["id", "importance", "said_at", "speaker", "text", "created_at"])
    async def test_pages_hold_every_record_once_in_order(
        self, store: Store, order: str, descending: bool
    ) -> None:
        """Equal values are ordered by id, missing ones come last."""
        members = [
            stored(
                ANN,
                f"text {number % 3} {number}",
                importance=[None, 1.5, 2][number % 3],
                said_at=[NOW, None, NOW + DAY][number % 3],
                speaker=["b", "a", None][number % 3],
            )
            for number in range(11)
        ]
        await keep(store, ANN, *members)
        await keep(store, BOB, stored(BOB, "bob"))
        query = Query(order=order, descending=descending, limit=3)
        found: list[Item] = []
        while True:
            page = await store.items.page(ANN, query)
            found += page.records
            if page.next_cursor is None:
                break
            assert len(page) == 3
            query = query.evolve(cursor=page.next_cursor)

        with_value = [one.item for one in members if getattr(one.item, order) is not None]
        without = [one.item for one in members if getattr(one.item, order) is None]
        with_value.sort(key=lambda one: (getattr(one, order), one.id), reverse=descending)
        without.sort(key=lambda one: one.id, reverse=descending)
        assert [one.id for one in found] == [one.id for one in (*with_value, *without)]

    async def test_paging_survives_deletions_and_additions(self, store: Store) -> None:
        """What stays is seen once, also when the row at the cursor goes."""
        members = [stored(ANN, f"item {number}") for number in range(6)]
        await keep(store, ANN, *members)
        first = await store.items.page(ANN, Query(limit=2))
        await store.delete_items(ANN, [first[1].id])
        await keep(store, ANN, stored(ANN, "late"))
        rest = await store.items.page(ANN, Query(cursor=first.next_cursor))

        assert [one.text for one in rest] == ["item 2", "item 3", "item 4", "item 5", "late"]

    async def test_flags_and_counts_can_be_sorted_by(self, store: Store) -> None:
        """Their pages go on too."""
        topics = await store.add_categories(ANN, [category(ANN, name) for name in ("A", "B", "C")])
        fact = stored(ANN, "tea")
        await keep(store, ANN, fact, links=(in_category(fact, topics[1]),))
        for order in ("stale", "item_count"):
            first = await store.categories.page(ANN, Query(order=order, descending=True, limit=1))
            rest = await store.categories.page(
                ANN, Query(order=order, descending=True, limit=2, cursor=first.next_cursor)
            )
            assert [one.name for one in (*first, *rest)] == ["B", "C", "A"]
            assert rest.next_cursor is None

    async def test_cursors_are_bound_to_their_query(self, store: Store) -> None:
        """Another order, filter or kind is refused; so is a damaged cursor."""
        await keep(store, ANN, *(stored(ANN, f"item {number}") for number in range(3)))
        cursor = (
            await store.items.page(ANN, Query(limit=1, where={"type": {"in": {"fact", "x"}}}))
        ).next_cursor
        fine = Query(limit=1, cursor=cursor, where={"type": {"in": {"x", "fact"}}})
        assert len(await store.items.page(ANN, fine)) == 1
        for wrong in (
            fine.evolve(order="text"),
            fine.evolve(descending=True),
            fine.evolve(live=False),
            fine.evolve(where=None),
            fine.evolve(cursor="nonsense!"),
            fine.evolve(cursor="W10"),
            fine.evolve(cursor=""),
        ):
            with pytest.raises(InvalidFilter, match="cursor"):
                await store.items.page(ANN, wrong)
        with pytest.raises(InvalidFilter):
            await store.resources.page(ANN, Query(cursor=cursor))

    async def test_limits_and_orders_are_checked(self, store: Store) -> None:
        """1 to 1000 records, by a field that has an order."""
        for limit in (0, 1001):
            with pytest.raises(InvalidInput, match="limit"):
                await store.items.page(ANN, Query(limit=limit))
        for order in ("entities", "metadata", "nothing"):
            with pytest.raises(InvalidFilter, match="order"):
                await store.items.page(ANN, Query(order=order))

    async def test_attributes_narrow_reads(self, store: Store) -> None:
        """Unnamed means all values, named exactly that one; a user's rows are never the agent's own."""
        scopes = [
            ANN,
            Scope(user="ann", agent="a"),
            Scope(user="ann", agent="a", session="s"),
            Scope(user="ann", custom=(("team", 't"1'),)),
            Scope(agent="a"),
            Scope(session="s"),
        ]
        for scope in scopes:
            await keep(store, scope, stored(scope, f"of {scope}"))
        assert [await store.items.count(scope) for scope in scopes] == [4, 2, 1, 1, 1, 1]
        assert await store.items.count(Scope(user="ann", session="t")) == 0

    async def test_an_item_lies_in_every_session_it_was_said_in(self, store: Store) -> None:
        """With its history; erasing one of them leaves it to the others."""
        first, second = Scope(user="ann", session="1"), Scope(user="ann", session="2")
        one = await converse(store, first, "I like tea")
        two = await converse(store, second, "I do like tea")
        fact = stored(first, "likes tea", sources=(source(one, 0, session="1", metadata={"k": "v"}),))
        again = stored(second, "likes tea", sources=(source(two, 0, session="2"),))
        await keep(store, first, fact)
        known = (await keep(store, second, again)).reinforced[0]

        for scope in (first, second):
            assert await store.items.get(scope, [fact.item.id]) == {fact.item.id: known}
            assert [change.op for change in await store.history(scope, fact.item.id)] == ["create", "update"]
        await store.clear(first)
        (left,) = (await store.items.get(second, [fact.item.id])).values()
        assert (left.scope, left.sources) == (second, again.item.sources)
        assert await store.items.count(first) == 0
        told = await store.history(second, fact.item.id)
        assert {(change.before, change.after) for change in told} == {(None, None)}
        assert await store.maintenance.integrity() == []

    async def test_resources_are_found_by_address_or_content(self, store: Store) -> None:
        """Content counts within exactly the same attributes, and only without an address."""
        session = Scope(user="ann", session="s")
        addressed = await converse(store, session, "a", url="file:///\0a", content_hash="x")
        bare = await converse(store, session, "b", content_hash="x")

        assert await store.find_resource(ANN, url="file:///\0a") == addressed
        assert await store.find_resource(BOB, url="file:///\0a") is None
        assert await store.find_resource(session, content_hash="x") == bare
        assert await store.find_resource(ANN, content_hash="x") is None
        assert await store.segments(BOB, bare.id) == []
        with pytest.raises(InvalidInput):
            await store.find_resource(ANN)

    async def test_a_conversation_is_found_by_its_longest_run(self, store: Store) -> None:
        """Two messages in a row are enough, or all of the shorter one; the run begins at the first."""
        texts = ["hi", "how are you", "ok", "ok", "bye"]
        long = await converse(store, ANN, *texts)
        await converse(store, ANN, "hi", "how are you", "fine")
        short = await converse(store, ANN, "only")
        await converse(store, ANN, "hi", "how are you", "ok", "ok", url="conversation://1")
        await converse(store, ANN, "x", "y", modality="text")
        other = Scope(user="ann", session="s")
        await converse(store, other, *texts, "more")

        async def found(*said: str) -> str | None:
            match = await store.find_conversation(ANN, [f"hash of {text}" for text in said])
            return match.id if match else None

        assert await found(*texts, "new") == long.id
        assert await found("how are you", "ok", "ok", "new") == long.id
        assert await found("ok", "ok", "bye") == long.id
        assert await found("ok", "new") is None
        assert await found("new", *texts) is None
        assert await found("only", "new") == short.id
        assert await found("bye") == long.id
        assert await found("x", "y") is None
        assert await found() is None

    async def test_a_conversation_is_found_among_many_that_begin_alike(self, store: Store) -> None:
        """Repeated messages do not hide the right one."""
        for number in range(40):
            await converse(store, ANN, "ok", "ok", "ok", f"topic {number}", "ok")
        wanted = await converse(store, ANN, *["ok"] * 300, "topic", "ok")
        hashes = [f"hash of {text}" for text in (*["ok"] * 300, "topic", "new")]

        assert (await store.find_conversation(ANN, hashes)) == wanted
        alike = await store.find_conversation(
            ANN, [f"hash of {text}" for text in ("ok", "ok", "ok", "topic 7", "x")]
        )
        assert alike is not None
        assert (await store.segments(ANN, alike.id))[3].text == "topic 7"
        assert await store.find_conversation(ANN, ["hash of nothing"]) is None
        assert await store.find_conversation(ANN, ["hash of topic 7", "hash of nothing"]) is None
        for number in range(20):
            await converse(store, ANN, "one", f"other {number}")
        assert await store.find_conversation(ANN, ["hash of one", "hash of nothing"]) is None

    async def test_links_are_read_from_both_ends(self, store: Store) -> None:
        """By kind, and with attributes only between records of the scope."""
        agent = Scope(user="ann", agent="a")
        one, two = stored(ANN, "one"), stored(agent, "two")
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        likes = Link(source_id=one.item.id, target_id=two.item.id, kind="likes", score=0.5)
        await keep(store, ANN, one, two, links=(likes, in_category(two, topic)))

        assert [link.score for link in await store.links(ANN, [one.item.id], kind="likes")] == [0.5]
        assert [x.source_id for x in await store.links(ANN, [two.item.id], direction="in")] == [one.item.id]
        assert await store.links(ANN, [two.item.id], kind="likes") == []
        assert await store.links(agent, [one.item.id]) == []
        assert [x.kind for x in await store.links(agent, [two.item.id, topic.id])] == [IN_CATEGORY]
        assert await store.links(BOB, [one.item.id, two.item.id, topic.id], direction="in") == []
