"""The keyword index agrees with its plain-Python reference, whatever came and went before."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memu_py import _core
from memu_py.scoring import reference
from memu_py.scoring.keyword_reference import NO_GROUP, KeywordRow, ReferenceKeywordIndex

Change = dict[int, KeywordRow] | list[int]
"""Rows to add, or row numbers to remove."""

TERMS = st.sampled_from(["tea", "milk", "gpt-4", "咖啡", "x" * 64])
ROW_NUMBERS = st.integers(0, 9) | st.just(2**32 - 1)
GROUPS = st.sampled_from([NO_GROUP, 0, 1, -(2**63), 2**63 - 1])
ORDINALS = st.integers(0, 5) | st.sampled_from([-(2**63), 2**63 - 1])
KEYWORD_ROWS = st.builds(
    KeywordRow, tokens=st.lists(TERMS, max_size=6).map(tuple), group=GROUPS, ordinal=ORDINALS
)
CHANGES: st.SearchStrategy[list[Change]] = st.lists(
    st.dictionaries(ROW_NUMBERS, KEYWORD_ROWS, max_size=6) | st.lists(ROW_NUMBERS, max_size=3), max_size=6
)
QUESTIONS = st.lists(TERMS | st.just("unknown"), max_size=5)
SPREADS = st.lists(st.floats(0, 1), max_size=3)
MASKS = st.none() | st.lists(st.booleans(), max_size=12)


def numbers(values: Sequence[int]) -> NDArray[np.uint32]:
    return np.array(values, dtype=np.uint32)


def apply(change: Change, index: _core.KeywordIndex, plain: ReferenceKeywordIndex) -> None:
    if isinstance(change, list):
        index.remove(numbers(change))
        for row in change:
            plain.rows.pop(row, None)
        return
    index.add(
        numbers(list(change)),
        ["\n".join(row.tokens) for row in change.values()],
        np.array([row.group for row in change.values()], dtype=np.int64),
        np.array([row.ordinal for row in change.values()], dtype=np.int64),
    )
    plain.rows.update(change)


def built(
    changes: Sequence[Change], *, k1: float = 0.9, b: float = 0.4
) -> tuple[_core.KeywordIndex, ReferenceKeywordIndex]:
    index, plain = _core.KeywordIndex(k1=k1, b=b), ReferenceKeywordIndex(k1=k1, b=b)
    for change in changes:
        apply(change, index, plain)
    return index, plain


def check(
    index: _core.KeywordIndex, plain: ReferenceKeywordIndex, question: list[str], spread: Sequence[float]
) -> dict[int, float]:
    """Hold all scores to the reference; return those above 0."""
    rows = [*plain.rows, 424_242]
    scores = index.scores(question, numbers(rows), spread).tolist()
    expected = plain.scores(question, rows, spread)
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-7)
    return {row: score for row, score in zip(rows, scores, strict=True) if score > 0}


@settings(deadline=None)
@given(CHANGES, QUESTIONS, SPREADS, st.floats(0, 3), st.floats(0, 1))
def test_scores_agree_after_any_changes(
    changes: list[Change], question: list[str], spread: list[float], k1: float, b: float
) -> None:
    index, plain = built(changes, k1=k1, b=b)
    assert len(index) == len(plain.rows)
    assert all(score <= 1.0 for score in check(index, plain, question, spread).values())


@settings(deadline=None)
@given(CHANGES, QUESTIONS, SPREADS, st.integers(0, 12), MASKS)
def test_search_is_the_best_of_all_scores(
    changes: list[Change], question: list[str], spread: list[float], k: int, allowed: list[bool] | None
) -> None:
    index, plain = built(changes)
    scores = check(index, plain, question, spread)
    mask = None if allowed is None else np.array(allowed, dtype=np.bool_)
    open_rows = {
        row: score
        for row, score in scores.items()
        if allowed is None or (row < len(allowed) and allowed[row])
    }
    rows, found = index.search(question, k, mask, spread)
    assert list(zip(rows.tolist(), found.tolist(), strict=True)) == reference.best_first(open_rows, k)
    expected = {row for row, _ in plain.search(question, len(plain.rows), allowed, spread)}
    assert set(open_rows) <= expected


@settings(deadline=None)
@given(CHANGES, QUESTIONS, st.floats(0, 3), st.floats(0, 1))
def test_scores_of_sequences_agree_after_any_changes(
    changes: list[Change], question: list[str], k1: float, b: float
) -> None:
    index, plain = built(changes, k1=k1, b=b)
    rows = [*plain.rows, 424_242]
    scores = index.group_scores(question, numbers(rows))
    np.testing.assert_allclose(scores, plain.group_scores(question, rows), rtol=1e-5, atol=1e-7)
    assert (scores <= 1.0).all()


@settings(deadline=None)
@given(CHANGES, QUESTIONS, SPREADS)
def test_history_does_not_show(changes: list[Change], question: list[str], spread: list[float]) -> None:
    index, plain = built(changes)
    fresh, _ = built([dict(sorted(plain.rows.items()))])
    rows = numbers(list(plain.rows))
    assert index.scores(question, rows, spread).tolist() == fresh.scores(question, rows, spread).tolist()


@pytest.mark.parametrize("spread", [[], [0.5], [0.3, 0.1]])
def test_a_large_index_agrees_after_much_coming_and_going(spread: list[float]) -> None:
    dice = Random(11)
    words = [f"w{number}" for number in range(40)]

    def row(ordinal: int) -> KeywordRow:
        common = dice.choices(words, weights=[1 / (rank + 1) for rank in range(40)], k=5)
        return KeywordRow(tokens=tuple(common), group=ordinal % 3, ordinal=ordinal)

    index, plain = built([])
    for _ in range(60):
        apply({number: row(number) for number in dice.sample(range(60), 20)}, index, plain)
        apply(dice.sample(range(60), 5), index, plain)
    for question in (["w0"], ["w39", "w1"], ["w7", "w0", "nothing", "w0"], words[:10]):
        scores = check(index, plain, question, spread)
        rows, found = index.search(question, 20, None, spread)
        assert list(zip(rows.tolist(), found.tolist(), strict=True)) == reference.best_first(scores, 20)


def test_a_term_counts_at_most_255_times() -> None:
    index, plain = built([{0: KeywordRow(tokens=("tea",) * 300), 1: KeywordRow(tokens=("milk",))}])
    check(index, plain, ["tea"], [])


def test_removed_rows_give_their_memory_back() -> None:
    rows = {number: KeywordRow(tokens=(f"word{number}", "all"), ordinal=number) for number in range(5000)}
    index, _ = built([rows])
    full = index.nbytes()
    index.remove(numbers(range(10, 5000)))
    assert index.nbytes() < full / 10
    assert index.search(["all"], 99)[0].tolist() == list(range(10))


def test_threads_change_and_search_one_index() -> None:
    index = _core.KeywordIndex()
    shares = [range(start, 400, 4) for start in range(4)]

    def write(share: range) -> None:
        for row in share:
            tokens = [f"tea\nword{row}", "milk\ntea"]
            groups, ordinals = np.zeros(2, dtype=np.int64), np.array([row, row + 1000], dtype=np.int64)
            index.add(numbers([row, row + 1000]), tokens, groups, ordinals)
            index.remove(numbers([row + 1000]))

    def read(_: int) -> None:
        for _ in range(50):
            rows, scores = index.search(["tea", "milk"], 10, None, [0.5])
            assert len(set(rows.tolist())) == len(rows)
            assert all(0 < score <= 1 for score in scores.tolist())
            assert 0 <= len(index) <= 404

    with ThreadPoolExecutor(8) as pool:
        work = [pool.submit(write, share) for share in shares] + [pool.submit(read, n) for n in range(4)]
        for one in work:
            one.result()
    left = {row: KeywordRow(tokens=("tea", f"word{row}"), group=0, ordinal=row) for row in range(400)}
    fresh, _ = built([left])
    assert len(index) == len(fresh) == 400
    for question in (["tea"], ["word7", "milk"]):
        found, expected = index.search(question, 400, None, [0.5]), fresh.search(question, 400, None, [0.5])
        assert [part.tolist() for part in found] == [part.tolist() for part in expected]


@settings(deadline=None)
@given(CHANGES, QUESTIONS, SPREADS, st.integers(0, 10**6), st.dictionaries(TERMS, st.integers(0, 10**6)))
def test_a_part_weighs_terms_as_the_whole_does(
    changes: list[Change], question: list[str], spread: list[float], texts: int, holding: dict[str, int]
) -> None:
    index, plain = built(changes)
    index.assume(texts, holding)
    plain.assume(texts, holding)
    assert all(score <= 1.0 for score in check(index, plain, question, spread).values())
    rows = [*plain.rows, 424_242]
    scores = index.group_scores(question, numbers(rows))
    np.testing.assert_allclose(scores, plain.group_scores(question, rows), rtol=1e-5, atol=1e-7)


def test_a_whole_that_is_named_as_its_own_part_changes_nothing() -> None:
    index, _ = built([{0: KeywordRow(tokens=("tea", "milk")), 1: KeywordRow(tokens=("tea",))}])
    before = index.scores(["tea", "milk"], numbers([0, 1])).tolist()
    index.assume(2, {"tea": 2, "milk": 1})
    assert index.scores(["tea", "milk"], numbers([0, 1])).tolist() == before
    index.assume(1000, {"tea": 2, "milk": 900})
    assert index.scores(["tea", "milk"], numbers([0, 1])).tolist()[1] > before[1]
