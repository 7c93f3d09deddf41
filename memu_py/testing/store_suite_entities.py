"""What a store must keep of the names that items carry."""

from typing import Any

import numpy as np
import pytest

from memu_py.errors import BadVectors, EmbedderMismatch
from memu_py.records.batch import Reinforcement, Supersession, Vector
from memu_py.records.entity import entity_key
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.storage.upkeep import Fingerprint
from memu_py.testing.store_samples import (
    ANN,
    BOB,
    NOW,
    batch,
    keep,
    resource,
    reworded,
    source,
    stored,
    vector,
)


def _vectors(*names: str) -> dict[str, Vector]:
    """Return other vectors for other names, by key."""
    return {entity_key(name): vector(0, 0, 1, number) for number, name in enumerate(names)}


async def _names(store: Store, scope: Scope = ANN) -> list[str]:
    return [entity.name for entity in await store.entities(scope)]


async def _sound(store: Store) -> None:
    assert await store.maintenance.integrity() == []


class EntitySuite:
    """Entities follow the items that name them."""

    async def test_an_entity_is_kept_once_with_its_vector_and_linked(self, store: Store) -> None:
        """Spellings of one name are one entity, spelled as it came first; who spoke is a person."""
        one = stored(ANN, "one", entities=("Carl", "New York", "NEW  YORK"), speaker="Carl")
        two = stored(ANN, "two", entities=("new york", "小明"))
        plain = stored(ANN, "three")
        given = _vectors("New York", "Carl", "小明")
        await keep(store, ANN, one, two, plain, entity_vectors=given)
        await keep(store, ANN, stored(ANN, "four", entities=("carl",)))

        found = {entity.key: entity for entity in await store.entities(ANN)}
        assert {key: entity.name for key, entity in found.items()} == {
            "carl": "Carl",
            "new york": "New York",
            "小明": "小明",
        }
        assert {key: entity.kind for key, entity in found.items()} == {
            "carl": "person",
            "new york": None,
            "小明": None,
        }
        for key, entity in found.items():
            assert entity.vector is not None
            assert np.array_equal(entity.vector, given[key])
        links = await store.entity_links(ANN, [one.item.id, two.item.id, plain.item.id])
        assert sorted(links) == sorted(
            [
                (one.item.id, "carl"),
                (one.item.id, "new york"),
                (two.item.id, "new york"),
                (two.item.id, "小明"),
            ]
        )
        assert len(await store.entity_links(ANN)) == len(links) + 1
        assert [entity.name for entity in await store.entities(ANN, ["new york", "nobody"])] == ["New York"]
        await _sound(store)

    async def test_a_person_is_known_when_they_speak(self, store: Store) -> None:
        """A name that others said becomes a person's."""
        await keep(store, ANN, stored(ANN, "one", entities=("Carl",)), entity_vectors=_vectors("Carl"))
        assert [entity.kind for entity in await store.entities(ANN)] == [None]
        await keep(store, ANN, stored(ANN, "two", entities=("Carl",), speaker="CARL"))
        assert [entity.kind for entity in await store.entities(ANN)] == ["person"]

    async def test_two_users_with_the_same_names_do_not_meet(self, store: Store) -> None:
        """Each has an entity of their own, and loses only that."""
        for scope in (ANN, BOB):
            await keep(
                store, scope, stored(scope, "one", entities=("Carl",)), entity_vectors=_vectors("Carl")
            )
        (mine,), (other,) = await store.entities(ANN), await store.entities(BOB)
        assert mine.id != other.id
        await store.delete_items(ANN, await store.items.ids(ANN))
        assert await _names(store, ANN) == []
        assert await store.entity_links(ANN) == []
        assert await _names(store, BOB) == ["Carl"]
        assert len(await store.entity_links(BOB)) == 1
        await _sound(store)

    async def test_a_narrow_scope_sees_what_its_own_items_name(self, store: Store) -> None:
        """An entity belongs to the partition, and shows where an item of the scope names it."""
        coach, chef = Scope(user="ann", agent="coach"), Scope(user="ann", agent="chef")
        await keep(
            store,
            coach,
            stored(coach, "one", entities=("Carl", "Rome")),
            entity_vectors=_vectors("Carl", "Rome"),
        )
        await keep(store, chef, stored(chef, "two", entities=("Rome",)))
        assert await _names(store, coach) == ["Carl", "Rome"]
        assert await _names(store, chef) == ["Rome"]
        assert await store.entities(chef, ["carl"]) == []
        assert len(await store.entity_links(chef)) == len(await store.entity_links(ANN)) == 3

    async def test_an_entity_goes_with_the_last_item_that_names_it(self, store: Store) -> None:
        """Also when a resource takes the items along."""
        came = resource(ANN)
        one = stored(ANN, "one", entities=("Carl", "Rome"), sources=(source(came, 0),))
        two = stored(ANN, "two", entities=("Rome",))
        await keep(store, ANN, one, two, resource=came, entity_vectors=_vectors("Carl", "Rome"))
        await store.delete_resources(ANN, [came.id])
        assert await _names(store) == ["Rome"]
        assert await store.entity_links(ANN) == [(two.item.id, "rome")]
        await store.delete_items(ANN, [two.item.id])
        assert await _names(store) == []
        await _sound(store)

    async def test_links_follow_an_items_names(self, store: Store) -> None:
        """With a new text or without; what nothing names any more is gone."""
        one, two = stored(ANN, "Carl", entities=("Carl",)), stored(ANN, "two", entities=("Carl",))
        await keep(store, ANN, one, two, entity_vectors=_vectors("Carl"))
        changed = reworded(one.item, "Dora", entities=("Dora", "Carl"))
        after = await store.update_item(
            ANN, changed, reindex=one.evolve(item=changed), entity_vectors=_vectors("Dora")
        )
        assert sorted(await store.entity_links(ANN, [one.item.id])) == [
            (one.item.id, "carl"),
            (one.item.id, "dora"),
        ]
        await store.update_item(ANN, after.evolve(entities=()))
        assert await store.entity_links(ANN) == [(two.item.id, "carl")]
        assert await _names(store) == ["Carl"]
        await _sound(store)

    async def test_a_fuller_text_brings_its_names_along(self, store: Store) -> None:
        """A merged duplicate is linked to what both of its texts name."""
        one = stored(ANN, "Carl came", entities=("Carl",))
        await keep(store, ANN, one, entity_vectors=_vectors("Carl"))
        fuller = one.evolve(item=reworded(one.item, "Carl came to Rome", entities=("Carl", "Rome")))
        said = Reinforcement(item_id=one.item.id, at=NOW, replacement=fuller)
        await store.commit(ANN, batch(reinforcements=(said,), entity_vectors=_vectors("Rome")))
        assert sorted(await store.entity_links(ANN)) == [(one.item.id, "carl"), (one.item.id, "rome")]
        assert await _names(store) == ["Carl", "Rome"]
        await _sound(store)

    async def test_a_superseded_item_keeps_its_links(self, store: Store) -> None:
        """It is there still, and so is what it names."""
        one = stored(ANN, "one", entities=("Carl",))
        await keep(store, ANN, one, entity_vectors=_vectors("Carl"))
        await store.commit(ANN, batch(supersessions=(Supersession(item_id=one.item.id, at=NOW),)))
        assert await store.entity_links(ANN) == [(one.item.id, "carl")]
        await _sound(store)

    async def test_erasing_leaves_no_name(self, store: Store) -> None:
        """Neither of a partition nor of a session; what others name stays."""
        session = Scope(user="ann", session="s")
        await keep(
            store,
            session,
            stored(session, "one", entities=("Carl", "Rome")),
            entity_vectors=_vectors("Carl", "Rome"),
        )
        await keep(store, ANN, stored(ANN, "two", entities=("Rome",)))
        await store.clear(session)
        assert await _names(store) == ["Rome"]
        await _sound(store)
        await store.clear(ANN)
        assert await _names(store) == []
        assert await store.entity_links(ANN) == []
        counts = await store.maintenance.stats()
        assert (counts["entities"], counts["entity_links"]) == (0, 0)

    async def test_a_batch_that_fails_leaves_no_name(self, store: Store) -> None:
        """Names are written with their items or not at all."""
        naming = stored(ANN, "one", entities=("Carl",))
        faults: list[tuple[type[Exception], Any]] = [
            (BadVectors, vector(np.nan, 0, 0, 0)),
            (BadVectors, np.zeros((1, 4), dtype=np.float32)),
            (BadVectors, np.ones(3, dtype=np.float32)),
        ]
        for error, wrong in faults:
            with pytest.raises(error):
                await keep(store, ANN, naming, entity_vectors={"carl": wrong})
        await store.maintenance.set_fingerprint(Fingerprint(embedder="e", dimension=3, tokenizer="t"))
        with pytest.raises(EmbedderMismatch, match="reindex"):
            await keep(store, ANN, naming, entity_vectors=_vectors("Carl"))
        assert await _names(store) == []
        assert await store.items.count(ANN) == 0

    async def test_names_get_new_vectors_with_their_items(self, store: Store) -> None:
        """A name that had none is no longer without."""
        one, other = stored(ANN, "one", entities=("Carl", "Rome")), stored(BOB, "one", entities=("Carl",))
        await keep(store, ANN, one)
        await keep(store, BOB, other, entity_vectors=_vectors("Carl"))
        faults = await store.maintenance.integrity()
        assert faults == [f"entities: {name} has no vector; run `memu reindex`" for name in ("Carl", "Rome")]
        await store.maintenance.replace_vectors([one, other], entity_vectors=_vectors("Rome", "Carl"))
        for scope in (ANN, BOB):
            (found,) = await store.entities(scope, ["carl"])
            assert found.vector is not None
            assert found.vector.tolist() == [0, 0, 1, 1]
        await _sound(store)
