"""Ids by row in the core, and images of it and of the keyword index."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memu_py import _core


def numbers(*values: int) -> NDArray[np.uint32]:
    return np.array(values, dtype=np.uint32)


def table(*ids: str) -> _core.RowIds:
    made = _core.RowIds()
    made.put(np.arange(len(ids), dtype=np.uint32), ids)
    return made


def test_ids_and_rows_find_each_other() -> None:
    ids = table("a", "ü", "c")
    assert ids.rows(["c", "nobody", "a"]).tolist() == [2, -1, 0]
    assert ids.names(numbers(1, 0)) == ["ü", "a"]


def test_a_freed_row_is_given_again() -> None:
    ids = table("a", "b")
    assert ids.free(["a", "nobody", "a"]).tolist() == [0]
    assert ids.names(numbers(0)) == [""]
    ids.put(numbers(0, 2), ["new", "next"])
    assert ids.rows(["a", "new", "next"]).tolist() == [-1, 0, 2]
    assert len(ids) == 3


def test_a_table_comes_back_from_its_image() -> None:
    ids = table("a", "ü", "c")
    ids.free(["a"])
    again = _core.RowIds.of_image(*ids.image())
    assert again.rows(["a", "ü", "c"]).tolist() == [-1, 1, 2]
    assert 0 < again.nbytes() < 1000


NAMES, ENDS = np.frombuffer("aüc".encode(), dtype=np.uint8), np.array([1, 3, 4], dtype=np.uint64)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: table("a").put(numbers(0), ["b"]),
        lambda: table("a").put(numbers(2), ["b"]),
        lambda: table("a").put(numbers(1), ["a"]),
        lambda: table("a").put(numbers(1), [""]),
        lambda: table("a").put(numbers(1, 2), ["b"]),
        lambda: table("a").names(numbers(1)),
        lambda: _core.RowIds.of_image(NAMES, np.array([1, 2, 4], dtype=np.uint64)),
        lambda: _core.RowIds.of_image(NAMES, np.array([3, 1, 4], dtype=np.uint64)),
        lambda: _core.RowIds.of_image(NAMES, ENDS[:2].copy()),
        lambda: _core.RowIds.of_image(NAMES, np.array([9], dtype=np.uint64)),
        lambda: _core.RowIds.of_image(
            np.frombuffer(b"aa", dtype=np.uint8), np.array([1, 2], dtype=np.uint64)
        ),
    ],
)
def test_what_cannot_be_is_a_value_error(wrong: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"`names`|`rows`|`ids`|cannot be given"):
        wrong()


def test_a_refused_put_leaves_what_came_before_it() -> None:
    ids = table("a")
    with pytest.raises(ValueError, match="cannot be given"):
        ids.put(numbers(1, 1), ["b", "c"])
    assert ids.rows(["b", "c"]).tolist() == [1, -1]


def words() -> _core.KeywordIndex:
    index = _core.KeywordIndex()
    places = np.arange(3, dtype=np.int64)
    index.add(numbers(4, 7, 9), ["tea\nmilk\ntea", "milk", ""], places, places)
    index.remove(numbers(9))
    return index


def test_a_keyword_index_comes_back_from_its_image() -> None:
    again = _core.KeywordIndex.of_image(words().image())
    assert len(again) == 2
    rows, scores = again.search(["milk"], 9, None, [0.5])
    expected = words().search(["milk"], 9, None, [0.5])
    assert rows.tolist() == expected[0].tolist() == [7, 4]
    assert scores.tolist() == expected[1].tolist()


@pytest.mark.parametrize(
    "name", ["rows", "groups", "ordinals", "lengths", "ends", "terms", "counts", "texts"]
)
def test_an_image_that_lacks_something_is_refused(name: str) -> None:
    image = words().image()
    cut = {**image, name: image[name][: -5 if name == "texts" else -1].copy()}
    with pytest.raises(ValueError, match="image"):
        _core.KeywordIndex.of_image(cut)
    del image[name]
    with pytest.raises(ValueError, match=f"`image` has no `{name}`"):
        _core.KeywordIndex.of_image(image)


def test_bytes_and_arrays_of_them_have_one_hash() -> None:
    data = bytes(range(256)) * 5000
    array = np.frombuffer(data, dtype=np.uint8)
    assert _core.bytes_hash(data) == _core.bytes_hash(array) != _core.bytes_hash(array[1:])
    with pytest.raises(ValueError, match="contiguous"):
        _core.bytes_hash(array[::2])
