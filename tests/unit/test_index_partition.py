"""The index of one partition: what is on top, what a mask leaves, what a pin shows meanwhile."""

import gc
import math

import numpy as np
import pytest
from index_kit import AXES, DIMENSION, NEIGHBOURS, filled, on_axes, row
from numpy.typing import NDArray

from memu_py import _core
from memu_py.errors import EmbedderMismatch
from memu_py.index.partition import BASE_BYTES, PartitionIndex
from memu_py.index.speakers import NOBODY
from memu_py.storage.index_rows import UNKNOWN, IndexRows

# Searching


def test_the_nearest_item_is_on_top() -> None:
    index = filled(row("far", (0, 1, 0, 0)), row("near", (1, 0.1, 0, 0)), row("middle", (1, 1, 0, 0)))

    ids, cosines = index.dense(AXES[0], 2, index.live_mask())

    assert ids == ["near", "middle"]
    assert cosines.tolist() == pytest.approx([0.995037, 0.707107], abs=1e-5)


def test_the_item_with_the_rarest_word_is_on_top() -> None:
    index = filled(row("a", text="tea with milk"), row("b", text="tea with lemon"), row("c", text="tea"))

    ids, scores = index.keyword(_core.tokenize(["lemon tea"])[0], 5, index.live_mask())

    assert ids[0] == "b"
    assert set(ids) == {"a", "b", "c"}
    assert all(0 < score <= 1 for score in scores.tolist())


def test_neighbours_in_a_resource_lend_their_words() -> None:
    index = filled(
        row("asked", text="Which instrument do you play?", resource="r", ordinal=3),
        row("answered", text="The cello, since school.", resource="r", ordinal=5),
        row("elsewhere", text="Since school.", resource="other", ordinal=4),
        row("by hand", text="Since school.", ordinal=4),
    )
    tokens = _core.content_words(["instrument"])[0]

    alone, _ = index.keyword(tokens, 5, index.live_mask())
    lent, _ = index.keyword(tokens, 5, index.live_mask(), NEIGHBOURS)

    assert alone == ["asked"]
    assert lent == ["asked", "answered"]


def test_a_mask_leaves_out_what_it_does_not_name() -> None:
    index = on_axes("a", "b", "c")

    ids, _ = index.dense(AXES[0], 3, index.mask_of(["b", "unknown", "c"]))

    assert sorted(ids) == ["b", "c"]


def test_rows_beyond_the_end_of_a_mask_stay_hidden() -> None:
    index = on_axes("a", "b")
    mask = index.live_mask()
    index.apply(IndexRows.of([row("c", AXES[0], "tea")]))

    assert index.dense(AXES[0], 5, mask)[0] == ["a", "b"]
    assert index.keyword(["tea"], 5, mask)[0] == []


def test_ended_items_are_present_but_not_live() -> None:
    index = filled(row("now"), row("then", ended=True))

    assert index.live_mask().tolist() == [True, False]
    assert index.present_mask().tolist() == [True, True]
    assert sorted(index.dense(AXES[0], 5, index.present_mask())[0]) == ["now", "then"]


def test_an_empty_index_finds_nothing() -> None:
    index = PartitionIndex()

    ids, cosines = index.dense(AXES[0], 5, index.live_mask())

    assert (ids, cosines.tolist()) == ([], [])
    assert index.keyword(["tea"], 5, index.live_mask())[0] == []
    assert index.signals(["a"], AXES[0], None).cosine.tolist() == [0.0]
    assert index.signals(["a"], None, ["tea"]).lent.tolist() == [0.0]
    assert index.known(["a"], index.live_mask()) == []
    assert index.dimension is None
    assert len(index) == 0


# Figures of given items


def test_signals_are_those_of_the_searches() -> None:
    index = filled(row("a", (1, 1, 0, 0), "green tea"), row("b", (1, 0, 0, 0), "coffee"))
    mask = index.live_mask()
    tea = ["tea"]

    signals = index.signals(["b", "gone", "a"], AXES[0], tea)
    cosines, scores = signals.cosine, signals.own

    assert cosines.tolist() == pytest.approx([1.0, 0.0, 0.707107], abs=1e-5)
    assert scores.tolist() == [0.0, 0.0, index.keyword(tea, 1, mask)[1][0]]
    assert index.signals(["b", "gone", "a"], AXES[0], None).cosine.tolist() == cosines.tolist()
    assert index.signals(["b", "gone", "a"], None, tea).lent.tolist() == scores.tolist()


