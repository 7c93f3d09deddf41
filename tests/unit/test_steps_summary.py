"""Summaries by extraction, and groups of close items."""

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from memu_py.features.clusters import close_groups
from memu_py.records.batch import StoredItem
from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.steps.memorize.summary import says, summarize

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def stored(text: str, vector: list[float], speaker: str | None = None) -> StoredItem:
    item = Item(
        type="fact",
        text=text,
        speaker=speaker,
        scope=Scope(user="u"),
        identity=text,
        created_at=NOW,
        updated_at=NOW,
    )
    row = np.array(vector, dtype=np.float32)
    return StoredItem(item=item, vector=row / np.linalg.norm(row), tokens=())


def test_the_most_central_items_are_kept_and_written_newest_first() -> None:
    items = [
        stored("newest", [1, 0.1]),
        stored("far off", [-1, 0.2]),
        stored("middle", [1, 0.0], speaker="Ann"),
        stored("oldest", [1, -0.1]),
    ]
    assert summarize(items, max_chars=30) == "newest\nAnn: middle\noldest"


def test_an_item_longer_than_the_summary_is_cut_and_none_at_all_is_empty() -> None:
    assert summarize([stored("a long text that does not fit", [1, 0])], max_chars=10) == "a long tex"
    assert summarize([], max_chars=10) == ""


def test_line_breaks_of_an_item_do_not_break_the_summary() -> None:
    assert summarize([stored("one\n  two", [1, 0])], max_chars=50) == "one two"


def test_what_a_text_cites_is_no_citation_of_its_summary() -> None:
    text = "The loan [ref:12] is [re[ref:9]f:7] due."
    assert summarize([stored(text, [1, 0])], max_chars=50) == "The loan is due."
    assert says("The loan is due.", text)


def unit(*rows: list[float]) -> NDArray[np.float32]:
    matrix = np.array(rows, dtype=np.float32)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def test_a_group_needs_every_two_to_be_close() -> None:
    chain = unit([1, 0, 0], [1, 0.8, 0], [1, 2.2, 0], [0, 0, 1])
    assert close_groups(chain, threshold=0.75, least=3) == []
    knot = unit([1, 0, 0], [1, 0.1, 0], [1, -0.1, 0], [0, 0, 1], [0, 0.1, 1])
    assert close_groups(knot, threshold=0.9, least=3) == [[0, 1, 2]]
    assert close_groups(knot, threshold=0.9, least=2) == [[0, 1, 2], [3, 4]]


def test_too_few_rows_make_no_group() -> None:
    assert close_groups(unit([1, 0]), threshold=0.5, least=3) == []
