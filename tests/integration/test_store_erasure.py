"""Erasing a user leaves no byte of what was known."""

from pathlib import Path

from memu_py.records.item import Emotion
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.testing.store_samples import (
    BOB,
    batch,
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
ROUNDS = 30
"""So many rounds of two users' rows between each other make pages split, which leaves copies of rows behind."""


def _found(folder: Path) -> dict[str, int]:
    return {file.name: file.read_bytes().count(MARKER.encode()) for file in folder.iterdir()}


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
        changed = reworded(fact.item, f"{text} again", importance=number)
        await store.update_item(marked, changed, reindex=fact.evolve(item=changed, tokens=(MARKER,)))
        if number % 3 == 0:
            await store.delete_items(marked, [fact.item.id])
        his = stored(BOB, f"{number} of bob " * (number % 5 + 1))
        await store.commit(BOB, batch(items=(his,)))
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
