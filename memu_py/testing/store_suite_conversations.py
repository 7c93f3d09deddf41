"""The store's contract for conversations and blocks; a part of `StoreSuite`."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

import pytest

from memu_py.errors import Conflict, NotFound
from memu_py.records.conversation import Conversation, Kept, Line, RunningSummary
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, batch, block, resource, segment, source, stored

LATER = timedelta(days=3650)


def kept(one: Conversation) -> Kept:
    """Return a conversation as a memorize has read it."""
    return Kept(id=one.id, key=one.key, version=one.version)


async def marks(store: Store, scope: Scope, name: str) -> Mapping[str, bool]:
    """Return which messages are memorized, by id."""
    whole = await store.conversations.read_whole(scope, name)
    return {one.id: one.memorized_at is not None for one in whole.messages} if whole else {}


class ConversationSuite:
    """Messages are kept in order, marked once, and nobody else's."""

    async def test_messages_come_in_order_and_are_counted(self, store: Store) -> None:
        """One with an id of its own is added once."""
        talks = store.conversations
        await talks.add(ANN, "c", ["你好\0", {"content": "b", "id": 7}])
        await talks.add(ANN, "c", [{"content": "b again", "id": "7"}, {"content": "c", "id": "8"}])
        whole = await talks.read_whole(ANN, "c")
        assert whole is not None
        assert [one.ordinal for one in whole.messages] == [0, 1, 2]
        assert [one.id for one in whole.messages[1:]] == ["7", "8"]
        assert whole.messages[0].entry == "你好\0"
        assert (whole.conversation.messages, whole.conversation.unread, whole.conversation.waiting) == (
            3,
            3,
            3,
        )
        tail = await talks.read_whole(ANN, "c", first=2)
        assert tail is not None and [one.id for one in tail.messages] == ["8"]
        same = await talks.add(ANN, "c", [{"content": "b", "id": "7"}])
        assert same == whole.conversation

    async def test_a_conversation_is_a_partitions_own(self, store: Store) -> None:
        """The same id and session of another user is another conversation."""
        talks = store.conversations
        for who in (ANN, BOB):
            await talks.add(who.evolve(session="s"), "c", [f"I am {who.user}"])
        for who in (ANN, BOB):
            whole = await talks.read_whole(who.evolve(session="s"), "c")
            assert whole is not None and [one.entry for one in whole.messages] == [f"I am {who.user}"]
            assert whole.conversation.scope == who.evolve(session="s")
        assert await talks.delete(ANN, "c")
        assert await talks.get(BOB, "c") is not None
        assert await talks.get(BOB, "c\0") is None

    async def test_many_add_at_once_and_all_messages_stay(self, store: Store) -> None:
        """Each has an ordinal of its own."""
        await asyncio.gather(*(store.conversations.add(ANN, "c", [f"message {n}"]) for n in range(12)))
        whole = await store.conversations.read_whole(ANN, "c")
        assert whole is not None
        assert [one.ordinal for one in whole.messages] == list(range(12))
        assert len({str(one.entry) for one in whole.messages}) == 12

    async def test_a_conversation_is_its_agents(self, store: Store) -> None:
        """And its custom keys'; in whatever session, and whoever names none of them may add to it."""
        talks = store.conversations
        cook = ANN.evolve(agent="cook", custom=(("topic", "x"),))
        await talks.add(cook.evolve(session="s"), "c", ["a"])
        for who in (ANN, cook, cook.evolve(session="t"), ANN.evolve(agent="guide", granted=("cook",))):
            same = await talks.add(who, "c", ["b"])
            assert same.scope == cook.evolve(session="s")
        for who in (ANN.evolve(agent="guide"), cook.evolve(custom=(("topic", "y"),))):
            for version in (None, 0, 5):
                with pytest.raises(NotFound, match="another agent's"):
                    await talks.add(who, "c", ["c"], version=version)
        granted = await talks.add(ANN.evolve(agent="guide", granted=("cook",)), "d", ["a"])
        assert (granted.scope.agent, granted.scope.granted) == ("guide", ())
        await talks.add(ANN, "e", ["a"])
        with pytest.raises(NotFound):
            await talks.add(cook, "e", ["b"])

    async def test_any_number_may_be_left_out_of_what_is_marked(self, store: Store) -> None:
        """More than a statement can name."""
        talks = store.conversations
        read = await talks.add(ANN, "c", [{"content": "a", "id": str(n)} for n in range(1200)])
        failed = [str(n) for n in range(1, 70_000)]
        assert await talks.mark(ANN, kept(read), failed)
        assert [name for name, marked in (await marks(store, ANN, "c")).items() if marked] == ["0"]
        assert await talks.mark(ANN, kept(read), failed[1200:])
        assert all((await marks(store, ANN, "c")).values())

    async def test_who_has_compared_writes_over_what_was_compared(self, store: Store) -> None:
        """Else it is a conflict; an edit takes the mark back."""
        talks = store.conversations
        first = await talks.add(ANN, "c", [{"content": "a", "id": "1"}], version=0)
        with pytest.raises(Conflict):
            await talks.add(ANN, "c", ["b"], version=0)
        assert await talks.mark(ANN, kept(first))
        edited = await talks.add(ANN, "c", [], edits={"1": {"content": "A", "id": "1"}}, version=1)
        assert (edited.memorized, edited.waiting, edited.version) == (0, 1, 2)
        assert await talks.mark(ANN, kept(first))
        assert await marks(store, ANN, "c") == {"1": False}
        twin = await talks.add(ANN, "c", [{"content": "another", "id": "1"}], version=2)
        assert twin.messages == 2

    async def test_messages_are_marked_as_far_as_they_were_read(self, store: Store) -> None:
        """Not those that failed, nor those that came since; and never those of a conversation begun again."""
        talks = store.conversations
        read = await talks.add(ANN, "c", [{"content": "a", "id": "1"}, {"content": "b", "id": "2"}])
        await talks.add(ANN, "c", [{"content": "c", "id": "3"}])
        await talks.ask(ANN, kept(read))
        assert await talks.mark(ANN, kept(read), ["2"])
        assert await marks(store, ANN, "c") == {"1": True, "2": False, "3": False}
        found = await talks.get(ANN, "c")
        assert found is not None and (found.memorized, found.waiting) == (1, 1)
        assert await talks.delete(ANN, "c") and not await talks.delete(ANN, "c")
        assert not await talks.mark(ANN, kept(read))
        await talks.add(ANN, "c", ["anew"])
        assert not await talks.mark(ANN, kept(read))
        await talks.ask(ANN, kept(read))
        again = await talks.get(ANN, "c")
        assert again is not None and (again.waiting, again.memorized) == (1, 0)

    async def test_the_transaction_that_memorizes_marks(self, store: Store) -> None:
        """All or nothing: of a conversation that is gone nothing is written."""
        talks = store.conversations
        read = await talks.add(ANN, "c", [{"content": "a", "id": "1"}, {"content": "b", "id": "2"}])
        failed = segment(1, "b", outcome="failed", metadata={"id": "2"})
        done = segment(0, "a", metadata={"id": "1"})
        made = resource(ANN, url="conversation://c")
        await store.commit(ANN, batch(resource=made, segments=(done, failed), kept=kept(read)))
        assert await marks(store, ANN, "c") == {"1": True, "2": False}
        await talks.delete(ANN, "c")
        lost = resource(ANN)
        with pytest.raises(Conflict, match="deleted"):
            await store.commit(ANN, batch(resource=lost, segments=(done,), kept=kept(read)))
        assert await store.resources.get(ANN, [lost.id]) == {}

    async def test_what_waits_is_found_across_partitions(self, store: Store) -> None:
        """Until somebody has asked for it."""
        talks = store.conversations
        for who in (ANN, BOB):
            await talks.add(who.evolve(session="s"), "c", ["x"])
        first = await talks.get(ANN, "c")
        assert first is not None
        assert await talks.waiting(first.last_at - LATER) == []
        found = await talks.waiting(first.last_at + LATER)
        assert sorted(found, key=repr) == [(ANN, "c"), (BOB, "c")]
        await talks.ask(ANN, kept(first))
        assert await talks.waiting(first.last_at + LATER) == [(BOB, "c")]

    async def test_they_are_paged_narrowed_closed_and_counted_by_session(self, store: Store) -> None:
        """Where no session is named, each has one of its own."""
        talks = store.conversations
        for name, session in (("a", "s1"), ("b", "s1"), ("c", None)):
            await talks.add(ANN.evolve(session=session), name, ["x", "y"])
        page = await talks.page(ANN, Query(order="id", limit=2))
        assert [one.id for one in page] == ["a", "b"]
        rest = await talks.page(ANN, Query(order="id", limit=2, cursor=page.next_cursor))
        assert [one.id for one in rest] == ["c"] and rest[0].scope.session
        counted = {one.session: (one.conversations, one.messages) for one in await talks.sessions(ANN)}
        assert counted == {"s1": (2, 4), rest[0].scope.session: (1, 2)}
        narrow = ANN.evolve(session="s1")
        assert await talks.get(narrow, "c") is None
        assert await talks.get(narrow.writer, "c") is not None
        assert await talks.close_one(narrow, "c") is None
        closed = await talks.close_one(narrow, "a")
        assert closed is not None and closed.status == "closed"
        assert await talks.close_one(narrow, "a") == closed
        shut = await talks.page(ANN, Query(where={"closed_at": {"exists": True}}))
        assert [one.id for one in shut] == ["a"]
        assert (await talks.add(ANN, "a", ["z"])).status == "open"
        await store.clear(narrow)
        assert [one.id for one in await talks.page(ANN, Query())] == ["c"]
        await store.clear(ANN)
        assert await talks.sessions(ANN) == []

    async def test_a_summary_is_kept_until_what_it_tells_is_edited(self, store: Store) -> None:
        """One that tells of less does not take its place."""
        talks = store.conversations
        read = await talks.add(ANN, "c", [{"content": str(n), "id": str(n)} for n in range(4)])
        told = RunningSummary(
            lines=(Line(ordinals=(0, 1), speaker="user", text="零和一"),),
            through=2,
            version=read.version,
            by="extract",
            made_at=NOW,
        )
        assert await talks.keep_summary(ANN, kept(read), told)
        assert await talks.summary(ANN, "c") == told
        assert await talks.summary(BOB, "c") is None
        assert not await talks.keep_summary(ANN, kept(read), told.evolve(through=1))
        await talks.add(ANN, "c", [], edits={"3": {"content": "drei", "id": "3"}}, version=1)
        assert await talks.summary(ANN, "c") == told
        await talks.add(ANN, "c", [], edits={"1": {"content": "eins", "id": "1"}}, version=2)
        assert await talks.summary(ANN, "c") is None
        await talks.delete(ANN, "c")
        assert not await talks.keep_summary(ANN, kept(read), told)

    async def test_a_source_is_forgotten_and_what_was_found_in_it_stays(self, store: Store) -> None:
        """It is where the item was found, and says nothing any more."""
        made = resource(ANN, url="conversation://c", title="I like tea", metadata={"k": "v"})
        tea = stored(ANN, "tea", sources=(source(made, 0),))
        await store.commit(ANN, batch(resource=made, segments=(segment(0, "I like tea"),), items=(tea,)))
        assert await store.forget_source(BOB, made.id, title="c", reason="deleted") == []
        assert await store.forget_source(ANN, made.id, title="c", reason="deleted") == [made.blob]
        assert await store.forget_source(ANN, made.id, title="c", reason="deleted") == []
        left = (await store.resources.get(ANN, [made.id]))[made.id]
        assert (left.status, left.title, left.url, left.blob, left.metadata) == ("gone", "c", None, "", {})
        assert await store.segments(ANN, made.id) == []
        (item,) = (await store.items.get(ANN, [tea.item.id])).values()
        assert item.sources == tuple(one.evolve(own=False) for one in tea.item.sources)
        assert await store.find_resource(ANN, url="conversation://c") is None
        assert await store.maintenance.integrity() == []
        assert await store.maintenance.blob_keys() == set()
        bare = resource(ANN)
        await store.commit(ANN, batch(resource=bare, segments=(segment(0, "x"),)))
        assert await store.forget_source(ANN, bare.id, title="", reason="deleted") == [bare.blob]
        assert await store.resources.get(ANN, [bare.id]) == {}
        assert await store.delete_resources(ANN, [made.id]) == []


