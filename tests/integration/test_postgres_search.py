"""Searching in PostgreSQL finds what an index of the whole partition finds, and never reads the partition."""

import contextlib
import datetime
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from service_kit import hashing
from sqlalchemy import Engine, event

from memu_py import MemoryService
from memu_py.records.batch import StoredItem
from memu_py.records.scope import Scope
from memu_py.service.results import RetrieveResult
from memu_py.steps import searched_view
from memu_py.storage import postgres_search
from memu_py.storage.factory import build_store
from memu_py.storage.search import Sight
from memu_py.storage.settings import StoreSettings
from memu_py.storage.upkeep import Fingerprint
from memu_py.testing.store_samples import ANN, BOB, keep, stored
from memu_py.workflow.registry import Registry

START = datetime.datetime(2026, 3, 1, 9, tzinfo=datetime.UTC)
TOPICS = ("cello", "bicycle", "Lisbon", "garden", "boat", "gpt-4", "C++", "咖啡", "tea", "chess")
VERBS = ("likes", "bought", "lost", "painted", "found", "sold", "rents", "fears")
QUESTIONS = [f"Who {verb} the {topic}?" for verb in VERBS[:4] for topic in TOPICS]


def register(registry: Registry) -> None:
    """Make this module a plug-in with an embedder that needs no model."""
    registry.add("embedder", "words", hashing)


def conversation(turns: int) -> list[dict[str, Any]]:
    rng = random.Random(7)
    return [
        {
            "role": "user",
            "name": rng.choice(("Ann", "Ben", "小明")),
            "content": f"{rng.choice(VERBS)} the {rng.choice(TOPICS)} number {number}, "
            + " ".join(rng.choices(TOPICS + VERBS, k=rng.randint(1, 6))),
            "created_at": (START + datetime.timedelta(hours=number)).isoformat(),
        }
        for number in range(turns)
    ]


def config(tmp_path: Path, database: dict[str, Any]) -> dict[str, Any]:
    return {
        "database": database,
        "blobs": {"root": str(tmp_path)},
        "embedding": {"backend": "words"},
        "plugins": [__name__],
    }


async def asked(settings: dict[str, Any], turns: int, **how: Any) -> list[RetrieveResult]:
    async with MemoryService(settings) as service:
        await service.memorize(messages=conversation(turns), user="ann")
        return [await service.retrieve(one, user="ann", now=START, **how) for one in QUESTIONS]


def texts(result: RetrieveResult, most: int) -> list[str]:
    return [hit.record.text for hit in result.items[:most]]


@pytest.mark.parametrize("around", [True, False])
async def test_what_is_on_top_is_what_an_index_in_memory_has_there(
    dsn: str, tmp_path: Path, around: bool
) -> None:
    here = await asked(config(tmp_path, {"backend": "memory"}), 120, around=around)
    there = await asked(config(tmp_path, {"backend": "postgres", "dsn": dsn}), 120, around=around)

    # Lengths are averaged, and sessions read, over what was found: a tie may fall the other way.
    same = [texts(one, 1) == texts(other, 1) for one, other in zip(here, there, strict=True)]
    assert sum(same) >= (0.95 if around else 1.0) * len(QUESTIONS)
    for question, one, other in zip(QUESTIONS, here, there, strict=True):
        assert set(texts(one, 5)) <= set(texts(other, 10)), question


def facts(scope: Scope, vectors: NDArray[np.float32]) -> list[StoredItem]:
    return [stored(scope, f"fact {n}").evolve(vector=one) for n, one in enumerate(vectors)]


