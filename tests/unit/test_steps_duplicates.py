"""When two memories are one."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from memu_py.records.batch import Batch, StoredItem
from memu_py.records.identity import item_identity
from memu_py.records.item import ItemDraft, Source
from memu_py.records.link import IN_CATEGORY, SIMILAR, Link
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.steps.memorize.duplicates import add_sources, merge_equal, merge_near, one_memory, reinforce
from memu_py.steps.memorize.recheck import Rechecker
from memu_py.steps.stored import make_item

ANN = Scope(user="ann")
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def draft(text: str, ordinal: int = 0, *, speaker: str | None = "Ann", day: int | None = None) -> ItemDraft:
    start = datetime(2026, 5, day, tzinfo=UTC) if day else None
    happened = (
        TimeSpan(start=start, until=start + timedelta(days=1), precision="day", words="then")
        if start
        else None
    )
    return ItemDraft(
        type="event" if day else "fact",
        text=text,
        speaker=speaker,
        happened=happened,
        sources=(Source(resource_id="r", ordinal=ordinal, start=0, end=len(text)),),
    )


def unit(*rows: list[float]) -> NDArray[np.float32]:
    matrix = np.array(rows, dtype=np.float32)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def stored(one: ItemDraft, vector: NDArray[np.float32], scope: Scope = ANN) -> StoredItem:
    return StoredItem(item=make_item(one, scope, NOW), vector=vector, tokens=())


def test_equal_texts_are_one_with_all_sources_and_the_first_id() -> None:
    first, again = draft("I like tea.", 0), draft("i like  TEA", 5)
    by_identity, holders = merge_equal([first, again], ANN)
    ((identity, merged),) = by_identity.items()
    assert identity == item_identity(ANN, first)
    assert merged.id == first.id
    assert [source.ordinal for source in merged.sources] == [0, 5]
    assert holders == {again.id: first.id}


def test_the_same_words_of_another_day_or_speaker_are_another_memory() -> None:
    drafts = [
        draft("I went running.", day=1),
        draft("I went running.", day=2),
        draft("I went running.", day=1, speaker="Bob"),
    ]
    merged, holders = merge_equal(drafts, ANN)
    assert list(merged.values()) == drafts
    assert holders == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann likes green tea.", "Ann does not like green tea."),
        ("Ann lent Bob her car.", "Bob lent Ann her car."),
        ("We met before dinner.", "We met after dinner."),
        ("I joined Google.", "I left Google."),
        ("I have two dogs.", "I have three dogs."),
        ("我喜欢喝茶。", "我不喜欢喝茶。"),
    ],
)
def test_near_sentences_that_disagree_are_never_one(one: str, other: str) -> None:
    assert not one_memory(draft(one), ANN, draft(other), ANN)
    merged, links, holders = merge_near(
        [draft(one), draft(other)], unit([1, 0.01], [1, 0]), ANN, same=0.8, candidates=5
    )
    assert [item.text for item in merged] == [one, other]
    assert [link.kind for link in links] == [SIMILAR]
    assert holders == {}


def test_a_contained_sentence_is_the_same_memory_and_the_fuller_text_stays() -> None:
    short, full = draft("I like black coffee.", 0), draft("I like strong black coffee.", 1)
    (merged,), links, holders = merge_near([short, full], unit([1, 0.1], [1, 0]), ANN, same=0.8, candidates=5)
    assert (merged.id, merged.text) == (short.id, full.text)
    assert len(merged.sources) == 2
    assert links == []
    assert holders == {full.id: short.id}


def test_a_contained_sentence_that_is_not_near_stays_apart() -> None:
    drafts = [draft("I like black coffee."), draft("I like strong black coffee.")]
    merged, links, _ = merge_near(drafts, unit([1, 0], [0, 1]), ANN, same=0.8, candidates=5)
    assert (len(merged), links) == (2, [])


def test_each_draft_is_linked_to_its_nearest_ones_only() -> None:
    drafts = [draft(f"Ann bought {number} apples.") for number in range(5)]
    vectors = unit([1, 0], [1, 0.1], [1, 0.2], [1, 0.3], [1, 0])
    _, links, _ = merge_near(drafts, vectors, ANN, same=0.8, candidates=2)
    last = [link.target_id for link in links if link.source_id == drafts[4].id]
    assert last == [drafts[0].id, drafts[1].id]
    assert len(links) == 0 + 1 + 2 + 2 + 2


@pytest.mark.parametrize(
    "scope",
    [Scope(user="bob"), Scope(user="ann", agent="bot"), Scope(user="ann", custom=(("team", "x"),))],
)
def test_memories_of_another_owner_are_never_one(scope: Scope) -> None:
    assert one_memory(draft("I like tea."), ANN, draft("I like tea."), Scope(user="ann", session="s"))
    assert not one_memory(draft("I like tea."), ANN, draft("I like tea."), scope)


def test_a_place_counts_once_among_sources() -> None:
    one, two = draft("x", 0).sources[0], draft("x", 1).sources[0]
    assert add_sources((one,), (two, one)) == (one, two)


def test_reinforcing_keeps_the_fuller_text() -> None:
    item = make_item(draft("I like black coffee."), ANN, NOW)
    longer = reinforce(item, draft("I like strong black coffee.", 3), unit([1, 0])[0], at=NOW)
    assert longer.replacement is not None
    assert longer.replacement.item.text == "I like strong black coffee."
    assert longer.replacement.item.identity != item.identity
    assert "strong" in longer.replacement.tokens
    shorter = reinforce(item, draft("I like coffee.", 4), unit([1, 0])[0], at=NOW)
    assert (shorter.replacement, shorter.count) == (None, 1)


def test_the_last_look_turns_what_appeared_meanwhile_into_reinforcements() -> None:
    (near, far) = unit([1, 0.1], [0, 1])
    there = stored(draft("I like strong black coffee."), unit([1, 0])[0])
    new, other = stored(draft("I like black coffee.", 1), near), stored(draft("I own a boat.", 2), far)
    batch = Batch(
        run_id="r",
        actor="test",
        read_seq=0,
        items=(new, other),
        links=(
            Link(source_id=new.item.id, target_id="c", kind=IN_CATEGORY),
            Link(source_id=other.item.id, target_id=new.item.id, kind=SIMILAR),
        ),
    )
    checked = Rechecker(same=0.8, at=NOW)(batch, [there])
    assert [one.item.id for one in checked.items] == [other.item.id]
    assert [one.item_id for one in checked.reinforcements] == [there.item.id]
    assert checked.replaced == {new.item.id: there.item.id}
    assert checked.links == (Link(source_id=other.item.id, target_id=there.item.id, kind=SIMILAR),)


def test_the_last_look_leaves_a_batch_alone_when_nothing_appeared() -> None:
    batch = Batch(
        run_id="r", actor="test", read_seq=0, items=(stored(draft("I like tea."), unit([1, 0])[0]),)
    )
    assert Rechecker(same=0.8, at=NOW)(batch, []) is batch
    different = stored(draft("I like rain."), unit([1, 0])[0])
    assert Rechecker(same=0.8, at=NOW)(batch, [different]).items == batch.items
