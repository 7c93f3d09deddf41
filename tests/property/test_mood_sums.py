"""Moods do not depend on the order in which items come, nor on how they are batched, changed and deleted."""

from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.records.batch import StoredItem, Supersession
from memu_py.records.item import Emotion
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.testing.store_samples import ANN, NOW, keep, stored

feelings = st.builds(
    Emotion,
    valence=st.floats(-1, 1),
    arousal=st.floats(0, 1),
    label=st.sampled_from([None, "joy", "Joy", "anger"]),
)
plans = st.lists(
    st.tuples(
        st.none() | feelings,
        st.integers(0, 3),
        st.sets(st.sampled_from(["Rex", "rex", "Tom", "李雷"])),
        # What becomes of it: it stays, or comes and goes.
        st.sampled_from(["stay", "delete", "end", "change", "fade", "expire"]),
    ),
    max_size=8,
)


@settings(max_examples=25, deadline=None)
@given(plan=plans, order=st.randoms(use_true_random=False), sizes=st.lists(st.integers(1, 4), min_size=8))
async def test_any_order_and_batches_leave_equal_sums(
    plan: list[tuple[Any, ...]], order: object, sizes: list[int]
) -> None:
    members = [
        (
            stored(
                ANN,
                f"item {place}",
                emotion=emotion,
                said_at=NOW + timedelta(days=day),
                entities=tuple(names),
            ),
            fate,
        )
        for place, (emotion, day, names, fate) in enumerate(plan)
    ]
    plainly = build_store(StoreSettings(backend="memory"))
    winding = build_store(StoreSettings(backend="memory"))
    await plainly.open()
    await winding.open()
    await keep(plainly, ANN, *(one for one, fate in members if fate in ("stay", "change", "fade")))
    shuffled = list(members)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    while shuffled:
        size = sizes[len(shuffled) % len(sizes)]
        part, shuffled = shuffled[:size], shuffled[size:]
        await keep(winding, ANN, *(_before(one, fate) for one, fate in part))
        for one, fate in part:
            known = (await winding.items.get(ANN, [one.item.id]))[one.item.id]
            if fate == "delete":
                await winding.delete_items(ANN, [known.id])
            elif fate == "end":
                await keep(winding, ANN, supersessions=(Supersession(item_id=known.id, at=NOW),))
            elif fate in ("fade", "expire"):
                until = NOW if fate == "expire" else None
                await winding.update_item(ANN, known.evolve(archived_at=NOW, expires_at=until))
            elif fate == "change":
                await winding.update_item(
                    ANN, known.evolve(emotion=one.item.emotion, entities=one.item.entities)
                )
    assert await winding.moods.sums(ANN) == await plainly.moods.sums(ANN)
    assert [line for line in await winding.maintenance.integrity() if "moods" in line] == []
    await plainly.close()
    await winding.close()


def _before(one: StoredItem, fate: str) -> StoredItem:
    if fate != "change":
        return one
    return one.evolve(item=one.item.evolve(emotion=Emotion(valence=0.123, arousal=1), entities=("Zoe",)))
