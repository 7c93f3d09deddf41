"""One item's scores as a row of a table."""

import pickle

import numpy as np
import pytest

from memu_py.records.fused import ScoreRow

COLUMNS = {"dense": np.array([0.25, 0.5], dtype=np.float32), "fit": np.array([1.0, 0.75], dtype=np.float32)}


def test_a_row_reads_like_a_dictionary_of_plain_numbers() -> None:
    row = ScoreRow(COLUMNS, 1)
    assert row == {"dense": 0.5, "fit": 0.75}
    assert {**row, "more": 1.0} == {"dense": 0.5, "fit": 0.75, "more": 1.0}
    assert [type(value) for value in row.values()] == [float, float]
    assert (len(row), repr(row)) == (2, "{'dense': 0.5, 'fit': 0.75}")


def test_a_row_has_only_what_the_table_has() -> None:
    with pytest.raises(KeyError):
        ScoreRow(COLUMNS, 0)["keyword"]


def test_a_row_can_be_sent_elsewhere() -> None:
    row = ScoreRow(COLUMNS, 0)
    assert pickle.loads(pickle.dumps(row)) == row