async def test_the_index_over_vectors_finds_what_looking_at_all_finds(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = build_store(StoreSettings(backend="postgres", dsn=dsn))
    await store.open()
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(300, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    await store.maintenance.set_fingerprint(Fingerprint(embedder="tests", dimension=16, tokenizer="tests"))
    await keep(store, ANN, *facts(ANN, vectors[:200]))
    await keep(store, BOB, *facts(BOB, vectors[200:]))
    assert store.search is not None
    question = vectors[17]

    exact = await store.search.nearest(Sight(scope=ANN), question, 10)
    monkeypatch.setattr(postgres_search, "EXACT_BELOW", 0)
    near = await store.search.nearest(Sight(scope=ANN), question, 10)

    cosines = np.sort(vectors[:200] @ question)[::-1][:10]
    np.testing.assert_allclose([cosine for _, cosine in exact], cosines, atol=1e-5)
    assert len({one for one, _ in near} & {one for one, _ in exact}) >= 9
    assert near[0][0] == exact[0][0]
    await store.close()


async def test_words_are_found_only_in_what_may_be_found(shared_dsn: str) -> None:
    store = build_store(StoreSettings(backend="postgres", dsn=shared_dsn))
    await store.open()
    assert store.search is not None
    coach = ANN.evolve(agent="coach")
    rows = [
        stored(ANN, "tea one"),
        stored(coach, "tea two"),
        stored(ANN, "tea three"),
        stored(BOB, "tea four"),
    ]
    rows = [one.evolve(tokens=tuple(one.item.text.split())) for one in rows]
    await keep(store, ANN, *rows[:3])
    await keep(store, BOB, rows[3])
    one, two, three, _ = (row.item.id for row in rows)
    await store.update_item(ANN, rows[2].item.evolve(valid_to=START))
    common = {"tea": 3}

    async def found(sight: Sight, **terms: int) -> set[str]:
        assert store.search is not None
        return set((await store.search.holding(sight, terms or common, 100, placed=True)).ids)

    assert await found(Sight(scope=ANN)) == {one, two}
    assert await found(Sight(scope=coach)) == {two}
    assert await found(Sight(scope=ANN, where={"text": "tea two"})) == {two}
    assert await found(Sight(scope=ANN, hidden=(one,), shown=(three,))) == {two, three}
    assert await found(Sight(scope=ANN), one=1, two=1) == {one, two}
    few = await store.search.holding(Sight(scope=ANN), {"one": 1, "tea": 3}, 1, placed=False)
    assert (list(few.ids), list(few.tokens), list(few.resource_ids)) == ([one], ["tea\none"], [None])
    await store.close()


@contextlib.contextmanager
def fetched() -> Iterator[list[int]]:
    """Collect how many rows each statement gives."""
    rows: list[int] = []

    def count(*given: Any) -> None:
        cursor, statement = given[1], given[2]
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            rows.append(max(cursor.rowcount, 0))

    event.listen(Engine, "after_cursor_execute", count)
    try:
        yield rows
    finally:
        event.remove(Engine, "after_cursor_execute", count)


async def test_no_call_reads_a_partition(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = 1200
    monkeypatch.setattr(searched_view, "MOST_HOLDING", 50)
    async with MemoryService(config(tmp_path, {"backend": "postgres", "dsn": dsn})) as service:
        await service.memorize(messages=conversation(turns), user="ann")
        with fetched() as asking:
            found = await service.retrieve("Who lost the cello number 77?", user="ann", top_k=5)
        with fetched() as adding:
            await service.memorize(text="Ann sold the cello number 901.", user="ann")

    assert " number 77, " in found.items[0].record.text
    # Candidates by meaning and by the rarest words, with two on each side: never nine hundred at a time.
    assert 0 < max(asking) < turns / 2
    assert 0 < max(adding) < turns / 2


async def test_no_call_reads_the_names_of_a_partition(dsn: str, tmp_path: Path) -> None:
    many = 900
    settings = config(tmp_path, {"backend": "postgres", "dsn": dsn})
    async with MemoryService(settings) as service:
        service.workflows["retrieve_rag"].insert_after("recall_keyword", {"use": "recall_entities"})
        named = [(f"Person{number}", "Ben") for number in range(many)] + [("小明", "Mary")]
        await service.create_items(
            [{"text": f"fact {number}", "entities": both} for number, both in enumerate(named)],
            user="ann",
            dedupe="exact",
        )
        asked = ("Who is Person77?", "小明是谁？", "Is that Mary's?", "Where is Mister Nobody?")
        with fetched() as rows:
            found = [await service.retrieve(one, user="ann", recall=["entity"], top_k=3) for one in asked]

    assert [texts(one, 3) for one in found] == [["fact 77"], [f"fact {many}"], [f"fact {many}"], []]
    assert 0 < max(rows) < many / 2