def test_traits_come_in_the_order_asked_for_and_say_nothing_of_nobody() -> None:
    index = filled(
        row("a", text="tea with milk", speaker="Ann", happened_at=7),
        row("b", speaker="Bob", asks=True),
        row("c"),
    )

    traits = index.signals(["c", "gone", "b", "a"], None, None).traits

    named = index.named(["ann", "bob"])
    assert traits.speaker.tolist() == [NOBODY, NOBODY, named["Bob"], named["Ann"]]
    assert traits.words.tolist() == [0, 0, 0, 3]
    assert traits.happened.tolist() == [UNKNOWN, UNKNOWN, UNKNOWN, 7]
    assert (traits.said == UNKNOWN).all()
    assert traits.asks.tolist() == [False, False, True, False]


def test_the_session_speaks_for_all_that_was_said_in_it() -> None:
    index = filled(
        row("a", text="tea", resource="r", ordinal=0),
        row("b", text="boat", resource="r", ordinal=1),
        row("c", text="boat", resource="s", ordinal=0),
    )

    signals = index.signals(["a", "b", "c", "gone"], None, ["tea"])

    assert signals.session[0] == signals.session[1] > 0
    assert signals.session[2:].tolist() == [0.0, 0.0]
    assert signals.own.tolist()[1:] == [0.0, 0.0, 0.0]


def test_columns_come_in_the_order_asked_for() -> None:
    index = filled(
        row("a", clock=11, importance=7.0, arousal=0.5, mentions=3, accesses=9),
        row("b", clock=22),
    )

    columns = index.columns(["b", "a", "gone"])

    assert columns.clock.tolist() == [22, 11, 0]
    assert columns.importance.tolist() == pytest.approx([math.nan, 7.0, math.nan], nan_ok=True)
    assert columns.arousal.tolist() == [0.0, 0.5, 0.0]
    assert columns.mentions.tolist() == [1, 3, 1]
    assert columns.accesses.tolist() == [1, 9, 1]
    assert index.columns(["a"]).clock.tolist() == [11]


def test_columns_are_what_the_kernels_take() -> None:
    columns = filled(row("a"), row("b")).columns(["a", "b"])

    for array, kind in (
        (columns.clock, np.int64),
        (columns.importance, np.float32),
        (columns.arousal, np.float32),
        (columns.mentions, np.uint32),
        (columns.accesses, np.uint32),
    ):
        assert array.dtype == kind
        assert array.flags.c_contiguous


def test_known_keeps_the_order_and_what_the_mask_allows() -> None:
    index = on_axes("a", "b", "c")

    assert index.known(["c", "nobody", "a", "b"], index.mask_of(["a", "c"])) == ["c", "a"]


# Changes


def test_an_item_applied_again_is_replaced_in_its_row() -> None:
    index = filled(row("a", AXES[0], "tea"), row("b", AXES[1], "coffee"))
    mask = index.live_mask()

    index.apply(IndexRows.of([row("a", AXES[2], "cocoa", mentions=2)]))

    assert index.dense(AXES[2], 1, mask)[0] == ["a"]
    assert index.keyword(["tea"], 5, mask)[0] == []
    assert index.keyword(_core.tokenize(["cocoa"])[0], 5, mask)[0] == ["a"]
    assert index.columns(["a"]).mentions.tolist() == [2]
    assert len(index) == 2


def test_the_last_of_two_rows_with_one_id_counts() -> None:
    index = filled(row("a", AXES[0]), row("a", AXES[1]))

    assert len(index) == 1
    assert index.signals(["a"], AXES[1], None).cosine.tolist() == [1.0]


def test_a_removed_item_is_nowhere() -> None:
    index = filled(row("a", AXES[0], "tea", clock=5), row("b", AXES[1], "coffee"))
    mask = index.live_mask()

    index.remove(["a", "a", "unknown"])

    assert index.dense(AXES[0], 5, mask)[0] == ["b"]
    assert index.keyword(["tea"], 5, mask)[0] == []
    assert index.known(["a", "b"], mask) == ["b"]
    assert index.columns(["a"]).clock.tolist() == [0]
    assert index.signals(["a"], AXES[0], None).cosine.tolist() == [0.0]
    assert not index.mask_of(["a"]).any()
    assert len(index) == 1


def test_rows_of_removed_items_are_used_again() -> None:
    index = on_axes("a", "b")

    index.remove(["a"])
    index.apply(IndexRows.of([row("c", AXES[2])]))

    assert len(index.live_mask()) == 2
    assert index.dense(AXES[2], 1, index.live_mask())[0] == ["c"]


def test_many_rounds_of_change_keep_the_index_small() -> None:
    index = PartitionIndex()
    for number in range(200):
        index.update([IndexRows.of([row(f"item {number}", text="tea")])], [f"item {number - 3}"])

    assert len(index) == 3
    assert len(index.live_mask()) <= 4


