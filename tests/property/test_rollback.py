"""Whatever happened: a rollback gives the state of then, and a rollback of the rollback the state before it."""

import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memu_py import MemoryService
from memu_py.errors import Conflict
from memu_py.records.item import Item
from memu_py.records.plain import plain
from memu_py.testing.embedder import HashingEmbedder
from memu_py.workflow.registry import Registry

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
UNTOLD = {"version", "updated_at", "access_count", "last_accessed_at", "stale", "item_count"}
"""What a rollback does not bring back: counters of changes and reads, and what follows from others."""
WORDS = ("tea", "coffee", "cello", "boat", "Lisbon", "咖啡", "自行车", "C++")
CONFIG = {
    "database": {"backend": "memory"},
    "embedding": {"backend": "words"},
    "plugins": [__name__],
    "jobs": {"workers": 0},
}


def register(registry: Registry) -> None:
    """Make this module a plug-in with an embedder that needs no model."""
    registry.add("embedder", "words", lambda settings: HashingEmbedder())


class Life:
    """Random changes of one memory by hand."""

    def __init__(self, service: MemoryService, rng: random.Random) -> None:
        self._mine = service.for_user("ann")
        self._rng = rng

    async def change(self) -> None:
        """Do something; what cannot be done now is not done."""
        things: list[Callable[[], Awaitable[None]]] = [
            *(self._create,) * 3,
            *(self._reword, self._weigh, self._end, self._delete, self._chat),
            *(self._topic, self._summarize, self._rename, self._drop_topic, self._link, self._unlink),
        ]
        try:
            await self._rng.choice(things)()
        except (Conflict, IndexError):
            return

    def _text(self) -> str:
        return " ".join(self._rng.choices(WORDS, k=2))

    async def _item(self) -> Item:
        return self._rng.choice((await self._mine.list_items(superseded=True)).records)

    async def _create(self) -> None:
        await self._mine.create_item(
            {"text": self._text(), "entities": [self._rng.choice(WORDS)]}, dedupe="exact"
        )

    async def _reword(self) -> None:
        changes = {
            "text": self._text(),
            "metadata": {"n": self._rng.random()},
            "entities": [self._rng.choice(WORDS)],
        }
        await self._mine.update_item((await self._item()).id, changes)

    async def _weigh(self) -> None:
        feeling = {"valence": -0.5, "arousal": 0.5, "label": "sad"}
        await self._mine.update_item(
            (await self._item()).id, {"importance": 5, "emotion": feeling, "said_at": NOW}
        )

    async def _end(self) -> None:
        await self._mine.update_item((await self._item()).id, {"valid_to": NOW})

    async def _delete(self) -> None:
        await self._mine.delete_item((await self._item()).id)

    async def _chat(self) -> None:
        said = {
            "role": "user",
            "name": "Ann",
            "content": f"I like {self._text()}.",
            "created_at": "2026-05-01",
        }
        await self._mine.memorize(messages=[said], resource_url=f"conversation://{self._rng.randint(0, 1)}")

    async def _category(self) -> Any:
        return self._rng.choice((await self._mine.list_categories()).records)

    async def _topic(self) -> None:
        await self._mine.create_category(self._rng.choice(WORDS), description=self._text())

    async def _summarize(self) -> None:
        await self._mine.update_category((await self._category()).id, {"summary": self._text()})

    async def _rename(self) -> None:
        await self._mine.update_category((await self._category()).id, {"name": self._text()})

    async def _drop_topic(self) -> None:
        await self._mine.delete_category((await self._category()).id)

    async def _link(self) -> None:
        item, topic = await self._item(), await self._category()
        await self._mine.link(item.id, topic.id, score=self._rng.choice((0.5, 1.0)))

    async def _unlink(self) -> None:
        item = await self._item()
        link = self._rng.choice(list(await self._mine.list_links(item.id)))
        await self._mine.unlink(link.source_id, link.target_id, kind=link.kind)

    async def seq(self) -> int:
        found = await self._mine.changes(limit=1)
        return found.records[0].seq if found.records else 0

    async def state(self) -> dict[str, Any]:
        """Return all that a rollback is about, as plain data."""
        items = (await self._mine.list_items(superseded=True, limit=1000)).records
        topics = (await self._mine.list_categories(limit=1000)).records
        links = [link for item in items for link in await self._mine.list_links(item.id)]
        told = {one.id: (plain(one), one.identity) for one in items} | {
            one.id: (plain(one), "") for one in topics
        }
        return {
            "records": {
                record_id: ({name: value for name, value in fields.items() if name not in UNTOLD}, identity)
                for record_id, (fields, identity) in told.items()
            },
            "links": sorted((link.source_id, link.target_id, link.kind, link.score) for link in links),
        }


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32))
async def test_back_and_forth_again(seed: int) -> None:
    rng = random.Random(seed)
    async with MemoryService(CONFIG) as service:
        life = Life(service, rng)
        states = [(await life.seq(), await life.state())]
        for _ in range(rng.randint(1, 25)):
            await life.change()
            states.append((await life.seq(), await life.state()))
        last = states[-1][1]
        for _ in range(2):
            seq, wanted = rng.choice(states)
            told = await service.rollback(seq, user="ann", dry_run=True)
            done = await service.rollback(seq, user="ann")
            assert await life.state() == wanted
            assert done.undone == told.undone
            assert await service.integrity() == []
            again = await service.rollback(done.from_seq, user="ann")
            assert again.to_seq == done.from_seq
            assert await life.state() == last
            assert await service.integrity() == []
            for item in (await service.list_items(user="ann")).records[:3]:
                found = await service.retrieve(item.text, user="ann", min_score=0, recall=["keyword"])
                assert item.text in {hit.record.text for hit in found.items}
