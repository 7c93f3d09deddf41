"""What a store must keep of its change log, of indexes, of erasing, and of work across scopes."""

import math
from datetime import timedelta

import numpy as np
import pytest

from memu_py.errors import EmbedderMismatch, InvalidInput, NotFound
from memu_py.records.batch import Reinforcement, StoredItem, Supersession
from memu_py.records.item import Emotion
from memu_py.records.link import Link
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.storage.store import Store
from memu_py.storage.upkeep import Fingerprint
from memu_py.testing.store_samples import (
    ANN,
    BOB,
    DIMENSION,
    NOW,
    batch,
    category,
    converse,
    in_category,
    index_rows,
    keep,
    resource,
    reworded,
    segment,
    source,
    stored,
    vector,
)
from memu_py.testing.store_suite_models import USED

LATER = NOW + timedelta(days=1)
SESSION = Scope(user="ann", session="s")
FINGERPRINT = Fingerprint(embedder="sample", dimension=DIMENSION, tokenizer="words")


def micros(days: int) -> int:
    """Return microseconds since 1970 of a day after the samples' own."""
    return round((NOW + timedelta(days=days)).timestamp()) * 1_000_000


class LogSuite:
    """History, freshness, erasure, maintenance."""

    async def test_history_says_what_happened(self, store: Store) -> None:
        """Ids for what was made, changed fields, the whole record at its end; and who did it."""
        known = (await keep(store, ANN, stored(ANN, "tea", metadata={"k": 1}))).added[0]
        await store.touch(ANN, {known.id: [NOW]})
        after = await store.update_item(ANN, known.evolve(importance=5), actor="ann")
        reworked = reworded(after, "coffee")
        await store.update_item(ANN, reworked, reindex=StoredItem(item=reworked, vector=vector(), tokens=()))
        await store.delete_items(ANN, [known.id], actor="cleaner")
        made, weighed, worded, gone = await store.history(ANN, known.id)

        assert (made.op, made.kind, made.actor, made.before, made.after) == (
            "create",
            "item",
            "memorize",
            None,
            None,
        )
        assert (weighed.op, weighed.actor) == ("update", "ann")
        assert (weighed.before, weighed.after) == ({"importance": None}, {"importance": 5.0})
        assert worded.after is not None
        assert worded.after["text"] == "coffee"
        assert (gone.op, gone.actor, gone.after) == ("delete", "cleaner", None)
        assert gone.before is not None
        assert (gone.before["text"], gone.before["metadata"]) == ("coffee", {"k": 1})
        assert not {"access_count", "last_accessed_at", "vector", "tokens"} & gone.before.keys()
        assert made.seq < weighed.seq < worded.seq < gone.seq
        assert await store.history(BOB, known.id) == []
        assert await store.history(SESSION, known.id) == []

    async def test_history_covers_every_kind_of_record(self, store: Store) -> None:
        """Resources, categories and links too; a change that changes nothing is not told."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        came = await converse(store, SESSION, "a")
        member = stored(SESSION, "tea")
        await keep(store, SESSION, member, links=(in_category(member, topic),))
        await store.update_resource(SESSION, came.evolve(title="Talk"))
        current = (await store.categories.get(ANN, [topic.id]))[topic.id]
        topic = await store.summarize(ANN, current, "Tea.")
        await store.update_category(ANN, topic)
        link = Link(source_id=member.item.id, target_id=topic.id, kind="category", score=0.5)
        await store.link(SESSION, [link])
        await store.unlink(SESSION, [link])
        await store.delete_resources(SESSION, [came.id])
        await store.delete_categories(ANN, [topic.id])

        def ops(history: list[str]) -> str:
            return " ".join(history)

        assert ops([one.op for one in await store.history(SESSION, came.id)]) == "create update delete"
        told = await store.history(SESSION, topic.id)
        assert ops([one.op for one in told]) == "create update delete"
        assert (told[1].before, told[1].after) == ({"summary": ""}, {"summary": "Tea."})
        of_link = await store.history(SESSION, f"{member.item.id}>{topic.id}:category")
        assert ops([one.op for one in of_link]) == "create update delete"
        assert of_link[1].after == {"score": 0.5}

    async def test_readers_catch_up_from_the_log(self, store: Store) -> None:
        """Every change of an item since a position, of this partition only."""
        assert await store.changed_items(ANN, 0) == ([], 0)
        first, second = (await keep(store, ANN, stored(ANN, "one"), stored(SESSION, "two"))).added
        seq = await store.seq(ANN)
        assert await store.changed_items(ANN, 0) == ([first.id, second.id], seq)
        await keep(store, BOB, stored(BOB, "bob"))
        assert await store.changed_items(ANN, seq) == ([], seq)
        await store.commit(ANN, batch(reinforcements=(Reinforcement(item_id=second.id, at=NOW),)))
        await store.delete_items(ANN, [first.id])
        await store.touch(ANN, {second.id: [NOW]})

        assert await store.changed_items(SESSION, seq) == ([second.id, first.id], await store.seq(ANN))

    async def test_the_stamp_is_another_one_after_each_commit(self, store: Store) -> None:
        """And the same as long as nobody writes; a store may have none."""
        seen = [store.stamp(), store.stamp()]
        one = (await keep(store, ANN, stored(ANN, "one"))).added[0]
        seen.append(store.stamp())
        await store.items.get(ANN, [one.id])
        seen.append(store.stamp())
        await store.touch(ANN, {one.id: [NOW]})
        seen.append(store.stamp())

        first, same, kept, read, touched = seen
        if first is not None:
            assert first == same
            assert kept == read
            assert len({first, kept, touched}) == 3

    async def test_index_rows_hold_what_an_index_needs(self, store: Store) -> None:
        """In order of id; ages start where the kind of item says."""
        a, b = resource(ANN, id="a"), resource(ANN, id="b")
        span = TimeSpan(start=NOW - timedelta(days=9), until=NOW, precision="range", words="long ago")
        event = stored(
            ANN, "event", type="event", happened=span, said_at=NOW, sources=(source(b, 2),), importance=7
        )
        fact = stored(ANN, "fact", happened=span, said_at=LATER, sources=(source(a, 5),))
        by_hand = stored(SESSION, "by hand", mentions=2, emotion=Emotion(valence=0, arousal=0.5))
        first = stored(ANN, "first", sources=(source(a, 1), source(b, 9)))
        await keep(store, ANN, resource=b)
        await keep(store, ANN, event, fact, by_hand, first, resource=a)
        await keep(store, BOB, stored(BOB, "bob"))
        said = Reinforcement(item_id=first.item.id, at=NOW + timedelta(days=3))
        end = Supersession(item_id=event.item.id, at=NOW)
        await store.commit(ANN, batch(reinforcements=(said,), supersessions=(end,)))
        await store.touch(ANN, {fact.item.id: [NOW] * 4})
        rows = await index_rows(store, SESSION)

        assert [row.id for row in rows] == [one.item.id for one in (event, fact, by_hand, first)]
        assert [(row.resource_id, row.ordinal) for row in rows] == [("b", 2), ("a", 5), (None, 0), ("a", 1)]
        assert [row.clock for row in rows] == [micros(-9), micros(1), micros(0), micros(3)]
        assert [row.ended for row in rows] == [True, False, False, False]
        assert [row.mentions for row in rows] == [1, 1, 2, 2]
        assert [row.access_count for row in rows] == [1, 5, 1, 1]
        assert [row.arousal for row in rows] == [0, 0, 0.5, 0]
        assert rows[0].importance == 7
        assert math.isnan(rows[1].importance)
        assert [row.tokens for row in rows] == [("event",), ("fact",), ("by", "hand"), ("first",)]
        assert [row.happened_at for row in rows] == [micros(-9), micros(-9), None, None]
        assert np.array_equal(rows[3].vector, first.vector)
        assert rows[3].vector.dtype == np.float32
        assert [row.id for row in await index_rows(store, ANN, [fact.item.id, "gone"])] == [fact.item.id]
        assert await store.index_rows(BOB, [fact.item.id]) == []

    async def test_index_rows_tell_who_said_it_and_whether_it_asks(self, store: Store) -> None:
        """In any script, also before white space."""
        texts = {"You?\n": True, "你呢？": True, "Why? Because.": False, "?": True, "": False}
        for text in texts:
            await keep(store, ANN, stored(ANN, text, speaker="Ann" if text else None))
        rows = await index_rows(store, ANN)

        assert [row.asks for row in rows] == list(texts.values())
        assert [row.speaker for row in rows] == ["Ann"] * 4 + [None]

    async def test_vectors_come_by_id(self, store: Store) -> None:
        """Of the scope's own items."""
        one = stored(ANN, "one")
        await keep(store, ANN, one)
        found = await store.vectors(ANN, [one.item.id, "gone"])
        assert found.keys() == {one.item.id}
        assert np.array_equal(found[one.item.id], one.vector)
        assert await store.vectors(SESSION, [one.item.id]) == {}

    async def test_the_cache_is_a_partitions_own(self, store: Store) -> None:
        """A known key gets the new vector."""
        await store.cache.save(ANN, {b"\0k": vector(1, 2), b"other": vector(3, 4)})
        await store.cache.save(SESSION, {b"\0k": vector(5, 6)})
        await store.cache.save(ANN, {})
        found = await store.cache.load(ANN, [b"\0k", b"missing"])

        assert {key: value.tolist() for key, value in found.items()} == {b"\0k": [5, 6]}
        assert await store.cache.load(BOB, [b"\0k"]) == {}

    async def test_clearing_a_partition_leaves_nothing_of_it(self, store: Store) -> None:
        """Others keep theirs; the service can memorize into it again at once."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        member = stored(SESSION, "tea")
        came = resource(ANN, blob="b")
        await keep(store, ANN, member, resource=came, links=(in_category(member, topic),), run_id="run")
        await store.update_item(ANN, member.item.evolve(importance=1))
        await store.cache.save(ANN, {b"k": vector(1, 2)})
        await store.answers.save(ANN, b"k", "she likes tea")
        await store.answers.save(BOB, b"k", "he does not")
        await store.usage.add(ANN, [USED])
        his = (
            await keep(store, BOB, stored(BOB, "his"), resource=resource(BOB, blob="b"), run_id="run")
        ).added[0]
        seq = await store.seq(ANN)

        assert await store.clear(ANN, actor="eraser") == ["b"]
        assert await store.items.count(ANN) == await store.categories.count(ANN) == 0
        assert await store.resources.count(ANN) == 0
        assert await store.cache.load(ANN, [b"k"]) == {}
        assert await store.answers.load(ANN, b"k") is None
        assert await store.answers.load(BOB, b"k") == "he does not"
        assert await store.usage.since(ANN, USED.day) == []
        assert await store.find_run(ANN, "run") is None
        assert await store.history(ANN, member.item.id) == []
        assert await store.changed_items(ANN, seq) is None
        (trace,) = await store.history(ANN, "*")
        assert (trace.op, trace.actor, trace.before, trace.after) == ("delete", "eraser", None, None)
        assert await store.items.get(BOB, [his.id]) == {his.id: his}
        assert await store.find_run(BOB, "run") is not None
        assert await store.clear(ANN) == []
        again = await keep(store, ANN, stored(ANN, "tea"), resource=came.evolve(), run_id="run")
        assert len(again.added) == 1
        assert await store.changed_items(ANN, trace.seq) == ([again.added[0].id], again.seq)
        assert await store.maintenance.integrity() == []

    async def test_clearing_a_session_leaves_the_rest(self, store: Store) -> None:
        """Its text is gone from history and summaries too."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        mine, shared = resource(SESSION), resource(ANN)
        kept = stored(ANN, "kept", sources=(source(mine, 0), source(shared, 0)))
        secret = stored(SESSION, "secret", sources=(source(mine, 1),))
        both = (in_category(kept, topic), in_category(secret, topic))
        two = (segment(0, "kept"), segment(1, "secret"))
        await keep(store, SESSION, resource=mine, segments=two)
        await keep(store, ANN, kept, secret, resource=shared, segments=two, links=both)
        current = (await store.categories.get(ANN, [topic.id]))[topic.id]
        await store.summarize(ANN, current, "A secret.")
        await store.update_item(ANN, secret.item.evolve(metadata={"x": "secret"}))
        await store.answers.save(SESSION, b"k", "a secret")
        await store.usage.add(SESSION, [USED])
        seq = await store.seq(ANN)

        assert await store.clear(SESSION) == [mine.blob]
        assert await store.answers.load(ANN, b"k") is None
        assert await store.usage.since(ANN, USED.day) == [USED]
        left = (await store.items.get(ANN, [kept.item.id, secret.item.id])).values()
        assert [one.sources for one in left] == [(source(shared, 0),)]
        after = (await store.categories.get(ANN, [topic.id]))[topic.id]
        assert (after.summary, after.stale, after.item_count) == ("", True, 1)
        told = [*await store.history(ANN, secret.item.id), *await store.history(ANN, topic.id)]
        assert [one.op for one in told] == ["create", "update", "delete", "create", "update"]
        assert {(one.before, one.after) for one in told} == {(None, None)}
        changed = await store.changed_items(ANN, seq)
        assert changed is not None
        assert set(changed[0]) == {kept.item.id, secret.item.id}
        assert await store.clear(SESSION) == []
        assert await store.maintenance.integrity() == []

    async def test_a_store_knows_what_filled_it(self, store: Store) -> None:
        """Another embedder is refused until a reindex, which has every reader start again."""
        maintenance = store.maintenance
        assert await maintenance.fingerprint() is None
        await maintenance.set_fingerprint(FINGERPRINT)
        await maintenance.set_fingerprint(FINGERPRINT)
        assert await maintenance.fingerprint() == FINGERPRINT
        other = Fingerprint(embedder="other", dimension=2, tokenizer="words")
        with pytest.raises(EmbedderMismatch, match="reindex"):
            await maintenance.set_fingerprint(other)
        one = stored(ANN, "one")
        await keep(store, ANN, one)
        with pytest.raises(EmbedderMismatch, match="4"):
            await keep(store, ANN, stored(ANN, "two").evolve(vector=vector(1, 0)))
        await store.cache.save(ANN, {b"k": vector(1, 2)})
        seq = await store.seq(ANN)
        await maintenance.begin_reindex(other)
        begun = await maintenance.fingerprint()
        assert begun is not None
        assert begun not in (FINGERPRINT, other)
        await maintenance.replace_vectors([one.evolve(vector=vector(1, 0), tokens=("new",))])
        await maintenance.finish_reindex(other)

        assert await maintenance.fingerprint() == other
        assert await store.cache.load(ANN, [b"k"]) == {}
        assert await store.changed_items(ANN, seq) is None
        after = await store.seq(ANN)
        assert after > seq
        assert await store.changed_items(ANN, after) == ([], after)
        (row,) = await index_rows(store, ANN)
        assert (row.vector.tolist(), row.tokens) == ([1, 0], ("new",))
        assert await maintenance.integrity() == []

    async def test_items_of_all_partitions_are_scanned_once(self, store: Store) -> None:
        """Also where two partitions hold one id at the end of a page."""
        for scope in (ANN, BOB):
            await keep(
                store, scope, *(stored(scope, f"item {number}", id=f"id-{number}") for number in range(3))
            )
        found, after = [], None
        while page := await store.maintenance.scan_items(after, 1):
            found += [(one.id, one.scope.user) for one in page]
            after = page[-1].id

        assert sorted(found) == [(f"id-{number}", user) for number in range(3) for user in ("ann", "bob")]
        assert len(await store.maintenance.scan_items(None, 100)) == 6
        with pytest.raises(InvalidInput):
            await store.maintenance.scan_items(None, 0)
        with pytest.raises(NotFound, match="gone"):
            await store.maintenance.replace_vectors([stored(ANN, "x", id="gone")])

    async def test_blobs_and_sizes_are_told(self, store: Store) -> None:
        """For sweeping and for `doctor`."""
        await converse(store, ANN, "a", blob="one")
        await converse(store, BOB, "b", "c", blob="two")
        assert await store.maintenance.blob_keys() == {"one", "two"}
        stats = await store.maintenance.stats()
        assert (stats["resources"], stats["segments"], stats["items"]) == (2, 3, 0)
        assert stats["bytes"] > 0
        assert await store.maintenance.integrity() == []

    async def test_a_segment_left_pending_is_told(self, store: Store) -> None:
        """A complete resource has no open segments, and a source its segment."""
        came = resource(ANN)
        pending = segment(0, "a", outcome="pending")
        fact = stored(ANN, "tea", sources=(source(came, 7),))
        await keep(store, ANN, fact, resource=came, segments=(pending,))
        faults = await store.maintenance.integrity()

        assert len(faults) == 2
        assert f"resources: {came.id} is complete, but 1 segments are pending" in faults
        assert any("segment 7" in fault for fault in faults)
