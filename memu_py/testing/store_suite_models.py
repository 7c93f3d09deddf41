"""The store's contract for what models gave and what they cost; a part of `StoreSuite`."""

from datetime import timedelta

from memu_py.records.scope import Scope
from memu_py.records.usage import Usage, UsageRow
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW

SESSION = Scope(user="ann", session="s")
TODAY = NOW.date()
USED = UsageRow(
    day=TODAY,
    profile="default",
    purpose="extract_entities",
    usage=Usage(chat_calls=2, repaired_calls=1, prompt_tokens=30, completion_tokens=12),
)


class ModelSuite:
    """Answers and usage are a partition's own."""

    async def test_an_answer_is_a_partitions_own(self, store: Store) -> None:
        """A known key gets the new text."""
        await store.answers.save(ANN, b"\0k", "old")
        await store.answers.save(ANN, b"other", "other")
        await store.answers.save(SESSION, b"\0k", "new 我 \0")

        assert await store.answers.load(ANN, b"\0k") == "new 我 \ufffd"
        assert await store.answers.load(ANN, b"other") == "other"
        assert await store.answers.load(ANN, b"missing") is None
        assert await store.answers.load(BOB, b"\0k") is None

    async def test_usage_grows_by_day_profile_and_purpose(self, store: Store) -> None:
        """Several rows at once, the newest day first."""
        yesterday = USED.evolve(day=TODAY - timedelta(days=1))
        other = USED.evolve(purpose="update_categories", usage=Usage(cached_calls=1, estimated_calls=1))
        await store.usage.add(ANN, [USED, yesterday, other])
        await store.usage.add(SESSION, [USED, other])
        await store.usage.add(ANN, [])
        await store.usage.add(BOB, [USED.evolve(profile="cheap")])

        twice = USED.evolve(usage=USED.usage + USED.usage)
        assert await store.usage.since(ANN, TODAY - timedelta(days=1)) == [
            twice,
            other.evolve(usage=other.usage + other.usage),
            yesterday,
        ]
        assert (await store.usage.since(ANN, TODAY))[0].usage.chat_calls == 4
        assert [row.profile for row in await store.usage.since(BOB, TODAY)] == ["cheap"]
        assert await store.usage.tokens(ANN, TODAY) == 84
        assert await store.usage.tokens(ANN, TODAY + timedelta(days=1)) == 0
        assert await store.usage.tokens(BOB, TODAY) == 42
