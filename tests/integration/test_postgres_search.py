"""Searching in PostgreSQL finds what an index of the whole partition finds, and never reads the partition."""

import contextlib
import datetime
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from service_kit import hashing
from sqlalchemy import Engine, event

from memu_py import MemoryService
from memu_py.records.batch import StoredItem
from memu_py.service.results import RetrieveResult
from memu_py.steps import searched_view
from memu_py.storage import postgres_search
from memu_py.storage.factory import build_store
from memu_py.storage.search import Sight
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
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


async def with_vectors(dsn: str, *members: StoredItem) -> Store:
    """Return a store with these items of Ann and Bob, and an index over their vectors."""
    store = build_store(StoreSettings(backend="postgres", dsn=dsn))
    await store.open()
    await store.maintenance.set_fingerprint(Fingerprint(embedder="tests", dimension=16, tokenizer="tests"))
    for scope in (ANN, BOB):
        await keep(store, scope, *(one for one in members if one.item.scope == scope))
    return store


def directions(count: int, *, beside: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """Return vectors of length 1, everywhere or beside one of them."""
    drawn = np.random.default_rng(count).normal(size=(count, 16)).astype(np.float32)
    vectors = drawn if beside is None else beside + drawn / 50
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


async def test_the_index_over_vectors_finds_what_looking_at_all_finds(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = directions(300)
    owners = [ANN] * 200 + [BOB] * 100
    rows = [stored(who, f"fact {n}").evolve(vector=vectors[n]) for n, who in enumerate(owners)]
    store = await with_vectors(dsn, *rows)
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


async def test_what_is_rare_and_far_is_found_where_the_index_gives_up(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        # It gives up at once, and no plan does without it.
        for setting in ("hnsw.max_scan_tuples = 1", "enable_sort = off", "enable_seqscan = off"):
            connection.execute(f'ALTER DATABASE "{connection.info.dbname}" SET {setting}'.encode())
    question = directions(1)[0]
    near, far = directions(600, beside=question), directions(200, beside=-question)
    rare = {"type": "event", "metadata": {"topic": "rare"}}
    rows = [stored(ANN, f"near {n}").evolve(vector=one) for n, one in enumerate(near)]
    rows += [stored(ANN, f"far {n}").evolve(vector=one) for n, one in enumerate(far[10:])]
    rows += [stored(ANN, f"rare {n}", **rare).evolve(vector=one) for n, one in enumerate(far[:5])]
    rows += [stored(BOB, f"his {n}").evolve(vector=one) for n, one in enumerate(far[5:10])]
    store = await with_vectors(dsn, *rows)
    assert store.search is not None
    sights = [
        Sight(scope=ANN, where={"metadata.topic": "rare"}),
        Sight(scope=ANN, where={"type": "event"}),
        Sight(scope=BOB),
        Sight(scope=ANN.evolve(session="nowhere")),
    ]
    exact = [await store.search.nearest(sight, question, 5) for sight in sights]
    monkeypatch.setattr(postgres_search, "EXACT_BELOW", 0)

    assert [await store.search.nearest(sight, question, 5) for sight in sights] == exact
    assert [len(found) for found in exact] == [5, 5, 5, 0]
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