def test_removing_everything_leaves_a_usable_index() -> None:
    index = on_axes("a", "b")

    index.remove(["a", "b"])
    assert index.dense(AXES[0], 5, index.live_mask())[0] == []
    index.apply(IndexRows.of([row("c", AXES[1])]))

    assert index.dense(AXES[1], 5, index.live_mask())[0] == ["c"]


def test_bytes_grow_with_the_items() -> None:
    empty = PartitionIndex()
    index = filled(*(row(str(number), text="tea for two") for number in range(100)))

    assert empty.nbytes() >= BASE_BYTES
    assert index.nbytes() > empty.nbytes() + 100 * DIMENSION * 4


# Vectors of another embedder


def test_a_vector_of_another_length_changes_nothing() -> None:
    index = on_axes("a")
    wrong = row("b", np.ones(DIMENSION + 1, dtype=np.float32))

    with pytest.raises(EmbedderMismatch, match=r"5 dimensions where the index has 4.*memu reindex"):
        index.update([IndexRows.of([row("c"), wrong])], ["a"])

    assert index.known(["a", "b", "c"], index.live_mask()) == ["a"]


def test_the_first_vectors_must_agree() -> None:
    index = PartitionIndex()

    with pytest.raises(EmbedderMismatch, match="memu reindex"):
        index.apply(IndexRows.of([row("a"), row("b", np.ones(3, dtype=np.float32))]))

    assert index.dimension is None
    assert len(index) == 0


def test_a_known_dimension_holds_from_the_start() -> None:
    index = PartitionIndex(dimension=3)

    with pytest.raises(EmbedderMismatch, match="memu reindex"):
        index.apply(IndexRows.of([row("a")]))


@pytest.mark.parametrize("length", [3, 5])
def test_a_question_of_another_length_is_refused(length: int) -> None:
    index = on_axes("a")
    question = np.ones(length, dtype=np.float32)

    with pytest.raises(EmbedderMismatch, match="memu reindex"):
        index.dense(question, 1, index.live_mask())
    with pytest.raises(EmbedderMismatch, match="memu reindex"):
        index.signals(["a"], question, None)


def test_a_question_in_double_precision_is_read_as_single() -> None:
    index = on_axes("a", "b")
    question: NDArray[np.float64] = np.array([0, 1, 0, 0], dtype=np.float64)

    assert index.dense(question.astype(np.float32), 1, index.live_mask())[0] == ["b"]
    assert index.dense(question, 1, index.live_mask())[0] == ["b"]  # type: ignore[arg-type]


# Pins


def test_all_masks_of_a_pin_have_one_length() -> None:
    index = on_axes("a", "b")
    pin = index.pinned()
    before = pin.live_mask()

    index.apply(IndexRows.of([row(f"new {number}") for number in range(50)]))

    assert len(before) == len(pin.live_mask()) == len(pin.mask_of(["new 1", "a"])) == len(pin.present_mask())
    assert len(index.live_mask()) == 52


def test_a_pin_does_not_show_later_items() -> None:
    index = on_axes("a")
    pin = index.pinned()

    index.apply(IndexRows.of([row("b", AXES[1], "tea")]))

    assert len(pin) == 1
    assert pin.dense(AXES[1], 5, pin.live_mask())[0] == ["a"]
    assert pin.keyword(["tea"], 5, pin.live_mask())[0] == []
    assert pin.known(["a", "b"], pin.live_mask()) == ["a"]
    assert pin.columns(["b"]).clock.tolist() == [0]


def test_a_pin_shows_what_became_of_its_items() -> None:
    index = filled(row("kept"), row("changed"), row("gone"))
    pin = index.pinned()
    mask = pin.live_mask()

    index.update([IndexRows.of([row("changed", AXES[1])])], ["gone"])

    assert pin.dense(AXES[1], 5, mask)[0] == ["changed", "kept"]


def test_a_row_is_not_used_again_while_an_older_pin_lives() -> None:
    index = on_axes("private", "public")
    pin = index.pinned()
    mask = pin.mask_of(["private"])

    index.remove(["private"])
    index.apply(IndexRows.of([row("stranger", AXES[0])]))
    assert pin.dense(AXES[0], 5, mask)[0] == []
    assert len(index.live_mask()) == 3

    del pin
    gc.collect()
    index.apply(IndexRows.of([row("another", AXES[0])]))
    assert len(index.live_mask()) == 3


def test_a_pin_made_after_a_removal_does_not_keep_the_row() -> None:
    index = on_axes("a", "b")
    index.remove(["a"])
    pin = index.pinned()

    index.apply(IndexRows.of([row("c", AXES[0])]))

    assert len(index.live_mask()) == 2
    assert pin.dense(AXES[0], 1, pin.live_mask())[0] == ["c"]
