"""An index that changes while it is read, and after any changes."""

import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from index_kit import AXES, DIMENSION, filled, row
from numpy.typing import NDArray

from memu_py import _core
from memu_py.index.partition import PartitionIndex
from memu_py.storage.index_rows import IndexRows


def test_readers_never_see_half_of_an_update() -> None:
    """Two items always point the same way; the writer turns both at once, and readers look all the while."""
    index = filled(row("left", AXES[0], "zero"), row("right", AXES[0], "zero"))
    torn: list[list[float]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            pin = index.pinned()
            signals = pin.signals(["left", "right"], AXES[0], ["zero"])
            cosines, scores = signals.cosine, signals.own
            if len({*cosines.tolist()}) > 1 or len({*(scores > 0).tolist()}) > 1:
                torn.append([*cosines.tolist(), *scores.tolist()])

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for turn in range(300):
            axis, word = AXES[turn % 2], ("zero", "one")[turn % 2]
            index.update(
                [IndexRows.of([row("left", axis, word), row("right", axis, word), row(f"more {turn}")])], []
            )
    finally:
        done.set()
        for reader in readers:
            reader.join()

    assert torn == []
    assert len(index) == 302


# The rule: whatever the changes, the index answers like a plain list


def unit(seed: int) -> NDArray[np.float32]:
    values = np.random.default_rng(seed).normal(size=(1, DIMENSION)).astype(np.float32)
    vector: NDArray[np.float32] = _core.normalize(values)[0]
    return vector


WORDS = ("tea", "milk", "mint")
CHANGES = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5), st.booleans()), max_size=4),
        st.lists(st.integers(0, 9), max_size=3),
        st.booleans(),
    ),
    max_size=12,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(changes=CHANGES, question=st.integers(0, 5))
def test_after_any_changes_it_answers_like_a_plain_list(
    changes: list[tuple[list[tuple[int, int, bool]], list[int], bool]], question: int
) -> None:
    index = PartitionIndex()
    plain: dict[str, tuple[int, bool]] = {}
    pins: list[tuple[PartitionIndex, NDArray[np.bool_], set[str], set[str]]] = []
    for written, removed, keep in changes:
        rows = [row(str(i), unit(seed), WORDS[seed % 3], ended=ended) for i, seed, ended in written]
        index.update([IndexRows.of(rows)], map(str, removed))
        for i in removed:
            plain.pop(str(i), None)
        plain |= {str(i): (seed, ended) for i, seed, ended in written}
        for _, _, _, stayed in pins:
            stayed -= set(map(str, removed))
        if keep:
            pin = index.pinned()
            pins.append((pin, pin.present_mask(), set(plain), set(plain)))

    live = {item_id for item_id, (_, ended) in plain.items() if not ended}
    ids, cosines = index.dense(unit(question), 20, index.live_mask())
    words, _ = index.keyword([WORDS[question % 3]], 20, index.present_mask())

    assert set(ids) == live
    expected = [float(unit(plain[item_id][0]) @ unit(question)) for item_id in ids]
    assert cosines.tolist() == pytest.approx(expected, abs=1e-5)
    assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)
    assert set(words) == {i for i, (seed, _) in plain.items() if seed % 3 == question % 3}
    assert len(index) == len(plain)
    again = PartitionIndex.of_image(index.image())
    assert again.dense(unit(question), 20, again.live_mask())[1].tolist() == cosines.tolist()
    assert again.keyword([WORDS[question % 3]], 20, again.present_mask())[0] == words
    for pin, mask, shown, stayed in pins:
        assert stayed <= set(pin.dense(unit(question), 20, mask)[0]) <= shown