class BlockSuite:
    """Blocks change by compare-and-swap, each change in the log."""

    async def test_a_block_is_written_over_what_was_read(self, store: Store) -> None:
        """Its history says who did what."""
        made = await store.blocks.write(ANN, block(ANN, "persona", text="一"), actor="person")
        bots = await store.blocks.write(
            ANN, block(ANN.evolve(agent="bot"), "persona", shared_with=("b",)), actor="agent bot"
        )
        assert list(await store.blocks.all(ANN)) == [made, bots]
        assert list(await store.blocks.all(BOB)) == []
        with pytest.raises(Conflict):
            await store.blocks.write(ANN, block(ANN, "persona"), actor="person")
        changed = await store.blocks.write(ANN, made.evolve(text="二"), actor="agent bot")
        assert (changed.version, changed.text) == (2, "二")
        with pytest.raises(Conflict):
            await store.blocks.write(ANN, made.evolve(text="三"), actor="person")
        with pytest.raises(Conflict):
            await store.blocks.delete(ANN, made, actor="person")
        await store.blocks.delete(ANN, changed, actor="person")
        with pytest.raises(Conflict):
            await store.blocks.write(ANN, changed, actor="person")
        log = await store.history(ANN, made.id)
        assert [(one.op, one.actor) for one in log] == [
            ("create", "person"),
            ("update", "person"),
            ("update", "agent bot"),
            ("delete", "person"),
        ]
        assert log[2].before == {"text": "一"} and log[2].after == {"text": "二"}
        await store.clear(ANN.evolve(session="s"))
        assert len(await store.blocks.all(ANN)) == 1
        await store.blocks.write(ANN, block(ANN, "other"), actor="person")
        await store.clear(ANN.evolve(agent="bot"))
        assert [one.name for one in await store.blocks.all(ANN)] == ["other"]
        await store.clear(ANN)
        assert list(await store.blocks.all(ANN)) == []
