"""From what models give to scores, and what is refused."""

import numpy as np
import pytest

from memu_py.errors import ConfigError, ModelError
from memu_py.reranking.factory import UNSET
from memu_py.reranking.scores import checked, scores_of


@pytest.mark.parametrize(
    ("logits", "expected"),
    [
        ([0.0, np.log(3)], [0.5, 0.75]),
        ([[0.0], [-np.log(3)]], [0.5, 0.25]),
        ([[1.0, 1.0], [0.0, np.log(3)]], [0.5, 0.75]),
        ([[1e30, -1e30]], [0.0]),
        ([-1e30, 1e30], [0.0, 1.0]),
        (np.zeros(0), []),
        (np.zeros((0, 1)), []),
    ],
)
def test_logits_become_probabilities(logits: object, expected: list[float]) -> None:
    found = scores_of(np.array(logits, dtype=np.float32))

    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("logits", "message"),
    [
        ([[1.0, 2.0, 3.0]], r"outputs of shape \(3,\) for a pair"),
        ([[[1.0], [2.0]]], r"outputs of shape \(2, 1\) for a pair"),
        ([1.0, np.nan], "not from 0 to 1"),
    ],
)
def test_what_is_no_cross_encoder_is_refused(logits: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        scores_of(np.array(logits, dtype=np.float32))


@pytest.mark.parametrize("bad", [-0.01, 1.01, np.nan, np.inf])
def test_a_score_outside_its_range_is_refused(bad: float) -> None:
    with pytest.raises(ModelError, match="not from 0 to 1"):
        checked(np.array([0.5, bad], dtype=np.float32), 2)


@pytest.mark.parametrize("shape", [(1,), (3,), (2, 1)])
def test_another_number_of_scores_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ModelError, match=r"gave scores of shape .* for 2 texts"):
        checked(np.zeros(shape, dtype=np.float32), 2)


def test_the_limits_themselves_are_fine() -> None:
    found = checked(np.array([0, 1], dtype=np.float64), 2)

    assert found.dtype == np.float32
    assert found.tolist() == [0, 1]


def test_the_error_says_what_to_set() -> None:
    assert all(key in str(ConfigError(UNSET)) for key in ("`reranker.path`", "`reranker.model`"))
