"""Erasing a user leaves no byte of what was known."""

import random
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from memu_py.records.batch import StoredItem
from memu_py.records.item import Emotion
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.sqlite_database import SqliteDatabase
from memu_py.testing.job_suite import job
from memu_py.testing.store_samples import (
    BOB,
    category,
    in_category,
    keep,
    resource,
    reworded,
    segment,
    source,
    stored,
)

MARKER = "xqzmarker"
_random = random.Random(7)
ROUNDS = 30
MEMBERS = 4
"""So many rounds of so many rows of two users between each other make pages split, which leaves copies behind."""


def _found(folder: Path) -> dict[str, int]:
    return {file.name: file.read_bytes().count(MARKER.encode()) for file in folder.iterdir()}


def _several(scope: Scope, text: str) -> list[StoredItem]:
    return [
        stored(scope, f"{text} {member} " * (member % 7 + 1), id=_scattered()) for member in range(MEMBERS)
    ]


def _scattered() -> str:
    # Ids that come in no order: rows go between others, not behind them.
    return f"{_random.getrandbits(128):032x}"


async def test_no_byte_of_an_erased_user_stays_in_the_files(tmp_path: Path) -> None:
    store = build_store(StoreSettings(path=tmp_path / "memu.db"))
    await store.open()
    marked = Scope(user=MARKER, agent=f"agent {MARKER}", session=MARKER, custom=(("team", MARKER),))
    topic = (
        await store.add_categories(marked, [category(marked, MARKER, description=MARKER, summary=MARKER)])
    )[0]
    for number in range(ROUNDS):
        text = f"{number} {MARKER} " * (number % 7 + 1)
        came = resource(marked, url=f"file:///{MARKER}/{number}", title=MARKER, metadata={MARKER: MARKER})
        fact = stored(
            marked,
            text,
            speaker=MARKER,
            entities=(MARKER,),
            emotion=Emotion(valence=0, arousal=0, label=MARKER),
            metadata={MARKER: text},
            sources=(source(came, 0, session=MARKER, metadata={"id": MARKER}),),
        )
        await keep(
            store,
            marked,
            fact,
            resource=came,
            segments=(segment(0, text, speaker=MARKER, reason=MARKER),),
            links=(in_category(fact, topic),),
            summary={"text": MARKER},
        )
        work = job(
            marked, payload={MARKER: text}, content=text.encode(), lock=MARKER, run_id=f"{MARKER} {number}"
        )
        await store.jobs.enqueue(marked, work)
        changed = reworded(fact.item, f"{text} again", importance=number)
        await store.update_item(marked, changed, reindex=fact.evolve(item=changed, tokens=(MARKER,)))
        if number % 3 == 0:
            await store.delete_items(marked, [fact.item.id])
        await keep(store, marked, *_several(marked, f"{number} {MARKER}"))
        await keep(store, BOB, *_several(BOB, f"{number} of bob"))
    assert any(_found(tmp_path).values())
    kept = await store.items.get(BOB, await store.items.ids(BOB))
    blobs = await store.clear(marked.owner, actor="eraser")

    assert len(blobs) == ROUNDS
    assert not any(_found(tmp_path).values()), _found(tmp_path)
    assert await store.items.get(BOB, list(kept)) == kept
    (trace,) = await store.history(marked.owner, "*")
    assert trace.actor == "eraser"
    assert await store.maintenance.integrity() == []
    await store.close()


async def test_no_byte_of_an_erased_session_stays_in_the_files(tmp_path: Path) -> None:
    store = build_store(StoreSettings(path=tmp_path / "memu.db"))
    await store.open()
    session = Scope(user="ann", session="s")
    topic = (await store.add_categories(session, [category(session, "Food")]))[0]
    came = resource(session, title=MARKER)
    facts = tuple(
        stored(session, f"{MARKER} {number}", sources=(source(came, number),)) for number in range(ROUNDS)
    )
    links = tuple(in_category(fact, topic) for fact in facts)
    segments = tuple(segment(number, f"{MARKER} {number}") for number in range(ROUNDS))
    await keep(store, session, *facts, resource=came, segments=segments, links=links)
    await keep(store, session.owner, stored(session.owner, "stays"))
    current = (await store.categories.get(session, [topic.id]))[topic.id]
    await store.summarize(session, current, f"A {MARKER}.")
    await store.update_item(session, facts[0].item.evolve(metadata={"x": MARKER}))
    await store.clear(session)

    assert not any(_found(tmp_path).values()), _found(tmp_path)
    assert await store.items.count(session.owner) == 1
    await store.close()


def _churn(connection: Connection, number: int) -> None:
    """Let rows of two owners, one of them marked, grow between each other in a table and its index."""
    execute = connection.exec_driver_sql
    for _ in range(100):
        marked = _random.random() < 0.5
        text = (MARKER if marked else "other") * _random.randint(1, 60)
        execute("INSERT INTO churn VALUES (?, ?, ?)", (marked, str(_random.random()), text))
    if number % 3 == 0:
        execute("UPDATE churn SET text = text || ? WHERE marked AND rowid % 7 = 0", (MARKER * 3,))
        execute("DELETE FROM churn WHERE rowid % 11 = 0")


async def test_scrubbing_removes_copies_that_split_pages_left(tmp_path: Path) -> None:
    # Overwriting deleted rows (`secure_delete`) leaves dozens of copies after this, in SQLite 3.40.
    database = SqliteDatabase(tmp_path / "memu.db", busy_timeout_s=1, readers=1)
    await database.open()
    table = "CREATE TABLE churn (marked, id TEXT, text TEXT, PRIMARY KEY (marked, id))"
    await database.write(lambda connection: connection.exec_driver_sql(table))
    await database.write(
        lambda connection: connection.exec_driver_sql("CREATE INDEX ix ON churn (marked, text)")
    )
    for number in range(60):
        await database.write(partial(_churn, number=number))
    await database.write(lambda connection: connection.exec_driver_sql("DELETE FROM churn WHERE marked"))
    await database.scrub()

    assert not any(_found(tmp_path).values()), _found(tmp_path)
    await database.close()
